//! When new processes are inspected: soon after a job has started, and then more and more rarely.
//!
//! One timer serves all jobs. A process that leaves its job's group and loses its parent is recognized later if it was
//! seen before, and the fewer pids are new, the cheaper the next scan is.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::engine::scan::scanner::Scanner;

/// The first scan after the start of a job.
pub const AFTER_START: Duration = Duration::from_millis(10);

/// The first scan after something that may start processes in haste: a signal that asks a job to end.
pub const AFTER_SIGNAL: Duration = Duration::from_millis(2);

/// The longest pause between two scans. It must be shorter than the kernel takes to give all pids out.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Scans take at most this part of a processor's time.
const SHARE: u32 = 50;

/// The timer.
#[derive(Debug, Default)]
pub struct Tracker {
    schedule: Mutex<Schedule>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Schedule {
    due: Option<Instant>,
    pause: Duration,
}

impl Tracker {
    /// Scans after this time, and then after pauses that double from it.
    pub fn scan_after(&self, pause: Duration) {
        let due = Instant::now() + pause;
        let mut schedule = self.lock();
        schedule.pause = pause;
        if schedule.due.is_none_or(|earlier| earlier > due) {
            schedule.due = Some(due);
            drop(schedule);
            self.changed.notify_one();
        }
    }

    /// Scans when it is due, as long as jobs run.
    pub async fn run(&self, scanner: Arc<Scanner>) {
        scanner.start_thread();
        loop {
            let due = self.lock().due;
            tokio::select! {
                biased;
                () = self.changed.notified() => {}
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    if scanner.is_idle() {
                        self.lock().due = None;
                    } else {
                        let began_at = Instant::now();
                        scanner.track().await;
                        self.plan_next(began_at.elapsed());
                    }
                }
            }
        }
    }

    fn plan_next(&self, cost: Duration) {
        let mut schedule = self.lock();
        schedule.due = Some(Instant::now() + schedule.pause.max(cost * SHARE).min(LONGEST_PAUSE));
        schedule.pause = (schedule.pause * 2).min(LONGEST_PAUSE);
    }

    fn lock(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
