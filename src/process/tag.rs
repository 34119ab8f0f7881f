//! A number that a job's processes carry, wherever they go.
//!
//! It is the soft limit of `RLIMIT_LOCKS`. That limit has had no effect since Linux 2.6, but it is inherited through
//! `fork`, `exec` and `setsid`, and anybody may read it in `/proc/<pid>/limits`: see [`super::tree::tag_of`]. macOS
//! has nothing like it: there a tag is set on nobody and found on nobody.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// In every tag: nobody else would set such a limit. The bit above it stays free, so that a tag is never "unlimited".
const MARK: u64 = 1 << 62;

/// The lower bits count the jobs of this process.
const COUNTER_BITS: u32 = 24;

/// A job's number: another for each job of this process, and for each process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag(u64);

impl Tag {
    /// A new one. It is used again after 16,777,216 others. `None` where the kernel has no tags.
    #[must_use]
    pub fn new() -> Option<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        cfg!(target_os = "linux").then(|| Self::from_parts(*HOST, NEXT.fetch_add(1, Ordering::Relaxed)))
    }

    /// The number, between 2⁶² and 2⁶³.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    pub(crate) const fn from_parts(host: u64, count: u64) -> Self {
        let host = (host << COUNTER_BITS) & (MARK - 1);
        Self(MARK | host | count & ((1 << COUNTER_BITS) - 1))
    }
}

/// What tells this process from others: 38 bits of it go into a tag.
static HOST: LazyLock<u64> = LazyLock::new(|| {
    // Keyed with random numbers of the system.
    RandomState::new().hash_one(std::process::id())
});

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::{any, prop_assert, prop_assert_ne, proptest};

    use super::Tag;

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "there are no tags")]
    fn every_tag_is_another() {
        let tags: HashSet<_> = (0..1000).map(|_| Tag::new().expect("Linux has them")).collect();
        assert_eq!(tags.len(), 1000);
    }

    proptest! {
        #[test]
        fn a_tag_has_nineteen_digits(host in any::<u64>(), count in any::<u64>()) {
            let number = Tag::from_parts(host, count).number();
            prop_assert!((1 << 62..1 << 63).contains(&number));
        }

        #[test]
        fn two_jobs_of_one_host_differ(host in any::<u64>(), count in 0_u64..1 << 24, other in 0_u64..1 << 24) {
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
