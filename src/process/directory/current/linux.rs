//! The current directory of another process, by `/proc`.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::Pid;

use super::CurrentDirectory;
use crate::process::table::path_of;

/// Returns the current directory of a process, or `None` where the kernel does not show it.
#[must_use]
pub fn current_directory(pid: Pid) -> Option<CurrentDirectory> {
    let link = path_of(pid, "cwd");
    let directory = fs::metadata(&link).ok()?;
    // The kernel's name of a removed directory is no path: it ends with ` (deleted)`.
    let path = if directory.nlink() == 0 { None } else { fs::read_link(link).ok() };
    Some(CurrentDirectory { device_and_inode: (directory.dev(), directory.ino()), path })
}

/// Returns the device and the inode of an absolute path as a process sees it, which may be in a sandbox.
#[must_use]
pub fn device_and_inode_seen_by(pid: Pid, path: &Path) -> Option<(u64, u64)> {
    let root = path_of(pid, "root");
    let status = fs::metadata(root.join(path.strip_prefix("/").ok()?)).ok()?;
    Some((status.dev(), status.ino()))
}
