//! The process table: descendants, holders of a pipe, identities and tags.

use std::collections::HashSet;
use std::process::{Child, Command, Stdio};

use crate::support::{Tag, pid, until};
use agent_bash::process::identity::Identity;
use agent_bash::process::pipe::pipe;
use agent_bash::process::table::row::Process;
use agent_bash::process::table::{holds_any_pipe, inspect, snapshot, tag_of};
use agent_bash::process::tree::{add_descendants, descendants, descendants_up_to, sort_by_age};
use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, proptest};
use rustix::process::{Pid, Signal};

/// A tagged shell, which is killed when it is dropped.
struct Shell {
    child: Child,
    tag: Tag,
}

impl Shell {
    fn new(script: &str) -> Self {
        Self::with(script, Stdio::null())
    }

    fn with(script: &str, stdout: Stdio) -> Self {
        let tag = Tag::new();
        let (name, value) = tag.variable().split_once('=').expect("a variable");
        let child = Command::new("bash")
            .args(["-c", script])
            .env(name, value)
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        Self { child, tag }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn numbers(processes: &[Process]) -> HashSet<i32> {
    processes.iter().map(Process::pid).collect()
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn descendants_are_found_in_every_group_and_session() {
    let shell = Shell::new("sleep 1000 & setsid sleep 1000 & (sh -c 'sleep 1000; :'; :) & wait");
    let sleepers = numbers(&shell.tag.wait_for(3, "sleep"));
    let found = numbers(&descendants(shell.pid()));
    assert!(found.is_superset(&sleepers), "{sleepers:?} in {found:?}");
    assert!(!found.contains(&inspect(shell.pid()).expect("a row").pid()), "without the root");
    assert_eq!(
        found,
        shell.tag.processes().iter().map(Process::pid).filter(|&pid| pid != shell_pid(&shell)).collect()
    );
}

fn shell_pid(shell: &Shell) -> i32 {
    shell.pid().as_raw_nonzero().get()
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_row_has_parent_group_and_session() {
    let shell = Shell::new("setsid sleep 1000 & wait");
    let sleeper = shell.tag.wait_for(1, "sleep")[0];
    assert_eq!(sleeper.parent, shell_pid(&shell));
    assert_eq!((sleeper.group, sleeper.session), (sleeper.pid(), sleeper.pid()));
    assert!(!sleeper.is_zombie);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn a_zombie_is_no_descendant() {
    // The shell executes `sleep`, which does not reap its child, so the child stays a zombie.
    let wait = "while read -r name </proc/$$/comm; [ \"$name\" != sleep ]; do :; done";
    let shell = Shell::new(&format!("({wait}) & exec sleep 1000"));
    let is_zombie = |process: &Process| process.parent == shell_pid(&shell) && process.is_zombie;
    until("the child is a zombie", || snapshot().iter().any(is_zombie));
    assert_eq!(descendants(shell.pid()), []);
}

#[test]
fn a_process_that_has_exited_has_no_descendants() {
    let mut child = Command::new("true").spawn().expect("it starts");
    let number = Pid::from_child(&child);
    child.wait().expect("reaped");
    assert_eq!(descendants(number), []);
    assert_eq!(inspect(number), None);
}

#[test]
fn the_children_of_every_thread_are_found() {
    // This thread is not the first thread of its process.
    let shell = Shell::new("exec sleep 1000");
    assert!(numbers(&descendants(rustix::process::getpid())).contains(&shell_pid(&shell)));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn the_holders_of_a_writing_end_of_a_pipe_are_found() {
    let (reader, writer) = pipe().expect("a pipe");
    let inode = rustix::fs::fstat(&reader).expect("a status").st_ino;
    let shell = Shell::with("setsid sleep 1000 & sleep 1000 >/dev/null & wait", Stdio::from(writer));
    let sleepers = shell.tag.wait_for(2, "sleep");
    let holders: Vec<_> =
        sleepers.iter().filter(|process| holds_any_pipe(process.identity.pid, &[7, inode])).collect();
    assert_eq!(holders.len(), 1);
    assert_eq!(holders[0].session, holders[0].pid(), "the one in the other session");
    assert!(!holds_any_pipe(holders[0].identity.pid, &[]));
    assert!(!holds_any_pipe(rustix::process::getpid(), &[inode]), "a reader is no holder");
}

#[test]
fn descendants_are_added_until_none_is_new() {
    let row = |number, parent| Process {
        identity: Identity { pid: pid(number), start: 1 },
        creator: None,
        parent,
        group: 1,
        session: 1,
        is_zombie: false,
        is_exiting: false,
    };
    let table = [row(5, 4), row(4, 3), row(3, 2), row(9, 8), row(2, 1), row(8, 9)];
    let mut known = HashSet::from([3]);
    add_descendants(&table, &mut known);
    assert_eq!(known, HashSet::from([3, 4, 5]));
}

#[test]
fn an_identity_finds_its_living_process() {
    let shell = Shell::new("exec sleep 1000");
    let identity = Identity::of(shell.pid()).expect("it lives");
    assert!(identity.is_alive());
    assert!(identity.send(Signal::KILL));
    until("it has died", || !identity.is_alive());
}

#[test]
fn a_new_child_has_the_identity_that_the_kernel_reports() {
    let shell = Shell::new("exec sleep 1000");
    assert_eq!(Some(Identity::of_child(shell.pid())), Identity::of(shell.pid()));
}

#[test]
fn a_reused_pid_is_not_signalled() {
    let mut shell = Shell::new("exec sleep 1000");
    let real = Identity::of(shell.pid()).expect("it lives");
    let former = Identity { start: real.start - 1, ..real };
    assert!(!former.is_alive());
    assert!(!former.send(Signal::KILL));
    assert!(real.is_alive());
    assert_eq!(shell.child.try_wait().expect("a look"), None);
}

#[test]
fn a_zombie_is_not_alive_and_takes_no_signal() {
    let shell = Shell::new("exit 0");
    let identity = Identity::of(shell.pid()).expect("a row");
    until("it has exited", || !identity.is_alive());
    assert_eq!(Identity::of(shell.pid()), Some(identity), "its number is still taken");
    assert!(!identity.send(Signal::KILL));
}

#[test]
fn a_free_pid_has_no_identity() {
    let mut shell = Shell::new("exit 0");
    let identity = Identity::of(shell.pid()).expect("a row");
    shell.child.wait().expect("reaped");
    assert_eq!(Identity::of(shell.pid()), None);
    assert!(!identity.send(Signal::KILL));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the whole table is read there")]
fn more_descendants_than_the_limit_are_not_returned() {
    let shell = Shell::new("sleep 1000 & sleep 1000 & exec sleep 1000");
    shell.tag.wait_for(3, "sleep");
    assert_eq!(descendants_up_to(shell.pid(), 1), None);
    assert_eq!(descendants_up_to(shell.pid(), 2).map(|found| found.len()), Some(2));
}

/// On Linux, threads and processes share one range of ids.
#[cfg(target_os = "linux")]
#[test]
fn a_thread_is_not_inspected_as_a_process() {
    let (tells, told) = std::sync::mpsc::channel();
    let (keep_running, is_over) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || {
        tells.send(rustix::thread::gettid()).expect("somebody listens");
        is_over.recv().expect_err("it is dropped");
    });
    let pid = told.recv().expect("a pid");
    let row = agent_bash::process::table::inspect_process(pid);
    drop(keep_running);
    thread.join().expect("it ends");
    assert_eq!(row, None);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn the_tag_of_a_process_is_the_soft_limit_of_its_file_locks() {
    let shell = Shell::new("ulimit -S -x 4611686018427387911 && exec sleep 1000");
    shell.tag.wait_for(1, "sleep");
    assert_eq!(tag_of(shell.pid()), Some(4_611_686_018_427_387_911));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there are no tags")]
fn an_exited_and_an_untagged_process_have_no_tag() {
    let mut shell = Shell::new("exit 0");
    assert_eq!(tag_of(shell.pid()), None);
    shell.child.wait().expect("reaped");
    assert_eq!(tag_of(shell.pid()), None);
}

/// Generates the processes of a tree in the order of their births.
///
/// Each process is a child of an earlier one, and several start in one clock tick. After some of them, the
/// pids wrap around.
fn births() -> impl Strategy<Value = Vec<Process>> {
    const MAX_PID: i32 = 1000;
    const FIRST_PID: i32 = 300;
    let births = prop::collection::vec((any::<prop::sample::Index>(), 0..2_u64), 1..60);
    (births, 0..60_i32).prop_map(|(births, before_wrap)| {
        let pids = (MAX_PID - before_wrap..=MAX_PID).chain(FIRST_PID..);
        let mut start = 0;
        let mut born: Vec<Process> = Vec::new();
        for (pid, (parent, ticks)) in pids.zip(births) {
            start += ticks;
            born.push(Process {
                identity: Identity { pid: Pid::from_raw(pid).expect("positive"), start },
                creator: None,
                parent: if born.is_empty() { 1 } else { parent.get(&born).pid() },
                group: 1,
                session: 1,
                is_zombie: false,
                is_exiting: false,
            });
        }
        born
    })
}

proptest! {
    #[test]
    fn processes_sorted_by_age_have_parents_before_their_children(
        mut processes in births().prop_flat_map(|born| Just(born).prop_shuffle()),
    ) {
        sort_by_age(&mut processes);
        prop_assert!(processes.is_sorted_by_key(|process| process.identity.start));
        for (at, child) in processes.iter().enumerate() {
            let parent = processes.iter().position(|process| process.pid() == child.parent);
            prop_assert!(parent < Some(at), "{parent:?} is the parent of {at} in {processes:?}");
        }
    }

    /// The order of two rows may differ from their ages, if a parent's pid was reused between the two
    /// readings.
    #[test]
    fn all_processes_are_kept_when_two_name_each_other_as_the_parent(mut processes in births()) {
        let last = processes[processes.len() - 1].pid();
        processes[0].parent = last;
        let before = numbers(&processes);
        sort_by_age(&mut processes);
        prop_assert_eq!(numbers(&processes), before);
    }
}
