//! Which processes belong to which job: a table of all processes that were born while a job was alive.
//!
//! The index is pure. It is told of each new process once, and places it by its row: in the job whose leader leads its
//! group or session, or whose member (or leader) is its parent. A row that tells nothing is checked for a tag. What
//! belongs to a job stays its member wherever it goes later, until it is seen dead.

use std::collections::{BTreeSet, HashMap};

use crate::process::identity::Identity;
use crate::process::registry::{Owner, Registration};
use crate::process::table::row::Process;
use crate::process::tag::Tag;

/// More processes than this are not kept undecided.
const MAX_UNDECIDED: usize = 1024;

/// Answers what a row does not tell.
pub(super) trait Kinship {
    /// Reads the row again if its parent has exited since: the process has another parent now.
    fn reread_orphan(&self, row: &Process) -> Option<Process>;

    /// Returns the tag of a process to whose parent orphans go.
    fn tag_of_orphan(&self, row: &Process) -> Option<u64>;
}

/// Where rows come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The pids that were given out since the last time.
    Pids,
    /// The whole table.
    Table,
}

/// A job, as the index knows it.
#[derive(Debug)]
pub(super) struct Entry {
    leader: Identity,
    tag: Option<Tag>,
    /// Whose job it is, if it does not outlive its owner.
    owner: Option<Owner>,
    /// With their rows in the guardian's table.
    members: HashMap<Identity, Option<Registration>>,
    /// Whether the leader's own pid was among the pids that were inspected: if not, they can't be trusted.
    is_covered: bool,
}

impl Entry {
    pub(super) fn new(leader: Identity, tag: Option<Tag>, owner: Option<Owner>) -> Self {
        Self { leader, tag, owner, members: HashMap::new(), is_covered: false }
    }

    pub(super) const fn leader(&self) -> Identity {
        self.leader
    }

    /// A job whose leader is older than the job, and has no descendants yet.
    pub(super) fn covered(self) -> Self {
        Self { is_covered: true, ..self }
    }
}

#[derive(Debug)]
struct Known {
    process: Process,
    /// The pid of its job's leader.
    job: Option<i32>,
}

/// A process that may belong to a leader that is being started.
#[derive(Clone, Copy, Debug)]
struct Undecided {
    process: Process,
    tag: Option<u64>,
    /// The newest launch that it may belong to.
    newest: u64,
}

/// A member that has left its leader's group and session.
#[derive(Debug)]
pub(super) struct Escapee {
    pub(super) leader: i32,
    pub(super) identity: Identity,
    pub(super) owner: Owner,
}

/// The index.
#[derive(Debug, Default)]
pub(super) struct ProcessIndex {
    /// By the pid of the leader.
    jobs: HashMap<i32, Entry>,
    by_tag: HashMap<u64, i32>,
    /// By pid, without the leaders: members and strangers.
    processes: HashMap<i32, Known>,
    /// The launches that are under way, by their numbers: until a leader is known, its descendants look like strangers.
    launches: BTreeSet<u64>,
    next_launch: u64,
    undecided: Vec<Undecided>,
}

impl ProcessIndex {
    /// Tells whether there is neither a job nor a launch.
    pub(super) fn is_idle(&self) -> bool {
        self.jobs.is_empty() && self.launches.is_empty()
    }

    /// A leader is about to be started. Returns the number of its launch.
    pub(super) fn expect(&mut self) -> u64 {
        let launch = self.next_launch;
        self.next_launch += 1;
        self.launches.insert(launch);
        launch
    }

    /// A leader that was expected was not started.
    pub(super) fn cancel(&mut self, launch: u64) {
        self.launches.remove(&launch);
        self.forget_if_idle();
    }

    /// A leader that was expected runs.
    pub(super) fn begin(&mut self, launch: u64, mut job: Entry) {
        self.launches.remove(&launch);
        let leader = job.leader.pid.as_raw_nonzero().get();
        // It was inspected before it was known.
        job.is_covered |= self.processes.remove(&leader).is_some();
        self.undecided.retain(|undecided| undecided.process.pid() != leader);
        if let Some(tag) = job.tag {
            self.by_tag.insert(tag.value(), leader);
        }
        self.jobs.insert(leader, job);
    }

    /// A job is over. Returns what the guardian's table has of its members.
    pub(super) fn end(&mut self, leader: Identity) -> Vec<Registration> {
        let pid = leader.pid.as_raw_nonzero().get();
        let Some(job) = self.jobs.remove(&pid) else { return Vec::new() };
        if let Some(tag) = job.tag {
            self.by_tag.remove(&tag.value());
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

    /// Tells whether processes wait to be placed.
    pub(super) fn has_undecided(&self) -> bool {
        !self.undecided.is_empty()
    }

    /// Leaves the pids out that lead a job.
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

    /// Tells whether every process of the job that was born before the last inspection has been inspected.
    pub(super) fn is_covered(&self, leader: i32) -> bool {
        self.jobs.get(&leader).is_none_or(|job| job.is_covered)
    }

    /// The earliest start of a live job's leader: nobody older belongs to a job.
    pub(super) fn earliest_start(&self) -> u64 {
        self.jobs.values().map(|job| job.leader.start).min().unwrap_or(0)
    }

    /// Places processes that were not known before, and those that are undecided. Rows of known processes replace the
    /// rows before. Returns the members that have left their leader's group and session.
    pub(super) fn add(&mut self, rows: Vec<Process>, source: Source, kinship: &impl Kinship) -> Vec<Escapee> {
        let mut open = Vec::new();
        for process in rows {
            let pid = process.pid();
            if let Some(job) = self.jobs.get_mut(&pid) {
                // The job has begun since the pid was taken for a stranger's.
                job.is_covered |= source == Source::Pids;
                continue;
            }
            let job = self.job_of(&process);
            self.processes.insert(pid, Known { process, job });
            if job.is_none() {
                open.push(process);
            }
        }
        let mut placed = self.decide();
        // Parents are older than their children.
        open.sort_unstable_by_key(|process| process.identity.start);
        placed.extend(self.place_relatives(&mut open));
        self.reread_orphans(&mut open, kinship);
        placed.extend(self.place_relatives(&mut open));
        let mut strangers = self.with_tags(open, kinship);
        placed.extend(self.place_tagged(&mut strangers));
        if let Some(&newest) = self.launches.last() {
            self.undecided.extend(strangers.into_iter().map(|(process, tag)| Undecided {
                process,
                tag,
                newest,
            }));
            self.undecided.truncate(MAX_UNDECIDED);
        }
        placed.into_iter().filter_map(|(job, process)| self.escapee(job, &process)).collect()
    }

    /// Returns the job of a process that is known already.
    fn job_of(&self, process: &Process) -> Option<i32> {
        // Another process may have had the same pid before.
        self.processes.get(&process.pid()).filter(|known| known.process.identity == process.identity)?.job
    }

    /// Places undecided processes now that more leaders are known. Those whose launches are over stay strangers.
    fn decide(&mut self) -> Vec<(i32, Process)> {
        if self.undecided.is_empty() {
            return Vec::new();
        }
        let undecided = std::mem::take(&mut self.undecided);
        let mut open = undecided.iter().map(|undecided| undecided.process).collect();
        let mut placed = self.place_relatives(&mut open);
        let mut strangers = undecided
            .iter()
            .filter(|undecided| open.contains(&undecided.process))
            .map(|undecided| (undecided.process, undecided.tag))
            .collect();
        placed.extend(self.place_tagged(&mut strangers));
        if let Some(&oldest) = self.launches.first() {
            let is_open = |undecided: &Undecided| {
                undecided.newest >= oldest && strangers.contains(&(undecided.process, undecided.tag))
            };
            self.undecided = undecided.into_iter().filter(is_open).collect();
        }
        placed
    }

    /// Reads the tags of processes that their rows do not place.
    fn with_tags(&self, open: Vec<Process>, kinship: &impl Kinship) -> Vec<(Process, Option<u64>)> {
        // A leader that is being started may have a tag that is not known yet.
        let reads_tags = !self.by_tag.is_empty() || !self.launches.is_empty();
        let tag_of = |process: &Process| if reads_tags { kinship.tag_of_orphan(process) } else { None };
        open.into_iter().map(|process| (process, tag_of(&process))).collect()
    }

    /// Places all that carry the tag of a job, and their relatives.
    fn place_tagged(&mut self, open: &mut Vec<(Process, Option<u64>)>) -> Vec<(i32, Process)> {
        let mut placed = Vec::new();
        open.retain(|(process, tag)| match tag.and_then(|tag| self.by_tag.get(&tag).copied()) {
            Some(job) => {
                self.assign(process, job);
                placed.push((job, *process));
                false
            }
            None => true,
        });
        if !placed.is_empty() {
            let mut rest = open.iter().map(|(process, _)| *process).collect();
            placed.extend(self.place_relatives(&mut rest));
            open.retain(|(process, _)| rest.contains(process));
        }
        placed
    }

    /// Places all that are related to a job or to one another.
    fn place_relatives(&mut self, open: &mut Vec<Process>) -> Vec<(i32, Process)> {
        let mut placed = Vec::new();
        loop {
            let before = open.len();
            open.retain(|process| match self.job_of_relatives(process) {
                Some(job) => {
                    self.assign(process, job);
                    placed.push((job, *process));
                    false
                }
                None => true,
            });
            if open.len() == before {
                return placed;
            }
        }
    }

    fn reread_orphans(&mut self, open: &mut [Process], kinship: &impl Kinship) {
        for process in open {
            let has_known_parent = self.processes.contains_key(&process.parent);
            if !has_known_parent && let Some(row) = kinship.reread_orphan(process) {
                *process = row;
                if let Some(known) = self.processes.get_mut(&row.pid()) {
                    known.process = row;
                }
            }
        }
    }

    fn job_of_relatives(&self, process: &Process) -> Option<i32> {
        let by_parent = || self.processes.get(&process.parent)?.job;
        let leader = [process.group, process.session, process.parent]
            .into_iter()
            .find(|leader| self.jobs.contains_key(leader))
            .or_else(by_parent)?;
        // A process that is older than the leader had its pid, group or session from an earlier one.
        (process.identity.start >= self.jobs.get(&leader)?.leader.start).then_some(leader)
    }

    /// Makes a process the member of a job.
    pub(super) fn assign(&mut self, process: &Process, leader: i32) {
        let Some(job) = self.jobs.get_mut(&leader) else { return };
        job.members.entry(process.identity).or_default();
        self.processes.insert(process.pid(), Known { process: *process, job: Some(leader) });
    }

    /// Returns the member if it has left the group and session of its leader and is not in the guardian's table yet.
    fn escapee(&self, leader: i32, process: &Process) -> Option<Escapee> {
        if process.group == leader || process.session == leader {
            return None;
        }
        let job = self.jobs.get(&leader)?;
        let is_noted = job.members.get(&process.identity)?.is_some();
        (!is_noted).then_some(Escapee { leader, identity: process.identity, owner: job.owner.clone()? })
    }

    /// Remembers the guardian's row of a member. Gives it back if the process is no member any more.
    pub(super) fn register(&mut self, escapee: &Escapee, registration: Registration) -> Option<Registration> {
        let members = self.jobs.get_mut(&escapee.leader).map(|job| &mut job.members);
        match members.and_then(|members| members.get_mut(&escapee.identity)) {
            Some(row) => row.replace(registration),
            None => Some(registration),
        }
    }

    /// Returns the members of a job, some of which may have exited since they were inspected.
    pub(super) fn members(&self, leader: i32) -> Vec<Identity> {
        self.jobs.get(&leader).into_iter().flat_map(|job| job.members.keys().copied()).collect()
    }

    /// Returns how many members of a job there may be.
    pub(super) fn count_members(&self, leader: i32) -> usize {
        self.jobs.get(&leader).map_or(0, |job| job.members.len())
    }

    /// Returns the processes that are no job's and not older than the leader.
    pub(super) fn strangers(&self, leader: i32) -> Vec<Process> {
        let start = self.jobs.get(&leader).map_or(u64::MAX, |job| job.leader.start);
        let strangers = self.processes.values().filter(|known| known.job.is_none());
        strangers.map(|known| known.process).filter(|process| process.identity.start >= start).collect()
    }

    /// Returns the members of a job whose parent was this process when they were inspected last.
    pub(super) fn members_with_parent(&self, leader: i32, parent: i32) -> Vec<Identity> {
        let is_child = |member: &Identity| {
            let known = self.processes.get(&member.pid.as_raw_nonzero().get());
            known.is_some_and(|known| known.process.identity == *member && known.process.parent == parent)
        };
        self.members(leader).into_iter().filter(is_child).collect()
    }

    /// Returns all processes that are no job's.
    pub(super) fn all_strangers(&self) -> Vec<Identity> {
        let strangers = self.processes.values().filter(|known| known.job.is_none());
        strangers.map(|known| known.process.identity).collect()
    }

    /// Returns the leaders of all live jobs.
    pub(super) fn leaders(&self) -> Vec<i32> {
        self.jobs.keys().copied().collect()
    }

    /// Returns how many processes and members it remembers, some of which have exited.
    pub(super) fn size(&self) -> usize {
        let members: usize = self.jobs.values().map(|job| job.members.len()).sum();
        self.processes.len() + members
    }

    /// Takes the row of a member as it is now. Returns it if it has left its leader's group and session.
    pub(super) fn update(&mut self, leader: i32, row: &Process) -> Option<Escapee> {
        let known = self.processes.get_mut(&row.pid())?;
        if known.process.identity == row.identity {
            known.process = *row;
        }
        self.escapee(leader, row)
    }

    /// A member has exited. Returns its row in the guardian's table.
    pub(super) fn forget_member(&mut self, leader: i32, member: Identity) -> Option<Registration> {
        self.remove(member);
        self.jobs.get_mut(&leader)?.members.remove(&member)?
    }

    /// A process has exited, if it is still known.
    pub(super) fn remove(&mut self, identity: Identity) {
        let pid = identity.pid.as_raw_nonzero().get();
        if self.processes.get(&pid).is_some_and(|known| known.process.identity == identity) {
            self.processes.remove(&pid);
        }
    }
}

#[cfg(test)]
mod tests;
