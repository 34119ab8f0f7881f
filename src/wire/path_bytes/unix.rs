//! Paths of Unix, which are any bytes without NUL.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Returns the bytes of a path.
#[must_use]
pub fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// Returns the path with these bytes.
#[must_use]
pub fn path_of(bytes: Vec<u8>) -> PathBuf {
    OsString::from_vec(bytes).into()
}
