//! Private directories on a system without sandboxes: none.

use std::path::PathBuf;

pub use super::plan::machine::PrivatePaths;

/// Returns nothing: no host of this system has such directories.
#[must_use]
pub const fn existing(_has_host_tmp: bool) -> Vec<PathBuf> {
    Vec::new()
}
