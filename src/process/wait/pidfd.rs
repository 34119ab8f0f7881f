//! Waits by pidfd, which becomes readable when the process has exited (Linux 5.3).

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::unix::AsyncFd;

use crate::process::fd::readiness::register_readable;

/// A pidfd that is registered with the runtime of the I/O thread.
#[derive(Debug)]
pub struct PidfdWatch {
    pidfd: AsyncFd<OwnedFd>,
}

impl PidfdWatch {
    /// Registers a pidfd, of a child or any other process.
    ///
    /// # Errors
    ///
    /// The system's error when the pidfd can't be registered.
    pub fn new(pidfd: OwnedFd) -> io::Result<Self> {
        Ok(Self { pidfd: register_readable(pidfd)? })
    }

    /// Waits for the exit. Cancel safe.
    pub async fn exited(&self) {
        // A pidfd stays readable after the exit, so the readiness is kept. An error can only mean that the
        // runtime is gone, and the runtime outlives every job.
        if let Ok(mut guard) = self.pidfd.readable().await {
            guard.retain_ready();
        }
    }
}
