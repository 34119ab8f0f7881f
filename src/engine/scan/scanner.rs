//! Finds the processes of jobs: keeps the index up to date from the kernel's process table.
//!
//! A process is inspected once when it is new, and its job's members are inspected again when somebody asks for them. So a
//! scan costs what has happened since the last one, and what the job itself has: neither other jobs nor the processes
//! of strangers count. Only where the kernel does not tell its latest pid, or has not been asked for a second, is the
//! whole table read.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::process::{Pid, getpid};

use super::index::{Entry, Escapee, ProcessIndex, Source};
use super::kernel::{Adopters, Kernel, raw};
use super::progress::Progress;
use super::scan_thread::ScanThread;
use crate::process::identity::Identity;
use crate::process::registry::Registry;
use crate::process::table::pid_cursor::{PidCursor, PidRange};
use crate::process::table::row::Process;
use crate::process::table::{
    holds_any_pipe, inspect, inspect_process, list_pids, runs_host_executable, snapshot,
};
use crate::process::wait::reap;

/// So many processes are inspected on the I/O thread, which takes less time than to wake another thread and be woken by
/// it; more are left to the scan thread.
const INLINE: usize = 64;

/// To look for holders of a pipe, all descriptors of a process are read.
const INLINE_HOLDERS: usize = 8;

/// To ask for each of more pids takes longer than to list those that there are.
const MAX_PIDS: usize = 2048;

/// Processes that start others and exit at once may be ahead of the scan; it follows them so many times.
const MAX_ROUNDS: usize = 4;

/// All known processes are inspected again, so that those that have exited are forgotten, when the index is twice as large
/// as after the last time, and at least this large.
const MIN_TO_PURGE: usize = 4096;

/// The scanner. One serves all jobs.
#[derive(Debug)]
pub struct Scanner {
    registry: &'static Registry,
    cursor: PidCursor,
    index: Mutex<ProcessIndex>,
    /// Held while new processes are inspected. Taken before the index.
    progress: Mutex<Progress>,
    thread: ScanThread,
    adopters: Adopters,
    /// How large an index makes a purge worth it.
    purge_at: AtomicUsize,
}

/// A scan was not done here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TooMuch;

impl Scanner {
    /// A scanner that notes escaped processes in this table for the guardian.
    #[must_use]
    pub fn new(registry: &'static Registry) -> Self {
        Self {
            registry,
            cursor: PidCursor::open(),
            index: Mutex::default(),
            progress: Mutex::new(Progress::new()),
            thread: ScanThread::default(),
            adopters: Adopters::default(),
            purge_at: AtomicUsize::new(MIN_TO_PURGE),
        }
    }

    /// Inspects everything that a leader starts which is about to be spawned. Returns the number of the launch.
    pub(super) fn announce(&self) -> u64 {
        let (was_idle, launch) = {
            let mut index = self.lock();
            (index.is_idle(), index.expect())
        };
        if was_idle {
            self.lock_progress().restart(self.cursor.latest());
        }
        launch
    }

    /// Tracks a job whose leader was announced.
    pub(super) fn begin(&self, launch: u64, job: Entry) {
        self.lock().begin(launch, job);
    }

    /// Forgets a leader that was announced and not spawned.
    pub(super) fn cancel(&self, launch: u64) {
        self.lock().cancel(launch);
    }

    /// Tracks the job of this leader no longer.
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

    /// Tells whether no job is tracked.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.lock().is_idle()
    }

    /// Starts the scan thread ahead of its first scan.
    pub fn start_thread(&self) {
        self.thread.start();
    }

    /// Runs work that may take long on the scan thread.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        self.thread.run(work).await
    }

    /// Inspects the processes that are new.
    pub async fn track(self: &Arc<Self>) {
        let is_large = self.lock().size() >= self.purge_at.load(Ordering::Relaxed);
        if self.advance_here().is_ok() && !is_large {
            return;
        }
        let scanner = Arc::clone(self);
        let scan = self.run(move || {
            scanner.advance(&mut scanner.lock_progress());
            if is_large {
                scanner.purge();
            }
        });
        let _ = scan.await;
    }

    /// Returns the living processes of a job without its leader, and those that hold one of these pipes open for writing:
    /// they belong to the job from then on.
    pub async fn find(self: &Arc<Self>, leader: i32, pipes: Vec<u64>) -> Vec<Process> {
        if let Ok(found) = self.find_here(leader, &pipes) {
            return found;
        }
        let scanner = Arc::clone(self);
        self.run(move || scanner.find_there(leader, &pipes)).await.unwrap_or_default()
    }

    fn find_here(&self, leader: i32, pipes: &[u64]) -> Result<Vec<Process>, TooMuch> {
        self.advance_here()?;
        let index = self.lock();
        let is_much = index.count_members(leader) > INLINE
            || !index.is_covered(leader)
            || (!pipes.is_empty() && index.strangers(leader).len() > INLINE_HOLDERS);
        drop(index);
        if is_much {
            return Err(TooMuch);
        }
        self.assign_holders(leader, pipes);
        Ok(self.living_members(leader))
    }

    /// On the scan thread.
    fn find_there(&self, leader: i32, pipes: &[u64]) -> Vec<Process> {
        let has_read_table = self.advance(&mut self.lock_progress());
        if !has_read_table && !self.lock().is_covered(leader) {
            // The latest pid is not that of this process table, or an emulation of it.
            self.read_table();
        }
        self.assign_holders(leader, pipes);
        self.living_members(leader)
    }

    /// Inspects new processes on the calling thread, if they are few.
    fn advance_here(&self) -> Result<(), TooMuch> {
        let Ok(mut progress) = self.progress.try_lock() else { return Err(TooMuch) };
        for _ in 0..MAX_ROUNDS {
            let Some(range) = self.new_pids(&progress) else { return Err(TooMuch) };
            if range.len() > MAX_PIDS {
                return Err(TooMuch);
            }
            let pids = self.lock().without_leaders(range.iter());
            if pids.len() > INLINE {
                return Err(TooMuch);
            }
            if !self.add_new(&mut progress, range, &pids) {
                break;
            }
        }
        Ok(())
    }

    /// Inspects all new processes. Tells whether the whole table was read for that.
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

    /// Returns the pids that were given out since, or `None` where that can't be told.
    fn new_pids(&self, progress: &Progress) -> Option<PidRange> {
        progress.new_pids(self.cursor.latest()?)
    }

    /// Adds those of the pids that are processes to the index. Tells whether there was anybody, who may have started others
    /// meanwhile.
    fn add_new(&self, progress: &mut Progress, range: PidRange, pids: &[i32]) -> bool {
        let now = Instant::now();
        let mut rows = progress.take_born(now);
        if !pids.is_empty() || !rows.is_empty() || self.lock().has_undecided() {
            for &pid in pids {
                match Pid::from_raw(pid).and_then(inspect_process) {
                    Some(row) => rows.push(row),
                    None => progress.missed(pid, now),
                }
            }
            self.add(rows, Source::Pids);
        }
        progress.reached(Some(range.last()));
        !pids.is_empty()
    }

    /// Adds the whole process table to the index, but for what is older than all jobs.
    fn read_table(&self) {
        let earliest = self.lock().earliest_start();
        let rows = snapshot().into_iter().filter(|process| process.identity.start >= earliest).collect();
        self.add(rows, Source::Table);
    }

    fn add(&self, rows: Vec<Process>, source: Source) {
        let own = raw(getpid());
        let rows = rows.into_iter().filter(|row| (!row.is_zombie || row.parent == own) && row.pid() != own);
        let kernel = Kernel::new(&self.adopters);
        let escaped = self.lock().add(rows.collect(), source, &kernel);
        self.note(escaped);
    }

    /// Tells the guardian of members that have left their leader's group and session.
    fn note(&self, escaped: impl IntoIterator<Item = Escapee>) {
        for escapee in escaped {
            let Some(registration) = self.registry.track_escaped(escapee.identity, &escapee.owner) else {
                continue;
            };
            if let Some(unused) = self.lock().register(&escapee, registration) {
                self.registry.release(unused, || {});
            }
        }
    }

    /// Makes members of the strangers that hold one of these pipes.
    fn assign_holders(&self, leader: i32, pipes: &[u64]) {
        if pipes.is_empty() {
            return;
        }
        let strangers = self.lock().strangers(leader);
        let holders: Vec<Process> = strangers
            .into_iter()
            .filter(|process| holds_any_pipe(process.identity.pid, pipes) && !is_being_spawned(process))
            .collect();
        self.assign(leader, &holders);
    }

    fn living_members(&self, leader: i32) -> Vec<Process> {
        let members = self.lock().members(leader);
        if members.is_empty() {
            return Vec::new();
        }
        let mut living = Vec::with_capacity(members.len());
        for member in members {
            match inspect(member.pid).filter(|row| row.identity == member) {
                Some(row) if !row.is_zombie => living.push(row),
                row => {
                    if let Some(row) = row {
                        reap_own_child(&row);
                    }
                    self.forget_member(leader, member);
                }
            }
        }
        let mut index = self.lock();
        let escaped: Vec<Escapee> = living.iter().filter_map(|row| index.update(leader, row)).collect();
        drop(index);
        self.note(escaped);
        living
    }

    /// Makes members of processes that were found in another way than by their rows.
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

    /// Forgets processes that have exited.
    fn purge(&self) {
        let (leaders, strangers) = {
            let index = self.lock();
            (index.leaders(), index.all_strangers())
        };
        for leader in leaders {
            let _ = self.living_members(leader);
        }
        for stranger in strangers.into_iter().filter(|identity| !identity.is_alive()) {
            self.lock().remove(stranger);
        }
        self.purge_at.store((2 * self.lock().size()).max(MIN_TO_PURGE), Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, ProcessIndex> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reaps a member that is a child of this process (`CLONE_PARENT` makes it one) once it has exited: nobody else waits for
/// it.
fn reap_own_child(row: &Process) {
    if row.is_zombie && row.parent == raw(getpid()) {
        reap(row.identity.pid);
    }
}

/// A child of this process that has not executed yet has a copy of all descriptors of this process, writing ends of pipes
/// among them.
fn is_being_spawned(process: &Process) -> bool {
    process.parent == raw(getpid()) && runs_host_executable(process.identity.pid)
}
