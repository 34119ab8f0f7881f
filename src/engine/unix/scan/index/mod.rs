//! Decides which process belongs to which job: an index of all processes that were born while a job was
//! alive.
//!
//! The index is pure. The scanner adds each new process once. A process belongs to the job whose leader leads
//! its group or session, or whose member (or leader) is its parent. If its row shows neither, its creator
//! may (macOS), or its tag (Linux). A member stays a member, whatever group or session it moves to, until a
//! scan finds that it has exited.
//!
//! `entry` has the entries of the index; `placement` assigns processes to jobs.

mod entry;
mod placement;

use std::collections::{BTreeSet, HashMap};

pub use self::entry::SandboxRoots;
pub(super) use self::entry::{Escapee, IndexedJob, ProcessLookup, RowSource};
use self::entry::{IndexedProcess, Undecided};
use crate::process::identity::Identity;
use crate::process::registry::Registration;
use crate::process::table::row::Process;

#[derive(Debug, Default)]
pub(super) struct ProcessIndex {
    /// The jobs, by the pid of their leader.
    jobs: HashMap<i32, IndexedJob>,
    by_tag: HashMap<u64, i32>,
    /// The leaders of the jobs, by their own starts and by those in [`IndexedJob::creators`].
    by_creator: HashMap<u64, i32>,
    /// The leaders of jobs in a sandbox, by the pids of its roots.
    by_root: HashMap<i32, i32>,
    /// Members and unassigned processes, by pid. Leaders are not among them.
    processes: HashMap<i32, IndexedProcess>,
    /// The ids of unfinished launches. Until a leader is known, its descendants are unassigned.
    launches: BTreeSet<u64>,
    next_launch: u64,
    undecided: Vec<Undecided>,
}

impl ProcessIndex {
    /// Returns whether there is neither a job nor an unfinished launch.
    pub(super) fn is_idle(&self) -> bool {
        self.jobs.is_empty() && self.launches.is_empty()
    }

    /// Announces a leader that is about to be spawned. Returns the id of the launch.
    pub(super) fn announce(&mut self) -> u64 {
        let launch = self.next_launch;
        self.next_launch += 1;
        self.launches.insert(launch);
        launch
    }

    /// Cancels an announced launch.
    pub(super) fn cancel(&mut self, launch: u64) {
        self.launches.remove(&launch);
        self.forget_if_idle();
    }

    /// Adds the job of an announced launch whose leader runs now.
    ///
    /// A leader is no member of another job: if it was one until now, returns its registry slot.
    pub(super) fn begin(&mut self, launch: u64, mut job: IndexedJob) -> Option<Registration> {
        self.launches.remove(&launch);
        let mut unneeded = None;
        let leader = job.leader.pid.as_raw_nonzero().get();
        // An earlier scan may have indexed the leader as unassigned. Or the scan took it for a holder of
        // another job's output, because a child has the host's descriptors until it executes.
        if let Some(known) = self.processes.remove(&leader) {
            job.is_covered = true;
            let other = known.job.and_then(|other| self.jobs.get_mut(&other));
            unneeded = other.and_then(|other| other.members.remove(&known.process.identity)).flatten();
        }
        self.undecided.retain(|undecided| undecided.process.pid() != leader);
        if let Some(tag) = job.tag {
            self.by_tag.insert(tag.value(), leader);
        }
        self.by_creator.insert(job.leader.start, leader);
        for root in job.sandbox.into_iter().flat_map(SandboxRoots::pids) {
            self.by_root.insert(root, leader);
        }
        self.jobs.insert(leader, job);
        unneeded
    }

    /// Removes a job that has ended. Returns the registry slots of its members.
    pub(super) fn end(&mut self, leader: Identity) -> Vec<Registration> {
        let pid = leader.pid.as_raw_nonzero().get();
        let Some(job) = self.jobs.remove(&pid) else { return Vec::new() };
        if let Some(tag) = job.tag {
            self.by_tag.remove(&tag.value());
        }
        for start in job.creators.iter().chain([&job.leader.start]) {
            self.by_creator.remove(start);
        }
        for root in job.sandbox.into_iter().flat_map(SandboxRoots::pids) {
            self.by_root.remove(&root);
        }
        for member in job.members.keys() {
            self.remove(*member);
        }
        self.forget_if_idle();
        job.members.into_values().flatten().collect()
    }

    fn forget_if_idle(&mut self) {
        if self.is_idle() {
            self.processes.clear();
            self.undecided.clear();
        }
    }

    /// Returns whether there are undecided processes.
    pub(super) fn has_undecided(&self) -> bool {
        !self.undecided.is_empty()
    }

    /// Returns the pids that don't lead a job, and marks the jobs of the other pids as covered.
    pub(super) fn without_leaders(&mut self, pids: impl Iterator<Item = i32>) -> Vec<i32> {
        let mut others = Vec::new();
        for pid in pids {
            match self.jobs.get_mut(&pid) {
                Some(job) => job.is_covered = true,
                None => others.push(pid),
            }
        }
        others
    }

    /// Returns whether the index has every process of the job that was born before the last scan.
    pub(super) fn is_covered(&self, leader: i32) -> bool {
        self.jobs.get(&leader).is_none_or(|job| job.is_covered)
    }

    /// Returns the earliest start time of any leader. Older processes belong to no job.
    pub(super) fn earliest_start(&self) -> u64 {
        self.jobs.values().map(|job| job.leader.start).min().unwrap_or(0)
    }

    /// Returns the member as an escapee if it has left the group and session of its leader and has no
    /// registry slot yet.
    fn escapee(&self, leader: i32, process: &Process) -> Option<Escapee> {
        let job = self.jobs.get(&leader)?;
        let command = job.sandbox.map_or(leader, |sandbox| sandbox.command);
        if [process.group, process.session].iter().any(|&id| id == leader || id == command) {
            return None;
        }
        let is_noted = job.members.get(&process.identity)?.is_some();
        (!is_noted).then_some(Escapee { leader, identity: process.identity, owner: job.owner.clone()? })
    }

    /// Stores the registry slot of a member. Returns the slot if the process is no longer a member.
    pub(super) fn register(&mut self, escapee: &Escapee, registration: Registration) -> Option<Registration> {
        let members = self.jobs.get_mut(&escapee.leader).map(|job| &mut job.members);
        match members.and_then(|members| members.get_mut(&escapee.identity)) {
            Some(row) => row.replace(registration),
            None => Some(registration),
        }
    }

    /// Returns the members of a job. Some may have exited since the last scan.
    pub(super) fn members(&self, leader: i32) -> Vec<Identity> {
        self.jobs.get(&leader).into_iter().flat_map(|job| job.members.keys().copied()).collect()
    }

    /// Returns the processes that belong to no job and are not older than the leader.
    pub(super) fn unassigned(&self, leader: i32) -> Vec<Process> {
        let start = self.jobs.get(&leader).map_or(u64::MAX, |job| job.leader.start);
        let unassigned = self.processes.values().filter(|known| known.job.is_none());
        unassigned.map(|known| known.process).filter(|process| process.identity.start >= start).collect()
    }

    /// Returns the members of a job whose parent was this process at the last scan.
    pub(super) fn members_with_parent(&self, leader: i32, parent: i32) -> Vec<Identity> {
        let is_child = |member: &Identity| {
            let known = self.processes.get(&member.pid.as_raw_nonzero().get());
            known.is_some_and(|known| known.process.identity == *member && known.process.parent == parent)
        };
        self.members(leader).into_iter().filter(is_child).collect()
    }

    /// Returns all processes that belong to no job.
    pub(super) fn all_unassigned(&self) -> Vec<Identity> {
        let unassigned = self.processes.values().filter(|known| known.job.is_none());
        unassigned.map(|known| known.process.identity).collect()
    }

    /// Returns the leaders of all live jobs.
    pub(super) fn leaders(&self) -> Vec<i32> {
        self.jobs.keys().copied().collect()
    }

    /// Returns the number of processes and members in the index, including those that have exited.
    pub(super) fn size(&self) -> usize {
        let members: usize = self.jobs.values().map(|job| job.members.len()).sum();
        self.processes.len() + members
    }

    /// Updates the row of a member. Returns the member if it has escaped from its leader's group and session.
    pub(super) fn update(&mut self, leader: i32, row: &Process) -> Option<Escapee> {
        let known = self.processes.get_mut(&row.pid())?;
        if known.process.identity == row.identity {
            known.process = *row;
        }
        self.escapee(leader, row)
    }

    /// Removes a member that has exited. Returns its registry slot.
    pub(super) fn forget_member(&mut self, leader: i32, member: Identity) -> Option<Registration> {
        self.remove(member);
        self.jobs.get_mut(&leader)?.members.remove(&member)?
    }

    /// Removes a process that has exited, unless another process has its pid now.
    pub(super) fn remove(&mut self, identity: Identity) {
        let pid = identity.pid.as_raw_nonzero().get();
        if self.processes.get(&pid).is_some_and(|known| known.process.identity == identity) {
            self.processes.remove(&pid);
        }
    }
}

#[cfg(test)]
mod tests;
