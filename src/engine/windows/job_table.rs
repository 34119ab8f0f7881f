//! The table of the live jobs of this process.
//!
//! A job is here as long as it has processes, also after its command has ended: its handle is the only one,
//! and the kernel ends the processes of a job whose last handle closes.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::process::registry::Owner;
use crate::process::signal::Signal;
use crate::process::windows::image::is_console_host;
use crate::process::windows::job_object::{JobObject, Limits, Report, ReportQueue};
use crate::process::windows::status::ended_by;

/// The time between two checks of all jobs whose commands have ended: the kernel may lose its report that a
/// job is empty.
const SWEEP_INTERVAL: Duration = Duration::from_secs(10);

/// The longest time that a wait for the end of a job relies on the kernel's reports.
const RECHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The live jobs of this process.
#[derive(Debug)]
pub struct JobTable {
    queue: ReportQueue,
    jobs: Mutex<HashMap<usize, Arc<LiveJob>>>,
    next_key: AtomicUsize,
}

/// A job with its processes.
#[derive(Debug)]
pub struct LiveJob {
    key: usize,
    object: JobObject,
    owner: Owner,
    outlives_host: bool,
    /// Whether the command has ended, so that the job lives for its other processes alone.
    is_released: AtomicBool,
    /// The signal for which the processes got Ctrl-C last; 0 before.
    interrupted_by: AtomicI32,
    /// The signal for which all processes were ended last; 0 before.
    ended_by: AtomicI32,
    /// Notified when a process has exited.
    changed: Notify,
}

impl JobTable {
    /// Creates an empty table.
    ///
    /// # Errors
    ///
    /// When the kernel has no memory for its queue.
    pub fn new() -> io::Result<Self> {
        Ok(Self { queue: ReportQueue::new()?, jobs: Mutex::default(), next_key: AtomicUsize::new(1) })
    }

    /// Adds a job without processes. Returns `None` if its owner has closed, which would not end it.
    ///
    /// # Errors
    ///
    /// When the kernel has no memory for it or does not know a limit.
    pub fn add(&self, limits: Limits, owner: &Owner) -> io::Result<Option<Arc<LiveJob>>> {
        let key = self.next_key.fetch_add(1, Ordering::Relaxed);
        let job = Arc::new(LiveJob {
            key,
            object: JobObject::new(limits, &self.queue, key)?,
            owner: owner.clone(),
            outlives_host: limits.outlives_host,
            is_released: AtomicBool::new(false),
            interrupted_by: AtomicI32::new(0),
            ended_by: AtomicI32::new(0),
            changed: Notify::new(),
        });
        let mut jobs = self.lock();
        if owner.is_closed() && !limits.outlives_host {
            return Ok(None);
        }
        jobs.insert(key, Arc::clone(&job));
        Ok(Some(job))
    }

    /// Ends all processes of the jobs of an owner that has closed.
    pub fn end_jobs_of(&self, owner: &Owner) {
        for job in self.lock().values().filter(|job| job.owner.is(owner) && !job.outlives_host) {
            job.end(Signal::KILL);
        }
    }

    /// Lets a job go whose command has ended. Its other processes run on, until the end of the host.
    pub fn release(&self, job: &LiveJob) {
        job.is_released.store(true, Ordering::Release);
        self.remove_if_over(job.key);
    }

    /// Passes the reports of the kernel on, and removes jobs that are over. Never returns.
    pub(super) fn watch(&self) {
        let mut swept_at = Instant::now();
        loop {
            match self.queue.wait(SWEEP_INTERVAL) {
                Ok(Some((key, Report::Exited { .. } | Report::Empty))) => {
                    let job = self.lock().get(&key).cloned();
                    if let Some(job) = job {
                        job.changed.notify_waiters();
                        self.remove_if_over(key);
                    }
                }
                Ok(_) => {}
                // The queue can't be read any more: waits look for themselves.
                Err(_) => return,
            }
            // Also between reports, which may never cease.
            if swept_at.elapsed() >= SWEEP_INTERVAL {
                self.sweep();
                swept_at = Instant::now();
            }
        }
    }

    fn sweep(&self) {
        let jobs: Vec<_> = self.lock().values().cloned().collect();
        for job in jobs {
            self.remove_if_over(job.key);
            job.end_again();
        }
    }

    fn remove_if_over(&self, key: usize) {
        let mut jobs = self.lock();
        if jobs.get(&key).is_some_and(|job| job.is_over()) {
            jobs.remove(&key);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Arc<LiveJob>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveJob {
    /// Returns the job, for the start of a process in it.
    #[must_use]
    pub const fn object(&self) -> &JobObject {
        &self.object
    }

    /// Ends all processes. Their exit codes tell the signal that was asked for.
    pub fn end(&self, signal: Signal) {
        self.ended_by.store(signal.as_raw(), Ordering::Release);
        // The kernel refuses only what is no job.
        let _ = self.object.terminate(ended_by(signal.as_raw()));
    }

    /// Ends what is left of a job that was ended and let go: a process that another one was creating at the
    /// end may have come after it.
    fn end_again(&self) {
        let signal = self.ended_by.load(Ordering::Acquire);
        if signal != 0 && self.is_released.load(Ordering::Acquire) {
            let _ = self.object.terminate(ended_by(signal));
        }
    }

    /// Notes that the processes get Ctrl-C for a signal.
    pub(super) fn note_interrupt(&self, signal: Signal) {
        self.interrupted_by.store(signal.as_raw(), Ordering::Release);
    }

    /// Returns the signal for which the processes got Ctrl-C last, if they did.
    pub(super) fn interrupted_by(&self) -> Option<i32> {
        Some(self.interrupted_by.load(Ordering::Acquire)).filter(|&signal| signal != 0)
    }

    /// Returns the pids of all processes but one, and without the consoles that the system has started.
    #[must_use]
    pub fn processes_besides(&self, leader: u32) -> Vec<u32> {
        let pids = self.object.processes().unwrap_or_default();
        pids.into_iter().filter(|&pid| pid != leader && !is_console_host(pid)).collect()
    }

    /// Waits until no process but this one is left. Cancel-safe.
    pub async fn emptied(&self, leader: u32) {
        loop {
            let changed = self.changed.notified();
            if self.processes_besides(leader).is_empty() {
                return;
            }
            // The kernel may lose a report.
            let _ = timeout(RECHECK_INTERVAL, changed).await;
        }
    }

    fn is_over(&self) -> bool {
        self.is_released.load(Ordering::Acquire) && self.object.processes().is_ok_and(|pids| pids.is_empty())
    }
}
