//! Files of Unix.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Returns the device and the inode.
#[must_use]
pub fn identity(status: &Metadata) -> (u64, u64) {
    (status.dev(), status.ino())
}

/// Returns how many names a file has.
#[must_use]
pub fn link_count(status: &Metadata) -> u64 {
    status.nlink()
}

/// Returns whether this is a UNIX socket.
#[must_use]
pub fn is_socket(status: &Metadata) -> bool {
    status.file_type().is_socket()
}

/// Returns the error of a directory in the place of a file.
#[must_use]
pub fn is_directory() -> io::Error {
    io::Error::from_raw_os_error(libc::EISDIR)
}

/// Opens a file for reading without waiting for another process, as a named pipe would, and without making it
/// the controlling terminal.
///
/// # Errors
///
/// The system's error.
pub fn open_at_once(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

/// Opens a file for reading as [`open_at_once`] does, but no symbolic link.
///
/// # Errors
///
/// The system's error, `ELOOP` for a link.
pub fn open_unlinked(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)
}

/// Creates a file for appending, for this user alone. Follows no link, and opens no existing file.
///
/// # Errors
///
/// The system's error.
pub fn create_for_user(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)
}

/// Creates a directory and its missing parents, for this user alone.
///
/// # Errors
///
/// The system's error.
pub fn create_directories_for_user(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}
