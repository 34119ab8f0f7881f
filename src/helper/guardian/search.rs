//! Decides which processes belong to the jobs of a dead host. Pure: works on process tables, makes no system
//! calls.

use std::collections::{HashMap, HashSet};

use rustix::process::Pid;

use super::entries::RegisteredProcess;
use crate::process::identity::Identity;
use crate::process::table::row::Process;
use crate::process::tree::add_descendants;

/// The known members of the jobs, kept from one scan of the process table to the next.
#[derive(Debug)]
pub(super) struct ProcessSearch {
    entries: Vec<RegisteredProcess>,
    own: Pid,
    /// Processes that belong to the jobs, even if their parents have exited since.
    known: HashSet<Identity>,
    /// The starts of all processes that were ever known, by which the kernel may name the creator of an
    /// orphan.
    creators: HashSet<u64>,
    /// The ids of groups and sessions that belong to the jobs; `None` before the first scan.
    ///
    /// An id belongs to a job as long as any process is in the group or the session. After that the kernel
    /// may reuse it.
    groups: Option<HashSet<i32>>,
    /// Processes without a tag of the jobs. A process has its tag from birth, so the tag is read only once.
    untagged: HashSet<Identity>,
}

impl ProcessSearch {
    /// Creates a search for the jobs of these entries. `own` is the pid of the guardian, which belongs to no
    /// job.
    pub(super) fn new(entries: Vec<RegisteredProcess>, own: Pid) -> Self {
        // An entry without a start is that of a leader whose own start is not known.
        let creators = entries.iter().map(|entry| entry.start).filter(|&start| start != 0).collect();
        Self { entries, own, known: HashSet::new(), creators, groups: None, untagged: HashSet::new() }
    }

    /// Returns whether any job has a tag.
    pub(super) fn has_tags(&self) -> bool {
        self.entries.iter().any(|entry| entry.tag != 0)
    }

    /// Returns the processes in this table that belong to the jobs. The table must not contain zombies.
    ///
    /// The members are the registered processes, those of their groups and sessions, the members of earlier
    /// scans and the orphans that these have created, and all descendants of these.
    pub(super) fn members(&mut self, table: &[Process]) -> Vec<Identity> {
        self.follow_groups(table);
        let groups = self.groups.get_or_insert_default();
        let belongs = |process: &Process| {
            self.known.contains(&process.identity)
                || groups.contains(&process.group)
                || groups.contains(&process.session)
                || process.creator.is_some_and(|creator| self.creators.contains(&creator))
        };
        // The guardian and init belong to no job, nor do their other children.
        let table: Vec<Process> = table
            .iter()
            .filter(|process| ![self.own, Pid::INIT].contains(&process.identity.pid))
            .copied()
            .collect();
        let mut pids: HashSet<i32> =
            table.iter().filter(|process| belongs(process)).map(Process::pid).collect();
        add_descendants(&table, &mut pids);
        let members: Vec<Identity> = table
            .iter()
            .filter(|process| pids.contains(&process.pid()))
            .map(|process| process.identity)
            .collect();
        self.known.extend(&members);
        self.creators.extend(members.iter().map(|member| member.start));
        members
    }

    /// Updates the ids of groups and sessions that belong to the jobs.
    ///
    /// Adopts, at the first scan after the end of the host, the ids that no unrelated process has. Drops, at
    /// later scans, the ids of groups and sessions that have become empty.
    fn follow_groups(&mut self, table: &[Process]) {
        if let Some(groups) = &mut self.groups {
            let occupied: HashSet<i32> =
                table.iter().flat_map(|process| [process.group, process.session]).collect();
            groups.retain(|group| occupied.contains(group));
            return;
        }
        let living: HashMap<Pid, Identity> =
            table.iter().map(|process| (process.identity.pid, process.identity)).collect();
        let mut groups = HashSet::new();
        for entry in &self.entries {
            // A leader that was being started is found by its pipes.
            let Some(pid) = entry.pid else { continue };
            let is_ours = match living.get(&pid) {
                Some(&process) if entry.is(process) => {
                    self.known.insert(process);
                    true
                }
                Some(_) => false,
                // The leader has exited. Its group and its session may still have members.
                None => entry.is_leader,
            };
            if is_ours {
                groups.insert(pid.as_raw_nonzero().get());
            }
        }
        self.groups = Some(groups);
    }

    /// Adds the processes that hold a pipe of a job and are not older than the job.
    ///
    /// `holds(process, pipes)` returns whether a process has one of the pipes open for writing.
    pub(super) fn add_holders(&mut self, table: &[Process], holds: impl Fn(Pid, &[u64]) -> bool) {
        for process in self.unrelated(table) {
            let entries = self.entries.iter().filter(|entry| entry.start <= process.start);
            let pipes: Vec<u64> = entries.flat_map(|entry| entry.pipes).filter(|&pipe| pipe != 0).collect();
            if !pipes.is_empty() && holds(process.pid, &pipes) {
                self.known.insert(process);
            }
        }
    }

    /// Adds the processes that carry a tag of the jobs, which `tag_of` reads.
    pub(super) fn add_tagged(&mut self, table: &[Process], tag_of: impl Fn(Pid) -> Option<u64>) {
        let tags: HashSet<u64> = self.entries.iter().map(|entry| entry.tag).filter(|&tag| tag != 0).collect();
        if tags.is_empty() {
            return;
        }
        for process in self.unrelated(table) {
            if self.untagged.contains(&process) {
                continue;
            }
            let is_tagged = tag_of(process.pid).is_some_and(|tag| tags.contains(&tag));
            let list = if is_tagged { &mut self.known } else { &mut self.untagged };
            list.insert(process);
        }
    }

    fn unrelated(&self, table: &[Process]) -> Vec<Identity> {
        let identities = table.iter().map(|process| process.identity);
        identities.filter(|process| process.pid != self.own && !self.known.contains(process)).collect()
    }
}

#[cfg(test)]
mod tests {
    use rustix::process::Pid;

    use super::{Identity, Process, ProcessSearch, RegisteredProcess};

    const OWN: i32 = 2;

    fn pid(number: i32) -> Pid {
        Pid::from_raw(number).expect("a pid")
    }

    fn leader(number: i32, start: u64) -> RegisteredProcess {
        RegisteredProcess { pid: Some(pid(number)), start, is_leader: true, pipes: [0, 0], tag: 0 }
    }

    fn escaped(number: i32, start: u64) -> RegisteredProcess {
        RegisteredProcess { is_leader: false, ..leader(number, start) }
    }

    /// Returns a process that leads its group and session.
    fn process(number: i32, start: u64, parent: i32) -> Process {
        let identity = Identity { pid: pid(number), start };
        Process {
            identity,
            parent,
            creator: None,
            group: number,
            session: number,
            is_zombie: false,
            is_exiting: false,
        }
    }

    fn in_group(group: i32, process: Process) -> Process {
        Process { group, session: group, ..process }
    }

    fn search(entries: &[RegisteredProcess]) -> ProcessSearch {
        ProcessSearch::new(entries.to_vec(), pid(OWN))
    }

    fn found(search: &mut ProcessSearch, table: &[Process]) -> Vec<i32> {
        let members = search.members(table);
        members.iter().map(|process| process.pid.as_raw_nonzero().get()).collect()
    }

    #[test]
    fn a_leader_is_found_with_its_group_and_its_descendants() {
        let table = [
            process(10, 7, 1),
            in_group(10, process(11, 8, 1)),
            process(12, 9, 10),
            process(13, 9, 12),
            process(14, 9, 1),
        ];
        assert_eq!(found(&mut search(&[leader(10, 7)]), &table), [10, 11, 12, 13]);
    }

    #[test]
    fn the_group_of_a_leader_that_has_exited_is_found() {
        let table = [in_group(10, process(11, 8, 1)), process(12, 9, 1)];
        assert_eq!(found(&mut search(&[leader(10, 7)]), &table), [11]);
    }

    #[test]
    fn the_orphans_of_a_member_are_found_by_their_creator() {
        let created_by = |creator, process| Process { creator: Some(creator), ..process };
        let mut search = search(&[leader(10, 7)]);
        let member = created_by(7, process(11, 8, 10));
        assert_eq!(found(&mut search, &[process(10, 7, 1), member]), [10, 11]);
        let table = [
            created_by(8, process(12, 9, 1)),
            created_by(7, process(13, 9, 1)),
            created_by(3, process(14, 9, 1)),
        ];
        assert_eq!(found(&mut search, &table), [12, 13], "their creators have exited");
    }

    #[test]
    fn a_stranger_with_the_pid_of_a_leader_is_left_alone_with_its_group() {
        let table = [process(10, 99, 1), in_group(10, process(11, 100, 10))];
        assert_eq!(found(&mut search(&[leader(10, 7)]), &table), [0; 0]);
        assert_eq!(found(&mut search(&[escaped(10, 7)]), &table), [0; 0]);
    }

    #[test]
    fn a_leader_that_has_just_entered_itself_may_have_any_start_time() {
        let table = [process(10, 99, 1)];
        assert_eq!(found(&mut search(&[leader(10, 0)]), &table), [10]);
        assert_eq!(found(&mut search(&[escaped(10, 0)]), &table), [0; 0]);
    }

    #[test]
    fn an_escaped_process_counts_while_it_lives() {
        let group = in_group(10, process(11, 8, 1));
        assert_eq!(found(&mut search(&[escaped(10, 7)]), &[process(10, 7, 1), group]), [10, 11]);
        assert_eq!(found(&mut search(&[escaped(10, 7)]), &[group]), [0; 0]);
    }

    #[test]
    fn a_group_that_became_empty_is_dropped() {
        let mut search = search(&[leader(10, 7)]);
        assert_eq!(found(&mut search, &[in_group(10, process(11, 8, 1))]), [11]);
        assert_eq!(found(&mut search, &[in_group(10, process(12, 9, 1))]), [12], "it was never empty");
        assert_eq!(found(&mut search, &[]), [0; 0]);
        assert_eq!(found(&mut search, &[process(10, 50, 1), in_group(10, process(13, 51, 10))]), [0; 0]);
    }

    #[test]
    fn a_member_stays_one_after_its_parent_has_exited() {
        let mut search = search(&[leader(10, 7)]);
        assert_eq!(found(&mut search, &[process(10, 7, 1), process(12, 9, 10)]), [10, 12]);
        assert_eq!(found(&mut search, &[process(12, 9, 1), process(13, 10, 12)]), [12, 13]);
        assert_eq!(found(&mut search, &[process(12, 99, 1)]), [0; 0], "its pid is another process's now");
    }

    #[test]
    fn neither_the_guardian_nor_init_belongs_to_a_job() {
        let table = [in_group(10, process(1, 0, 0)), in_group(10, process(OWN, 5, 10)), process(20, 6, OWN)];
        assert_eq!(found(&mut search(&[leader(10, 7)]), &table), [0; 0]);
    }

    #[test]
    fn a_holder_of_a_pipe_belongs_to_the_job_unless_it_is_older() {
        let entry = RegisteredProcess { pipes: [0, 55], ..leader(10, 7) };
        let mut search = search(&[entry]);
        let table = [process(11, 6, 1), process(12, 8, 1), process(13, 9, 1)];
        search.add_holders(&table, |process, pipes| {
            assert_eq!(pipes, [55]);
            process != pid(13)
        });
        assert_eq!(found(&mut search, &table), [12]);
    }

    #[test]
    fn a_leader_that_was_being_started_is_found_by_its_pipe_with_its_descendants() {
        let entry = RegisteredProcess { pid: None, is_leader: false, pipes: [55, 0], ..leader(10, 0) };
        let mut search = search(&[entry]);
        let table = [process(10, 6, 1), in_group(10, process(11, 7, 10)), process(12, 8, 1)];
        assert_eq!(found(&mut search, &table), [0; 0]);
        search.add_holders(&table, |process, pipes| pipes == [55] && process == pid(10));
        assert_eq!(found(&mut search, &table), [10, 11]);
    }

    #[test]
    fn a_tag_is_read_once() {
        let mut search = search(&[RegisteredProcess { tag: 77, ..leader(10, 7) }]);
        assert!(search.has_tags());
        let table = [process(11, 8, 1), process(12, 8, 1)];
        search.add_tagged(&table, |process| (process == pid(12)).then_some(77));
        search.add_tagged(&table, |process| panic!("{process:?} was asked already"));
        assert_eq!(found(&mut search, &table), [12]);
    }
}
