//! The working directory of a command: opened and checked once.
//!
//! So a symbolic link that another process replaces after the check has no effect (TOCTOU).
//!
//! * `unix` opens it by a descriptor, which the child enters, `windows` by a handle that keeps it in place.
//! * [`links`] follows the symbolic links of a path, and on Windows finds the long names behind short ones.
//! * `current_directory` returns the directory in which another process is (Unix).
//! * `private` makes directories for this user alone, `temporary` says where, and `remove` removes them
//!   (Unix).

#[cfg_attr(windows, path = "links_windows.rs")]
pub mod links;
#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;
#[cfg_attr(windows, path = "private_windows.rs")]
pub mod private;
#[cfg_attr(windows, path = "no_temporary.rs")]
pub mod temporary;

pub use platform::*;

use crate::process::errno::Errno;

/// The working directory that a plan asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directory {
    /// The path; empty for the host's own working directory.
    pub path: String,
    /// The directory that must contain `path`, compared by real path.
    pub root: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}: {path}")]
pub struct DirectoryError {
    pub problem: Problem,
    /// The path as the caller gave it.
    pub path: String,
    /// The system's error; `EXDEV` for a directory outside of the root.
    pub errno: Errno,
}

/// The longest path of the working directory of a new process on Windows (UTF-16 units): `MAX_PATH` without
/// the `\` and the NUL that Windows adds.
pub const LONGEST_ON_WINDOWS: usize = 258;

/// The ways in which a directory can be unusable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("the working directory does not exist")]
    Missing,
    #[error("the working directory is not a directory")]
    NotDirectory,
    /// The directory can't be reached or entered.
    #[error("the working directory is not accessible")]
    NotAccessible,
    /// Windows takes shorter paths for the directory of a new process than for files.
    #[error("the working directory has more than the {LONGEST_ON_WINDOWS} characters that Windows takes")]
    TooLong,
    #[error("the working directory is outside of the root")]
    Outside,
    #[error("the root does not exist")]
    RootMissing,
    #[error("the root is not a directory")]
    RootNotDirectory,
    #[error("the root is not accessible")]
    RootNotAccessible,
}

impl Directory {
    /// Returns the path by which the directory is opened.
    fn entered(&self) -> &str {
        if self.path.is_empty() { "." } else { &self.path }
    }

    /// Opens the directory and its root by `open`, and checks that the root contains it by `is_inside`, which
    /// gets both in this order. `fault` makes an error of what the system has reported, of a path, and of the
    /// problem that it is: missing, not a directory, or anything else.
    fn open_by<Opened, E>(
        &self,
        open: impl Fn(&str) -> Result<Opened, E>,
        is_inside: impl FnOnce(&Opened, &Opened) -> Result<bool, E>,
        fault: impl Fn([Problem; 3], &str, E) -> DirectoryError,
    ) -> Result<Opened, DirectoryError> {
        let root_problems = [Problem::RootMissing, Problem::RootNotDirectory, Problem::RootNotAccessible];
        let open_root = |root| open(root).map_err(|error| fault(root_problems, root, error));
        let root = self.root.as_deref().map(open_root).transpose()?;
        let path = self.entered();
        let failed =
            |error| fault([Problem::Missing, Problem::NotDirectory, Problem::NotAccessible], path, error);
        let opened = open(path).map_err(failed)?;
        if let Some(root) = root
            && !is_inside(&opened, &root).map_err(failed)?
        {
            let errno = Errno(libc::EXDEV);
            return Err(DirectoryError { problem: Problem::Outside, path: path.to_owned(), errno });
        }
        Ok(opened)
    }
}

impl Problem {
    /// Returns the stable error code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Missing => "CWD_MISSING",
            Self::NotDirectory => "CWD_NOT_DIRECTORY",
            Self::NotAccessible | Self::TooLong => "CWD_NOT_ACCESSIBLE",
            Self::Outside => "CWD_OUTSIDE",
            Self::RootMissing => "ROOT_MISSING",
            Self::RootNotDirectory => "ROOT_NOT_DIRECTORY",
            Self::RootNotAccessible => "ROOT_NOT_ACCESSIBLE",
        }
    }
}
