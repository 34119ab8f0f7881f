//! The working directory: opened once, checked, and entered by descriptor. What was checked is what is used, also when
//! somebody swaps a link in between.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags, fstat, open, openat};
use rustix::io::Errno as SystemError;

use super::errno::Errno;
use super::fd::above_standard_streams;

/// To enter a directory takes no permission to list it.
#[cfg(target_os = "linux")]
const DIRECTORY_ONLY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const DIRECTORY_ONLY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// The working directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directory {
    /// Its path; empty for the host's own.
    pub path: String,
    /// The directory that it must not lie outside of, by real path.
    pub root: Option<String>,
}

/// A directory that can be entered.
#[derive(Debug)]
pub struct OpenDirectory {
    /// Its descriptor.
    pub descriptor: OwnedFd,
}

impl OpenDirectory {
    /// Which directory it is, whatever paths lead to it: its device and its number there.
    #[must_use]
    pub fn place(&self) -> Option<(u64, u64)> {
        place(&self.descriptor).ok()
    }

    /// Its real path, where the system tells.
    #[must_use]
    pub fn real_path(&self) -> Option<String> {
        real_path(&self.descriptor)
    }
}

/// Why a directory can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}: {path}")]
pub struct DirectoryError {
    /// What is wrong.
    pub problem: Problem,
    /// With which directory, as it was given.
    pub path: String,
    /// The system's error; `EXDEV` for one that lies outside.
    pub errno: Errno,
}

/// What is wrong with a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// There is none.
    #[error("the working directory does not exist")]
    Missing,
    /// It is something else.
    #[error("the working directory is not a directory")]
    NotDirectory,
    /// It can't be reached or entered.
    #[error("the working directory is not accessible")]
    NotAccessible,
    /// It lies outside of the root.
    #[error("the working directory is outside of the root")]
    Outside,
    /// There is no root.
    #[error("the root does not exist")]
    RootMissing,
    /// The root is something else.
    #[error("the root is not a directory")]
    RootNotDirectory,
    /// The root can't be reached.
    #[error("the root is not accessible")]
    RootNotAccessible,
}

impl Problem {
    /// A stable name.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Missing => "CWD_MISSING",
            Self::NotDirectory => "CWD_NOT_DIRECTORY",
            Self::NotAccessible => "CWD_NOT_ACCESSIBLE",
            Self::Outside => "CWD_OUTSIDE",
            Self::RootMissing => "ROOT_MISSING",
            Self::RootNotDirectory => "ROOT_NOT_DIRECTORY",
            Self::RootNotAccessible => "ROOT_NOT_ACCESSIBLE",
        }
    }
}

/// Opens the directory and sees to it that it lies in its root.
///
/// # Errors
///
/// What is wrong with it, or with its root.
pub fn open_directory(directory: &Directory) -> Result<OpenDirectory, DirectoryError> {
    let path = if directory.path.is_empty() { "." } else { &directory.path };
    let root = directory
        .root
        .as_deref()
        .map(|root| {
            let problems = [Problem::RootMissing, Problem::RootNotDirectory, Problem::RootNotAccessible];
            open_one(root).map_err(|errno| error(problems, root, errno)).map(|descriptor| (root, descriptor))
        })
        .transpose()?;
    let problems = [Problem::Missing, Problem::NotDirectory, Problem::NotAccessible];
    let descriptor = open_one(path).map_err(|errno| error(problems, path, errno))?;
    if let Some((_, root)) = root {
        let lies_in_root = lies_in(&descriptor, &root).map_err(|errno| error(problems, path, errno))?;
        if !lies_in_root {
            return Err(DirectoryError {
                problem: Problem::Outside,
                path: path.to_owned(),
                errno: Errno(libc::EXDEV),
            });
        }
    }
    Ok(OpenDirectory { descriptor })
}

fn open_one(path: &str) -> Result<OwnedFd, SystemError> {
    let descriptor = open(path, DIRECTORY_ONLY, Mode::empty())?;
    above_standard_streams(descriptor)
        .map_err(|error| SystemError::from_io_error(&error).unwrap_or(SystemError::IO))
}

fn error(
    [missing, not_directory, not_accessible]: [Problem; 3],
    path: &str,
    errno: SystemError,
) -> DirectoryError {
    let problem = match errno {
        SystemError::NOENT => missing,
        SystemError::NOTDIR => not_directory,
        _ => not_accessible,
    };
    DirectoryError { problem, path: path.to_owned(), errno: Errno(errno.raw_os_error()) }
}

/// Whether one directory is the other or lies below it: going up from it leads there. Paths are not compared, so links
/// and `..` in them don't matter.
fn lies_in(inner: &OwnedFd, outer: &OwnedFd) -> Result<bool, SystemError> {
    let wanted = place(outer)?;
    let mut here = place(inner)?;
    let mut above: Option<OwnedFd> = None;
    while here != wanted {
        let from = above.as_ref().unwrap_or(inner);
        let parent = openat(from, "..", DIRECTORY_ONLY, Mode::empty())?;
        let place_of_parent = place(&parent)?;
        if place_of_parent == here {
            // Only the root directory is its own parent. Every way up ends there, however deep the directory lies: links
            // and descriptors lead to directories whose path is longer than any that can be given.
            return Ok(false);
        }
        here = place_of_parent;
        above = Some(parent);
    }
    Ok(true)
}

fn place(directory: impl AsFd) -> Result<(u64, u64), SystemError> {
    let status = fstat(directory)?;
    #[allow(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        clippy::cast_sign_loss,
        reason = "their types differ between systems"
    )]
    Ok((status.st_dev as u64, status.st_ino as u64))
}

#[cfg(target_os = "linux")]
fn real_path(directory: &OwnedFd) -> Option<String> {
    use std::os::fd::AsRawFd;
    let path = std::fs::read_link(format!("/proc/self/fd/{}", directory.as_raw_fd())).ok()?;
    // What is gone has no path. The kernel tells the one that it had, and something behind it.
    let is_gone = fstat(directory).ok()?.st_nlink == 0;
    path.into_os_string().into_string().ok().filter(|_| !is_gone)
}

#[cfg(not(target_os = "linux"))]
fn real_path(directory: &OwnedFd) -> Option<String> {
    rustix::fs::getpath(directory).ok()?.into_string().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use tempfile::TempDir;

    use super::{Directory, OpenDirectory, Problem, open_directory};

    /// `root` with `inside/deep`, and its neighbours `root-2` and `outside`.
    fn place() -> TempDir {
        let place = tempfile::tempdir().expect("a directory");
        for path in ["root/inside/deep", "root-2", "outside"] {
            fs::create_dir_all(place.path().join(path)).expect("a directory");
        }
        fs::write(place.path().join("root/file"), "").expect("a file");
        place
    }

    fn open(place: &Path, path: &str) -> Result<OpenDirectory, super::DirectoryError> {
        let text = |path: &str| place.join(path).to_str().expect("text").to_owned();
        open_directory(&Directory { path: text(path), root: Some(text("root")) })
    }

    fn problem(place: &Path, path: &str) -> Option<Problem> {
        open(place, path).err().map(|error| error.problem)
    }

    #[test]
    fn the_root_and_what_is_below_it_can_be_entered() {
        let place = place();
        for path in ["root", "root/inside", "root/inside/deep", "root/inside/deep/../.."] {
            assert_eq!(problem(place.path(), path), None, "{path}");
        }
    }

    #[test]
    fn the_real_path_is_told() {
        let place = place();
        symlink("inside/deep", place.path().join("root/link")).expect("a link");
        let opened = open(place.path(), "root/link").expect("a directory");
        let real = place.path().canonicalize().expect("a path").join("root/inside/deep");
        assert_eq!(opened.real_path().as_deref(), real.to_str());
    }

    #[test]
    fn what_lies_outside_can_not() {
        let place = place();
        for path in ["outside", "root/..", "root/../outside", "root-2", "root/inside/../../root-2"] {
            assert_eq!(problem(place.path(), path), Some(Problem::Outside), "{path}");
        }
    }

    #[test]
    fn a_link_counts_as_what_it_leads_to() {
        let place = place();
        symlink(place.path().join("outside"), place.path().join("root/out")).expect("a link");
        symlink(place.path().join("root/inside"), place.path().join("outside/in")).expect("a link");
        assert_eq!(problem(place.path(), "root/out"), Some(Problem::Outside));
        assert_eq!(problem(place.path(), "outside/in"), None);
    }

    #[test]
    fn a_root_that_is_a_link_is_what_it_leads_to() {
        let place = place();
        symlink("root", place.path().join("link")).expect("a link");
        let text = |path: &str| place.path().join(path).to_str().expect("text").to_owned();
        let directory = Directory { path: text("root/inside"), root: Some(text("link")) };
        assert!(open_directory(&directory).is_ok());
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "it is opened again through /proc")]
    fn a_directory_that_is_gone_has_no_path() {
        let place = place();
        let deep = place.path().join("root/inside/deep");
        let held = fs::File::open(&deep).expect("a directory");
        fs::remove_dir(&deep).expect("removed");
        let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&held));
        let opened = open_directory(&Directory { path, root: None }).expect("a directory");
        assert_eq!(opened.real_path(), None);
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "it is opened through /proc")]
    fn a_directory_thousands_of_levels_below_the_root_lies_in_it() {
        use std::os::fd::AsRawFd;

        use rustix::fs::{Mode, OFlags, mkdirat, openat};

        let place = place();
        let mut deepest: std::os::fd::OwnedFd =
            fs::File::open(place.path().join("root")).expect("a directory").into();
        for _ in 0..3_000 {
            mkdirat(&deepest, "d", Mode::RWXU).expect("a directory");
            deepest = openat(&deepest, "d", OFlags::DIRECTORY, Mode::empty()).expect("a directory");
        }
        let root = place.path().join("root").to_str().expect("text").to_owned();
        let directory =
            Directory { path: format!("/proc/self/fd/{}", deepest.as_raw_fd()), root: Some(root) };
        assert_eq!(open_directory(&directory).err().map(|error| error.problem), None);
    }

    #[test]
    fn missing_and_not_a_directory_are_told_apart() {
        let place = place();
        assert_eq!(problem(place.path(), "root/none"), Some(Problem::Missing));
        assert_eq!(problem(place.path(), "root/file"), Some(Problem::NotDirectory));
        assert_eq!(problem(place.path(), "root/file/deeper"), Some(Problem::NotDirectory));
    }

    #[test]
    fn a_link_that_leads_in_a_circle_is_not_accessible() {
        let place = place();
        symlink("circle", place.path().join("root/circle")).expect("a link");
        assert_eq!(problem(place.path(), "root/circle"), Some(Problem::NotAccessible));
    }

    #[test]
    fn the_root_has_problems_of_its_own() {
        let place = place();
        let directory = |root: &str| Directory {
            path: place.path().to_str().expect("text").to_owned(),
            root: Some(place.path().join(root).to_str().expect("text").to_owned()),
        };
        let problem = |root| open_directory(&directory(root)).err().map(|error| error.problem);
        assert_eq!(problem("none"), Some(Problem::RootMissing));
        assert_eq!(problem("root/file"), Some(Problem::RootNotDirectory));
    }

    #[test]
    fn without_a_root_any_directory_can_be_entered() {
        let directory = Directory { path: "/".to_owned(), root: None };
        assert_eq!(open_directory(&directory).expect("a directory").real_path().as_deref(), Some("/"));
    }

    #[test]
    fn the_root_directory_contains_everything() {
        let directory = Directory { path: "/usr/bin".to_owned(), root: Some("/".to_owned()) };
        assert!(open_directory(&directory).is_ok());
    }
}
