//! Schedules the scans: soon after a job has started, and then less and less often.
//!
//! The tracker has one timer for all jobs. Early scans matter: a process that later leaves its job's group
//! and loses its parent is recognized only if a scan has seen it before. And a scan with fewer new pids is
//! cheaper.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::engine::scan::scanner::Scanner;

/// The time from the start of a job to the first scan: most commands exit earlier and cost no scan.
pub const AFTER_START: Duration = Duration::from_millis(10);

/// The time from a signal that ends a job to the first scan: a command that handles the signal may start
/// processes at once.
pub const AFTER_SIGNAL: Duration = Duration::from_millis(2);

/// The longest time between two scans. Must be shorter than the kernel takes to give out all pids.
const MAX_INTERVAL: Duration = Duration::from_millis(500);

/// The smallest ratio of the time between two scans to the time of a scan: scans use at most 2 % of a CPU.
const CPU_SHARE: u32 = 50;

#[derive(Debug, Default)]
pub struct Tracker {
    schedule: Mutex<Schedule>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Schedule {
    due: Option<Instant>,
    interval: Duration,
}

impl Tracker {
    /// Schedules a scan after this time, and more scans after intervals that double each time.
    pub fn scan_after(&self, interval: Duration) {
        let due = Instant::now() + interval;
        let mut schedule = self.lock();
        schedule.interval = interval;
        if schedule.due.is_none_or(|earlier| earlier > due) {
            schedule.due = Some(due);
            drop(schedule);
            self.changed.notify_one();
        }
    }

    /// Runs the scheduled scans. Never returns. Skips scans while no job runs.
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
                        scanner.scan().await;
                        self.plan_next(began_at.elapsed());
                    }
                }
            }
        }
    }

    fn plan_next(&self, cost: Duration) {
        let mut schedule = self.lock();
        schedule.due = Some(Instant::now() + schedule.interval.max(cost * CPU_SHARE).min(MAX_INTERVAL));
        schedule.interval = (schedule.interval * 2).min(MAX_INTERVAL);
    }

    fn lock(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
