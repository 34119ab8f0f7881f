//! The process table: who is whose child, in which group and session, and who holds a pipe.

use std::collections::HashSet;
use std::hash::BuildHasher;

use rustix::process::Pid;

use super::identity::Identity;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
use macos as platform;

pub use platform::{children_of, holds_any_pipe, inspect, snapshot};

/// One row of the process table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Who it is.
    pub identity: Identity,
    /// Its parent's number; 0 for none.
    pub parent: i32,
    /// Its process group.
    pub group: i32,
    /// Its session.
    pub session: i32,
    /// Whether it has exited and waits to be reaped.
    pub is_zombie: bool,
}

/// All living descendants of `root`, without `root` itself, nearest first.
///
/// Cheap (a few system calls a process) where the kernel lists children; the whole table is read elsewhere.
#[must_use]
pub fn descendants(root: Pid) -> Vec<Process> {
    let mut found = Vec::new();
    let mut next = vec![root];
    while let Some(parent) = next.pop() {
        let Some(children) = children_of(parent) else {
            return descendants_in(&snapshot(), root);
        };
        for child in children.into_iter().filter_map(inspect) {
            // A number that was used again between the two looks has another parent.
            if child.parent == parent.as_raw_nonzero().get() && !child.is_zombie {
                next.push(child.identity.pid);
                found.push(child);
            }
        }
    }
    found
}

fn descendants_in(table: &[Process], root: Pid) -> Vec<Process> {
    let mut known = HashSet::from([root.as_raw_nonzero().get()]);
    close_over_children(table, &mut known);
    table
        .iter()
        .filter(|process| {
            process.identity.pid != root && known.contains(&pid_number(process)) && !process.is_zombie
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
                known.insert(pid_number(process));
            }
        }
        if known.len() == before {
            return;
        }
    }
}

/// The number of a process, as the kernel writes it.
#[must_use]
pub fn pid_number(process: &Process) -> i32 {
    process.identity.pid.as_raw_nonzero().get()
}
