//! Paths of Windows, which are text.

use std::path::{Path, PathBuf};

/// Returns the bytes of a path: UTF-8, if it is text.
#[must_use]
pub fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// Returns the path with these bytes, which are UTF-8.
#[must_use]
pub fn path_of(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
        .into()
}
