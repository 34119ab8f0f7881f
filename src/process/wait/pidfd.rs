//! Waiting by pidfd: it becomes readable when the process has exited (Linux 5.3).

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::unix::AsyncFd;

use crate::process::fd::readiness::watch_readable;

/// A pidfd on the I/O thread.
#[derive(Debug)]
pub struct PidfdWatch {
    pidfd: AsyncFd<OwnedFd>,
}

impl PidfdWatch {
    /// Watches the process of this pidfd, a child or not.
    ///
    /// # Errors
    ///
    /// The system's error when it can't be watched.
    pub fn new(pidfd: OwnedFd) -> io::Result<Self> {
        Ok(Self { pidfd: watch_readable(pidfd)? })
    }

    /// Waits for the exit. May be dropped and called again.
    pub async fn exited(&self) {
        // It never becomes unreadable again, so the readiness is kept. The runtime outlives every job.
        if let Ok(mut guard) = self.pidfd.readable().await {
            guard.retain_ready();
        }
    }
}
