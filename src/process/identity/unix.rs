//! Sends a signal only to the process that it is meant for.
//!
//! The kernel reuses pids. A pid with its start time identifies one process until the machine restarts; a
//! pidfd does so as long as it is open. So a signal goes to an identity, through a pidfd, or to an unreaped
//! child of this process, but never to a pid that another process may have by now.

pub use rustix::process::Pid;

use crate::process::fd::pidfd;
use crate::process::fd::reserve::with_reserve;
use crate::process::signal::Signal;
use crate::process::table;
pub use crate::process::table::row::Identity;

impl Identity {
    /// Returns the identity of the process that has this pid now.
    #[must_use]
    pub fn of(pid: Pid) -> Option<Self> {
        table::inspect(pid).map(|process| process.identity)
    }

    /// Returns the identity of an unreaped child of this process, with a start time of 0 if the system does
    /// not report one.
    #[must_use]
    pub fn of_child(pid: Pid) -> Self {
        Self::of(pid).unwrap_or(Self { pid, start: 0 })
    }

    /// Returns whether the process still runs; false for a zombie.
    #[must_use]
    pub fn is_alive(self) -> bool {
        table::inspect(self.pid).is_some_and(|process| process.identity == self && !process.is_zombie)
    }

    /// Sends a signal to this process only. Returns whether the process was alive to get it.
    #[allow(clippy::must_use_candidate, reason = "a process that has exited needs no signal")]
    pub fn send(self, signal: Signal) -> bool {
        // The pidfd refers to whichever process has the pid now. The start time, read later, shows whether
        // that is this one.
        let pinned = with_reserve(|| pidfd::open(self.pid));
        self.is_alive()
            && match pinned {
                #[cfg(not(darwin))]
                Ok(pidfd) => rustix::process::pidfd_send_signal(pidfd, signal).is_ok(),
                _ => rustix::process::kill_process(self.pid, signal).is_ok(),
            }
    }
}

/// Returns whether a process with this pid runs; false for a zombie. Returns true where the process table
/// can't be read.
#[must_use]
pub fn runs(pid: i32) -> bool {
    let is_alive = |pid| table::inspect(pid).is_some_and(|process| !process.is_zombie);
    !table::is_available() || Pid::from_raw(pid).is_some_and(is_alive)
}
