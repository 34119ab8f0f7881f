//! The parents of directories for small files, without the one that macOS keeps for a user.

use std::path::PathBuf;

/// Returns `/tmp`.
#[must_use]
pub fn temporary_directories() -> Vec<PathBuf> {
    vec![PathBuf::from("/tmp")]
}
