//! Which process a number means.
//!
//! The kernel uses process numbers again. A number together with the start time names one process for as long
//! as the machine runs, and a pidfd names it for as long as it is held: a signal goes through one or the other,
//! or to an unreaped child of ours, but never to a number that may have become a stranger's.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::{pidfd, spare, tree};

/// How long the clock is trusted to know start times once it did (clock ticks: 100 ms).
const TRUST: u64 = 10;

/// A process: its number, and when it started (clock ticks since boot; microseconds since 1970 on macOS).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The number.
    pub pid: Pid,
    /// The start time, in the kernel's unit; only ever compared.
    pub start: u64,
}

impl Identity {
    /// The process that has this number now.
    #[must_use]
    pub fn of(pid: Pid) -> Option<Self> {
        let _loan = spare::borrow();
        tree::inspect(pid).map(|process| process.identity)
    }

    /// A child of ours that was started after this moment (since boot). Its start time is 0, and stands for any, where it
    /// can't be told.
    ///
    /// To ask the kernel for it costs as much as a good part of a spawn, and the clock mostly knows. But something that only
    /// looks like Linux may have a clock of its own for start times: so for each while both are asked first.
    #[must_use]
    pub fn of_child(pid: Pid, moment: Option<Duration>) -> Self {
        /// Until which start time the clock is trusted.
        static TRUSTED_UNTIL: AtomicU64 = AtomicU64::new(0);
        let by_clock = moment.and_then(tree::start_since);
        if let Some(start) = by_clock
            && start < TRUSTED_UNTIL.load(Ordering::Relaxed)
        {
            return Self { pid, start };
        }
        let told = Self::of(pid);
        if let (Some(start), Some(told)) = (by_clock, told) {
            TRUSTED_UNTIL.store(if start == told.start { start + TRUST } else { 0 }, Ordering::Relaxed);
        }
        told.unwrap_or(Self { pid, start: 0 })
    }

    /// Whether it still runs (a zombie does not).
    #[must_use]
    pub fn is_alive(self) -> bool {
        let _loan = spare::borrow();
        tree::inspect(self.pid).is_some_and(|process| process.identity == self && !process.is_zombie)
    }

    /// Sends a signal to this process and to no other. Whether there was one to take it.
    #[allow(clippy::must_use_candidate, reason = "one that is gone already needs no signal")]
    pub fn send(self, signal: Signal) -> bool {
        let _loan = spare::borrow();
        // The pidfd pins whatever has the number now; then the start time tells whether it is the one meant.
        let pinned = pidfd::open(self.pid);
        self.is_alive()
            && match pinned {
                #[cfg(target_os = "linux")]
                Ok(pidfd) => rustix::process::pidfd_send_signal(pidfd, signal).is_ok(),
                _ => rustix::process::kill_process(self.pid, signal).is_ok(),
            }
    }
}
