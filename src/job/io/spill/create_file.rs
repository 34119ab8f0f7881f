//! The name of a spill file, `output-<pid>-<number>.txt`, and its creation.

use std::fs::File;
use std::io;
use std::path::{MAIN_SEPARATOR, Path, is_separator};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::process::file::{create_directories_for_user, create_for_user};

/// Creates a file in a directory, and the directory if it is missing. Returns the path of the file, also if
/// its creation failed.
pub(super) fn create_file(directory: &str) -> (String, io::Result<File>) {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let directory = directory.trim_end_matches(is_separator);
    // If this fails, so does the creation of the file below, whose error is reported.
    let _ = create_directories_for_user(Path::new(directory));
    loop {
        let (host, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = format!("{directory}{MAIN_SEPARATOR}output-{host}-{number}.txt");
        match create_for_user(Path::new(&path)) {
            // An earlier process with the same pid has created a file of this name.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return (path, result),
        }
    }
}
