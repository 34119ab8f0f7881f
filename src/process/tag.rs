//! The tag of a job: a number that all processes of the job inherit, in whatever group or session they are.
//!
//! The tag is the soft limit of `RLIMIT_LOCKS`. That limit has had no effect since Linux 2.4.25, but a
//! process inherits it through `fork`, `exec` and `setsid`, and every process may read it in
//! `/proc/<pid>/limits`: see [`super::table::tag_of`]. macOS has no such limit, so no process carries a tag
//! there.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::kernel::TAG_RESOURCE;

/// The bit that marks a tag: no user sets a limit that high. The next higher bit stays 0, so a tag is never
/// `RLIM_INFINITY`.
const MARK: u64 = 1 << 62;

/// The number of low bits, which count the jobs of this process.
const COUNTER_BITS: u32 = 24;

/// The tag of one job, different for each job of this process and for each host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag(u64);

impl Tag {
    /// Creates a tag, or returns `None` where the kernel has none. Tags repeat after 16,777,216 (2²⁴) jobs.
    #[must_use]
    pub fn new() -> Option<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        TAG_RESOURCE.map(|_| Self::from_parts(*HOST, NEXT.fetch_add(1, Ordering::Relaxed)))
    }

    /// Returns the tag as a number from 2⁶² to 2⁶³ - 1.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.0
    }

    pub(crate) const fn from_parts(host: u64, count: u64) -> Self {
        let host = (host << COUNTER_BITS) & (MARK - 1);
        Self(MARK | host | count & ((1 << COUNTER_BITS) - 1))
    }
}

/// A hash that distinguishes this process from other hosts; 38 bits of it go into each tag.
static HOST: LazyLock<u64> = LazyLock::new(|| {
    // `RandomState` gets random keys from the system, so a reused pid gives another hash.
    RandomState::new().hash_one(std::process::id())
});

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::{any, prop_assert, prop_assert_ne, proptest};

    use super::Tag;

    #[test]
    #[cfg_attr(darwin, ignore = "there are no tags")]
    fn every_tag_is_different() {
        let tags: HashSet<_> = (0..1000).map(|_| Tag::new().expect("Linux has them")).collect();
        assert_eq!(tags.len(), 1000);
    }

    proptest! {
        #[test]
        fn a_tag_has_nineteen_digits(host in any::<u64>(), count in any::<u64>()) {
            let number = Tag::from_parts(host, count).value();
            prop_assert!((1 << 62..1 << 63).contains(&number));
        }

        #[test]
        fn two_jobs_of_one_host_differ(
            host in any::<u64>(), count in 0_u64..1 << 24, other in 0_u64..1 << 24,
        ) {
            if count != other {
                prop_assert_ne!(Tag::from_parts(host, count), Tag::from_parts(host, other));
            }
        }

        #[test]
        fn two_hosts_differ(host in 0_u64..1 << 38, other in 0_u64..1 << 38, count in any::<u64>()) {
            if host != other {
                prop_assert_ne!(Tag::from_parts(host, count), Tag::from_parts(other, count));
            }
        }
    }
}
