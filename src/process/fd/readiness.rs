//! Registers descriptors with the runtime of the I/O thread.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::unix::{AsyncFd, AsyncFdRegisterError};
use tokio::io::{Interest, Ready};

/// Registers a descriptor with the current runtime for readability.
///
/// # Errors
///
/// The system's error, such as `ENOSPC` when the user has reached the limit of watched descriptors.
pub fn register_readable(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    Ok(register(descriptor, Interest::READABLE)?)
}

/// Registers a descriptor with the current runtime for readability, or returns it when it can't be
/// registered.
///
/// # Errors
///
/// The descriptor itself, still open.
pub fn try_register_readable(descriptor: OwnedFd) -> Result<AsyncFd<OwnedFd>, OwnedFd> {
    register(descriptor, Interest::READABLE).map_err(|error| error.into_parts().0)
}

/// Registers a descriptor with the current runtime for writability.
///
/// # Errors
///
/// The system's error, such as `ENOSPC` when the user has reached the limit of watched descriptors.
pub fn register_writable(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    Ok(register(descriptor, Interest::WRITABLE)?)
}

fn register(
    descriptor: OwnedFd,
    interest: Interest,
) -> Result<AsyncFd<OwnedFd>, AsyncFdRegisterError<OwnedFd>> {
    // SAFETY: the `AsyncFd` owns the descriptor, so it stays open, and the same file, until it is
    // unregistered.
    unsafe { AsyncFd::register_with_interest(descriptor, interest) }
}

/// Waits until the other end of a socket is closed. Leaves messages in it for its reader.
pub async fn closed(socket: &AsyncFd<OwnedFd>) {
    while let Ok(mut guard) = socket.readable().await {
        if guard.ready().is_read_closed() {
            return;
        }
        guard.clear_ready_matching(Ready::READABLE);
    }
}
