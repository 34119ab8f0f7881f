//! Inspects a process whose row does not show its job.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, getpid, getppid};

use super::index::ProcessLookup;
use crate::process::table::row::Process;
use crate::process::table::{inspect, tag_of};

/// Answers the questions of the index from the process table, for one batch of rows.
pub(super) struct KernelLookup<'a> {
    reapers: &'a Reapers,
    /// Whether each parent is alive; each is inspected once.
    alive: RefCell<HashMap<i32, bool>>,
}

impl ProcessLookup for KernelLookup<'_> {
    fn reread_orphan(&self, row: &Process) -> Option<Process> {
        if self.reapers.contains(row.parent) || self.is_alive(row.parent) {
            return None;
        }
        inspect(row.identity.pid).filter(|now| now.identity == row.identity)
    }

    fn tag_of_orphan(&self, row: &Process) -> Option<u64> {
        self.reapers.contains(row.parent).then(|| tag_of(row.identity.pid))?
    }
}

impl<'a> KernelLookup<'a> {
    /// Creates a lookup for one batch.
    pub(super) fn new(reapers: &'a Reapers) -> Self {
        Self { reapers, alive: RefCell::default() }
    }

    fn is_alive(&self, pid: i32) -> bool {
        let inspect_now = || Pid::from_raw(pid).and_then(inspect).is_some_and(|row| !row.is_zombie);
        *self.alive.borrow_mut().entry(pid).or_insert_with(inspect_now)
    }
}

/// The processes that may become the parents of orphans: this one, its ancestors and init.
///
/// The kernel gives an orphan to its nearest ancestor that is a subreaper, or to init. The ancestors change
/// only when one exits. This process then has another parent, so the chain is read again only in that case.
#[derive(Debug, Default)]
pub(super) struct Reapers(Mutex<(Option<Pid>, HashSet<i32>)>);

impl Reapers {
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
