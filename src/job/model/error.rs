//! The errors of a launch: reasons why no command ran.

use crate::durable::error::DurableError;
use crate::process::directory::{DirectoryError, Problem};
use crate::process::errno::Errno;
use crate::process::helper_program::HelperError;
use crate::target::error::TargetError;

/// The reason why no command ran.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// The working directory can't be used.
    #[error(transparent)]
    Directory(DirectoryError),
    /// The system could not start the program, or create a pipe or file for it.
    #[error("{}", node_words(program, *errno))]
    System {
        /// The program that was to be started.
        program: String,
        /// The system's error.
        errno: Errno,
    },
    /// The system has no terminal left.
    #[error("no terminal can be opened: {}", errno.name())]
    Terminal {
        /// The system's error.
        errno: Errno,
    },
    /// The helper program, through which a command gets its terminal and its limits, can't be used (macOS).
    #[error(transparent)]
    Helper(HelperError),
    /// The sandbox can't be built.
    #[error("{message}")]
    Sandbox {
        /// A stable code, such as `SANDBOX_UNAVAILABLE`.
        code: &'static str,
        message: String,
    },
    /// The limits of all processes together can't be applied.
    #[error("the limits of all processes together can't be applied: {0}")]
    Limits(String),
    /// The target can't run commands.
    #[error(transparent)]
    Target(TargetError),
    /// There is no durable job.
    #[error(transparent)]
    Durable(DurableError),
    /// The command has a NUL, which no argument of a program may have.
    #[error("the command, its arguments and its environment must not contain null bytes")]
    NullByte,
    /// The job was stopped before there was a process.
    #[error("the command was stopped before it started")]
    Stopped,
    /// The owner of the job has closed.
    #[error("the owner of the command has gone")]
    OwnerGone,
    /// An argument that no program of this system can get as it is, or a shell of another system.
    #[error("{0}")]
    Argument(String),
    /// A feature that this system lacks.
    #[error("{feature} is not available on this system: {instead}")]
    Unavailable {
        /// The name of the option that asked for it.
        feature: &'static str,
        /// The way to do without it.
        instead: &'static str,
    },
    /// A bug in this crate.
    #[error("the engine failed; please report this")]
    Internal,
}

impl LaunchError {
    /// Returns the error for a system call that failed while `program` was being started.
    #[must_use]
    pub fn system(program: &str, errno: Errno) -> Self {
        Self::System { program: program.to_owned(), errno }
    }

    /// Returns the error for a directory that could not be opened. A lack of descriptors or memory counts as
    /// the system's error, not the directory's.
    #[must_use]
    pub fn directory(error: DirectoryError, program: &str) -> Self {
        match error.errno.0 {
            libc::EMFILE | libc::ENFILE | libc::ENOMEM => Self::system(program, error.errno),
            _ => Self::Directory(error),
        }
    }

    /// Returns the error for an open directory that the child could not enter.
    #[must_use]
    pub fn not_entered(path: &str, errno: Errno) -> Self {
        Self::Directory(DirectoryError { problem: Problem::NotAccessible, path: path.to_owned(), errno })
    }

    /// Returns a stable code: the name of the system's error, such as `ENOENT`, or a code of this crate.
    #[must_use]
    pub fn code(&self) -> String {
        match self {
            Self::Directory(error) => error.problem.code().to_owned(),
            Self::System { errno, .. } => errno.name(),
            Self::Terminal { .. } => "PTY_UNAVAILABLE".to_owned(),
            Self::Helper(error) => error.code(),
            Self::Sandbox { code, .. } => (*code).to_owned(),
            Self::Limits(_) => "LIMITS_UNAVAILABLE".to_owned(),
            Self::Target(error) => error.code.to_owned(),
            Self::Durable(error) => error.code.to_owned(),
            Self::NullByte | Self::Argument(_) => "ERR_INVALID_ARG_VALUE".to_owned(),
            Self::Unavailable { .. } => "ERR_FEATURE_UNAVAILABLE".to_owned(),
            Self::Stopped | Self::OwnerGone => "ABORT_ERR".to_owned(),
            Self::Internal => "INTERNAL".to_owned(),
        }
    }

    /// Returns the error that Node's `spawn` would give, which does not tell a bad directory from a bad
    /// `program`.
    #[must_use]
    pub fn as_node(&self, program: &str) -> Self {
        match self {
            Self::Directory(error) => Self::system(program, error.errno),
            other => other.clone(),
        }
    }
}

/// Formats an error as Node does: some with the program's name, others without it.
fn node_words(program: &str, errno: Errno) -> String {
    let code = errno.name();
    let names_program =
        matches!(errno.0, libc::EACCES | libc::EAGAIN | libc::EMFILE | libc::ENFILE | libc::ENOENT);
    if names_program { format!("spawn {program} {code}") } else { format!("spawn {code}") }
}

#[cfg(test)]
mod tests {
    use super::{DirectoryError, Errno, LaunchError, Problem};

    #[test]
    fn the_common_errors_name_the_program() {
        let words = |program, errno| LaunchError::system(program, Errno(errno)).to_string();
        assert_eq!(words("/bin/zsh", libc::ENOENT), "spawn /bin/zsh ENOENT");
        assert_eq!(words("git", libc::EACCES), "spawn git EACCES");
    }

    #[test]
    fn the_others_do_not() {
        assert_eq!(LaunchError::system("/bin/zsh", Errno(libc::ENOTDIR)).to_string(), "spawn ENOTDIR");
    }

    #[test]
    fn a_directory_is_not_blamed_when_there_is_no_descriptor_to_be_had() {
        let error = |errno| DirectoryError {
            problem: Problem::NotAccessible,
            path: "/".to_owned(),
            errno: Errno(errno),
        };
        assert_eq!(LaunchError::directory(error(libc::EMFILE), "sh").code(), "EMFILE");
        assert_eq!(LaunchError::directory(error(libc::EACCES), "sh").code(), "CWD_NOT_ACCESSIBLE");
    }

    #[test]
    fn a_bad_directory_has_a_name_of_its_own_and_one_of_nodes() {
        let errno = Errno(libc::ENOENT);
        let error = DirectoryError { problem: Problem::Missing, path: "/none".to_owned(), errno };
        let error = LaunchError::Directory(error);
        assert_eq!(error.code(), "CWD_MISSING");
        assert_eq!(error.to_string(), "the working directory does not exist: /none");
        assert_eq!(error.as_node("/bin/zsh").code(), "ENOENT");
        assert_eq!(error.as_node("/bin/zsh").to_string(), "spawn /bin/zsh ENOENT");
    }
}
