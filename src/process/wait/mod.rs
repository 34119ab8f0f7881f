//! Waits for the exit of a child.
//!
//! A pidfd on the I/O thread reports the exit, or a separate thread where the kernel has no pidfd. `SIGCHLD`
//! is never used.
//!
//! The exit is observed without reaping the child. While the child is a zombie, the kernel reuses neither its
//! pid nor the id of its group, so both can be signalled safely until the job is over. [`reap`] releases
//! them.

mod pidfd;
mod thread;
mod usage;

pub use pidfd::PidfdWatch;
pub use usage::{Usage, usage};

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The process exited with this code (0 to 255).
    Code(i32),
    /// This signal killed the process.
    Signal(i32),
    /// The status is lost: other code in this process reaped the child first, such as a SIGCHLD handler that
    /// waits for every child.
    Unknown,
}

/// A wait for the exit of one child.
#[derive(Debug)]
pub enum ExitWatch {
    Pidfd(PidfdWatch),
    /// A separate thread waits, where the kernel has no pidfd.
    Thread(thread::ThreadWatch),
}

impl ExitWatch {
    /// Watches `pid`, an unreaped child of this process.
    ///
    /// # Errors
    ///
    /// The system's error when neither a pidfd can be watched nor a thread started.
    pub fn new(pid: Pid, pidfd: Option<OwnedFd>) -> io::Result<Self> {
        // The kernel may have no pidfds, or epoll may refuse them (before Linux 5.3).
        match pidfd.map(PidfdWatch::new) {
            Some(Ok(watch)) => Ok(Self::Pidfd(watch)),
            Some(Err(_)) | None => thread::ThreadWatch::new(pid).map(Self::Thread),
        }
    }

    /// Waits for the exit. Cancel safe.
    pub async fn exited(&mut self) {
        match self {
            Self::Pidfd(watch) => watch.exited().await,
            Self::Thread(watch) => watch.exited().await,
        }
    }
}

/// Returns how the child ended, or `None` while it runs. The child stays a zombie.
#[must_use]
pub fn peek(pid: Pid) -> Option<Exit> {
    match wait_id(pid, WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT) {
        Ok(exit) => exit,
        Err(_) => Some(Exit::Unknown),
    }
}

/// Reaps a child that has exited and returns how it ended, or `None` without any effect while it runs. After
/// this the kernel may reuse the pid.
#[allow(clippy::must_use_candidate, reason = "the end may be known already")]
pub fn reap(pid: Pid) -> Option<Exit> {
    // The call fails when other code in this process has reaped the child.
    wait_id(pid, WaitIdOptions::EXITED | WaitIdOptions::NOHANG).unwrap_or(Some(Exit::Unknown))
}

/// Blocks until the child has exited. It stays a zombie.
pub fn await_exit(pid: Pid) {
    let _ = wait_id(pid, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
}

fn wait_id(pid: Pid, options: WaitIdOptions) -> rustix::io::Result<Option<Exit>> {
    let status = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), options))?;
    Ok(status.map(|status| match (status.exit_status(), status.terminating_signal()) {
        // macOS reports more bits of the exit code here than `wait` does.
        (Some(code), _) => Exit::Code(code & 0xff),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Unknown,
    }))
}
