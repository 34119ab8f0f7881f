//! Separates the peak memory of a command from the host's.
//!
//! Until a child executes, it shares the host's memory, and the kernel counts the host's resident set as the
//! child's peak. So the kernel's figure is the command's if it exceeds the host's own peak, and unknown
//! otherwise.

use std::fs;
use std::sync::OnceLock;

use super::kernel::RSS_UNIT;

/// Returns the largest error of the kernel's figure (bytes).
///
/// Each CPU counts resident pages on its own, file pages apart from others, and adds its count to the total
/// in batches of `max(32, 2 * CPUs)` pages.
fn counter_error() -> u64 {
    static COUNTER_ERROR: OnceLock<u64> = OnceLock::new();
    *COUNTER_ERROR.get_or_init(|| {
        let processors = processors();
        2 * processors * rustix::param::page_size() as u64 * (2 * processors).max(32)
    })
}

/// Returns the number of CPUs that the kernel may have, including those that this process may not use.
fn processors() -> u64 {
    let possible = fs::read_to_string("/sys/devices/system/cpu/possible").ok();
    let count = possible.as_deref().and_then(count_of);
    count.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from) as u64)
}

/// Returns the number of CPUs in a list such as `0-63` or `0,2-7`: the highest number plus one.
fn count_of(list: &str) -> Option<u64> {
    let highest: u64 = list.trim_end().rsplit([',', '-']).next()?.parse().ok()?;
    highest.checked_add(1)
}

/// Returns the peak memory of a command (bytes) from the kernel's figure, or `None` where the figure may be
/// the host's.
#[must_use]
pub fn command_peak(reported: u64) -> Option<u64> {
    above(reported, host_peak() + counter_error())
}

fn above(reported: u64, host_peak: u64) -> Option<u64> {
    (reported > host_peak).then_some(reported)
}

/// Returns the peak resident set of this process so far (bytes).
fn host_peak() -> u64 {
    // SAFETY: an all-zero `rusage` is valid, and the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    u64::try_from(usage.ru_maxrss).unwrap_or(0) * RSS_UNIT
}

#[cfg(test)]
mod tests {
    use super::{above, count_of, host_peak};

    #[test]
    fn processors_are_counted_from_the_kernels_list() {
        assert_eq!(count_of("0-63\n"), Some(64));
        assert_eq!(count_of("0\n"), Some(1));
        assert_eq!(count_of("0,2-7\n"), Some(8));
        assert_eq!(count_of("\n"), None);
    }

    #[test]
    fn the_kernels_figure_counts_above_the_hosts_host_peak() {
        assert_eq!(above(300, 200), Some(300));
        assert_eq!(above(200, 200), None);
    }

    #[test]
    fn this_process_has_a_peak() {
        assert!(host_peak() > 0);
    }
}
