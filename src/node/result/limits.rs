//! The limits of all processes of a command together, and what came of them.

use napi_derive::napi;

use super::{javascript_number, milliseconds};
use crate::process::cgroup::limits::CgroupLimit;
use crate::process::cgroup::report::{Mechanism, TreeReport};
use crate::process::cgroup::statistics::Statistics;

/// The limits of a command. `index.d.ts` explains each field.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct LimitsResult {
    pub mechanism: Option<&'static str>,
    pub applied: Vec<&'static str>,
    pub missing: Vec<&'static str>,
    pub hit: Vec<&'static str>,
    pub reason: Option<String>,
    /// The sentences about limits for a model.
    pub remarks: Vec<String>,
    /// The resources that all processes have used together.
    pub usage: Option<TreeUsage>,
}

/// The resources that all processes of a command have used together.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct TreeUsage {
    /// The most memory at a time (bytes).
    pub memory_peak: Option<f64>,
    pub user_ms: f64,
    pub system_ms: f64,
    /// The time for which processes had to wait for the limit of processors (ms).
    pub throttled_ms: f64,
    /// The processes that the kernel killed for lack of memory.
    pub oom_kills: f64,
    pub stalled_ms: Option<StalledTimes>,
}

/// The times in which at least one process waited for a resource (ms).
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct StalledTimes {
    pub cpu: f64,
    pub memory: f64,
    pub io: f64,
}

impl From<&TreeReport> for LimitsResult {
    fn from(report: &TreeReport) -> Self {
        let limits = &report.limits;
        let names = |limits: &[CgroupLimit]| limits.iter().map(|limit| limit.name()).collect();
        Self {
            mechanism: limits.mechanism.map(Mechanism::name),
            applied: names(&limits.applied),
            missing: names(&limits.missing),
            hit: report.hit(),
            reason: limits.reason.clone(),
            remarks: [report.out_of_memory(), report.refused_processes()].into_iter().flatten().collect(),
            usage: report.statistics.map(TreeUsage::from),
        }
    }
}

impl From<Statistics> for TreeUsage {
    fn from(counts: Statistics) -> Self {
        Self {
            memory_peak: counts.memory_peak.map(javascript_number),
            user_ms: milliseconds(counts.user),
            system_ms: milliseconds(counts.system),
            throttled_ms: milliseconds(counts.throttled),
            oom_kills: javascript_number(counts.memory_kills),
            stalled_ms: counts.stalled.map(|stalled| StalledTimes {
                cpu: milliseconds(stalled.cpu),
                memory: milliseconds(stalled.memory),
                io: milliseconds(stalled.io),
            }),
        }
    }
}
