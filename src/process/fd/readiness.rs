//! Descriptors on the I/O thread.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::Interest;
use tokio::io::unix::{AsyncFd, AsyncFdRegisterError};

/// Registers a descriptor with the current runtime, to be told when it can be read.
///
/// # Errors
///
/// The system's error, such as `ENOSPC` when the user may watch no more.
pub fn watch_readable(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    Ok(watch(descriptor, Interest::READABLE)?)
}

/// The same, and gives the descriptor back when it can't be watched now.
///
/// # Errors
///
/// The descriptor.
pub fn try_watch_readable(descriptor: OwnedFd) -> Result<AsyncFd<OwnedFd>, OwnedFd> {
    watch(descriptor, Interest::READABLE).map_err(|error| error.into_parts().0)
}

/// Registers a descriptor with the current runtime, to be told when it can be written.
///
/// # Errors
///
/// The system's error, such as `ENOSPC` when the user may watch no more.
pub fn watch_writable(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    Ok(watch(descriptor, Interest::WRITABLE)?)
}

fn watch(descriptor: OwnedFd, interest: Interest) -> Result<AsyncFd<OwnedFd>, AsyncFdRegisterError<OwnedFd>> {
    // SAFETY: the `AsyncFd` owns the descriptor, so it stays open, and the same file, until it is unregistered.
    unsafe { AsyncFd::register_with_interest(descriptor, interest) }
}
