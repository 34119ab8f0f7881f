use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert_eq, prop_oneof, proptest};
use rustix::process::Pid;

use super::{IndexedJob, ProcessIndex, ProcessLookup, RowSource, SandboxRoots};
use crate::process::identity::Identity;
use crate::process::registry::{Owner, Registry};
use crate::process::table::row::Process;
use crate::process::tag::Tag;

const INIT: i32 = 1;

fn identity(pid: i32) -> Identity {
    // In these tests a later process has a larger pid.
    Identity { pid: Pid::from_raw(pid).expect("a pid"), start: u64::try_from(pid).expect("a pid") }
}

fn row(pid: i32, parent: i32, group: i32, session: i32) -> Process {
    Process {
        identity: identity(pid),
        parent,
        creator: None,
        group,
        session,
        is_zombie: false,
        is_exiting: false,
    }
}

/// A lookup that knows nothing beyond the rows.
struct NoLookup;

impl ProcessLookup for NoLookup {
    fn reread_orphan(&self, _row: &Process) -> Option<Process> {
        None
    }

    fn tag_of_orphan(&self, _row: &Process) -> Option<u64> {
        None
    }
}

fn index_with(leaders: &[i32]) -> ProcessIndex {
    let mut index = ProcessIndex::default();
    for &leader in leaders {
        index_begin(&mut index, leader);
    }
    index
}

fn index_begin(index: &mut ProcessIndex, leader: i32) {
    let launch = index.announce();
    index.begin(launch, IndexedJob::new(identity(leader), None, None));
}

fn members(index: &ProcessIndex, leader: i32) -> Vec<i32> {
    let mut pids: Vec<i32> =
        index.members(leader).iter().map(|member| member.pid.as_raw_nonzero().get()).collect();
    pids.sort_unstable();
    pids
}

#[test]
fn group_session_and_parent_show_the_job() {
    let mut index = index_with(&[10, 20]);
    index.add(
        vec![row(30, INIT, 10, 10), row(31, INIT, 31, 10), row(32, 10, 32, 32), row(33, 32, 33, 33)],
        RowSource::Pids,
        &NoLookup,
    );
    assert_eq!(members(&index, 10), [30, 31, 32, 33]);
    assert_eq!(members(&index, 20), [0; 0]);
}

#[test]
fn a_leader_that_was_indexed_as_a_member_stops_being_one() {
    let mut index = index_with(&[10]);
    let launch = index.announce();
    let leader = row(30, INIT, 30, 30);
    index.add(vec![leader], RowSource::Pids, &NoLookup);
    index.assign(&leader, 10);
    assert_eq!(members(&index, 10), [30]);
    index.begin(launch, IndexedJob::new(leader.identity, None, None));
    assert_eq!(members(&index, 10), [0; 0]);
}

#[test]
fn a_leader_is_never_made_a_member_of_another_job() {
    let mut index = index_with(&[10, 30]);
    index.assign(&row(30, INIT, 30, 30), 10);
    assert_eq!(members(&index, 10), [0; 0]);
}

#[test]
fn relatives_are_found_in_any_order_of_their_rows() {
    let mut index = index_with(&[10]);
    index.add(
        vec![row(33, 32, 33, 33), row(32, 31, 32, 32), row(31, 10, 31, 31)],
        RowSource::Pids,
        &NoLookup,
    );
    assert_eq!(members(&index, 10), [31, 32, 33]);
}

#[test]
fn a_member_that_loses_its_parent_stays_a_member() {
    let mut index = index_with(&[10]);
    index.add(vec![row(30, 10, 10, 10)], RowSource::Pids, &NoLookup);
    index.add(vec![row(30, INIT, 30, 30)], RowSource::Pids, &NoLookup);
    assert_eq!(members(&index, 10), [30]);
}

#[test]
fn an_orphan_belongs_to_the_job_of_its_creator_also_after_the_creator_has_exited() {
    let mut index = index_with(&[10]);
    let created_by = |creator, row| Process { creator: Some(creator), ..row };
    index.add(vec![created_by(10, row(30, 10, 10, 10))], RowSource::Table, &NoLookup);
    index.forget_member(10, identity(30));
    let daemon = created_by(30, row(31, INIT, 31, 31));
    let of_leader = created_by(10, row(32, INIT, 32, 32));
    let stranger = created_by(7, row(33, INIT, 33, 33));
    index.add(vec![daemon, of_leader, stranger], RowSource::Table, &NoLookup);
    assert_eq!(members(&index, 10), [31, 32]);
    index.end(identity(10));
    index_begin(&mut index, 40);
    index.add(vec![created_by(30, row(50, INIT, 50, 50))], RowSource::Table, &NoLookup);
    assert_eq!(members(&index, 40), [0; 0], "the job of the creator is over");
}

#[test]
fn a_stranger_and_a_process_older_than_the_leader_belong_to_no_job() {
    let mut index = index_with(&[10]);
    index.add(vec![row(30, INIT, 30, 30), row(9, INIT, 10, 10)], RowSource::Pids, &NoLookup);
    assert_eq!(members(&index, 10), [0; 0]);
    assert_eq!(index.unassigned(10).iter().map(Process::pid).collect::<Vec<_>>(), [30]);
}

#[test]
fn a_process_that_gets_the_pid_of_a_member_is_another() {
    let mut index = index_with(&[10]);
    index.add(vec![row(30, 10, 10, 10)], RowSource::Pids, &NoLookup);
    let namesake = Process { identity: Identity { start: 99, ..identity(30) }, ..row(30, INIT, 30, 30) };
    index.add(vec![namesake], RowSource::Pids, &NoLookup);
    assert_eq!(index.members(10), [identity(30)], "the next inspection finds that it is gone");
    index.forget_member(10, identity(30));
    assert_eq!(index.unassigned(10), [namesake]);
}

#[test]
fn descendants_seen_before_their_leader_are_assigned_later() {
    let mut index = index_with(&[5]);
    let launch = index.announce();
    index.add(vec![row(10, 2, 10, 10), row(11, 10, 10, 10)], RowSource::Pids, &NoLookup);
    index.begin(launch, IndexedJob::new(identity(10), None, None));
    assert!(index.has_undecided(), "the next scan places it, also if no pid is new");
    index.add(Vec::new(), RowSource::Pids, &NoLookup);
    assert!(!index.has_undecided());
    assert_eq!(members(&index, 10), [11]);
    assert!(index.is_covered(10));
}

/// A lookup in which every process carries the tag of job 10.
struct AllTagged;

impl ProcessLookup for AllTagged {
    fn reread_orphan(&self, _row: &Process) -> Option<Process> {
        None
    }

    fn tag_of_orphan(&self, _row: &Process) -> Option<u64> {
        Some(tag(10).value())
    }
}

#[test]
fn an_orphan_seen_before_its_leader_is_assigned_by_its_tag_later() {
    let mut index = index_with(&[5]);
    let launch = index.announce();
    index.add(vec![row(11, INIT, 11, 11)], RowSource::Pids, &AllTagged);
    index.begin(launch, IndexedJob::new(identity(10), Some(tag(10)), None));
    index.add(Vec::new(), RowSource::Pids, &AllTagged);
    assert_eq!(members(&index, 10), [11]);
}

#[test]
fn a_process_is_undecided_only_for_launches_that_were_under_way() {
    let mut index = index_with(&[5]);
    let first = index.announce();
    index.add(vec![row(11, 3, 11, 11)], RowSource::Pids, &NoLookup);
    let _second = index.announce();
    index.cancel(first);
    index.add(Vec::new(), RowSource::Pids, &NoLookup);
    assert!(index.undecided.is_empty());
}

#[test]
fn a_leader_whose_pid_was_inspected_while_its_job_began_is_covered() {
    let mut index = index_with(&[5]);
    let launch = index.announce();
    index.begin(launch, IndexedJob::new(identity(10), None, None));
    assert!(!index.is_covered(10));
    index.add(vec![row(10, 2, 10, 10)], RowSource::Pids, &NoLookup);
    assert!(index.is_covered(10));
}

#[test]
fn a_leader_that_only_a_whole_table_shows_is_not_covered() {
    let mut index = index_with(&[10]);
    index.add(vec![row(10, 2, 10, 10)], RowSource::Table, &NoLookup);
    assert!(!index.is_covered(10), "the next scan reads the table too");
}

#[test]
fn members_count_until_a_scan_finds_that_they_have_exited() {
    let mut index = index_with(&[10]);
    for start in 20..30 {
        let namesake = Process { identity: Identity { start, ..identity(30) }, ..row(30, 10, 10, 10) };
        index.add(vec![namesake], RowSource::Pids, &NoLookup);
    }
    assert_eq!(index.size(), 11, "ten members had the same pid, one after another");
}

#[test]
fn a_guarded_member_outside_of_group_and_session_is_an_escapee_once() {
    let registry = Registry::new().expect("a table");
    let owner = Owner::default();
    let mut index = index_with(&[20]);
    let launch = index.announce();
    index.begin(launch, IndexedJob::new(identity(10), None, Some(owner.clone())));
    let rows = vec![row(30, 10, 10, 10), row(31, 10, 31, 10), row(32, 10, 32, 32), row(33, 20, 33, 33)];
    let escaped = index.add(rows, RowSource::Pids, &NoLookup);
    assert_eq!(escaped.iter().map(|escapee| escapee.identity).collect::<Vec<_>>(), [identity(32)]);
    let registration = registry.track_escaped(identity(32), &owner).expect("a slot");
    assert!(index.register(&escaped[0], registration).is_none());
    assert!(index.update(10, &row(32, INIT, 32, 32)).is_none());
    assert_eq!(index.end(identity(10)).len(), 1, "it is released with the job");
}

#[test]
fn the_roots_of_a_sandbox_show_the_job_as_its_leader_does() {
    let mut index = ProcessIndex::default();
    let launch = index.announce();
    let roots = SandboxRoots { command: 12, init: 11 };
    let job = IndexedJob::new(identity(10), None, Some(Owner::default())).with_sandbox(Some(roots));
    index.begin(launch, job);
    let rows = vec![row(11, INIT, 11, 11), row(12, 10, 12, 12), row(30, 11, 12, 12), row(31, 11, 31, 31)];
    let escaped = index.add(rows, RowSource::Pids, &NoLookup);
    assert_eq!(members(&index, 10), [11, 12, 30, 31]);
    let escaped: Vec<_> = escaped.iter().map(|escapee| escapee.identity).collect();
    assert_eq!(escaped, [identity(11), identity(31)], "the command leads a group and a session");
    index.end(identity(10));
    assert!(index.is_idle() && index.by_root.is_empty());
}

#[test]
fn the_index_is_empty_after_the_last_job() {
    let mut index = index_with(&[10]);
    index.add(vec![row(30, 10, 10, 10), row(31, INIT, 31, 31)], RowSource::Pids, &NoLookup);
    index.end(identity(10));
    assert!(index.is_idle());
    assert_eq!(index.size(), 0);
}

/// A model of the kernel: processes fork, leave their session and exit.
#[derive(Default)]
struct Model {
    /// The living processes.
    rows: BTreeMap<i32, Process>,
    /// The leader of the job to which each process belongs.
    truth: BTreeMap<i32, i32>,
    newest: i32,
    inspected: i32,
}

#[derive(Clone, Debug)]
enum Step {
    Launch,
    Fork(usize),
    LeaveSession(usize),
    Exit(usize),
    Inspect,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => any::<()>().prop_map(|()| Step::Launch),
        6 => any::<usize>().prop_map(Step::Fork),
        3 => any::<usize>().prop_map(Step::LeaveSession),
        5 => any::<usize>().prop_map(Step::Exit),
        2 => any::<()>().prop_map(|()| Step::Inspect),
    ]
}

impl Model {
    fn pick(&self, choice: usize) -> Option<Process> {
        self.rows.values().nth(choice.checked_rem(self.rows.len())?).copied()
    }

    fn born(&mut self, parent: i32, group: Option<i32>, session: Option<i32>, job: Option<i32>) -> i32 {
        self.newest += 1;
        let pid = self.newest;
        self.rows.insert(pid, row(pid, parent, group.unwrap_or(pid), session.unwrap_or(pid)));
        if let Some(job) = job {
            self.truth.insert(pid, job);
        }
        pid
    }

    /// Removes a process. Its children go to the leader of their job while the leader lives, and to init
    /// afterwards.
    fn exit(&mut self, pid: i32) {
        self.rows.remove(&pid);
        let leader = self.truth.get(&pid).copied().filter(|leader| self.rows.contains_key(leader));
        for child in self.rows.values_mut().filter(|row| row.parent == pid) {
            child.parent = leader.unwrap_or(INIT);
        }
    }

    fn inspect(&mut self, index: &mut ProcessIndex) {
        let new = self.inspected + 1..=self.newest;
        let pids = index.without_leaders(new);
        let rows = pids.iter().filter_map(|pid| self.rows.get(pid).copied()).collect();
        index.add(rows, RowSource::Pids, &*self);
        self.inspected = self.newest;
    }
}

impl ProcessLookup for Model {
    fn reread_orphan(&self, process: &Process) -> Option<Process> {
        let is_orphan = process.parent != INIT && !self.rows.contains_key(&process.parent);
        is_orphan.then(|| self.rows.get(&process.pid()).copied())?
    }

    fn tag_of_orphan(&self, process: &Process) -> Option<u64> {
        if process.parent != INIT {
            return None;
        }
        self.truth.get(&process.pid()).map(|&leader| tag(leader).value())
    }
}

fn tag(leader: i32) -> Tag {
    Tag::from_parts(1, u64::try_from(leader).expect("a pid"))
}

proptest! {
    #[test]
    fn the_members_of_tagged_jobs_are_their_living_processes(steps in vec(step(), 0..80)) {
        let mut model = Model { newest: 100, inspected: 100, ..Model::default() };
        let mut index = ProcessIndex::default();
        let mut leaders = Vec::new();
        let unrelated = model.born(INIT, None, None, None);
        for step in steps {
            match step {
                Step::Launch => {
                    let launch = index.announce();
                    let leader = model.born(2, None, None, None);
                    model.truth.insert(leader, leader);
                    index.begin(launch, IndexedJob::new(identity(leader), Some(tag(leader)), None));
                    leaders.push(leader);
                }
                Step::Fork(choice) => {
                    if let Some(parent) = model.pick(choice) {
                        let pid = parent.pid();
                        let job = model.truth.get(&pid).copied();
                        model.born(pid, Some(parent.group), Some(parent.session), job);
                    }
                }
                Step::LeaveSession(choice) => {
                    if let Some(process) = model.pick(choice) {
                        let pid = process.pid();
                        model.rows.insert(pid, row(pid, process.parent, pid, pid));
                    }
                }
                Step::Exit(choice) => {
                    if let Some(process) = model.pick(choice).filter(|process| process.pid() != unrelated) {
                        model.exit(process.pid());
                    }
                }
                Step::Inspect => model.inspect(&mut index),
            }
        }
        model.inspect(&mut index);
        for leader in leaders {
            let expected: Vec<i32> = model
                .rows
                .keys()
                .copied()
                .filter(|&pid| pid != leader && model.truth.get(&pid) == Some(&leader))
                .collect();
            let mut found = members(&index, leader);
            found.retain(|pid| model.rows.contains_key(pid));
            prop_assert_eq!(found, expected);
        }
    }
}
