//! The waits of Unix.
//!
//! On the I/O thread, a pidfd reports the exit (Linux) or a kqueue (macOS); without one, a separate thread
//! waits. `SIGCHLD` is never used.
//!
//! The exit is observed without reaping the child. While the child is a zombie, the kernel reuses neither its
//! pid nor the id of its group, so both can be signalled safely until the job is over. [`reap`] releases
//! them.
//!
//! `pidfd` and `kqueue` have the same [`ProcessWatch`]. `status` decides what a report of `waitid` means.

#[cfg(target_os = "macos")]
mod kqueue;
#[cfg(not(target_os = "macos"))]
mod pidfd;
mod status;
mod system;
mod thread;
mod usage;

#[cfg(target_os = "macos")]
pub use kqueue::ProcessWatch;
#[cfg(not(target_os = "macos"))]
pub use pidfd::ProcessWatch;
pub use usage::usage;

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitIdOptions};

use self::system::wait_id;
use super::Exit;
use crate::process::unreaped;

/// The longest time between the end of a killed child's pipe and its exit: the kernel closes files first.
const END_TO_EXIT: Duration = Duration::from_millis(50);

/// A wait for the exit of one child.
#[derive(Debug)]
pub enum ExitWatch {
    Process(ProcessWatch),
    /// A separate thread waits, where no descriptor can report the exit.
    Thread(thread::ThreadWatch),
}

impl ExitWatch {
    /// Watches `pid`, an unreaped child of this process, by the pidfd that its spawn has returned, if any.
    ///
    /// # Errors
    ///
    /// The system's error when neither a descriptor can be watched nor a thread started.
    pub fn new(pid: Pid, pidfd: Option<OwnedFd>) -> io::Result<Self> {
        // The kernel may have no pidfds, or epoll may refuse them (before Linux 5.3).
        match ProcessWatch::of_child(pid, pidfd) {
            Ok(watch) => Ok(Self::Process(watch)),
            Err(_) => thread::ThreadWatch::new(pid).map(Self::Thread),
        }
    }

    /// Waits for the exit. Cancel safe.
    pub async fn exited(&mut self) {
        match self {
            Self::Process(watch) => watch.exited().await,
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
    let _ = system::block_until_exit(pid);
}

/// Returns whether a SIGKILL has ended a child whose pipe or socket has ended.
///
/// The kernel closes the descriptors of a process shortly before its exit, so this waits for the exit.
#[must_use]
pub fn was_killed(child: Pid) -> bool {
    let deadline = Instant::now() + END_TO_EXIT;
    loop {
        match peek(child) {
            Some(exit) => return exit == Exit::Signal(libc::SIGKILL),
            None if Instant::now() > deadline => return false,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Kills and reaps an unreaped child of this process, which keeps its pid until then.
pub fn kill_and_reap(child: Pid) {
    unreaped::signal(child, Signal::KILL);
    await_exit(child);
    reap(child);
}
