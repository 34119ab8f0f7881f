//! Tasks that start when their process runs, and not with the call.
//!
//! So a call wakes one thread (the spawner) and not two. But only a job's task answers requests and keeps the job's times:
//! so it starts earlier when a request comes, or when the launch takes longer than [`LAUNCH_DEADLINE`].

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::process::timer::Timer;

/// How long a launch may take before the job's task starts without its process. A launch takes less than 1 ms.
pub const LAUNCH_DEADLINE: Duration = Duration::from_millis(10);

/// Starts a task.
type Start = Box<dyn FnOnce() + Send>;

/// A job's task, which may not have started yet.
#[derive(Default)]
pub struct DeferredStart(Mutex<Option<Start>>);

impl std::fmt::Debug for DeferredStart {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("DeferredStart").field(&self.is_waiting()).finish()
    }
}

impl DeferredStart {
    /// Sets how the task starts.
    pub fn set(&self, start: impl FnOnce() + Send + 'static) {
        *lock(&self.0) = Some(Box::new(start));
    }

    /// Starts the task, unless it has started. Idempotent.
    pub fn start(&self) {
        let start = lock(&self.0).take();
        if let Some(start) = start {
            start();
        }
    }

    fn is_waiting(&self) -> bool {
        lock(&self.0).is_some()
    }
}

/// Starts the tasks of launches that take long.
#[derive(Debug)]
pub struct LaunchWatchdog {
    waiting: Mutex<Vec<(Instant, Arc<DeferredStart>)>>,
    timer: Timer,
    is_armed: AtomicBool,
}

impl LaunchWatchdog {
    /// Makes a watchdog in the runtime of the I/O thread.
    ///
    /// # Errors
    ///
    /// The system's error when it has no timer.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            waiting: Mutex::default(),
            timer: Timer::new(LAUNCH_DEADLINE)?,
            is_armed: AtomicBool::default(),
        })
    }

    /// Starts the job's task after [`LAUNCH_DEADLINE`], unless the launch has finished first.
    pub fn add(&self, job: Arc<DeferredStart>) {
        lock(&self.waiting).push((Instant::now(), job));
        if !self.is_armed.swap(true, Ordering::AcqRel) {
            self.timer.arm();
        }
    }

    /// Starts overdue tasks, for ever. Runs on the I/O thread.
    pub async fn run(&self) {
        loop {
            self.timer.expired().await;
            // Before the check: a job that is added after it arms the timer again.
            self.is_armed.store(false, Ordering::Release);
            self.start_overdue(Instant::now());
        }
    }

    fn start_overdue(&self, now: Instant) {
        let overdue = {
            let mut waiting = lock(&self.waiting);
            waiting.retain(|(_, job)| job.is_waiting());
            let overdue =
                waiting.extract_if(.., |(since, _)| *since + LAUNCH_DEADLINE <= now).collect::<Vec<_>>();
            if !waiting.is_empty() && !self.is_armed.swap(true, Ordering::AcqRel) {
                self.timer.arm();
            }
            overdue
        };
        for (_, job) in overdue {
            job.start();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;

    use tokio::sync::oneshot;

    use super::{DeferredStart, LAUNCH_DEADLINE, LaunchWatchdog, lock};

    #[test]
    fn a_task_starts_once() {
        let times = Arc::new(AtomicUsize::new(0));
        let job = DeferredStart::default();
        let counted = Arc::clone(&times);
        job.set(move || _ = counted.fetch_add(1, Ordering::Relaxed));
        job.start();
        job.start();
        assert_eq!(times.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn a_launch_that_takes_long_starts_its_task() {
        let watchdog = LaunchWatchdog::new().expect("a watchdog");
        let (begun, beginning) = oneshot::channel();
        let job = Arc::new(DeferredStart::default());
        job.set(move || begun.send(Instant::now()).expect("it is waited for"));
        let came_at = Instant::now();
        watchdog.add(Arc::clone(&job));
        tokio::select! {
            () = watchdog.run() => unreachable!("it runs for ever"),
            begun_at = beginning => assert!(begun_at.expect("it begins") >= came_at + LAUNCH_DEADLINE),
        }
        assert!(lock(&watchdog.waiting).is_empty());
    }

    #[tokio::test]
    async fn one_that_comes_while_the_alarm_is_armed_is_not_forgotten() {
        let watchdog = LaunchWatchdog::new().expect("a watchdog");
        watchdog.add(Arc::default());
        std::thread::sleep(LAUNCH_DEADLINE / 2);
        let (begun, beginning) = oneshot::channel();
        let job = Arc::new(DeferredStart::default());
        job.set(move || begun.send(()).expect("it is waited for"));
        watchdog.add(job);
        tokio::select! {
            () = watchdog.run() => unreachable!("it runs for ever"),
            begun = beginning => begun.expect("it begins"),
        }
    }
}
