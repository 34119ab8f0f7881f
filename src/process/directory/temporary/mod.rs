//! The parents of the engine's own directories.

#[cfg_attr(not(darwin), path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(feature = "emulate-darwin", path = "emulated.rs")]
mod platform;

use std::path::PathBuf;

pub use platform::temporary_directories;

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
