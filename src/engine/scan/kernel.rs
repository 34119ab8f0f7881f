//! What the index asks of the kernel about a process whose own row does not tell its job.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, getpid, getppid};

use super::index::Kinship;
use crate::process::table::row::Process;
use crate::process::table::{inspect, tag_of};

/// What the process table tells of one process, while one batch is added.
pub(super) struct Kernel<'a> {
    adopters: &'a Adopters,
    /// Whether these parents are alive.
    alive: RefCell<HashMap<i32, bool>>,
}

impl Kinship for Kernel<'_> {
    fn reread_orphan(&self, row: &Process) -> Option<Process> {
        if self.adopters.contains(row.parent) || self.is_alive(row.parent) {
            return None;
        }
        inspect(row.identity.pid).filter(|now| now.identity == row.identity)
    }

    fn tag_of_orphan(&self, row: &Process) -> Option<u64> {
        self.adopters.contains(row.parent).then(|| tag_of(row.identity.pid))?
    }
}

impl<'a> Kernel<'a> {
    /// Asks about the processes of one batch.
    pub(super) fn new(adopters: &'a Adopters) -> Self {
        Self { adopters, alive: RefCell::default() }
    }

    fn is_alive(&self, pid: i32) -> bool {
        let inspect_now = || Pid::from_raw(pid).and_then(inspect).is_some_and(|row| !row.is_zombie);
        *self.alive.borrow_mut().entry(pid).or_insert_with(inspect_now)
    }
}

/// The processes to which orphans go: this one, its ancestors and init.
///
/// An ancestor that exits hands its children to another one of them, so that the chain is read again only when this
/// process has another parent.
#[derive(Debug, Default)]
pub(super) struct Adopters(Mutex<(Option<Pid>, HashSet<i32>)>);

impl Adopters {
    fn contains(&self, pid: i32) -> bool {
        let mut chain = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let parent = getppid();
        if chain.1.is_empty() || chain.0 != parent {
            *chain = (parent, ancestors());
        }
        chain.1.contains(&pid)
    }
}

fn ancestors() -> HashSet<i32> {
    let mut found = HashSet::from([0, 1, raw(getpid())]);
    let mut parent = getppid();
    while let Some(ancestor) = parent.filter(|&pid| found.insert(raw(pid))) {
        parent = inspect(ancestor).and_then(|row| Pid::from_raw(row.parent));
    }
    found
}

/// Returns a pid as the kernel writes it.
pub(super) fn raw(pid: Pid) -> i32 {
    pid.as_raw_nonzero().get()
}
