//! Records up to which pid the index knows the process table, and which pids must be inspected again.

use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::process::table::inspect_process;
use crate::process::table::pid_cursor::PidRange;
use crate::process::table::row::Process;

/// The longest time between two scans after which the range of new pids is reliable.
///
/// After more time, the kernel may have given out all pids and wrapped around. Giving out 32,768 pids within
/// a second would take 30 µs for each process.
const MAX_SCAN_GAP: Duration = Duration::from_secs(1);

/// The age up to which every scan inspects a missing pid again: a `fork` takes some milliseconds when many
/// threads compete for the CPU.
const ALWAYS_RETRY_AGE: Duration = Duration::from_millis(16);
/// The age at which a missing pid is given up: its process has exited.
const GIVE_UP_AGE: Duration = Duration::from_secs(1);

/// The newest pid that the index knows, and the older pids that had no process.
#[derive(Debug)]
pub(super) struct Progress {
    pid: Option<i32>,
    at: Instant,
    /// Pids that had no process when they were inspected.
    missing: Vec<MissingPid>,
}

impl Progress {
    /// Creates the progress of an empty index.
    pub(super) fn new() -> Self {
        Self { pid: None, at: Instant::now(), missing: Vec::new() }
    }

    /// Starts over after this pid, the latest one.
    pub(super) fn restart(&mut self, latest: Option<i32>) {
        self.reached(latest);
        self.missing.clear();
    }

    /// Records that the index knows the processes up to this pid.
    pub(super) fn reached(&mut self, pid: Option<i32>) {
        self.pid = pid;
        self.at = Instant::now();
    }

    /// Returns the pids between the last known one and `latest`, or `None` when the last scan was too long
    /// ago.
    pub(super) fn new_pids(&self, latest: i32) -> Option<PidRange> {
        (self.at.elapsed() < MAX_SCAN_GAP).then(|| PidRange::new(self.pid.unwrap_or(latest), latest))
    }

    /// Records a pid that has no process now.
    pub(super) fn missed(&mut self, pid: i32, now: Instant) {
        self.missing.push(MissingPid { pid, since: now, inspected_at: now });
    }

    /// Returns the processes that missing pids have now, and drops the pids that need no further inspection.
    pub(super) fn take_started(&mut self, now: Instant) -> Vec<Process> {
        let mut started = Vec::new();
        self.missing.retain_mut(|missing| {
            if now - missing.since > GIVE_UP_AGE {
                return false;
            }
            if !missing.is_due(now) {
                return true;
            }
            missing.inspected_at = now;
            let Some(pid) = Pid::from_raw(missing.pid) else { return false };
            // Signal 0 takes a tenth of the time of reading the row. (`getpgid` gives 0 for a process that is
            // exiting.)
            if test_kill_process(pid) == Err(Errno::SRCH) {
                return true;
            }
            // `inspect_process` returns nothing for a thread, whose pid is dropped here too.
            started.extend(inspect_process(pid));
            false
        });
        started
    }
}

/// A pid that had no process when it was inspected.
///
/// Usually the process has exited. But the kernel gives a pid out some time before the new process becomes
/// visible, and the forking thread may lose the CPU in between. So the scanner inspects these pids again:
/// with each scan at first, and then less and less often.
#[derive(Clone, Copy, Debug)]
struct MissingPid {
    pid: i32,
    since: Instant,
    inspected_at: Instant,
}

impl MissingPid {
    fn is_due(&self, now: Instant) -> bool {
        let age = now - self.since;
        age < ALWAYS_RETRY_AGE || now - self.inspected_at >= age / 2
    }
}
