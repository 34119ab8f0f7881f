//! Waits by pidfd, which becomes readable when the process has exited (Linux 5.3).

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::Pid;
use tokio::io::unix::AsyncFd;

use crate::process::fd::pidfd;
use crate::process::fd::readiness::register_readable;

/// A watch for the exit of one process: a pidfd that is registered with the runtime of the I/O thread.
#[derive(Debug)]
pub struct ProcessWatch {
    pidfd: AsyncFd<OwnedFd>,
}

impl ProcessWatch {
    /// Watches the process that has this pid now, a child or any other.
    ///
    /// # Errors
    ///
    /// The system's error: `ESRCH` when no process has the pid, any other where there are no pidfds.
    pub fn open(pid: Pid) -> io::Result<Self> {
        Self::of_pidfd(pidfd::open(pid)?)
    }

    /// Watches a child by the pidfd from its spawn, which fails on a kernel without pidfds.
    pub(super) fn of_child(_pid: Pid, pidfd: Option<OwnedFd>) -> io::Result<Self> {
        Self::of_pidfd(pidfd.ok_or(io::ErrorKind::Unsupported)?)
    }

    fn of_pidfd(pidfd: OwnedFd) -> io::Result<Self> {
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
