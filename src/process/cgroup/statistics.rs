//! The kernel's counts for the processes of a cgroup. Pure: parses the texts of its files.

use std::time::Duration;

/// The counts of a cgroup. A count whose file is missing is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// How often the memory reached the limit of this cgroup and nothing could be freed.
    pub out_of_memory: u64,
    /// The processes that the kernel killed for lack of memory, of this cgroup or of the machine.
    pub memory_kills: u64,
    /// The processes and threads that were refused.
    pub refused_processes: u64,
    /// The periods in which the processes had to wait for the next one.
    pub throttled_periods: u64,
    pub user: Duration,
    pub system: Duration,
    pub throttled: Duration,
    /// The most memory at a time (bytes); `None` before Linux 5.19.
    pub memory_peak: Option<u64>,
    /// The times in which some process waited for a resource; `None` without pressure information.
    pub stalled: Option<Stalled>,
}

/// The times in which at least one process waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stalled {
    pub cpu: Duration,
    pub memory: Duration,
    pub io: Duration,
}

impl Statistics {
    /// Parses the files of a cgroup, which `read` returns by name.
    pub fn parse(read: impl Fn(&str) -> Option<String>) -> Self {
        let text = |name| read(name).unwrap_or_default();
        let (events, processor) = (text("memory.events"), text("cpu.stat"));
        let time = |key| Duration::from_micros(value(&processor, key));
        Self {
            out_of_memory: value(&events, "oom"),
            memory_kills: memory_kills(&events),
            refused_processes: value(&text("pids.events"), "max"),
            throttled_periods: value(&processor, "nr_throttled"),
            user: time("user_usec"),
            system: time("system_usec"),
            throttled: time("throttled_usec"),
            memory_peak: read("memory.peak").and_then(|peak| peak.trim().parse().ok()),
            stalled: Stalled::parse(read),
        }
    }

    /// Returns what was counted since an earlier moment. The peak of the memory is that of the whole time.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            out_of_memory: self.out_of_memory.saturating_sub(before.out_of_memory),
            memory_kills: self.memory_kills.saturating_sub(before.memory_kills),
            refused_processes: self.refused_processes.saturating_sub(before.refused_processes),
            throttled_periods: self.throttled_periods.saturating_sub(before.throttled_periods),
            user: self.user.saturating_sub(before.user),
            system: self.system.saturating_sub(before.system),
            throttled: self.throttled.saturating_sub(before.throttled),
            memory_peak: self.memory_peak,
            stalled: self.stalled.map(|stalled| stalled.since(before.stalled.unwrap_or_default())),
        }
    }
}

impl Stalled {
    fn parse(read: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let time = |name: &str| some_total(&read(name)?);
        Some(Self { cpu: time("cpu.pressure")?, memory: time("memory.pressure")?, io: time("io.pressure")? })
    }

    fn since(self, before: Self) -> Self {
        Self {
            cpu: self.cpu.saturating_sub(before.cpu),
            memory: self.memory.saturating_sub(before.memory),
            io: self.io.saturating_sub(before.io),
        }
    }
}

/// Returns how many processes the kernel has killed for lack of memory, from the events of version 2 or 1.
#[must_use]
pub fn memory_kills(events: &str) -> u64 {
    value(events, "oom_kill")
}

/// Returns the value of a line `key value`; 0 if there is none.
fn value(text: &str, key: &str) -> u64 {
    let mut values = text.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
    values.next().and_then(|value| value.trim().parse().ok()).unwrap_or(0)
}

/// Returns the total of the line `some avg10=… total=<µs>`.
fn some_total(pressure: &str) -> Option<Duration> {
    let line = pressure.lines().find(|line| line.starts_with("some "))?;
    let total = line.rsplit_once("total=")?.1;
    total.trim().parse().ok().map(Duration::from_micros)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Statistics, memory_kills};

    fn file(name: &str) -> Option<String> {
        let text = match name {
            "memory.events" => "low 0\nhigh 0\nmax 3\noom 2\noom_kill 4\noom_group_kill 1\n",
            "pids.events" => "max 7\n",
            "cpu.stat" => {
                "usage_usec 9\nuser_usec 5\nsystem_usec 4\nnr_periods 3\nnr_throttled 2\nthrottled_usec 8\n"
            }
            "memory.peak" => "4096\n",
            "cpu.pressure" | "io.pressure" | "memory.pressure" => {
                "some avg10=0.00 avg60=0.00 avg300=0.00 total=11\nfull avg10=0.00 total=3\n"
            }
            _ => return None,
        };
        Some(text.to_owned())
    }

    #[test]
    fn the_files_of_the_kernel_are_counts() {
        let found = Statistics::parse(file);
        assert_eq!((found.out_of_memory, found.memory_kills, found.refused_processes), (2, 4, 7));
        assert_eq!((found.throttled_periods, found.throttled), (2, Duration::from_micros(8)));
        assert_eq!(found.memory_peak, Some(4096));
        assert_eq!(found.stalled.map(|stalled| stalled.io), Some(Duration::from_micros(11)));
    }

    #[test]
    fn missing_files_count_nothing() {
        assert_eq!(Statistics::parse(|_| None), Statistics::default());
    }

    #[test]
    fn the_counts_of_one_command_are_those_since_its_begin() {
        let all = Statistics::parse(file);
        let since = all.since(&all);
        assert_eq!((since.memory_kills, since.user, since.memory_peak), (0, Duration::ZERO, Some(4096)));
    }

    #[test]
    fn kills_are_counted_in_both_versions() {
        assert_eq!(memory_kills("low 0\nhigh 0\nmax 3\noom 2\noom_kill 2\noom_group_kill 0\n"), 2);
        assert_eq!(memory_kills("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"), 1);
        assert_eq!(memory_kills(""), 0);
    }
}
