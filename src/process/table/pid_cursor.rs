//! Lists the pids that the kernel has given out since an earlier reading.
//!
//! Linux gives pids out in rising order and wraps around after the largest one. `/proc/loadavg` reports the
//! latest pid, so every process that started between two readings has one of the pids between them. Other
//! kernels do not report it.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};

use super::platform::LATEST_PID_FILE;

/// The size of the buffer for `/proc/loadavg` (bytes): three loads, two counts and a pid take less than 80.
const LOADAVG_SIZE: usize = 128;

/// The first pid after a wraparound: the kernel reserves the lower ones (`RESERVED_PIDS`).
const FIRST_AFTER_WRAP: i32 = 300;

/// The usual largest pid: Linux's default.
const DEFAULT_LARGEST: i32 = 32_768;

/// Reads the latest pid that the kernel gave out.
///
/// Keeps `/proc/loadavg` open, so that a reading takes one system call and no new descriptor.
#[derive(Debug)]
pub struct PidCursor {
    loadavg: Option<File>,
    /// Whether the file has reported a pid that was not the latest.
    is_outdated: AtomicBool,
}

impl PidCursor {
    /// Opens the file with the latest pid. Without such a file, [`Self::latest`] always returns `None`.
    #[must_use]
    pub fn open() -> Self {
        let loadavg = LATEST_PID_FILE.and_then(|path| File::open(path).ok());
        Self { loadavg, is_outdated: AtomicBool::new(false) }
    }

    /// Compares the latest pid with that of a process that has just started.
    ///
    /// In a container, another file may replace the kernel's (lxcfs), with a pid that is seconds old or of
    /// the whole machine. [`Self::latest`] then returns `None` from now on.
    pub fn check(&self, started: i32) {
        if let Some(latest) = self.latest()
            && !is_recent(started, latest, largest_pid)
        {
            self.is_outdated.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the latest pid, which may be a thread's, or `None` where the kernel does not report it.
    #[must_use]
    pub fn latest(&self) -> Option<i32> {
        if self.is_outdated.load(Ordering::Relaxed) {
            return None;
        }
        let mut buffer = [0; LOADAVG_SIZE];
        let length = self.loadavg.as_ref()?.read_at(&mut buffer, 0).ok()?;
        latest_in(&buffer[..length])
    }
}

/// Returns whether a pid may have been the latest some time ago: the kernel has given out less than half of
/// all pids since.
fn is_recent(pid: i32, latest: i32, largest: impl FnOnce() -> i32) -> bool {
    let since = latest.saturating_sub(pid);
    if (0..DEFAULT_LARGEST / 2).contains(&since) {
        return true;
    }
    let largest = largest();
    let since = if since < 0 { since.saturating_add(largest - FIRST_AFTER_WRAP) } else { since };
    since < largest / 2
}

/// Parses `0.00 0.17 0.59 1/78 7518`: the last field is the latest pid.
fn latest_in(loadavg: &[u8]) -> Option<i32> {
    std::str::from_utf8(loadavg).ok()?.split_ascii_whitespace().nth(4)?.parse().ok()
}

/// The pids that the kernel gave out after one pid, up to and including another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PidRange {
    after: i32,
    last: i32,
    /// The largest possible pid, if the kernel wrapped around in between.
    largest: Option<i32>,
}

impl PidRange {
    /// Creates the range of pids after `after` up to `last`. A `last` below `after` means that the kernel
    /// wrapped around.
    #[must_use]
    pub fn new(after: i32, last: i32) -> Self {
        Self::with_largest(after, last, largest_pid)
    }

    fn with_largest(after: i32, last: i32, largest: impl FnOnce() -> i32) -> Self {
        Self { after, last, largest: (last < after).then(largest) }
    }

    /// Returns the last pid of the range, or the pid before an empty range.
    #[must_use]
    pub const fn last(self) -> i32 {
        self.last
    }

    /// Iterates over the pids in the order in which the kernel gave them out.
    pub fn iter(self) -> impl Iterator<Item = i32> {
        let after_wrap = self.largest.map(|_| FIRST_AFTER_WRAP.min(self.last)..=self.last);
        (self.after + 1..=self.largest.unwrap_or(self.last)).chain(after_wrap.into_iter().flatten())
    }

    /// Returns whether a pid is in the range.
    #[must_use]
    pub const fn contains(self, pid: i32) -> bool {
        if self.largest.is_some() {
            pid > self.after || pid <= self.last
        } else {
            pid > self.after && pid <= self.last
        }
    }

    /// Returns the number of pids in the range.
    #[must_use]
    pub fn len(self) -> usize {
        let span = match self.largest {
            None => self.last - self.after,
            Some(largest) => (largest - self.after).max(0) + self.last - FIRST_AFTER_WRAP.min(self.last) + 1,
        };
        usize::try_from(span).unwrap_or(0)
    }

    /// Returns whether the range contains no pid.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// Returns the largest pid that the kernel gives out; the default where it can't be read.
fn largest_pid() -> i32 {
    fs::read_to_string("/proc/sys/kernel/pid_max")
        .ok()
        .and_then(|limit| limit.trim().parse().ok())
        .unwrap_or(DEFAULT_LARGEST)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{PidCursor, PidRange, is_recent, latest_in};

    #[test]
    fn the_latest_pid_is_the_fifth_field_of_loadavg() {
        assert_eq!(latest_in(b"0.00 0.17 0.59 1/78 7518\n"), Some(7518));
        assert_eq!(latest_in(b"0.00 0.17 0.59 1/78\n"), None);
    }

    #[test]
    fn a_pid_is_recent_unless_the_latest_one_is_older_or_far_ahead() {
        let is_recent = |pid, latest| is_recent(pid, latest, || 32_768);
        assert!(is_recent(500, 500) && is_recent(500, 501) && is_recent(32_767, 300));
        assert!(!is_recent(500, 499) && !is_recent(32_767, 32_766) && !is_recent(500, 3_000_000));
    }

    #[test]
    fn a_range_without_a_wrap_has_the_pids_in_between() {
        assert_eq!(PidRange::new(5, 8).iter().collect::<Vec<_>>(), [6, 7, 8]);
        assert!(PidRange::new(5, 5).is_empty());
    }

    #[test]
    fn a_range_with_a_wrap_skips_the_reserved_pids() {
        let range = PidRange::with_largest(998, 302, || 1000);
        assert_eq!(range.iter().collect::<Vec<_>>(), [999, 1000, 300, 301, 302]);
    }

    #[test]
    #[cfg_attr(darwin, ignore = "the kernel does not tell its latest pid")]
    fn a_child_is_in_the_range_since_the_reading_before_it() {
        let cursor = PidCursor::open();
        let before = cursor.latest().expect("Linux tells");
        let mut child = std::process::Command::new("true").spawn().expect("it starts");
        let range = PidRange::new(before, cursor.latest().expect("Linux tells"));
        child.wait().expect("reaped");
        assert!(range.contains(i32::try_from(child.id()).expect("a pid")));
    }

    proptest! {
        #[test]
        fn length_members_and_order_agree(after in 300..2000, last in 300..2000) {
            let range = PidRange::with_largest(after, last, || 2000);
            let pids: Vec<i32> = range.iter().collect();
            prop_assert_eq!(pids.len(), range.len());
            prop_assert!(pids.iter().all(|&pid| range.contains(pid)));
            prop_assert!(!range.contains(after) || after == last);
            prop_assert_eq!(pids.last().copied().unwrap_or(after), last);
        }
    }
}
