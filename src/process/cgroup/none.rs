//! In place of [`super::tree`], for a system without cgroups.

use std::os::fd::BorrowedFd;

use std::path::Path;

use rustix::process::Pid;

use crate::process::cgroup::limits::TreeLimits;
use crate::process::cgroup::report::{Applied, Mechanism, TreeReport};
use crate::process::errno::Errno;

const REASON: &str = "this system has no cgroups";

/// The limits of a command, none of which holds.
#[derive(Debug)]
pub struct LimitedTree(TreeLimits);

impl LimitedTree {
    /// Returns limits that do not hold.
    ///
    /// # Errors
    ///
    /// The reason that there are no cgroups, if the command may not run without limits.
    pub fn prepare(wanted: &TreeLimits, _: BorrowedFd<'_>, _: bool) -> Result<Self, String> {
        if wanted.allows_weaker { Ok(Self(wanted.clone())) } else { Err(REASON.to_owned()) }
    }

    #[must_use]
    pub const fn directory(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    #[must_use]
    pub const fn place(&self) -> Option<(String, &Path)> {
        None
    }

    #[must_use]
    pub const fn pids(&self) -> Vec<Pid> {
        Vec::new()
    }

    pub const fn kill(&self) {}

    pub const fn leave(&self) {}

    #[must_use]
    pub fn report(&self) -> TreeReport {
        let reason = Some(REASON.to_owned());
        let limits = Applied { missing: self.0.wanted(), reason, ..Applied::default() };
        TreeReport { limits, statistics: None, wanted: self.0.clone() }
    }

    #[must_use]
    pub fn take_report(&self) -> TreeReport {
        self.report()
    }

    pub const fn give_up(&mut self, _: Errno) -> bool {
        true
    }

    #[must_use]
    pub fn refusal(self) -> Option<String> {
        None
    }
}

/// Returns that there is none.
#[must_use]
pub const fn scope_holder() -> Option<Pid> {
    None
}

/// Does nothing: there are no cgroups.
pub const fn end_cgroups(_: &str, _: &Path) {}

/// Returns that there are no cgroups.
///
/// # Errors
///
/// Always.
pub fn available(_: Option<&Path>) -> Result<(Mechanism, Vec<String>), String> {
    Err(REASON.to_owned())
}
