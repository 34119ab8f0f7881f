//! The name of a spill file, `output-<pid>-<number>.txt`, and its creation.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::sync::atomic::{AtomicU64, Ordering};

/// The permissions of the file and of its directory: for the user alone.
const MODE: u32 = 0o600;
const DIRECTORY_MODE: u32 = 0o700;

/// Creates a file in a directory, and the directory if it is missing. Returns the path of the file, also if
/// its creation failed.
pub(super) fn create_file(directory: &str) -> (String, io::Result<File>) {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let directory = directory.trim_end_matches('/');
    // If this fails, so does the creation of the file below, whose error is reported.
    let _ = DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(directory);
    loop {
        let (host, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = format!("{directory}/output-{host}-{number}.txt");
        // `create_new` follows no link and opens no existing file.
        match OpenOptions::new().append(true).create_new(true).mode(MODE).open(&path) {
            // An earlier process with the same pid has created a file of this name.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return (path, result),
        }
    }
}
