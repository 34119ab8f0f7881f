//! The surroundings of a command that JavaScript passes.

use napi_derive::napi;

use super::whole;
use crate::job::model::plan::{Directory, Environment, Limits, Shell, Surroundings};

/// The surroundings of a command. An absent option has its default.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct SurroundingsSpec {
    /// The working directory, absolute.
    pub cwd: String,
    /// The directory that must contain `cwd`, absolute.
    pub root: Option<String>,
    /// The environment: `NAME=value`, with a NUL after each.
    pub environment: String,
    /// The path and the flags of a shell; absent for the usual one.
    pub shell: Option<Vec<String>>,
    pub limits: Option<LimitsSpec>,
}

/// The resource limits of a command. An absent one does not limit.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct LimitsSpec {
    /// The address space (bytes).
    pub memory: Option<f64>,
    /// The number of the user's processes.
    pub processes: Option<f64>,
    /// The size of each file that the command writes (bytes).
    pub file_size: Option<f64>,
    /// The processor time (seconds).
    pub cpu: Option<f64>,
    /// The number of open descriptors.
    pub open_files: Option<f64>,
}

impl SurroundingsSpec {
    /// Converts the surroundings for a plan.
    #[must_use]
    pub fn surroundings(self) -> Surroundings {
        let Self { cwd, root, environment, shell, limits } = self;
        Surroundings {
            directory: Directory { path: cwd, root },
            environment: Environment(environment),
            shell: shell_of(shell),
            limits: limits.as_ref().map_or_else(Limits::default, LimitsSpec::limits),
        }
    }
}

/// Returns the shell of a path and flags, or the usual one.
pub fn shell_of(words: Option<Vec<String>>) -> Shell {
    let mut words = words.unwrap_or_default().into_iter();
    words.next().map_or_else(Shell::usual, |program| Shell { program, flags: words.collect() })
}

impl LimitsSpec {
    fn limits(&self) -> Limits {
        Limits {
            memory: self.memory.map(whole),
            processes: self.processes.map(whole),
            file_size: self.file_size.map(whole),
            cpu: self.cpu.map(whole),
            open_files: self.open_files.map(whole),
        }
    }
}
