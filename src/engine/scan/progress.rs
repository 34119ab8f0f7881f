//! Up to which pid the index knows the process table, and which pids are asked for again.

use std::time::{Duration, Instant};

use rustix::process::{Pid, getpgid};

use crate::process::table::inspect_process;
use crate::process::table::pid_cursor::PidRange;
use crate::process::table::row::Process;

/// After a longer pause between two scans, the kernel may have given out all pids and started over.
const LONGEST_LAP: Duration = Duration::from_secs(1);

/// How long a pid without a process is asked for with each scan, and how long at all: a fork takes some milliseconds
/// where many threads want the processor.
const LONGEST_FORK: Duration = Duration::from_millis(16);
const MISSING_FOR: Duration = Duration::from_secs(1);

/// Up to which pid the index knows the process table.
#[derive(Debug)]
pub(super) struct Progress {
    pid: Option<i32>,
    at: Instant,
    /// Pids without a process.
    missing: Vec<Missing>,
}

impl Progress {
    /// The progress of an index that knows nothing yet.
    pub(super) fn new() -> Self {
        Self { pid: None, at: Instant::now(), missing: Vec::new() }
    }

    /// Begins anew after this pid, the latest one.
    pub(super) fn restart(&mut self, latest: Option<i32>) {
        self.reached(latest);
        self.missing.clear();
    }

    /// Notes that the index knows the processes up to this pid now.
    pub(super) fn reached(&mut self, pid: Option<i32>) {
        self.pid = pid;
        self.at = Instant::now();
    }

    /// Returns the pids that were given out since, up to the latest one, or `None` where that can't be told.
    pub(super) fn new_pids(&self, latest: i32) -> Option<PidRange> {
        (self.at.elapsed() < LONGEST_LAP).then(|| PidRange::new(self.pid.unwrap_or(latest), latest))
    }

    /// Notes a pid that has no process now.
    pub(super) fn missed(&mut self, pid: i32, now: Instant) {
        self.missing.push(Missing { pid, since: now, asked_at: now });
    }

    /// Returns the processes that missing pids have got since, and forgets the pids that need not be asked for again.
    pub(super) fn take_born(&mut self, now: Instant) -> Vec<Process> {
        let mut born = Vec::new();
        self.missing.retain_mut(|missing| {
            if now - missing.since > MISSING_FOR {
                return false;
            }
            if !missing.is_due(now) {
                return true;
            }
            missing.asked_at = now;
            let Some(pid) = Pid::from_raw(missing.pid) else { return false };
            // Costs a tenth of what it costs to read the row.
            if getpgid(Some(pid)).is_err() {
                return true;
            }
            // A thread has no row.
            born.extend(inspect_process(pid));
            false
        });
        born
    }
}

/// A pid that had no process when it was inspected.
///
/// Mostly the process has exited already. But the kernel gives a pid out some time before the new process can be seen, and
/// the thread that forks may have to wait for a processor in between. So the scanner asks for these pids again: with each
/// scan at first, and then less and less often.
#[derive(Clone, Copy, Debug)]
struct Missing {
    pid: i32,
    since: Instant,
    asked_at: Instant,
}

impl Missing {
    fn is_due(&self, now: Instant) -> bool {
        let age = now - self.since;
        age < LONGEST_FORK || now - self.asked_at >= age / 2
    }
}
