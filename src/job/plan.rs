//! What to run, with nothing left to decide about it.

use std::time::Duration;

/// A command and the bounds of its life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The program and its arguments.
    pub invocation: Invocation,
    /// The working directory; empty for the host's own.
    pub directory: String,
    /// The whole environment.
    pub environment: Environment,
    /// How many bytes of each stream are kept.
    pub capture_limit: usize,
    /// How long the command and whatever holds its output may take.
    pub timeout: Option<Duration>,
    /// How long after SIGTERM the SIGKILL follows.
    pub kill_grace: Duration,
}

/// The program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invocation {
    /// A shell that gets the command as text.
    Shell {
        /// Its path, or a name to look for in PATH.
        program: String,
        /// What stands before the command, such as `-c`.
        flags: Vec<String>,
        /// The command; of any length.
        command: String,
    },
    /// A program without a shell.
    Program {
        /// Its path, or a name to look for in PATH.
        program: String,
        /// The arguments after its name.
        arguments: Vec<String>,
    },
}

impl Invocation {
    /// The program, as errors name it.
    #[must_use]
    pub fn program(&self) -> &str {
        match self {
            Self::Shell { program, .. } | Self::Program { program, .. } => program,
        }
    }
}

/// Environment variables, as `NAME=value` with a NUL between two: one string, since it comes from JavaScript and
/// one is cheaper to hand over than many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment(pub String);

impl Environment {
    /// The variables, as `NAME=value`.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.0.split('\0').filter(|variable| !variable.is_empty())
    }

    /// The value of one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables().find_map(|variable| variable.strip_prefix(name)?.strip_prefix('='))
    }
}

#[cfg(test)]
mod tests {
    use super::Environment;

    #[test]
    fn a_variable_is_found_by_its_whole_name() {
        let environment = Environment("XPATH=/x\0PATH=/bin:/usr/bin\0PATHS=/y".to_owned());
        assert_eq!(environment.get("PATH"), Some("/bin:/usr/bin"));
        assert_eq!(environment.get("HOME"), None);
    }

    #[test]
    fn an_empty_environment_has_no_variables() {
        assert_eq!(Environment::default().variables().count(), 0);
    }
}
