//! Limits for the child alone, which all that it starts inherits.

/// What the child may use at most. `None` leaves a limit as this process has it. A limit can't be raised beyond what
/// this process may have: then it is that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The address space of each process (bytes).
    pub memory: Option<u64>,
    /// Processes and threads of the user, wherever they are. Root is not bound by it.
    pub processes: Option<u64>,
    /// The longest file that may be written (bytes). Who writes on gets SIGXFSZ.
    pub file_size: Option<u64>,
    /// Processor time of each process (seconds). Then comes SIGXCPU, and SIGKILL a second later.
    pub cpu: Option<u64>,
    /// Open descriptors of each process: one more than the highest number.
    pub open_files: Option<u64>,
}

#[cfg(target_os = "linux")]
pub(super) use prepared::Prepared;

#[cfg(target_os = "linux")]
mod prepared {
    use rustix::io::Errno;
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use super::Limits;

    /// From SIGXCPU to SIGKILL (seconds).
    const CPU_GRACE: u64 = 1;

    /// What the child sets, worked out before it exists.
    #[derive(Debug)]
    pub(in super::super) struct Prepared {
        limits: [Option<(Resource, Rlimit)>; 5],
        tag: Option<Rlimit>,
    }

    impl Prepared {
        pub(in super::super) fn new(limits: &Limits, tag: Option<u64>) -> Self {
            let Limits { memory, processes, file_size, cpu, open_files } = *limits;
            let exactly = |resource, wanted: Option<u64>| {
                wanted.map(|wanted| (resource, bounded(resource, wanted, wanted)))
            };
            let cpu =
                cpu.map(|cpu| (Resource::Cpu, bounded(Resource::Cpu, cpu, cpu.saturating_add(CPU_GRACE))));
            Self {
                limits: [
                    exactly(Resource::As, memory),
                    exactly(Resource::Nproc, processes),
                    exactly(Resource::Fsize, file_size),
                    cpu,
                    exactly(Resource::Nofile, open_files),
                ],
                tag: tag.and_then(tagged),
            }
        }

        /// In the child: system calls only.
        pub(in super::super) fn set(&self) -> Result<(), Errno> {
            if let Some(tag) = self.tag {
                // Without it the child runs as well.
                let _ = setrlimit(Resource::Locks, tag);
            }
            self.limits.into_iter().flatten().try_for_each(|(resource, limit)| setrlimit(resource, limit))
        }
    }

    /// No higher than this process may go.
    fn bounded(resource: Resource, soft: u64, hard: u64) -> Rlimit {
        let highest = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        Rlimit { current: Some(soft.min(highest)), maximum: Some(hard.min(highest)) }
    }

    /// The soft limit alone, so that a job within a job can have a tag of its own. `None` when there is no room for it.
    fn tagged(tag: u64) -> Option<Rlimit> {
        let maximum = getrlimit(Resource::Locks).maximum;
        maximum.is_none_or(|maximum| tag <= maximum).then_some(Rlimit { current: Some(tag), maximum })
    }

    #[cfg(test)]
    mod tests {
        use super::{Limits, Prepared, Resource, Rlimit, getrlimit};

        fn prepared(limits: &Limits) -> Vec<(Resource, Rlimit)> {
            Prepared::new(limits, None).limits.into_iter().flatten().collect()
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
}
