//! The peak memory of a command.
//!
//! The kernel's own figure can't be taken as it is: when a new process executes, the kernel counts the memory that it
//! had before to it, and that was the host's, which it borrowed. So the figure is right where it is larger than the
//! host's own peak. Below that, the peaks of the living processes are looked at from time to time.

use std::fs;
use std::sync::OnceLock;

use rustix::process::Pid;

/// The kernel counts pages for each processor apart, and adds a processor's up when they are many: 32, or twice as
/// many as there are processors. It does so for the pages of files and for the others (bytes).
fn slack() -> u64 {
    static SLACK: OnceLock<u64> = OnceLock::new();
    *SLACK.get_or_init(|| {
        let processors = processors();
        2 * processors * rustix::param::page_size() as u64 * (2 * processors).max(32)
    })
}

/// How many processors there may be, also those that this process may not use.
fn processors() -> u64 {
    let possible = fs::read_to_string("/sys/devices/system/cpu/possible").ok();
    let told = possible.as_deref().and_then(count_of);
    told.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from) as u64)
}

/// `0-63`, or `0,2-7`: the last number is one less than the count.
fn count_of(list: &str) -> Option<u64> {
    let highest: u64 = list.trim_end().rsplit([',', '-']).next()?.parse().ok()?;
    highest.checked_add(1)
}

/// A process that has less is still being loaded: the look came too early (bytes).
const LEAST: u64 = 1024 * 1024;

/// The largest memory that a living process has had so far (bytes), or `None` where it can't be told yet.
#[must_use]
pub fn peak_of(pid: Pid) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024).filter(|&bytes| bytes >= LEAST)
}

/// The peak of a command, from the kernel's figure and from what was seen while it lived.
#[must_use]
pub fn peak_from(reported: u64, seen: Option<u64>) -> Option<u64> {
    choose(reported, seen, own_peak() + slack())
}

fn choose(reported: u64, seen: Option<u64>, hosts_own: u64) -> Option<u64> {
    if reported > hosts_own { Some(reported) } else { seen }
}

/// The largest memory that this process has had so far (bytes).
fn own_peak() -> u64 {
    // SAFETY: an all-zero `rusage` is valid, and the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    u64::try_from(usage.ru_maxrss).unwrap_or(0) * UNIT
}

/// What `ru_maxrss` counts in (bytes).
#[cfg(target_os = "linux")]
const UNIT: u64 = 1024;
#[cfg(not(target_os = "linux"))]
const UNIT: u64 = 1;

#[cfg(test)]
mod tests {
    use super::{choose, count_of, own_peak, peak_of};

    #[test]
    fn processors_are_counted_from_the_kernels_list() {
        assert_eq!(count_of("0-63\n"), Some(64));
        assert_eq!(count_of("0\n"), Some(1));
        assert_eq!(count_of("0,2-7\n"), Some(8));
        assert_eq!(count_of("\n"), None);
    }

    #[test]
    fn the_kernels_figure_counts_where_it_can_not_be_the_hosts() {
        assert_eq!(choose(300, Some(100), 200), Some(300));
    }

    #[test]
    fn what_was_seen_counts_where_it_may_be() {
        assert_eq!(choose(200, Some(100), 200), Some(100));
        assert_eq!(choose(200, None, 200), None);
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "the figure of a living process is not told")]
    fn both_figures_of_this_process_are_about_the_same() {
        let seen = peak_of(rustix::process::getpid()).expect("a figure");
        assert!(seen > 0 && own_peak() >= seen / 2, "{seen} {}", own_peak());
    }

    #[test]
    fn nobody_has_no_memory() {
        assert_eq!(peak_of(rustix::process::Pid::from_raw(i32::MAX).expect("a number")), None);
    }
}
