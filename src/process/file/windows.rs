//! Files of Windows: their kinds, and how they are opened.

use std::fs::{File, Metadata, OpenOptions, create_dir_all};
use std::io;
use std::path::Path;

/// Returns the same for every file: the metadata has no identity.
#[must_use]
pub const fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Returns 1: the metadata has no number of names.
#[must_use]
pub const fn link_count(_: &Metadata) -> u64 {
    1
}

/// Returns false: no file is a socket here.
#[must_use]
pub const fn is_socket(_: &Metadata) -> bool {
    false
}

/// Returns the error of a directory in the place of a file.
#[must_use]
pub fn is_directory() -> io::Error {
    io::ErrorKind::IsADirectory.into()
}

/// Opens a file for reading. No file here waits for another process.
///
/// # Errors
///
/// The system's error.
pub fn open_at_once(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Opens a file for reading, but no symbolic link.
///
/// # Errors
///
/// The system's error, and `InvalidInput` for a link.
pub fn open_unlinked(path: &Path) -> io::Result<File> {
    if path.symlink_metadata()?.is_symlink() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    File::open(path)
}

/// Creates a file for appending, with the rights that its parent passes on. Follows no link, and opens no
/// existing file.
///
/// # Errors
///
/// The system's error.
pub fn create_for_user(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create_new(true).open(path)
}

/// Creates a directory and its missing parents, with the rights that its parent passes on.
///
/// # Errors
///
/// The system's error.
pub fn create_directories_for_user(path: &Path) -> io::Result<()> {
    create_dir_all(path)
}
