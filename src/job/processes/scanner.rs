//! Finds the processes of jobs: keeps the index up to date from the kernel's process table.
//!
//! A process is inspected once when it is new, and its job's members are inspected again when somebody asks for them. So a
//! scan costs what has happened since the last one, and what the job itself has: neither other jobs nor the processes
//! of strangers count. Only where the kernel does not tell its latest pid, or has not been asked for a second, is the
//! whole table read.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, getpgid, getpid, getppid};

use super::index::{Entry, Escapee, Kinship, ProcessIndex, Source};
use super::scan_thread::ScanThread;
use crate::process::identity::Identity;
use crate::process::pid_cursor::{PidCursor, PidRange};
use crate::process::registry::{Owner, Registry};
use crate::process::spare;
use crate::process::tag::Tag;
use crate::process::tree::{
    Process, holds_any_pipe, inspect, inspect_process, is_program_of_host, list_pids, pid_number, snapshot,
    tag_of,
};
use crate::process::wait::reap;

/// So many processes are inspected on the I/O thread, which takes less time than to wake another thread and be woken by
/// it; more are left to the scan thread.
const INLINE: usize = 64;

/// To look for holders of a pipe, all descriptors of a process are read.
const INLINE_HOLDERS: usize = 8;

/// To ask for each of more pids takes longer than to list those that there are.
const MAX_PIDS: usize = 2048;

/// After a longer pause the kernel may have given all pids out and started over.
const LONGEST_LAP: Duration = Duration::from_secs(1);

/// So long a process that is being forked is asked for with each scan, and so long at all.
const LONGEST_FORK: Duration = Duration::from_millis(16);
const MISSING_FOR: Duration = Duration::from_secs(1);

/// Processes that start others and exit at once may be ahead of the scan; it follows them so many times.
const MAX_ROUNDS: usize = 4;

/// All known processes are inspected again, so that those that have exited are forgotten, when the index is twice as large
/// as after the last time, and at least this large.
const MIN_TO_PURGE: usize = 4096;

/// Up to where the index knows the process table.
#[derive(Debug)]
struct Progress {
    pid: Option<i32>,
    at: Instant,
    /// Pids without a process.
    missing: Vec<Missing>,
}

/// A pid that had no process when it was inspected.
///
/// Mostly the process has exited already. But the kernel gives a pid out some time before the new process can be seen, and
/// the thread that forks may have to wait for a processor in between. So these pids are asked for again: with each
/// scan at first, and then less and less often.
#[derive(Clone, Copy, Debug)]
struct Missing {
    pid: i32,
    since: Instant,
    asked_at: Instant,
}

impl Missing {
    fn is_due(&self, now: Instant) -> bool {
        let age = now - self.since;
        age < LONGEST_FORK || now - self.asked_at >= age / 2
    }
}

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
        let progress = Progress { pid: None, at: Instant::now(), missing: Vec::new() };
        Self {
            registry,
            cursor: PidCursor::open(),
            index: Mutex::default(),
            progress: Mutex::new(progress),
            thread: ScanThread::default(),
            adopters: Adopters::default(),
            purge_at: AtomicUsize::new(MIN_TO_PURGE),
        }
    }

    /// Announces a leader that is about to be spawned: everything that it starts is inspected from now on.
    #[must_use]
    pub fn expect(self: &Arc<Self>) -> ExpectedJob {
        let (was_idle, launch) = {
            let mut index = self.lock();
            (index.is_idle(), index.expect())
        };
        if was_idle {
            let mut progress = self.lock_progress();
            progress.pid = self.cursor.latest();
            progress.at = Instant::now();
            progress.missing.clear();
        }
        ExpectedJob { scanner: Arc::clone(self), launch, is_begun: false }
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
                progress.pid = self.cursor.latest();
                progress.at = Instant::now();
                self.read_table();
                return true;
            };
            let pids: Vec<i32> = if range.len() > MAX_PIDS {
                let listed = list_pids().into_iter().map(pid_value);
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
        let latest = self.cursor.latest()?;
        (progress.at.elapsed() < LONGEST_LAP).then(|| PidRange::new(progress.pid.unwrap_or(latest), latest))
    }

    /// Adds those of the pids that are processes to the index. Tells whether there was anybody, who may have started others
    /// meanwhile.
    fn add_new(&self, progress: &mut Progress, range: PidRange, pids: &[i32]) -> bool {
        let now = Instant::now();
        let mut rows = born_since(&mut progress.missing, now);
        if !pids.is_empty() || !rows.is_empty() || self.lock().has_undecided() {
            let _reserve = spare::borrow();
            for &pid in pids {
                match Pid::from_raw(pid).and_then(inspect_process) {
                    Some(row) => rows.push(row),
                    None => progress.missing.push(Missing { pid, since: now, asked_at: now }),
                }
            }
            self.add(rows, Source::Pids);
        }
        progress.pid = Some(range.last());
        progress.at = Instant::now();
        !pids.is_empty()
    }

    /// Adds the whole process table to the index, but for what is older than all jobs.
    fn read_table(&self) {
        let _reserve = spare::borrow();
        let earliest = self.lock().earliest_start();
        let rows = snapshot().into_iter().filter(|process| process.identity.start >= earliest).collect();
        self.add(rows, Source::Table);
    }

    fn add(&self, rows: Vec<Process>, source: Source) {
        let own = pid_value(getpid());
        let rows =
            rows.into_iter().filter(|row| (!row.is_zombie || row.parent == own) && pid_number(row) != own);
        let kernel = Kernel { adopters: &self.adopters, alive: RefCell::default() };
        let escaped = self.lock().add(rows.collect(), source, &kernel);
        self.note(escaped);
    }

    /// Tells the guardian of members that have left their leader's group and session.
    fn note(&self, escaped: impl IntoIterator<Item = Escapee>) {
        for escapee in escaped {
            let Some(registration) = self.registry.note(escapee.identity, &escapee.owner) else { continue };
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
        let _reserve = spare::borrow();
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
        let _reserve = spare::borrow();
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

/// A job whose leader is about to be spawned. Dropped, if it was not.
#[derive(Debug)]
pub struct ExpectedJob {
    scanner: Arc<Scanner>,
    launch: u64,
    is_begun: bool,
}

impl ExpectedJob {
    /// The leader runs. Without an owner, the guardian is told of nobody.
    #[must_use]
    pub fn begin(self, leader: Identity, tag: Option<Tag>, owner: Option<Owner>) -> TrackedJob {
        self.enter(Entry::new(leader, tag, owner))
    }

    /// The leader is older than the job, and has nobody below it.
    #[must_use]
    pub fn begin_with_older_leader(
        self,
        leader: Identity,
        tag: Option<Tag>,
        owner: Option<Owner>,
    ) -> TrackedJob {
        self.enter(Entry::new(leader, tag, owner).covered())
    }

    fn enter(mut self, job: Entry) -> TrackedJob {
        let leader = job.leader();
        self.scanner.lock().begin(self.launch, job);
        self.is_begun = true;
        TrackedJob { scanner: Arc::clone(&self.scanner), leader }
    }
}

impl Drop for ExpectedJob {
    fn drop(&mut self) {
        if !self.is_begun {
            self.scanner.lock().cancel(self.launch);
        }
    }
}

/// A job whose processes are tracked until this is dropped.
#[derive(Debug)]
pub struct TrackedJob {
    scanner: Arc<Scanner>,
    leader: Identity,
}

impl TrackedJob {
    /// Returns the scanner that tracks the job.
    #[must_use]
    pub const fn scanner(&self) -> &Arc<Scanner> {
        &self.scanner
    }

    /// Returns the living members whose parent is the host, and who must be reaped by it.
    #[must_use]
    pub fn children_of_host(&self) -> Vec<Identity> {
        self.scanner.lock().members_with_parent(pid_value(self.leader.pid), pid_value(getpid()))
    }
}

impl Drop for TrackedJob {
    fn drop(&mut self) {
        let registrations = self.scanner.lock().end(self.leader);
        for registration in registrations {
            self.scanner.registry.release(registration, || {});
        }
    }
}

/// Returns the processes that have come to be seen, and forgets the pids that need not be asked for again.
fn born_since(missing: &mut Vec<Missing>, now: Instant) -> Vec<Process> {
    let mut born = Vec::new();
    missing.retain_mut(|missing| {
        if now - missing.since > MISSING_FOR {
            return false;
        }
        if !missing.is_due(now) {
            return true;
        }
        missing.asked_at = now;
        let Some(pid) = Pid::from_raw(missing.pid) else { return false };
        // Costs a tenth of what it costs to read the row.
        if getpgid(Some(pid)).is_err() {
            return true;
        }
        // A thread has no row.
        born.extend(inspect_process(pid));
        false
    });
    born
}

/// Reaps a member that is a child of this process (`CLONE_PARENT` makes it one) once it has exited: nobody else waits for
/// it.
fn reap_own_child(row: &Process) {
    if row.is_zombie && row.parent == pid_value(getpid()) {
        reap(row.identity.pid);
    }
}

/// A child of this process that has not executed yet has a copy of all descriptors of this process, writing ends of pipes
/// among them.
fn is_being_spawned(process: &Process) -> bool {
    process.parent == pid_value(getpid()) && is_program_of_host(process.identity.pid)
}

fn pid_value(pid: Pid) -> i32 {
    pid.as_raw_nonzero().get()
}

/// What the process table tells of one process, while one batch is added.
struct Kernel<'a> {
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

impl Kernel<'_> {
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
struct Adopters(Mutex<(Option<Pid>, HashSet<i32>)>);

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
    let mut found = HashSet::from([0, 1, pid_value(getpid())]);
    let mut parent = getppid();
    while let Some(ancestor) = parent.filter(|&pid| found.insert(pid_value(pid))) {
        parent = inspect(ancestor).and_then(|row| Pid::from_raw(row.parent));
    }
    found
}
