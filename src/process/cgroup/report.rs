//! Reports how the limits of a command were applied.

use super::limits::{CPU_PERIOD, CgroupLimit, TreeLimits};
use super::statistics::Statistics;

/// The way in which commands get a cgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// A scope of systemd.
    Systemd,
    /// A prepared directory of cgroups.
    Directory,
}

impl Mechanism {
    /// Every mechanism.
    pub const ALL: [Self; 2] = [Self::Systemd, Self::Directory];

    /// Returns the name for callers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Systemd => "systemd",
            Self::Directory => "directory",
        }
    }
}

/// The limits of a command, and why others do not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    pub mechanism: Option<Mechanism>,
    pub applied: Vec<CgroupLimit>,
    pub missing: Vec<CgroupLimit>,
    /// Why a limit is missing, and what helps.
    pub reason: Option<String>,
}

/// The limits of a command and what came of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeReport {
    pub limits: Applied,
    /// `None` without a cgroup.
    pub statistics: Option<Statistics>,
    /// The values of the limits.
    pub wanted: TreeLimits,
}

impl TreeReport {
    /// Returns the limits that the processes have reached.
    #[must_use]
    pub fn hit(&self) -> Vec<&'static str> {
        let Some(counts) = self.statistics else { return Vec::new() };
        let hit = [
            ("memory", CgroupLimit::Memory, counts.out_of_memory),
            ("processes", CgroupLimit::Processes, counts.refused_processes),
            ("cpu", CgroupLimit::Cpus, counts.throttled_periods),
        ];
        let applied = &self.limits.applied;
        hit.into_iter()
            .filter_map(|(name, limit, count)| (count > 0 && applied.contains(&limit)).then_some(name))
            .collect()
    }

    /// Returns the sentence about processes that the kernel killed for lack of memory.
    #[must_use]
    pub fn out_of_memory(&self) -> Option<String> {
        let counts = self.statistics.filter(|counts| counts.memory_kills > 0)?;
        let limit = self.wanted.memory.filter(|_| self.limits.applied.contains(&CgroupLimit::Memory));
        Some(match limit {
            Some(limit) if counts.out_of_memory > 0 => format!(
                "out of memory: all processes together reached {}, and the kernel ended them",
                size(limit)
            ),
            Some(_) => "the machine ran out of memory; the kernel ended this command".to_owned(),
            None => "the machine ran out of memory; the kernel ended a process of this command".to_owned(),
        })
    }

    /// Returns the sentence about processes that were refused.
    #[must_use]
    pub fn refused_processes(&self) -> Option<String> {
        let limit = self.wanted.processes.filter(|_| self.hit().contains(&"processes"))?;
        Some(format!("the limit of {limit} processes was reached; more were refused"))
    }
}

/// Formats a size as a model reads it, such as `2.0 GiB`.
#[allow(clippy::cast_precision_loss, reason = "one digit after the point is shown")]
fn size(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", units[unit])
}

/// Returns the processor time in each period for a number of processors.
#[must_use]
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is checked: from 0.01 to some thousands"
)]
pub fn cpu_time(processors: f64) -> u64 {
    (processors * CPU_PERIOD as f64).round() as u64
}

#[cfg(test)]
mod tests {
    use super::{Applied, CgroupLimit, Statistics, TreeLimits, TreeReport, cpu_time, size};

    fn report(applied: &[CgroupLimit], statistics: Statistics) -> TreeReport {
        let wanted = TreeLimits {
            memory: Some(2 << 30),
            processes: Some(512),
            cpu_time: Some(1),
            ..TreeLimits::default()
        };
        let limits = Applied { applied: applied.to_vec(), ..Applied::default() };
        TreeReport { limits, statistics: Some(statistics), wanted }
    }

    #[test]
    fn a_reached_limit_of_memory_is_told_from_a_machine_without_memory() {
        let killed = Statistics { memory_kills: 1, ..Statistics::default() };
        let own = report(&[CgroupLimit::Memory], Statistics { out_of_memory: 1, ..killed });
        assert_eq!(own.hit(), ["memory"]);
        let text = "out of memory: all processes together reached 2.0 GiB, and the kernel ended them";
        assert_eq!(own.out_of_memory().as_deref(), Some(text));
        let machine = report(&[CgroupLimit::Memory], killed);
        assert_eq!(machine.hit(), [""; 0]);
        assert!(
            machine.out_of_memory().is_some_and(|text| text.starts_with("the machine ran out of memory"))
        );
        assert_eq!(report(&[CgroupLimit::Memory], Statistics::default()).out_of_memory(), None);
    }

    #[test]
    fn refused_processes_and_waits_are_hits_of_limits_that_hold() {
        let counts = Statistics { refused_processes: 3, throttled_periods: 2, ..Statistics::default() };
        let both = report(&[CgroupLimit::Processes, CgroupLimit::Cpus], counts);
        assert_eq!(both.hit(), ["processes", "cpu"]);
        let text = "the limit of 512 processes was reached; more were refused";
        assert_eq!(both.refused_processes().as_deref(), Some(text));
        assert_eq!(report(&[], counts).hit(), [""; 0]);
    }

    #[test]
    fn a_size_has_the_unit_that_people_use() {
        assert_eq!([size(512), size(1 << 20), size(3 << 29)], ["0.5 KiB", "1.0 MiB", "1.5 GiB"]);
        assert_eq!(size(1 << 50), "1024.0 TiB");
    }

    #[test]
    fn half_a_processor_is_half_of_each_period() {
        assert_eq!(cpu_time(0.5), 50_000);
    }
}
