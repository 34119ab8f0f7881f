//! Formats an outcome as text, for `run()` or for the bash tool.

use std::borrow::Cow;
use std::time::Duration;

use super::run_text;
use crate::job::Outcome;
use crate::job::model::outcome::{End, Fault};
use crate::job::model::plan::Plan;
use crate::tools::bash_function;

/// The format of the text that a caller gets.
#[derive(Clone, Debug)]
pub enum ResultFormat {
    /// The format of `bash()`, which names the program that could not be started, and the timeout.
    Bash { program: String, timeout: Option<Duration> },
    /// The format of `run()`: standard output, then standard error.
    Run,
}

impl ResultFormat {
    /// Returns the format of `bash()` for this plan.
    #[must_use]
    pub fn bash(plan: &Plan) -> Self {
        Self::Bash { program: plan.program().to_owned(), timeout: plan.times.timeout }
    }

    /// Returns the whole text of an outcome whose streams are these.
    #[must_use]
    pub fn output<'a>(&self, outcome: &Outcome, stdout: &'a str, stderr: &'a str) -> Cow<'a, str> {
        match self {
            Self::Bash { program, timeout } => {
                Cow::Owned(bash_function::result::text(outcome, program, *timeout))
            }
            Self::Run => run_text::output(stdout, stderr),
        }
    }

    /// Returns whether the text lacks some of the output.
    #[must_use]
    pub fn is_truncated(&self, outcome: &Outcome) -> bool {
        match self {
            Self::Bash { .. } => bash_function::result::is_truncated(outcome),
            Self::Run => run_text::is_truncated(outcome),
        }
    }

    /// Returns the failure of the outcome. For `bash()` it is the error that Node's `spawn` would give.
    #[must_use]
    pub fn fault(&self, outcome: &Outcome) -> Option<Fault> {
        match (self, &outcome.end) {
            (Self::Bash { program, .. }, End::NotStarted(error)) => Some((&error.as_node(program)).into()),
            _ => outcome.fault(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::ResultFormat;
    use crate::job::Outcome;
    use crate::job::model::error::LaunchError;
    use crate::process::directory::{DirectoryError, Problem};
    use crate::process::errno::Errno;

    fn missing_directory() -> Outcome {
        let error = DirectoryError {
            problem: Problem::Missing,
            path: "/none".to_owned(),
            errno: Errno(libc::ENOENT),
        };
        Outcome::not_started(LaunchError::Directory(error), None, Duration::ZERO)
    }

    #[test]
    fn run_names_the_directory_that_is_missing() {
        let fault = ResultFormat::Run.fault(&missing_directory()).expect("a fault");
        assert_eq!(fault.code, "CWD_MISSING");
    }

    #[test]
    fn bash_has_the_error_texts_of_node() {
        let format = ResultFormat::Bash { program: "/bin/bash".to_owned(), timeout: None };
        let outcome = missing_directory();
        assert_eq!(format.fault(&outcome).expect("a fault").message, "spawn /bin/bash ENOENT");
        let text = format.output(&outcome, "", "");
        assert_eq!(text, "Error: Failed to launch process: spawn /bin/bash ENOENT");
    }
}
