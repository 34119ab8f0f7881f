//! A clock that goes on while the machine sleeps: the deadline of a connection counts that time too.

use std::time::Duration;

use rustix::time::{Timespec, clock_gettime};

use super::kernel::CLOCK;

/// Returns the time since the machine started, with the time that it slept.
#[must_use]
pub fn since_boot() -> Duration {
    let now = clock_gettime(CLOCK);
    let nanoseconds = u32::try_from(now.tv_nsec).unwrap_or(0);
    Duration::new(u64::try_from(now.tv_sec).unwrap_or(0), nanoseconds)
}

/// Returns a time limit as the kernel's calls take it.
#[must_use]
pub fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: time.subsec_nanos().into() }
}
