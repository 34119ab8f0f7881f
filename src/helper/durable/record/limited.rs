//! The limits of all processes of a durable job together, and what the kernel has counted.

use std::time::Duration;

use super::Lines;
use crate::process::cgroup::limits::{CgroupLimit, TreeLimits};
use crate::process::cgroup::report::{Applied, Mechanism, TreeReport};
use crate::process::cgroup::statistics::{Stalled, Statistics};

/// The name of the file with the report on the limits of all processes together.
pub const FILE: &str = "limits";

/// Returns the content of the file.
#[must_use]
pub fn encode(report: &TreeReport) -> Vec<u8> {
    let mut lines = Lines::default();
    let TreeReport { limits: Applied { mechanism, applied, missing, reason }, statistics, wanted } = report;
    if let Some(mechanism) = mechanism {
        lines.set("mechanism", mechanism.name());
    }
    lines.set("applied", names(applied));
    lines.set("missing", names(missing));
    if let Some(reason) = reason {
        lines.set("reason", reason);
    }
    for (key, value) in [("memory", wanted.memory), ("processes", wanted.processes)] {
        if let Some(value) = value {
            lines.set_number(key, value);
        }
    }
    if let Some(counts) = statistics {
        for (key, count) in numbers(counts) {
            lines.set_number(key, count);
        }
        if let Some(peak) = counts.memory_peak {
            lines.set_number("memory_peak", peak);
        }
        if let Some(Stalled { cpu, memory, io }) = counts.stalled {
            for (key, time) in [("stalled_cpu_us", cpu), ("stalled_memory_us", memory), ("stalled_io_us", io)]
            {
                lines.set_number(key, micros(time));
            }
        }
    }
    lines.encode()
}

/// Reads the file. What a later version calls by another name is left out.
#[must_use]
pub fn decode(bytes: &[u8]) -> TreeReport {
    let lines = Lines::decode(bytes);
    let limits = |key: &str| {
        let named = |name: &str| CgroupLimit::ALL.into_iter().find(|limit| limit.name() == name);
        lines.get(key).unwrap_or_default().split_whitespace().filter_map(named).collect()
    };
    let mechanism = lines.get("mechanism");
    TreeReport {
        limits: Applied {
            mechanism: Mechanism::ALL.into_iter().find(|known| Some(known.name()) == mechanism),
            applied: limits("applied"),
            missing: limits("missing"),
            reason: lines.get("reason").map(str::to_owned),
        },
        statistics: statistics(&lines),
        wanted: TreeLimits {
            memory: lines.parsed("memory"),
            processes: lines.parsed("processes"),
            ..TreeLimits::default()
        },
    }
}

fn statistics(lines: &Lines) -> Option<Statistics> {
    let number = |key: &str| lines.parsed(key).unwrap_or(0);
    let time = |key: &str| lines.parsed(key).map(Duration::from_micros);
    lines.get("user_us")?;
    let stalled = || {
        Some(Stalled {
            cpu: time("stalled_cpu_us")?,
            memory: time("stalled_memory_us")?,
            io: time("stalled_io_us")?,
        })
    };
    Some(Statistics {
        out_of_memory: number("out_of_memory"),
        memory_kills: number("memory_kills"),
        refused_processes: number("refused_processes"),
        throttled_periods: number("throttled_periods"),
        user: time("user_us").unwrap_or_default(),
        system: time("system_us").unwrap_or_default(),
        throttled: time("throttled_us").unwrap_or_default(),
        memory_peak: lines.parsed("memory_peak"),
        stalled: stalled(),
    })
}

fn numbers(counts: &Statistics) -> [(&'static str, u64); 7] {
    [
        ("out_of_memory", counts.out_of_memory),
        ("memory_kills", counts.memory_kills),
        ("refused_processes", counts.refused_processes),
        ("throttled_periods", counts.throttled_periods),
        ("user_us", micros(counts.user)),
        ("system_us", micros(counts.system)),
        ("throttled_us", micros(counts.throttled)),
    ]
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn names(limits: &[CgroupLimit]) -> String {
    limits.iter().map(|limit| limit.name()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Applied, CgroupLimit, Duration, Mechanism, Stalled, Statistics, TreeLimits, TreeReport};

    fn counts() -> impl Strategy<Value = Statistics> {
        (any::<[u32; 10]>(), proptest::option::of(any::<u64>()), any::<bool>()).prop_map(
            |([oom, kills, refused, periods, user, system, throttled, cpu, memory, io], peak, is_stalled)| {
                let time = |micros: u32| Duration::from_micros(micros.into());
                Statistics {
                    out_of_memory: oom.into(),
                    memory_kills: kills.into(),
                    refused_processes: refused.into(),
                    throttled_periods: periods.into(),
                    user: time(user),
                    system: time(system),
                    throttled: time(throttled),
                    memory_peak: peak,
                    stalled: is_stalled.then(|| Stalled {
                        cpu: time(cpu),
                        memory: time(memory),
                        io: time(io),
                    }),
                }
            },
        )
    }

    proptest! {
        #[test]
        fn limits_are_read_as_they_were_written(
            statistics in proptest::option::of(counts()),
            mechanism in proptest::option::of(prop::sample::select(Mechanism::ALL.to_vec())),
            applied in prop::sample::subsequence(CgroupLimit::ALL.to_vec(), 0..=6),
            missing in prop::sample::subsequence(CgroupLimit::ALL.to_vec(), 0..=6),
            reason in proptest::option::of("(?s).{0,20}"),
            numbers in any::<[Option<u64>; 2]>(),
        ) {
            let [memory, processes] = numbers;
            let report = TreeReport {
                limits: Applied { mechanism, applied, missing, reason },
                statistics,
                wanted: TreeLimits { memory, processes, ..TreeLimits::default() },
            };
            prop_assert_eq!(super::decode(&super::encode(&report)), report);
        }
    }
}
