//! The parents of the engine's own directories.

use std::path::PathBuf;

/// Returns the parents of directories that may become large, the best first: those on a disk. All of them are
/// in this list, so the guardian looks for the directories of a killed host here.
///
/// A container with a read-only root, and a sandbox, have no writable `/var/tmp`.
#[must_use]
pub fn large_directories() -> Vec<PathBuf> {
    let mut directories = vec![PathBuf::from("/var/tmp"), PathBuf::from("/tmp")];
    for directory in temporary_directories() {
        if !directories.contains(&directory) {
            directories.push(directory);
        }
    }
    directories
}

/// Returns the directory that a session manager keeps for this user.
#[must_use]
pub fn runtime_directory() -> PathBuf {
    PathBuf::from(format!("/run/user/{}", rustix::process::geteuid().as_raw()))
}

/// Returns the parents of directories for small files, the best first.
///
/// Reads no environment variable: another thread of Node may change it meanwhile, and the guardian has none
/// and must find the same directories.
#[cfg(not(darwin))]
#[must_use]
pub fn temporary_directories() -> Vec<PathBuf> {
    vec![runtime_directory(), PathBuf::from("/dev/shm"), PathBuf::from("/tmp")]
}

/// Returns the parents of directories for small files, the best first: the one that the system keeps for this
/// user, and `/tmp`, which a sandboxed application may not write to.
///
/// Reads no environment variable: another thread of Node may change it meanwhile, and the guardian has none
/// and must find the same directories.
#[cfg(darwin)]
#[must_use]
pub fn temporary_directories() -> Vec<PathBuf> {
    of_user().into_iter().chain([PathBuf::from("/tmp")]).collect()
}

#[cfg(target_os = "macos")]
fn of_user() -> Option<PathBuf> {
    use std::ffi::{CStr, OsStr};
    use std::os::unix::ffi::OsStrExt;

    let mut path = [0_u8; libc::PATH_MAX as usize];
    // SAFETY: the buffer has the size that the call gets.
    let size = unsafe { libc::confstr(libc::_CS_DARWIN_USER_TEMP_DIR, path.as_mut_ptr().cast(), path.len()) };
    // The call returns 0 after a failure, and the size that it would need for a path that was cut off.
    let path = path.get(..size)?;
    CStr::from_bytes_with_nul(path).ok().map(|path| PathBuf::from(OsStr::from_bytes(path.to_bytes())))
}

/// Returns `None`: there is no such directory on Linux.
#[cfg(all(darwin, not(target_os = "macos")))]
const fn of_user() -> Option<PathBuf> {
    None
}
