//! In place of `tree`: the limits that a job object enforces.

use std::path::Path;

use crate::process::cgroup::limits::{CgroupLimit, TreeLimits};
use crate::process::cgroup::report::{Applied, Mechanism, TreeReport};
use crate::process::windows::job_object::Limits;

const REASON: &str = "a job object of Windows limits memory and processes alone";

/// The limits of a command, of which its job object enforces those of memory and processes.
#[derive(Debug)]
pub struct LimitedTree(TreeLimits);

impl LimitedTree {
    /// Returns the limits.
    ///
    /// # Errors
    ///
    /// When a limit is wanted that a job object does not enforce, unless the command may run without it.
    pub fn prepare(wanted: &TreeLimits) -> Result<Self, String> {
        let tree = Self(wanted.clone());
        if wanted.allows_weaker || tree.missing().is_empty() { Ok(tree) } else { Err(REASON.to_owned()) }
    }

    /// Returns the limits as a job object takes them.
    #[must_use]
    pub fn of_job(&self) -> Limits {
        Limits {
            memory: self.0.memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
            processes: self.0.processes.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
            ..Limits::default()
        }
    }

    /// Returns what became of the limits. A job object does not count how often they were reached.
    #[must_use]
    pub fn report(&self) -> TreeReport {
        let (applied, missing) = (self.applied(), self.missing());
        let reason = (!missing.is_empty()).then(|| REASON.to_owned());
        let limits = Applied { mechanism: None, applied, missing, reason };
        TreeReport { limits, statistics: None, wanted: self.0.clone() }
    }

    /// Returns the report, as on Linux.
    #[must_use]
    pub fn take_report(&self) -> TreeReport {
        self.report()
    }

    fn applied(&self) -> Vec<CgroupLimit> {
        self.0.wanted().into_iter().filter(|&limit| is_enforced(limit)).collect()
    }

    fn missing(&self) -> Vec<CgroupLimit> {
        self.0.wanted().into_iter().filter(|&limit| !is_enforced(limit)).collect()
    }
}

/// Returns whether a job object enforces a limit.
const fn is_enforced(limit: CgroupLimit) -> bool {
    matches!(limit, CgroupLimit::Memory | CgroupLimit::Processes)
}

/// Returns that there are no cgroups.
///
/// # Errors
///
/// Always.
pub fn available(_: Option<&Path>) -> Result<(Mechanism, Vec<String>), String> {
    Err(REASON.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{CgroupLimit, LimitedTree, TreeLimits};

    #[test]
    fn a_limit_that_no_job_object_enforces_is_refused_unless_the_command_may_run_without() {
        let wanted = TreeLimits { memory: Some(1 << 20), cpu_weight: Some(10), ..TreeLimits::default() };
        LimitedTree::prepare(&wanted).expect_err("the share of the processors is not enforced");
        let tree = LimitedTree::prepare(&TreeLimits { allows_weaker: true, ..wanted }).expect("limits");
        assert_eq!(tree.of_job().memory, Some(1 << 20));
        let limits = tree.report().limits;
        assert_eq!(
            (limits.applied, limits.missing),
            (vec![CgroupLimit::Memory], vec![CgroupLimit::CpuWeight])
        );
    }
}
