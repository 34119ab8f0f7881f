//! Keeps the index of processes up to date from the kernel's process table.
//!
//! The scanner inspects each process once when it is new, and the members of a job again at each request for
//! them. So the cost of a scan depends on the processes that are new and on the job itself, not on other jobs
//! or unrelated processes. The whole table is read only where the kernel does not report its latest pid, or
//! after more than a second without a scan.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::process::{Pid, getpid};

use super::index::{Escapee, IndexedJob, ProcessIndex, RowSource};
use super::kernel::{KernelLookup, Reapers, raw};
use super::progress::Progress;
use super::scan_thread::ScanThread;
use crate::engine::slices;
use crate::process::identity::Identity;
use crate::process::registry::Registry;
use crate::process::table::pid_cursor::{PidCursor, PidRange};
use crate::process::table::row::Process;
use crate::process::table::{
    holds_any_pipe, inspect, inspect_process, list_pids, runs_host_executable, snapshot,
};
use crate::process::wait::reap;

/// The largest number of processes inspected on the I/O thread. Up to this number, that takes less time than
/// waking the scan thread and waiting for it.
const MAX_INLINE: usize = 64;

/// The largest number of processes whose descriptors are searched on the I/O thread: each may have hundreds
/// of descriptors.
const MAX_INLINE_HOLDERS: usize = 8;

/// The largest number of new pids inspected one by one. Listing the whole table is faster for more pids.
const MAX_PIDS: usize = 2048;

/// The largest number of rounds in which a scan follows processes that start others while it runs.
const MAX_ROUNDS: usize = 4;

/// The smallest size of the index at which a purge inspects all known processes again and drops those that
/// have exited. The next purge follows when the index has doubled.
const MIN_PURGE_SIZE: usize = 4096;

/// The process-table scanner, which serves all jobs.
#[derive(Debug)]
pub struct Scanner {
    registry: &'static Registry,
    cursor: PidCursor,
    index: Mutex<ProcessIndex>,
    /// The known pids, locked while new processes are inspected. Lock order: before `index`.
    progress: Mutex<Progress>,
    thread: ScanThread,
    reapers: Reapers,
    /// The size of the index at which the next purge runs.
    purge_at: AtomicUsize,
}

/// The error for a scan that would take too long on the I/O thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NotInline;

impl Scanner {
    /// Creates a scanner that enters escaped processes into this registry, for the guardian.
    #[must_use]
    pub fn new(registry: &'static Registry) -> Self {
        Self {
            registry,
            cursor: PidCursor::open(),
            index: Mutex::default(),
            progress: Mutex::new(Progress::new()),
            thread: ScanThread::default(),
            reapers: Reapers::default(),
            purge_at: AtomicUsize::new(MIN_PURGE_SIZE),
        }
    }

    /// Announces a leader that is about to be spawned: from now on, scans cover every process that is born.
    /// Returns the id of the launch.
    pub(super) fn announce(&self) -> u64 {
        let (was_idle, launch) = {
            let mut index = self.lock();
            (index.is_idle(), index.announce())
        };
        if was_idle {
            self.lock_progress().restart(self.cursor.latest());
        }
        launch
    }

    /// Checks whether the kernel reports its latest pid, which can't be older than that of a process that has
    /// just started.
    pub(super) fn check_cursor(&self, started: Pid) {
        self.cursor.check(raw(started));
    }

    /// Tracks the job of an announced launch.
    pub(super) fn begin(&self, launch: u64, job: IndexedJob) {
        let unneeded = self.lock().begin(launch, job);
        if let Some(registration) = unneeded {
            self.registry.release(registration, || {});
        }
    }

    /// Cancels an announced launch.
    pub(super) fn cancel(&self, launch: u64) {
        self.lock().cancel(launch);
    }

    /// Stops tracking the job of this leader.
    pub(super) fn end(&self, leader: Identity) {
        let registrations = self.lock().end(leader);
        for registration in registrations {
            self.registry.release(registration, || {});
        }
    }

    /// Returns the living members of a job whose parent is this process.
    pub(super) fn children_of_host(&self, leader: Identity) -> Vec<Identity> {
        self.lock().members_with_parent(raw(leader.pid), raw(getpid()))
    }

    /// Returns whether no job is tracked.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.lock().is_idle()
    }

    /// Starts the scan thread ahead of its first scan.
    pub fn start_thread(&self) {
        self.thread.start();
    }

    /// Runs work that may block on the scan thread. Returns `None` if the work panics.
    pub async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.thread.run(work).await
    }

    /// Inspects the new processes.
    pub async fn scan(self: &Arc<Self>) {
        let is_large = self.lock().size() >= self.purge_at.load(Ordering::Relaxed);
        if self.advance_inline().is_ok() && !is_large {
            return;
        }
        let scanner = Arc::clone(self);
        let scan = self.run_blocking(move || {
            scanner.advance(&mut scanner.lock_progress());
            if is_large {
                scanner.purge();
            }
        });
        let _ = scan.await;
    }

    /// Returns the living members of a job, without its leader. Processes that hold one of these pipes open
    /// for writing become members first.
    pub async fn find_members(self: &Arc<Self>, leader: i32, pipes: Vec<u64>) -> Vec<Process> {
        if self.complete_inline(leader, &pipes).is_err() {
            let scanner = Arc::clone(self);
            let _ = self.run_blocking(move || scanner.complete_on_thread(leader, &pipes)).await;
        }
        let members = self.lock().members(leader);
        let living = slices::filter_map(members, |member| self.living_member(leader, member)).await;
        self.update(leader, &living);
        living
    }

    /// Adds all processes of a job to its members, on the calling thread, if that takes little time.
    fn complete_inline(&self, leader: i32, pipes: &[u64]) -> Result<(), NotInline> {
        self.advance_inline()?;
        let index = self.lock();
        let is_long = !index.is_covered(leader)
            || (!pipes.is_empty() && index.unassigned(leader).len() > MAX_INLINE_HOLDERS);
        drop(index);
        if is_long {
            return Err(NotInline);
        }
        self.assign_holders(leader, pipes);
        Ok(())
    }

    /// Adds all processes of a job to its members, on the scan thread, however long that takes.
    fn complete_on_thread(&self, leader: i32, pipes: &[u64]) {
        let has_read_table = self.advance(&mut self.lock_progress());
        if !has_read_table && !self.lock().is_covered(leader) {
            // `/proc/loadavg` was outdated until the leader started.
            self.read_table();
        }
        self.assign_holders(leader, pipes);
    }

    /// Inspects the new processes on the calling thread, if there are few.
    fn advance_inline(&self) -> Result<(), NotInline> {
        let Ok(mut progress) = self.progress.try_lock() else { return Err(NotInline) };
        for _ in 0..MAX_ROUNDS {
            let Some(range) = self.new_pids(&progress) else { return Err(NotInline) };
            if range.len() > MAX_PIDS {
                return Err(NotInline);
            }
            let pids = self.lock().without_leaders(range.iter());
            if pids.len() > MAX_INLINE {
                return Err(NotInline);
            }
            if !self.add_new(&mut progress, range, &pids) {
                break;
            }
        }
        Ok(())
    }

    /// Inspects all new processes. Returns whether this needed the whole process table.
    fn advance(&self, progress: &mut Progress) -> bool {
        for _ in 0..MAX_ROUNDS {
            let Some(range) = self.new_pids(progress) else {
                progress.reached(self.cursor.latest());
                self.read_table();
                return true;
            };
            let pids: Vec<i32> = if range.len() > MAX_PIDS {
                let listed = list_pids().into_iter().map(raw);
                self.lock().without_leaders(listed.filter(|&pid| range.contains(pid)))
            } else {
                self.lock().without_leaders(range.iter())
            };
            if !self.add_new(progress, range, &pids) {
                break;
            }
        }
        false
    }

    /// Returns the pids that the kernel gave out since the last scan, or `None` if they are unknown.
    fn new_pids(&self, progress: &Progress) -> Option<PidRange> {
        progress.new_pids(self.cursor.latest()?)
    }

    /// Adds the processes with these pids to the index. Returns whether there were any pids: their processes
    /// may have started others meanwhile.
    fn add_new(&self, progress: &mut Progress, range: PidRange, pids: &[i32]) -> bool {
        let now = Instant::now();
        let mut rows = progress.take_started(now);
        if !pids.is_empty() || !rows.is_empty() || self.lock().has_undecided() {
            for &pid in pids {
                match Pid::from_raw(pid).and_then(inspect_process) {
                    Some(row) => rows.push(row),
                    None => progress.missed(pid, now),
                }
            }
            self.add(rows, RowSource::Pids);
        }
        progress.reached(Some(range.last()));
        !pids.is_empty()
    }

    /// Adds the whole process table to the index, except for processes that are older than all jobs.
    fn read_table(&self) {
        let earliest = self.lock().earliest_start();
        let rows = snapshot().into_iter().filter(|process| process.identity.start >= earliest).collect();
        self.add(rows, RowSource::Table);
    }

    fn add(&self, rows: Vec<Process>, source: RowSource) {
        let own = raw(getpid());
        let rows = rows.into_iter().filter(|row| (!row.is_zombie || row.parent == own) && row.pid() != own);
        let lookup = KernelLookup::new(&self.reapers);
        let escaped = self.lock().add(rows.collect(), source, &lookup);
        self.register_escaped(escaped);
    }

    /// Enters members that have left their leader's group and session into the registry, for the guardian.
    fn register_escaped(&self, escaped: impl IntoIterator<Item = Escapee>) {
        for escapee in escaped {
            let Some(registration) = self.registry.track_escaped(escapee.identity, &escapee.owner) else {
                continue;
            };
            if let Some(unused) = self.lock().register(&escapee, registration) {
                self.registry.release(unused, || {});
            }
        }
    }

    /// Makes unassigned processes that hold one of these pipes members of the job.
    fn assign_holders(&self, leader: i32, pipes: &[u64]) {
        if pipes.is_empty() {
            return;
        }
        let unassigned = self.lock().unassigned(leader);
        let holders: Vec<Process> = unassigned
            .into_iter()
            // The spawn is checked before the pipes: a child loses its copies of the pipes when it executes,
            // which must not happen between the checks.
            .filter(|process| !is_being_spawned(process) && holds_any_pipe(process.identity.pid, pipes))
            .collect();
        self.assign(leader, &holders);
    }

    /// Returns the row of a member, or forgets it if it has exited.
    fn living_member(&self, leader: i32, member: Identity) -> Option<Process> {
        let row = inspect(member.pid).filter(|row| row.identity == member);
        if row.is_some_and(|row| !row.is_zombie) {
            return row;
        }
        if let Some(row) = row {
            reap_own_child(&row);
        }
        self.forget_member(leader, member);
        None
    }

    /// Records the current groups and sessions of these members in the index.
    fn update(&self, leader: i32, members: &[Process]) {
        let mut index = self.lock();
        let escaped: Vec<Escapee> = members.iter().filter_map(|row| index.update(leader, row)).collect();
        drop(index);
        self.register_escaped(escaped);
    }

    /// Makes these processes members of the job.
    pub fn assign(&self, leader: i32, found: &[Process]) {
        let mut index = self.lock();
        for process in found {
            index.assign(process, leader);
        }
    }

    fn forget_member(&self, leader: i32, member: Identity) {
        let registration = self.lock().forget_member(leader, member);
        if let Some(registration) = registration {
            self.registry.release(registration, || {});
        }
    }

    /// Removes processes that have exited from the index.
    fn purge(&self) {
        let (leaders, unassigned) = {
            let index = self.lock();
            (index.leaders(), index.all_unassigned())
        };
        for leader in leaders {
            let members = self.lock().members(leader);
            let living: Vec<Process> =
                members.into_iter().filter_map(|member| self.living_member(leader, member)).collect();
            self.update(leader, &living);
        }
        for process in unassigned.into_iter().filter(|identity| !identity.is_alive()) {
            self.lock().remove(process);
        }
        self.purge_at.store((2 * self.lock().size()).max(MIN_PURGE_SIZE), Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, ProcessIndex> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reaps a member that has exited, if it is a child of this process (by `CLONE_PARENT`): no other code waits
/// for it.
fn reap_own_child(row: &Process) {
    if row.is_zombie && row.parent == raw(getpid()) {
        reap(row.identity.pid);
    }
}

/// Returns whether a process is a child of this process that has not executed yet. Such a child has copies of
/// all descriptors of this process, including the writing ends of pipes.
fn is_being_spawned(process: &Process) -> bool {
    process.parent == raw(getpid()) && runs_host_executable(process.identity.pid)
}
