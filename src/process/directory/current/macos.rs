//! The current directory of another process, by `libproc`.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

use super::CurrentDirectory;
use crate::process::libproc;

/// Returns the current directory of a process, or `None` where the kernel does not show it.
#[must_use]
pub fn current_directory(pid: Pid) -> Option<CurrentDirectory> {
    let (device, inode, path) = libproc::current_directory(pid)?;
    let path = (!path.is_empty()).then(|| PathBuf::from(OsString::from_vec(path)));
    Some(CurrentDirectory { device_and_inode: (device, inode), path })
}

/// Returns the device and the inode of an absolute path. There are no sandboxes.
#[must_use]
pub fn device_and_inode_seen_by(_pid: Pid, path: &Path) -> Option<(u64, u64)> {
    let status = fs::metadata(path).ok()?;
    Some((status.dev(), status.ino()))
}
