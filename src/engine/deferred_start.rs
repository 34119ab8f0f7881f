//! Delays the start of a job's task until its process runs.
//!
//! With the delay, a call wakes only one thread (the spawner) instead of two. But only the task answers
//! requests and keeps the job's deadlines, so it starts earlier if a request arrives, or if the launch takes
//! longer than [`LAUNCH_DEADLINE`].

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::process::timer::Timer;

/// The time after which the job's task starts without its process.
///
/// A launch takes less than 1 ms, so 10 ms catches only launches that hang, such as on a network file system.
/// Timeouts of such a job are exact to 10 ms.
pub const LAUNCH_DEADLINE: Duration = Duration::from_millis(10);

type StartTask = Box<dyn FnOnce() + Send>;

/// A job's task before its start.
#[derive(Default)]
pub struct DeferredStart(Mutex<Option<StartTask>>);

impl std::fmt::Debug for DeferredStart {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("DeferredStart").field(&self.is_waiting()).finish()
    }
}

impl DeferredStart {
    /// Sets the function that starts the task.
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

/// Starts the tasks of jobs whose launch takes longer than [`LAUNCH_DEADLINE`].
#[derive(Debug)]
pub struct LaunchWatchdog {
    waiting: Mutex<Vec<(Instant, Arc<DeferredStart>)>>,
    timer: Timer,
    is_armed: AtomicBool,
}

impl LaunchWatchdog {
    /// Creates a watchdog in the current runtime, that of the I/O thread.
    ///
    /// # Errors
    ///
    /// The system's error when no timer can be created.
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

    /// Starts overdue tasks. Never returns. Runs on the I/O thread.
    pub async fn run(&self) {
        loop {
            self.timer.expired().await;
            // Cleared before the check, so that a job added after the check arms the timer again.
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
    async fn a_slow_launch_starts_its_task() {
        let watchdog = LaunchWatchdog::new().expect("a watchdog");
        let (started, start) = oneshot::channel();
        let job = Arc::new(DeferredStart::default());
        job.set(move || started.send(Instant::now()).expect("the receiver lives"));
        let added_at = Instant::now();
        watchdog.add(Arc::clone(&job));
        tokio::select! {
            () = watchdog.run() => unreachable!("it runs for ever"),
            started_at = start => assert!(started_at.expect("it starts") >= added_at + LAUNCH_DEADLINE),
        }
        assert!(lock(&watchdog.waiting).is_empty());
    }

    #[tokio::test]
    async fn a_task_that_is_added_while_the_timer_is_armed_starts_too() {
        let watchdog = LaunchWatchdog::new().expect("a watchdog");
        watchdog.add(Arc::default());
        std::thread::sleep(LAUNCH_DEADLINE / 2);
        let (started, start) = oneshot::channel();
        let job = Arc::new(DeferredStart::default());
        job.set(move || started.send(()).expect("the receiver lives"));
        watchdog.add(job);
        tokio::select! {
            () = watchdog.run() => unreachable!("it runs for ever"),
            started = start => started.expect("it starts"),
        }
    }
}
