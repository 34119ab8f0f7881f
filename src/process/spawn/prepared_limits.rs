//! The resource limits of a child, as the kernel of Unix takes them.

use rustix::process::{Resource, Rlimit, getrlimit};

use super::Limits;
use crate::process::kernel::TAG_RESOURCE;

/// The time between SIGXCPU and SIGKILL (seconds): the shortest that the kernel distinguishes.
const CPU_GRACE: u64 = 1;

impl Limits {
    /// Returns the limits as the kernel takes them, with the one that carries a tag: the number of the
    /// resource, the soft and the hard limit.
    #[must_use]
    pub fn resolved(&self, tag: Option<u64>) -> Vec<(u32, (u64, u64))> {
        PreparedLimits::new(self, tag).numbers()
    }
}

/// The limits in the form in which the child sets them. The host computes them, because the child can't
/// allocate.
#[derive(Debug)]
pub(super) struct PreparedLimits {
    pub(super) limits: [Option<(Resource, Rlimit)>; 5],
    pub(super) tag: Option<(Resource, Rlimit)>,
}

impl PreparedLimits {
    pub(super) fn new(limits: &Limits, tag: Option<u64>) -> Self {
        let Limits { memory, processes, file_size, cpu, open_files } = *limits;
        let exactly = |resource, wanted: Option<u64>| {
            wanted.map(|wanted| (resource, bounded(resource, wanted, wanted)))
        };
        let cpu = cpu.map(|cpu| (Resource::Cpu, bounded(Resource::Cpu, cpu, cpu.saturating_add(CPU_GRACE))));
        Self {
            limits: [
                exactly(Resource::As, memory),
                exactly(Resource::Nproc, processes),
                exactly(Resource::Fsize, file_size),
                cpu,
                exactly(Resource::Nofile, open_files),
            ],
            tag: tag.and_then(tag_limit),
        }
    }

    /// Returns the limits as numbers.
    fn numbers(&self) -> Vec<(u32, (u64, u64))> {
        let number = |limit: Option<u64>| limit.unwrap_or(libc::RLIM_INFINITY);
        let numbers = self.limits.into_iter().flatten().chain(self.tag);
        numbers
            .map(|(resource, limit)| (resource as u32, (number(limit.current), number(limit.maximum))))
            .collect()
    }
}

/// Returns the two limits, lowered to the hard limit of this process.
fn bounded(resource: Resource, soft: u64, hard: u64) -> Rlimit {
    let highest = getrlimit(resource).maximum.unwrap_or(u64::MAX);
    Rlimit { current: Some(soft.min(highest)), maximum: Some(hard.min(highest)) }
}

/// Returns the limit that carries the tag; `None` if the hard limit is too low for it.
///
/// Only the soft limit is set, so that a job within a job can set its own tag.
fn tag_limit(tag: u64) -> Option<(Resource, Rlimit)> {
    let resource = TAG_RESOURCE?;
    let maximum = getrlimit(resource).maximum;
    let limit = Rlimit { current: Some(tag), maximum };
    maximum.is_none_or(|maximum| tag <= maximum).then_some((resource, limit))
}

#[cfg(test)]
mod tests {
    use super::{Limits, PreparedLimits, Resource, Rlimit, getrlimit};

    fn prepared(limits: &Limits) -> Vec<(Resource, Rlimit)> {
        PreparedLimits::new(limits, None).limits.into_iter().flatten().collect()
    }

    #[test]
    fn limits_have_the_numbers_of_the_kernel() {
        let limits = Limits { cpu: Some(3), file_size: Some(5), ..Limits::default() };
        assert_eq!(limits.resolved(None), [(Resource::Fsize as u32, (5, 5)), (Resource::Cpu as u32, (3, 4))]);
    }

    #[test]
    fn no_limit_sets_nothing() {
        assert_eq!(prepared(&Limits::default()), []);
    }

    #[test]
    fn processor_time_leaves_a_second_between_the_two_signals() {
        let expected = Rlimit { current: Some(3), maximum: Some(4) };
        let limits = Limits { cpu: Some(3), ..Limits::default() };
        assert_eq!(prepared(&limits), [(Resource::Cpu, expected)]);
    }

    #[test]
    fn a_limit_beyond_our_own_is_our_own() {
        let own = getrlimit(Resource::Nofile).maximum.expect("the kernel has a bound for it");
        let limits = Limits { open_files: Some(u64::MAX - 1), ..Limits::default() };
        let expected = Rlimit { current: Some(own), maximum: Some(own) };
        assert_eq!(prepared(&limits), [(Resource::Nofile, expected)]);
    }
}
