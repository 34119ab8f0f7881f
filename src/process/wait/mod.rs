//! When a child has exited, and how.
//!
//! By pidfd on the I/O thread, or by a thread of its own where there is none, and never through `SIGCHLD`.
//!
//! The exit is seen without reaping the child: a zombie keeps its number, and the number of its group, from
//! being used again, so that both can be signalled safely until the job is over. Only then [`reap`] lets go.

mod pidfd;
mod thread;
mod usage;

pub use pidfd::PidfdWatch;
pub use usage::{Usage, usage};

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// How a process ended: it has one of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code (0 to 255).
    Code(i32),
    /// It died by this signal.
    Signal(i32),
    /// Somebody else in this process has reaped it (a handler of `SIGCHLD` that waits for every child).
    Unknown,
}

/// Watches one child.
#[derive(Debug)]
pub enum ExitWatch {
    /// By its pidfd, on the I/O thread.
    Pidfd(PidfdWatch),
    /// By a thread of its own, where the kernel has no pidfd.
    Thread(thread::ThreadWatch),
}

impl ExitWatch {
    /// Watches `pid`, an unreaped child of this process.
    ///
    /// # Errors
    ///
    /// The system's error when neither a pidfd can be watched nor a thread started.
    pub fn new(pid: Pid, pidfd: Option<OwnedFd>) -> io::Result<Self> {
        // The kernel may have no pidfd, or none that it lets us watch.
        match pidfd.map(PidfdWatch::new) {
            Some(Ok(watch)) => Ok(Self::Pidfd(watch)),
            Some(Err(_)) | None => thread::ThreadWatch::new(pid).map(Self::Thread),
        }
    }

    /// Waits for the exit. May be dropped and called again.
    pub async fn exited(&mut self) {
        match self {
            Self::Pidfd(watch) => watch.exited().await,
            Self::Thread(watch) => watch.exited().await,
        }
    }
}

/// How the child ended, or `None` while it runs. The child stays a zombie.
#[must_use]
pub fn peek(pid: Pid) -> Option<Exit> {
    match wait_id(pid, WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT) {
        Ok(exit) => exit,
        Err(_) => Some(Exit::Unknown),
    }
}

/// Lets go of a child that has exited, and says how it ended; after this its number may be a stranger's. `None`, and
/// nothing else, for one that runs.
#[allow(clippy::must_use_candidate, reason = "the end may be known already")]
pub fn reap(pid: Pid) -> Option<Exit> {
    // It is gone already when somebody else has reaped it.
    wait_id(pid, WaitIdOptions::EXITED | WaitIdOptions::NOHANG).unwrap_or(Some(Exit::Unknown))
}

/// Blocks until the child has exited. It stays a zombie.
pub fn await_exit(pid: Pid) {
    let _ = wait_id(pid, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
}

fn wait_id(pid: Pid, options: WaitIdOptions) -> rustix::io::Result<Option<Exit>> {
    let status = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), options))?;
    Ok(status.map(|status| match (status.exit_status(), status.terminating_signal()) {
        // macOS tells more of it here than `wait` does.
        (Some(code), _) => Exit::Code(code & 0xff),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Unknown,
    }))
}
