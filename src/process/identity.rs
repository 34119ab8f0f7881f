//! Signals that reach the process they are meant for, and no other.
//!
//! The kernel reuses pids. A pid together with its start time names one process for as long as the machine runs, and a
//! pidfd names it for as long as it is held: a signal goes through one or the other, or to an unreaped child of ours, but
//! never to a pid that may have become a stranger's.

use rustix::process::{Pid, Signal};

use super::fd::pidfd;
use super::table;
pub use super::table::row::Identity;

impl Identity {
    /// Returns the process that has this pid now.
    #[must_use]
    pub fn of(pid: Pid) -> Option<Self> {
        table::inspect(pid).map(|process| process.identity)
    }

    /// Returns the identity of an unreaped child of ours. Its start time is 0 where the system does not tell it.
    #[must_use]
    pub fn of_child(pid: Pid) -> Self {
        Self::of(pid).unwrap_or(Self { pid, start: 0 })
    }

    /// Tells whether the process still runs (a zombie does not).
    #[must_use]
    pub fn is_alive(self) -> bool {
        table::inspect(self.pid).is_some_and(|process| process.identity == self && !process.is_zombie)
    }

    /// Sends a signal to this process and to no other. Tells whether the process was there to take it.
    #[allow(clippy::must_use_candidate, reason = "a process that has exited needs no signal")]
    pub fn send(self, signal: Signal) -> bool {
        // The pidfd pins whatever process has the pid now; then the start time tells whether it is the right one.
        let pinned = pidfd::open(self.pid);
        self.is_alive()
            && match pinned {
                #[cfg(target_os = "linux")]
                Ok(pidfd) => rustix::process::pidfd_send_signal(pidfd, signal).is_ok(),
                _ => rustix::process::kill_process(self.pid, signal).is_ok(),
            }
    }
}
