//! Files without a name: no other process can open them, and the kernel removes them when they are closed.

use std::io;
use std::os::fd::OwnedFd;

use super::above_standard_streams;

/// Creates an empty file without a name, closed on exec. On Linux it lives in memory.
///
/// # Errors
///
/// The system's error, such as `EMFILE`.
pub fn unnamed_file() -> io::Result<OwnedFd> {
    above_standard_streams(create()?)
}

#[cfg(not(darwin))]
fn create() -> io::Result<OwnedFd> {
    use rustix::fs::{MemfdFlags, memfd_create};
    Ok(memfd_create("agent-bash", MemfdFlags::CLOEXEC)?)
}

/// Creates the file in the first temporary directory that takes it, and removes its name at once.
#[cfg(darwin)]
fn create() -> io::Result<OwnedFd> {
    use crate::process::directory::temporary::temporary_directories;

    let mut error = io::Error::from(io::ErrorKind::NotFound);
    for directory in temporary_directories() {
        match create_in(&directory) {
            Ok(file) => return Ok(file),
            Err(other) => error = other,
        }
    }
    Err(error)
}

#[cfg(darwin)]
fn create_in(directory: &std::path::Path) -> io::Result<OwnedFd> {
    use std::fs::OpenOptions;
    use std::os::unix::fs::OpenOptionsExt;
    use std::sync::atomic::{AtomicU64, Ordering};

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
