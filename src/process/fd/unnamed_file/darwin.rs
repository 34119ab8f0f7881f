//! Creates a file with a name, which it loses at once.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::process::directory::temporary::temporary_directories;

/// Creates the file in the first temporary directory that takes it, and removes its name at once.
pub(super) fn create() -> io::Result<OwnedFd> {
    let mut error = io::Error::from(io::ErrorKind::NotFound);
    for directory in temporary_directories() {
        match create_in(&directory) {
            Ok(file) => return Ok(file),
            Err(other) => error = other,
        }
    }
    Err(error)
}

fn create_in(directory: &Path) -> io::Result<OwnedFd> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let name = format!("agent-bash-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = directory.join(name);
        match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => {
                std::fs::remove_file(&path)?;
                return Ok(file.into());
            }
            // A process of the same pid was killed between creating and removing its file.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}
