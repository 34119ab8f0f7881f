//! The parents of directories for small files on Linux.

use std::path::PathBuf;

use super::runtime_directory;

/// Returns the parents of directories for small files, the best first.
///
/// Reads no environment variable: another thread of Node may change it meanwhile, and the guardian has none
/// and must find the same directories.
#[must_use]
pub fn temporary_directories() -> Vec<PathBuf> {
    vec![runtime_directory(), PathBuf::from("/dev/shm"), PathBuf::from("/tmp")]
}
