//! Assigns processes to jobs: by their rows, by their parents, and by their tags.

use super::ProcessIndex;
use super::entry::{Escapee, IndexedProcess, ProcessLookup, RowSource, Undecided};
use crate::process::table::row::Process;

/// The largest number of undecided processes, which bounds the memory and the time of a scan while many
/// launches hang. The newest ones beyond it count as unassigned.
const MAX_UNDECIDED: usize = 1024;

/// The largest number of processes of one job whose orphans are known by their creator, also after the
/// creator has exited. It bounds the memory of a job that starts millions of processes.
const MAX_CREATORS: usize = 65_536;

impl ProcessIndex {
    /// Adds rows of the process table and assigns new and undecided processes to jobs.
    ///
    /// A row of a known process replaces the earlier row. Returns the members that have escaped from their
    /// leader's group and session.
    pub(in super::super) fn add(
        &mut self,
        rows: Vec<Process>,
        source: RowSource,
        lookup: &impl ProcessLookup,
    ) -> Vec<Escapee> {
        let mut open = Vec::new();
        for process in rows {
            let pid = process.pid();
            if let Some(job) = self.jobs.get_mut(&pid) {
                // The job was added after `without_leaders` had returned its pid.
                job.is_covered |= source == RowSource::Pids;
                continue;
            }
            let job = self.job_of(&process);
            self.processes.insert(pid, IndexedProcess { process, job });
            if job.is_none() {
                open.push(process);
            }
        }
        let mut placed = self.decide();
        // Sorted by age, so that parents come first: a parent is never younger than its child.
        open.sort_unstable_by_key(|process| process.identity.start);
        placed.extend(self.assign_relatives(&mut open));
        self.reread_orphans(&mut open, lookup);
        placed.extend(self.assign_relatives(&mut open));
        let mut unassigned = self.with_tags(open, lookup);
        placed.extend(self.assign_tagged(&mut unassigned));
        if let Some(&newest_launch) = self.launches.last() {
            self.undecided.extend(unassigned.into_iter().map(|(process, tag)| Undecided {
                process,
                tag,
                newest_launch,
            }));
            self.undecided.truncate(MAX_UNDECIDED);
        }
        placed.into_iter().filter_map(|(job, process)| self.escapee(job, &process)).collect()
    }

    /// Returns the job of a process that is in the index already.
    fn job_of(&self, process: &Process) -> Option<i32> {
        // The entry may belong to an earlier process with the same pid.
        self.processes.get(&process.pid()).filter(|known| known.process.identity == process.identity)?.job
    }

    /// Assigns undecided processes, now that more leaders are known. A process whose possible launches are
    /// all over stays unassigned.
    fn decide(&mut self) -> Vec<(i32, Process)> {
        if self.undecided.is_empty() {
            return Vec::new();
        }
        let undecided = std::mem::take(&mut self.undecided);
        let mut open = undecided.iter().map(|undecided| undecided.process).collect();
        let mut placed = self.assign_relatives(&mut open);
        let mut unassigned = undecided
            .iter()
            .filter(|undecided| open.contains(&undecided.process))
            .map(|undecided| (undecided.process, undecided.tag))
            .collect();
        placed.extend(self.assign_tagged(&mut unassigned));
        if let Some(&oldest) = self.launches.first() {
            let is_open = |undecided: &Undecided| {
                undecided.newest_launch >= oldest && unassigned.contains(&(undecided.process, undecided.tag))
            };
            self.undecided = undecided.into_iter().filter(is_open).collect();
        }
        placed
    }

    /// Reads the tags of processes whose rows do not show their job.
    fn with_tags(&self, open: Vec<Process>, lookup: &impl ProcessLookup) -> Vec<(Process, Option<u64>)> {
        // A job that is being launched may have a tag that is not known yet.
        let reads_tags = !self.by_tag.is_empty() || !self.launches.is_empty();
        let tag_of = |process: &Process| if reads_tags { lookup.tag_of_orphan(process) } else { None };
        open.into_iter().map(|process| (process, tag_of(&process))).collect()
    }

    /// Assigns the processes that carry the tag of a job, and their relatives.
    fn assign_tagged(&mut self, open: &mut Vec<(Process, Option<u64>)>) -> Vec<(i32, Process)> {
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
            placed.extend(self.assign_relatives(&mut rest));
            open.retain(|(process, _)| rest.contains(process));
        }
        placed
    }

    /// Assigns the processes that are related to a job, directly or through one another.
    fn assign_relatives(&mut self, open: &mut Vec<Process>) -> Vec<(i32, Process)> {
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

    fn reread_orphans(&mut self, open: &mut [Process], lookup: &impl ProcessLookup) {
        for process in open {
            let has_known_parent = self.processes.contains_key(&process.parent);
            if !has_known_parent && let Some(row) = lookup.reread_orphan(process) {
                *process = row;
                if let Some(known) = self.processes.get_mut(&row.pid()) {
                    known.process = row;
                }
            }
        }
    }

    fn job_of_relatives(&self, process: &Process) -> Option<i32> {
        let by_parent = || self.processes.get(&process.parent)?.job;
        // An orphan has another parent, but the same creator.
        let by_creator = || self.by_creator.get(&process.creator?).copied();
        let leader = [process.group, process.session, process.parent]
            .into_iter()
            .find_map(
                |id| if self.jobs.contains_key(&id) { Some(id) } else { self.by_root.get(&id).copied() },
            )
            .or_else(by_parent)
            .or_else(by_creator)?;
        // A process that is older than the leader belongs to an earlier process with the leader's pid.
        (process.identity.start >= self.jobs.get(&leader)?.leader.start).then_some(leader)
    }

    /// Makes a process a member of a job, unless the process leads a job.
    pub(in super::super) fn assign(&mut self, process: &Process, leader: i32) {
        if self.jobs.contains_key(&process.pid()) {
            return;
        }
        let Some(job) = self.jobs.get_mut(&leader) else { return };
        let is_new = !job.members.contains_key(&process.identity);
        job.members.entry(process.identity).or_default();
        if is_new && process.creator.is_some() && job.creators.len() < MAX_CREATORS {
            job.creators.push(process.identity.start);
            self.by_creator.insert(process.identity.start, leader);
        }
        self.processes.insert(process.pid(), IndexedProcess { process: *process, job: Some(leader) });
    }
}
