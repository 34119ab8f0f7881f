//! Walks a tree of processes down from its root, stops it and kills it.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::iter::successors;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::identity::Identity;
use super::table::row::Process;
use super::table::{children_of, inspect, is_stopped_or_gone, snapshot};
use super::unreaped;

/// The time between two rounds of a kill: about as long as a process takes
/// to die.
const RESCAN_INTERVAL: Duration = Duration::from_micros(500);

/// Returns all living descendants of `root`, without `root` itself, parents before their children.
///
/// Takes a few system calls for each process where the kernel lists children, and reads the whole process
/// table elsewhere.
#[must_use]
pub fn descendants(root: Pid) -> Vec<Process> {
    descendants_up_to(root, usize::MAX).unwrap_or_else(|| descendants_in(&snapshot(), root))
}

/// Returns all living descendants of `root` as [`descendants`] does. Returns `None` for more than `limit`
/// processes, or if a scan of the whole process table would be needed.
#[must_use]
pub fn descendants_up_to(root: Pid, limit: usize) -> Option<Vec<Process>> {
    let mut walk = TreeWalk::from(root);
    while walk.step(limit).ok()? {
        if walk.seen() > limit {
            return None;
        }
    }
    Some(walk.found)
}

/// A walk down a tree of processes, in steps.
#[derive(Debug)]
pub struct TreeWalk {
    /// The processes whose children have not been listed.
    parents: Vec<Pid>,
    /// The children that have not been inspected, each with its parent.
    children: Vec<(Pid, Pid)>,
    found: Vec<Process>,
}

/// The error on a kernel that does not list the children of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChildrenUnlisted;

impl TreeWalk {
    /// Begins a walk at `root`, which is not itself among the processes found.
    #[must_use]
    pub fn from(root: Pid) -> Self {
        Self { parents: vec![root], children: Vec::new(), found: Vec::new() }
    }

    /// Lists the children of one process, or inspects up to `count` of the listed children. Returns whether
    /// more is left to do.
    ///
    /// # Errors
    ///
    /// [`ChildrenUnlisted`], where only the whole process table shows the children of a process.
    pub fn step(&mut self, count: usize) -> Result<bool, ChildrenUnlisted> {
        if self.children.is_empty() {
            let Some(parent) = self.parents.pop() else { return Ok(false) };
            let listed = children_of(parent).ok_or(ChildrenUnlisted)?;
            self.children.extend(listed.into_iter().map(|child| (parent, child)));
            return Ok(true);
        }
        let rest = self.children.len().saturating_sub(count);
        for (parent, child) in self.children.drain(rest..) {
            let Some(child) = inspect(child) else { continue };
            // The kernel may have reused the child's pid between the two reads: then its parent is another
            // one.
            if child.parent == parent.as_raw_nonzero().get() && !child.is_zombie {
                self.parents.push(child.identity.pid);
                self.found.push(child);
            }
        }
        Ok(true)
    }

    /// Returns the processes found so far, parents before their children.
    #[must_use]
    pub fn into_found(self) -> Vec<Process> {
        self.found
    }

    /// Returns the number of processes found or listed so far.
    #[must_use]
    pub const fn seen(&self) -> usize {
        self.found.len() + self.children.len()
    }
}

/// Kills a leader, an unreaped child of this process, and all its descendants.
///
/// The leader dies last: it is a subreaper, so while it lives, even stopped, orphans become its children and
/// the next scan finds them. A leader that was sent SIGSTOP may be inside a `fork` for long on a busy
/// machine, so the scans go on until it has stopped, but not beyond `until`.
pub fn kill_tree(leader: Identity, until: Instant) {
    stop(leader);
    repeat_until(until, || {
        // The check precedes the scan, so that the scan sees everything that a stopped leader has started.
        let is_stopped_or_gone = is_stopped_or_gone(leader.pid);
        kill_descendants(leader.pid) == 0 && is_stopped_or_gone
    });
    unreaped::signal_group(leader.pid, Signal::KILL);
}

/// Sends SIGKILL to all living descendants of `root`, and returns how many there were.
#[allow(clippy::must_use_candidate, reason = "a caller may not need the number")]
pub fn kill_descendants(root: Pid) -> usize {
    let below = descendants(root);
    for process in &below {
        process.identity.send(Signal::KILL);
    }
    below.len()
}

/// Repeats a round of a kill until it returns true, or until the time has come.
pub fn repeat_until(until: Instant, mut round: impl FnMut() -> bool) {
    while !round() && Instant::now() < until {
        thread::sleep(RESCAN_INTERVAL);
    }
}

/// Sends SIGSTOP to a leader, an unreaped child of this process, so that it starts no more processes. The
/// signal takes effect later.
pub fn stop(leader: Identity) {
    unreaped::signal(leader.pid, Signal::STOP);
}

/// Kills an escaped process and all its descendants.
pub fn kill_escaped(escaped: Identity) {
    if !escaped.is_alive() {
        return;
    }
    kill_descendants(escaped.pid);
    escaped.send(Signal::KILL);
}

/// Sorts processes by age, parents before their children.
///
/// Start times are too coarse to tell a parent from its child, and so are pids: the kernel wraps around after
/// the largest.
pub fn sort_by_age(processes: &mut [Process]) {
    let by_pid: HashMap<i32, Process> = processes.iter().map(|process| (process.pid(), *process)).collect();
    let limit = processes.len();
    // The rows were read one after the other: after a pid was reused, two rows may each name the other as
    // their parent.
    let generation = |process: &Process| {
        successors(Some(process), |child| {
            by_pid.get(&child.parent).filter(|parent| parent.identity.start == child.identity.start)
        })
        .take(limit)
        .count()
    };
    processes.sort_by_cached_key(|process| (process.identity.start, generation(process)));
}

fn descendants_in(table: &[Process], root: Pid) -> Vec<Process> {
    let mut known = HashSet::from([root.as_raw_nonzero().get()]);
    add_descendants(table, &mut known);
    table
        .iter()
        .filter(|process| {
            process.identity.pid != root && known.contains(&process.pid()) && !process.is_zombie
        })
        .copied()
        .collect()
}

/// Adds the descendants of all pids in `known` to `known`: the transitive closure over the table.
pub fn add_descendants<S: BuildHasher>(table: &[Process], known: &mut HashSet<i32, S>) {
    loop {
        let before = known.len();
        for process in table {
            if known.contains(&process.parent) {
                known.insert(process.pid());
            }
        }
        if known.len() == before {
            return;
        }
    }
}
