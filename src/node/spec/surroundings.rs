//! The surroundings of a command that JavaScript passes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use napi::bindgen_prelude::Reference;
use napi_derive::napi;

use super::whole;
use crate::job::model::plan::{Directory, Environment, Limits, Shell, Surroundings};
use crate::job::model::surroundings::{OnTarget, SharedOverlay, SharedScope};
use crate::job::prompts::{PromptScope, PromptVariables};
use crate::node::calls::overlay::OverlayHandle;
use crate::node::calls::secrets::SecretScopeHandle;
use crate::node::calls::target::TargetHandle;
use crate::node::error::NativeError;
use crate::node::spec::redactor::RedactorHandle;
use crate::process::cgroup::limits::TreeLimits;
use crate::process::cgroup::report::cpu_time;
use crate::sandbox::options::SandboxOptions;
use crate::sandbox::plan::make::{check, check_with_overlay};

/// The surroundings of a command. An absent option has its default.
#[napi(object, object_to_js = false)]
#[allow(missing_debug_implementations, reason = "the objects of JavaScript have none")]
pub struct SurroundingsSpec {
    /// The working directory, absolute.
    pub cwd: String,
    /// The directory that must contain `cwd`, absolute.
    pub root: Option<String>,
    /// The environment: `NAME=value`, with a NUL after each.
    pub environment: String,
    /// The path and the flags of a shell; absent for the usual one.
    pub shell: Option<Vec<String>>,
    /// Shell text before a command line, as the beginning of its first line.
    pub prelude: Option<String>,
    pub limits: Option<LimitsSpec>,
    /// The sandbox, as JSON.
    pub sandbox: Option<String>,
    /// The overlay over the root of the sandbox.
    pub overlay: Option<Reference<OverlayHandle>>,
    /// The directories of agent-bash's own files for the command, and files that it only reads.
    pub files: Option<Vec<String>>,
    /// The rules of allowed hosts and their secrets.
    pub secrets: Option<Reference<SecretScopeHandle>>,
    pub target: Option<TargetSpec>,
    /// The names of the variables by which programs ask a person; absent if they ask nobody.
    pub prompts: Option<Vec<String>>,
    /// The redactor of secret values in the output.
    pub redactor: Option<Reference<RedactorHandle>>,
}

/// A command's place on a target. The paths and the environment are those there.
#[napi(object, object_to_js = false)]
#[allow(missing_debug_implementations, reason = "the objects of JavaScript have none")]
pub struct TargetSpec {
    pub target: Reference<TargetHandle>,
    /// Whether the command gets no variable from there. Otherwise a name without a value removes one.
    pub has_empty_environment: bool,
    /// Whether `sh` runs a command line where the shell is missing.
    pub or_sh: bool,
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
    pub open_files: Option<f64>,
    /// The limits of all processes together.
    pub tree: Option<TreeSpec>,
}

/// The limits of all processes of a command together. An absent one does not limit.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct TreeSpec {
    /// Memory (bytes).
    pub memory: Option<f64>,
    /// Swap (bytes).
    pub swap: Option<f64>,
    pub processes: Option<f64>,
    /// The number of processors.
    pub cpus: Option<f64>,
    pub cpu_weight: Option<f64>,
    /// Bytes in each second.
    pub read: Option<f64>,
    /// Bytes in each second.
    pub write: Option<f64>,
    /// The prepared directory of cgroups, absolute.
    pub cgroup: Option<String>,
    pub allows_weaker: Option<bool>,
}

impl SurroundingsSpec {
    /// Converts the surroundings for a plan.
    ///
    /// # Errors
    ///
    /// The option that is wrong.
    pub fn surroundings(mut self) -> Result<Surroundings, NativeError> {
        if let Some(TargetSpec { target, has_empty_environment, or_sh }) = self.target.take() {
            let shells = match self.shell.as_deref() {
                None => Shell::usual_ones(),
                Some([program, flags @ ..]) if or_sh => Shell::or_sh(program, flags),
                Some(_) => Vec::new(),
            };
            let target = target.target();
            let elsewhere = OnTarget { target, has_empty_environment, shells, session_shell: None };
            return Ok(Surroundings { target: Some(elsewhere), ..self.without_sandbox() });
        }
        let Some(json) = self.sandbox.take() else { return Ok(self.without_sandbox()) };
        let missing = || NativeError::of_option("root", "expected a directory next to a sandbox".to_owned());
        let root = self.root.as_deref().ok_or_else(missing)?;
        let sandbox = sandbox_of(&json, root, &self.environment)?;
        let overlay = self.overlay.take().and_then(|handle| handle.overlay()).map(SharedOverlay);
        if overlay.is_some() {
            check_with_overlay(&sandbox)?;
        }
        Ok(Surroundings { sandbox: Some(sandbox), overlay, ..self.without_sandbox() })
    }

    /// Converts everything except the sandbox, the overlay and the target.
    fn without_sandbox(self) -> Surroundings {
        let Self { cwd, root, environment, shell, limits, files, prompts, secrets, .. } = self;
        Surroundings {
            directory: Directory { path: cwd, root },
            environment: Environment(environment),
            shell: shell_of(shell),
            limits: limits.as_ref().map_or_else(Limits::default, LimitsSpec::limits),
            tree: limits.and_then(|limits| limits.tree).map(|tree| Arc::new(tree.limits())),
            sandbox: None,
            overlay: None,
            secrets: secrets.map(|handle| SharedScope(handle.scope())),
            prompts: prompts.as_deref().map(variables_of),
            files: files.unwrap_or_default().into_iter().map(PathBuf::from).collect(),
            target: None,
        }
    }
}

/// Converts the names of the variables by which programs ask.
fn variables_of(names: &[String]) -> PromptVariables {
    let has = |name: &str| names.iter().any(|other| other == name);
    PromptVariables {
        sudo: has("SUDO_ASKPASS"),
        ssh: has("SSH_ASKPASS"),
        git: has("GIT_ASKPASS"),
        scope: PromptScope::Command,
    }
}

/// Parses and checks the option `sandbox`.
///
/// # Errors
///
/// The option that is wrong.
pub fn sandbox_of(json: &str, root: &str, environment: &str) -> Result<SandboxOptions, NativeError> {
    let options = SandboxOptions::parse(json).map_err(|error| NativeError::of_option("sandbox", error))?;
    check(&options, Path::new(root), home_of(environment).map(Path::new))?;
    Ok(options)
}

/// Returns the home directory of a command with this environment.
#[must_use]
pub fn home_of(environment: &str) -> Option<&str> {
    environment.split('\0').find_map(|variable| variable.strip_prefix("HOME="))
}

/// Returns the shell of a path and flags, or the usual one.
pub fn shell_of(words: Option<Vec<String>>) -> Shell {
    let mut words = words.unwrap_or_default().into_iter();
    words.next().map_or_else(Shell::usual, |program| Shell { program, flags: words.collect() })
}

impl TreeSpec {
    fn limits(self) -> TreeLimits {
        TreeLimits {
            memory: self.memory.map(whole),
            swap: self.swap.map(whole),
            processes: self.processes.map(whole),
            cpu_time: self.cpus.map(cpu_time),
            cpu_weight: self.cpu_weight.map(whole),
            read: self.read.map(whole),
            write: self.write.map(whole),
            cgroup: self.cgroup.map(PathBuf::from),
            allows_weaker: self.allows_weaker.unwrap_or(false),
        }
    }
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
