//! The peak memory of a command.
//!
//! When a new process executes, the kernel counts the memory that it had before to it, and that was the host's, which it
//! borrowed. So the kernel's figure is the command's where it is larger than the host's own peak, and nobody's below that.

use std::fs;
use std::sync::OnceLock;

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

/// Returns the peak memory of a command (bytes), or `None` where the kernel's figure may be that of the host.
#[must_use]
pub fn peak_of_command(reported: u64) -> Option<u64> {
    above(reported, own_peak() + slack())
}

fn above(reported: u64, hosts_own: u64) -> Option<u64> {
    (reported > hosts_own).then_some(reported)
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
    use super::{above, count_of, own_peak};

    #[test]
    fn processors_are_counted_from_the_kernels_list() {
        assert_eq!(count_of("0-63\n"), Some(64));
        assert_eq!(count_of("0\n"), Some(1));
        assert_eq!(count_of("0,2-7\n"), Some(8));
        assert_eq!(count_of("\n"), None);
    }

    #[test]
    fn the_kernels_figure_counts_above_the_hosts_own_peak() {
        assert_eq!(above(300, 200), Some(300));
        assert_eq!(above(200, 200), None);
    }

    #[test]
    fn this_process_has_a_peak() {
        assert!(own_peak() > 0);
    }
}
