//! The parents of directories for small files on macOS.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Returns the parents of directories for small files, the best first: the one that the system keeps for this
/// user, and `/tmp`, which a sandboxed application may not write to.
///
/// Reads no environment variable: another thread of Node may change it meanwhile, and the guardian has none
/// and must find the same directories.
#[must_use]
pub fn temporary_directories() -> Vec<PathBuf> {
    of_user().into_iter().chain([PathBuf::from("/tmp")]).collect()
}

fn of_user() -> Option<PathBuf> {
    let mut path = [0_u8; libc::PATH_MAX as usize];
    // SAFETY: the buffer has the size that the call gets.
    let size = unsafe { libc::confstr(libc::_CS_DARWIN_USER_TEMP_DIR, path.as_mut_ptr().cast(), path.len()) };
    // The call returns 0 after a failure, and the size that it would need for a path that was cut off.
    let path = path.get(..size)?;
    CStr::from_bytes_with_nul(path).ok().map(|path| PathBuf::from(OsStr::from_bytes(path.to_bytes())))
}
