//! The parents of the engine's own directories, of which this system has none.

use std::path::PathBuf;

/// Returns nothing.
#[must_use]
pub const fn large_directories() -> Vec<PathBuf> {
    Vec::new()
}

/// Returns the path of Linux, at which nothing is.
#[must_use]
pub fn runtime_directory() -> PathBuf {
    PathBuf::from("/run/user")
}
