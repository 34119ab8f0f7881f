//! The limits that a caller asks for.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::wire::raw;

/// The time in which the kernel grants the processor time of [`TreeLimits::cpu_time`] (µs): its own default.
pub const CPU_PERIOD: u64 = 100_000;

/// Limits of all processes of a command together. `None` does not limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeLimits {
    /// Memory with the page cache and the kernel's own for it (bytes).
    pub memory: Option<u64>,
    /// Swap (bytes). With a limit of memory, `None` is 0.
    pub swap: Option<u64>,
    /// Processes and threads.
    pub processes: Option<u64>,
    /// Processor time in each [`CPU_PERIOD`] (µs).
    pub cpu_time: Option<u64>,
    /// The share of the processors while others want them too, from 1 to 10,000. Without it 100.
    pub cpu_weight: Option<u64>,
    /// Bytes in each second from the device of the working directory.
    pub read: Option<u64>,
    /// Bytes in each second to the device of the working directory.
    pub write: Option<u64>,
    /// The prepared directory of cgroups; `None` if there is none.
    #[serde(with = "raw")]
    pub cgroup: Option<PathBuf>,
    /// Whether the command runs without the limits that can't be applied.
    pub allows_weaker: bool,
}

/// A limit that a tree of processes can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgroupLimit {
    Memory,
    Swap,
    Processes,
    Cpus,
    CpuWeight,
    Io,
}

impl CgroupLimit {
    /// Every limit.
    pub const ALL: [Self; 6] =
        [Self::Memory, Self::Swap, Self::Processes, Self::Cpus, Self::CpuWeight, Self::Io];

    /// Returns the name of the option.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Swap => "swap",
            Self::Processes => "processes",
            Self::Cpus => "cpus",
            Self::CpuWeight => "cpuWeight",
            Self::Io => "io",
        }
    }

    /// Returns the controller that applies the limit.
    #[must_use]
    pub const fn controller(self) -> &'static str {
        match self {
            Self::Memory | Self::Swap => "memory",
            Self::Processes => "pids",
            Self::Cpus | Self::CpuWeight => "cpu",
            Self::Io => "io",
        }
    }
}

impl TreeLimits {
    /// Returns the limits that are set. Swap counts only if it has a value of its own.
    #[must_use]
    pub fn wanted(&self) -> Vec<CgroupLimit> {
        let io = self.read.or(self.write);
        [
            (CgroupLimit::Memory, self.memory),
            (CgroupLimit::Swap, self.swap),
            (CgroupLimit::Processes, self.processes),
            (CgroupLimit::Cpus, self.cpu_time),
            (CgroupLimit::CpuWeight, self.cpu_weight),
            (CgroupLimit::Io, io),
        ]
        .into_iter()
        .filter_map(|(limit, value)| value.map(|_| limit))
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{CgroupLimit, TreeLimits};

    #[test]
    fn only_limits_with_a_value_are_wanted() {
        assert_eq!(TreeLimits::default().wanted(), []);
        let limits = TreeLimits { memory: Some(1), write: Some(1), ..TreeLimits::default() };
        assert_eq!(limits.wanted(), [CgroupLimit::Memory, CgroupLimit::Io]);
    }
}
