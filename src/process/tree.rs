//! Trees of processes: walked down from their root, stopped and killed.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::identity::Identity;
use super::table::row::Process;
use super::table::{children_of, inspect, is_at_rest, snapshot};

/// How often to look below a leader that is being killed.
const PAUSE: Duration = Duration::from_micros(500);

/// Returns all living descendants of `root`, without `root` itself, parents before their children.
///
/// Cheap (a few system calls a process) where the kernel lists children; the whole table is read elsewhere.
#[must_use]
pub fn descendants(root: Pid) -> Vec<Process> {
    walk(root, usize::MAX).unwrap_or_else(|| descendants_in(&snapshot(), root))
}

/// Returns all living descendants of `root` as [`descendants`] does, or `None` when there are more than `most`, or the
/// whole table would have to be read.
#[must_use]
pub fn descendants_up_to(root: Pid, most: usize) -> Option<Vec<Process>> {
    walk(root, most)
}

fn walk(root: Pid, most: usize) -> Option<Vec<Process>> {
    let mut found = Vec::new();
    let mut next = vec![root];
    while let Some(parent) = next.pop() {
        let children = children_of(parent)?;
        if found.len() + children.len() > most {
            return None;
        }
        for child in children.into_iter().filter_map(inspect) {
            // A number that was used again between the two looks has another parent.
            if child.parent == parent.as_raw_nonzero().get() && !child.is_zombie {
                next.push(child.identity.pid);
                found.push(child);
            }
        }
    }
    Some(found)
}

/// Kills a leader, an unreaped child of ours, and all that is below it.
///
/// The leader goes last. While it lives, stopped as it may be, orphans below it come to it, and the next look finds
/// them. A leader that was told to stop may still be in the middle of a `fork`, and where many want the processor for long:
/// it is waited for until then.
pub fn kill_tree(leader: Identity, until: Instant) {
    stop(leader);
    loop {
        // Before the look: what it starts comes before its rest.
        let is_at_rest = is_at_rest(leader.pid);
        let below = descendants(leader.pid);
        for process in &below {
            process.identity.send(Signal::KILL);
        }
        if (is_at_rest && below.is_empty()) || Instant::now() >= until {
            break;
        }
        thread::sleep(PAUSE);
    }
    let _ = kill_process_group(leader.pid, Signal::KILL);
}

/// Stops a leader, an unreaped child of ours, so that it starts nothing more. That takes effect some time later.
pub fn stop(leader: Identity) {
    // Of our own child: the number can't be a stranger's.
    let _ = kill_process(leader.pid, Signal::STOP);
}

/// Kills an escaped process and all that is below it.
pub fn kill_escaped(escaped: Identity) {
    if !escaped.is_alive() {
        return;
    }
    for process in descendants(escaped.pid) {
        process.identity.send(Signal::KILL);
    }
    escaped.send(Signal::KILL);
}

fn descendants_in(table: &[Process], root: Pid) -> Vec<Process> {
    let mut known = HashSet::from([root.as_raw_nonzero().get()]);
    close_over_children(table, &mut known);
    table
        .iter()
        .filter(|process| {
            process.identity.pid != root && known.contains(&process.pid()) && !process.is_zombie
        })
        .copied()
        .collect()
}

/// Adds the children of all that are known, and theirs, until nothing is new.
pub fn close_over_children<S: BuildHasher>(table: &[Process], known: &mut HashSet<i32, S>) {
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
