//! The current directory of another process.

use std::path::{Path, PathBuf};

use rustix::process::Pid;

/// The current directory of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentDirectory {
    pub device_and_inode: (u64, u64),
    /// The kernel's path; `None` for a removed directory.
    pub path: Option<PathBuf>,
}

/// Returns the current directory of a process, or `None` where the kernel does not show it.
#[cfg(target_os = "linux")]
#[must_use]
pub fn current_directory(pid: Pid) -> Option<CurrentDirectory> {
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    let link = crate::process::table::path_of(pid, "cwd");
    let directory = fs::metadata(&link).ok()?;
    // The kernel's name of a removed directory is no path: it ends with ` (deleted)`.
    let path = if directory.nlink() == 0 { None } else { fs::read_link(link).ok() };
    Some(CurrentDirectory { device_and_inode: (directory.dev(), directory.ino()), path })
}

/// Returns the current directory of a process, or `None` where the kernel does not show it.
#[cfg(target_os = "macos")]
#[must_use]
pub fn current_directory(pid: Pid) -> Option<CurrentDirectory> {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    let (device, inode, path) = crate::process::libproc::current_directory(pid)?;
    let path = (!path.is_empty()).then(|| PathBuf::from(OsString::from_vec(path)));
    Some(CurrentDirectory { device_and_inode: (device, inode), path })
}

/// Returns the device and the inode of an absolute path as a process sees it, which may be in a sandbox.
#[cfg(target_os = "linux")]
#[must_use]
pub fn device_and_inode_seen_by(pid: Pid, path: &Path) -> Option<(u64, u64)> {
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    let root = crate::process::table::path_of(pid, "root");
    let status = fs::metadata(root.join(path.strip_prefix("/").ok()?)).ok()?;
    Some((status.dev(), status.ino()))
}

/// Returns the device and the inode of an absolute path. There are no sandboxes.
#[cfg(target_os = "macos")]
#[must_use]
pub fn device_and_inode_seen_by(_pid: Pid, path: &Path) -> Option<(u64, u64)> {
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    let status = fs::metadata(path).ok()?;
    Some((status.dev(), status.ino()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::process::Command;

    use rustix::process::Pid;

    use super::{CurrentDirectory, current_directory};

    #[test]
    fn the_directory_of_a_process_has_a_path_until_it_is_removed() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().canonicalize().expect("a path");
        let mut child = Command::new("sleep").arg("1000").current_dir(&path).spawn().expect("sleep starts");
        let status = fs::metadata(&path).expect("there");
        let expected = |path| CurrentDirectory { device_and_inode: (status.dev(), status.ino()), path };
        let before = current_directory(Pid::from_child(&child));
        drop(directory);
        let after = current_directory(Pid::from_child(&child));
        child.kill().expect("kill");
        child.wait().expect("wait");
        assert_eq!([before, after], [Some(expected(Some(path))), Some(expected(None))]);
    }
}
