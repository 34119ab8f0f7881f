//! The processes of a command under limits, from before its start to its end.

mod base;
mod files;
mod leaf;
mod sweep;
mod systemd;

use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::process::Pid;

use self::base::{CgroupBase, controllers_of};
use self::files::name_of;
use self::leaf::Leaf;
use self::leaf::name::HostIdentity;
pub use self::sweep::end_cgroups;
use self::sweep::sweep_once;
use crate::process::cgroup::limits::TreeLimits;
use crate::process::cgroup::report::{Applied, Mechanism, TreeReport};
use crate::process::cgroup::statistics::Statistics;
use crate::process::errno::Errno;

/// The advice where no directory is prepared.
const REMEDY: &str = "prepare a directory of cgroups and name it by AGENT_BASH_CGROUP or limits.tree.cgroup \
                      (docs/limits.md)";

/// Returns why there are no limits where no directory is prepared.
fn without_directory(reason: &str) -> String {
    format!("{reason}; {REMEDY}")
}

/// Returns the mechanism and the controllers that commands of this process could have, with the directory
/// that is prepared for them. Changes nothing.
///
/// # Errors
///
/// Why there are none.
pub fn available(cgroup: Option<&Path>) -> Result<(Mechanism, Vec<String>), String> {
    let (mechanism, controllers) = match cgroup {
        Some(path) => (Mechanism::Directory, controllers_of(path)?),
        None => (Mechanism::Systemd, systemd::controllers().map_err(|reason| without_directory(&reason))?),
    };
    Ok((mechanism, controllers.split_ascii_whitespace().map(str::to_owned).collect()))
}

/// Returns the child of this process that holds its scope of systemd, if there is one.
#[must_use]
pub fn scope_holder() -> Option<Pid> {
    systemd::holder()
}

/// The processes of a command under limits.
#[derive(Debug)]
pub struct LimitedTree {
    /// `None` if there is no cgroup, and the command runs without limits.
    leaf: Option<Leaf>,
    /// The directory of the cgroup.
    path: PathBuf,
    wanted: TreeLimits,
    limits: Applied,
    /// The counts when the latest command of a session began.
    before: Mutex<Statistics>,
}

impl LimitedTree {
    /// Makes a cgroup with limits. `directory` is where the command runs.
    ///
    /// # Errors
    ///
    /// Why a limit can't be applied, unless the command may run without.
    pub fn prepare(
        wanted: &TreeLimits,
        directory: BorrowedFd<'_>,
        outlives_host: bool,
    ) -> Result<Self, String> {
        let tree = Self::make(wanted, directory, outlives_host).unwrap_or_else(|reason| {
            let missing = wanted.wanted();
            let limits = Applied { missing, reason: Some(reason), ..Applied::default() };
            Self {
                leaf: None,
                path: PathBuf::new(),
                wanted: wanted.clone(),
                limits,
                before: Mutex::default(),
            }
        });
        match &tree.limits.reason {
            Some(reason) if !wanted.allows_weaker => Err(reason.clone()),
            _ => Ok(tree),
        }
    }

    fn make(wanted: &TreeLimits, directory: BorrowedFd<'_>, outlives_host: bool) -> Result<Self, String> {
        let (mechanism, path) = match &wanted.cgroup {
            Some(path) => (Mechanism::Directory, path.clone()),
            None => (Mechanism::Systemd, systemd::scope().map_err(|reason| without_directory(&reason))?),
        };
        let more = if wanted.read.or(wanted.write).is_some() { &["io"][..] } else { &[] };
        let base = CgroupBase::open(&path, more)?;
        sweep_once(&path, &base.directory);
        let leaf = Leaf::create(&base, outlives_host)
            .map_err(|error| format!("no cgroup can be made in {}: {}", path.display(), name_of(&error)))?;
        let refused = leaf.apply(wanted, &base, directory);
        let applied = wanted.wanted().into_iter().filter(|limit| !refused.missing.contains(limit)).collect();
        let limits =
            Applied { mechanism: Some(mechanism), applied, missing: refused.missing, reason: refused.reason };
        Ok(Self { leaf: Some(leaf), path, wanted: wanted.clone(), limits, before: Mutex::default() })
    }

    /// Returns the directory of the cgroup in which the command starts.
    #[must_use]
    pub fn directory(&self) -> Option<BorrowedFd<'_>> {
        self.leaf.as_ref().map(Leaf::directory)
    }

    /// Returns the begin of the names of this host's cgroups and the directory that they are in, for the
    /// guardian.
    #[must_use]
    pub fn place(&self) -> Option<(String, &Path)> {
        self.leaf.as_ref()?;
        Some((HostIdentity::own().to_string(), &self.path))
    }

    /// Returns the pids of all processes in the cgroup.
    #[must_use]
    pub fn pids(&self) -> Vec<Pid> {
        self.leaf.as_ref().map(Leaf::pids).unwrap_or_default()
    }

    /// Kills all processes in the cgroup, whoever they are.
    pub fn kill(&self) {
        if let Some(leaf) = &self.leaf {
            leaf.kill();
        }
    }

    /// Leaves the processes that are left to themselves. Without this call, they end with this value.
    pub fn leave(&self) {
        if let Some(leaf) = &self.leaf {
            leaf.leave();
        }
    }

    /// Returns the report so far.
    #[must_use]
    pub fn report(&self) -> TreeReport {
        let before = *self.before.lock().unwrap_or_else(PoisonError::into_inner);
        self.report_of(self.statistics().map(|counts| counts.since(&before)))
    }

    /// Returns the report about one of several commands, and begins the next one.
    #[must_use]
    pub fn take_report(&self) -> TreeReport {
        let mut before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = self.statistics();
        let since = counts.map(|counts| counts.since(&before));
        *before = counts.unwrap_or_default();
        self.report_of(since)
    }

    fn statistics(&self) -> Option<Statistics> {
        self.leaf.as_ref().map(Leaf::statistics)
    }

    fn report_of(&self, statistics: Option<Statistics>) -> TreeReport {
        TreeReport { limits: self.limits.clone(), statistics, wanted: self.wanted.clone() }
    }

    /// Gives the cgroup up, because the command can't enter it. Returns whether the command may run without
    /// limits; otherwise [`Self::refusal`] has the reason.
    pub fn give_up(&mut self, errno: Errno) -> bool {
        self.leaf = None;
        let reason = format!(
            "a command can't enter a cgroup in {}: {} (its processes can only come from a cgroup that this \
             user may change too)",
            self.path.display(),
            errno.name()
        );
        self.limits = Applied { missing: self.wanted.wanted(), reason: Some(reason), ..Applied::default() };
        self.wanted.allows_weaker
    }

    /// Returns the reason for which the command can't run.
    #[must_use]
    pub fn refusal(self) -> Option<String> {
        self.limits.reason.filter(|_| !self.wanted.allows_weaker)
    }
}
