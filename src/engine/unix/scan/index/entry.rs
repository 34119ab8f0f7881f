//! The entries of the index, and the trait through which the index asks the kernel about a process.

use std::collections::HashMap;

use crate::process::identity::Identity;
use crate::process::registry::{Owner, Registration};
use crate::process::table::row::Process;
use crate::process::tag::Tag;

/// Answers the questions of the index about a process whose row does not show its job.
pub(in super::super) trait ProcessLookup {
    /// Returns the row of an orphan, read again; `None` if the parent of the row still lives.
    ///
    /// An orphan has a new parent, which the earlier row does not show.
    fn reread_orphan(&self, row: &Process) -> Option<Process>;

    /// Returns the tag of a process whose parent is a reaper of orphans; `None` for any other process.
    fn tag_of_orphan(&self, row: &Process) -> Option<u64>;
}

/// The source of the rows that are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum RowSource {
    /// The pids that the kernel gave out since the last scan.
    Pids,
    Table,
}

/// The processes of a sandbox by which its other processes are found, as by the leader. Both are children of
/// the leader, which is no process of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SandboxRoots {
    /// The command, which leads a session and a process group of its own.
    pub command: i32,
    /// The sandbox init, which is the parent of orphans.
    pub init: i32,
}

impl SandboxRoots {
    pub(super) const fn pids(self) -> [i32; 2] {
        [self.command, self.init]
    }
}

/// A job in the index: the facts that tell which processes are its members.
#[derive(Debug)]
pub(in super::super) struct IndexedJob {
    pub(super) leader: Identity,
    pub(super) tag: Option<Tag>,
    /// The owner; `None` for a job that outlives it.
    pub(super) owner: Option<Owner>,
    /// The members, with the registry slots of those that have escaped.
    pub(super) members: HashMap<Identity, Option<Registration>>,
    /// The starts of all processes that were ever members: the job's orphans show them as their creators.
    /// Empty where rows do not show a creator.
    pub(super) creators: Vec<u64>,
    /// The roots inside of the job's sandbox, if it has one.
    pub(super) sandbox: Option<SandboxRoots>,
    /// Whether a scan of new pids has seen the leader's own pid. If not, the pids are not those of this
    /// process table (as in an emulated `/proc`), and the index may miss members.
    pub(super) is_covered: bool,
}

impl IndexedJob {
    pub(in super::super) fn new(leader: Identity, tag: Option<Tag>, owner: Option<Owner>) -> Self {
        Self {
            leader,
            tag,
            owner,
            members: HashMap::new(),
            creators: Vec::new(),
            sandbox: None,
            is_covered: false,
        }
    }

    pub(in super::super) fn with_sandbox(self, sandbox: Option<SandboxRoots>) -> Self {
        Self { sandbox, ..self }
    }
}

#[derive(Debug)]
pub(super) struct IndexedProcess {
    pub(super) process: Process,
    /// The pid of the job's leader; `None` for an unassigned process.
    pub(super) job: Option<i32>,
}

/// A process that may belong to a leader that is being launched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undecided {
    pub(super) process: Process,
    pub(super) tag: Option<u64>,
    /// The newest launch to which the process may belong: launches announced later can't have started it.
    pub(super) newest_launch: u64,
}

/// A member that has left its leader's group and session.
#[derive(Debug)]
pub(in super::super) struct Escapee {
    pub(in super::super) leader: i32,
    pub(in super::super) identity: Identity,
    pub(in super::super) owner: Owner,
}
