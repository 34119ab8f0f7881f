//! Opens a directory once and checks it. A child enters it by its descriptor.

mod current;
pub mod remove;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{Mode, OFlags, fstat, open, openat};
use rustix::io::Errno as SystemError;

pub use self::current::{CurrentDirectory, current_directory, device_and_inode_seen_by};
use super::{Directory, DirectoryError, Problem};
use crate::process::errno::Errno;
use crate::process::fd::above_standard_streams;

/// The flags for opening a directory only to enter it, which needs no permission to list it.
#[cfg(target_os = "linux")]
pub(crate) const DIRECTORY_ONLY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// The same flags (macOS 13). An older kernel ignores `O_EXEC`, and asks for that permission.
#[cfg(target_os = "macos")]
pub(crate) const DIRECTORY_ONLY: OFlags =
    OFlags::from_bits_retain(libc::O_SEARCH.cast_unsigned()).union(OFlags::CLOEXEC);

/// An open working directory.
#[derive(Debug)]
pub struct OpenDirectory {
    /// The descriptor by which a child enters the directory.
    pub descriptor: OwnedFd,
}

impl OpenDirectory {
    /// Returns the real path; `None` if the directory was removed or the system does not report the path.
    #[must_use]
    pub fn real_path(&self) -> Option<String> {
        real_path(&self.descriptor)
    }
}

/// Opens the directory and checks that its root contains it.
///
/// # Errors
///
/// Returns the [`Problem`] of the directory or of its root.
pub fn open_directory(directory: &Directory) -> Result<OpenDirectory, DirectoryError> {
    let descriptor = directory.open_by(open_one, is_inside, error)?;
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

/// Returns whether `outer` is `inner` or one of its ancestors.
///
/// Walks up from `inner` by `..` and compares devices and inodes instead of paths, so links and `..` in a
/// path don't matter.
pub(in crate::process) fn is_inside(inner: &OwnedFd, outer: &OwnedFd) -> Result<bool, SystemError> {
    let wanted = device_and_inode(outer)?;
    let mut here = device_and_inode(inner)?;
    let mut above: Option<OwnedFd> = None;
    while here != wanted {
        let from = above.as_ref().unwrap_or(inner);
        let parent = openat(from, "..", DIRECTORY_ONLY, Mode::empty())?;
        let parent_inode = device_and_inode(&parent)?;
        if parent_inode == here {
            // Only the root directory is its own parent, so the walk ends here. The walk has no limit: a link
            // or a descriptor can lead to a directory whose path is longer than `PATH_MAX`.
            return Ok(false);
        }
        here = parent_inode;
        above = Some(parent);
    }
    Ok(true)
}

fn device_and_inode(directory: impl AsFd) -> Result<(u64, u64), SystemError> {
    let status = fstat(directory)?;
    #[allow(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        clippy::cast_sign_loss,
        reason = "their types differ between systems"
    )]
    Ok((status.st_dev as u64, status.st_ino as u64))
}

fn real_path(directory: &OwnedFd) -> Option<String> {
    path_of_open(directory.as_fd())?.into_os_string().into_string().ok()
}

/// Returns the path of an open directory, or `None` for a removed one.
#[cfg(target_os = "linux")]
#[must_use]
pub fn path_of_open(directory: BorrowedFd<'_>) -> Option<PathBuf> {
    use std::os::fd::AsRawFd;
    let path = std::fs::read_link(format!("/proc/self/fd/{}", directory.as_raw_fd())).ok()?;
    // For a removed directory the kernel reports its former path with a suffix (" (deleted)").
    let is_gone = fstat(directory).ok()?.st_nlink == 0;
    Some(path).filter(|_| !is_gone)
}

/// Returns the path of an open directory, or `None` for a removed one.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn path_of_open(directory: BorrowedFd<'_>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let path = rustix::fs::getpath(directory).ok()?;
    Some(PathBuf::from(std::ffi::OsString::from_vec(path.into_bytes())))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use tempfile::TempDir;

    use super::{Directory, OpenDirectory, Problem, open_directory};

    /// Creates `root` with `inside/deep`, and beside it `root-2` and `outside`.
    fn fixture() -> TempDir {
        let fixture = tempfile::tempdir().expect("a directory");
        for path in ["root/inside/deep", "root-2", "outside"] {
            fs::create_dir_all(fixture.path().join(path)).expect("a directory");
        }
        fs::write(fixture.path().join("root/file"), "").expect("a file");
        fixture
    }

    fn open(base: &Path, path: &str) -> Result<OpenDirectory, super::DirectoryError> {
        let text = |path: &str| base.join(path).to_str().expect("text").to_owned();
        open_directory(&Directory { path: text(path), root: Some(text("root")) })
    }

    fn problem(base: &Path, path: &str) -> Option<Problem> {
        open(base, path).err().map(|error| error.problem)
    }

    #[test]
    fn the_root_and_directories_below_it_can_be_entered() {
        let fixture = fixture();
        for path in ["root", "root/inside", "root/inside/deep", "root/inside/deep/../.."] {
            assert_eq!(problem(fixture.path(), path), None, "{path}");
        }
    }

    #[test]
    fn the_real_path_is_returned() {
        let fixture = fixture();
        symlink("inside/deep", fixture.path().join("root/link")).expect("a link");
        let opened = open(fixture.path(), "root/link").expect("a directory");
        let real = fixture.path().canonicalize().expect("a path").join("root/inside/deep");
        assert_eq!(opened.real_path().as_deref(), real.to_str());
    }

    #[test]
    fn a_directory_outside_of_the_root_can_not_be_entered() {
        let fixture = fixture();
        for path in ["outside", "root/..", "root/../outside", "root-2", "root/inside/../../root-2"] {
            assert_eq!(problem(fixture.path(), path), Some(Problem::Outside), "{path}");
        }
    }

    #[test]
    fn a_link_counts_as_its_target() {
        let fixture = fixture();
        symlink(fixture.path().join("outside"), fixture.path().join("root/out")).expect("a link");
        symlink(fixture.path().join("root/inside"), fixture.path().join("outside/in")).expect("a link");
        assert_eq!(problem(fixture.path(), "root/out"), Some(Problem::Outside));
        assert_eq!(problem(fixture.path(), "outside/in"), None);
    }

    #[test]
    fn a_root_that_is_a_link_counts_as_its_target() {
        let fixture = fixture();
        symlink("root", fixture.path().join("link")).expect("a link");
        let text = |path: &str| fixture.path().join(path).to_str().expect("text").to_owned();
        let directory = Directory { path: text("root/inside"), root: Some(text("link")) };
        assert!(open_directory(&directory).is_ok());
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "it is opened again through /proc")]
    fn a_removed_directory_has_no_path() {
        let fixture = fixture();
        let deep = fixture.path().join("root/inside/deep");
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

        let fixture = fixture();
        let mut deepest: std::os::fd::OwnedFd =
            fs::File::open(fixture.path().join("root")).expect("a directory").into();
        for _ in 0..3_000 {
            mkdirat(&deepest, "d", Mode::RWXU).expect("a directory");
            deepest = openat(&deepest, "d", OFlags::DIRECTORY, Mode::empty()).expect("a directory");
        }
        let root = fixture.path().join("root").to_str().expect("text").to_owned();
        let directory =
            Directory { path: format!("/proc/self/fd/{}", deepest.as_raw_fd()), root: Some(root) };
        assert_eq!(open_directory(&directory).err().map(|error| error.problem), None);
    }

    #[test]
    fn missing_and_not_a_directory_are_different_problems() {
        let fixture = fixture();
        assert_eq!(problem(fixture.path(), "root/none"), Some(Problem::Missing));
        assert_eq!(problem(fixture.path(), "root/file"), Some(Problem::NotDirectory));
        assert_eq!(problem(fixture.path(), "root/file/deeper"), Some(Problem::NotDirectory));
    }

    #[test]
    fn a_link_that_leads_in_a_circle_is_not_accessible() {
        let fixture = fixture();
        symlink("circle", fixture.path().join("root/circle")).expect("a link");
        assert_eq!(problem(fixture.path(), "root/circle"), Some(Problem::NotAccessible));
    }

    #[test]
    fn the_root_has_problems_of_its_own() {
        let fixture = fixture();
        let directory = |root: &str| Directory {
            path: fixture.path().to_str().expect("text").to_owned(),
            root: Some(fixture.path().join(root).to_str().expect("text").to_owned()),
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
