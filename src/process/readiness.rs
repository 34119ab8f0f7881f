//! Descriptors on the I/O thread.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Registers a descriptor with the current runtime, to be told when it can be read.
///
/// # Errors
///
/// The system's error, such as `ENOSPC` when the user may watch no more.
pub fn watch_readable(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    watch(descriptor, Interest::READABLE)
}

/// Registers a descriptor with the current runtime, to be told when it can be written.
///
/// # Errors
///
/// The system's error, such as `ENOSPC` when the user may watch no more.
pub fn watch_writable(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    watch(descriptor, Interest::WRITABLE)
}

fn watch(descriptor: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: the `AsyncFd` owns the descriptor, so it stays open, and the same file, until it is unregistered.
    Ok(unsafe { AsyncFd::register_with_interest(descriptor, interest) }?)
}
