//! Jobs whose loop has not begun yet.
//!
//! A loop begins when its process runs: so a call wakes one thread and not two. But only the loop hears what is asked of a
//! job, and knows its times. So it begins earlier where something is asked, and where the process takes long.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::process::alarm::Alarm;

/// A process that takes longer than this to start is waited for by its loop.
pub(super) const LONG: Duration = Duration::from_millis(10);

/// Begins a loop.
type Begin = Box<dyn FnOnce() + Send>;

/// A job whose loop may not have begun.
#[derive(Default)]
pub(super) struct Unattended(Mutex<Option<Begin>>);

impl std::fmt::Debug for Unattended {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Unattended").field(&self.is_waiting()).finish()
    }
}

impl Unattended {
    /// How its loop will begin.
    pub(super) fn set(&self, begin: impl FnOnce() + Send + 'static) {
        *lock(&self.0) = Some(Box::new(begin));
    }

    /// Begins its loop, unless it has begun.
    pub(super) fn attend(&self) {
        let begin = lock(&self.0).take();
        if let Some(begin) = begin {
            begin();
        }
    }

    fn is_waiting(&self) -> bool {
        lock(&self.0).is_some()
    }
}

/// All of them.
#[derive(Debug)]
pub(super) struct WaitingRoom {
    waiting: Mutex<Vec<(Instant, Arc<Unattended>)>>,
    alarm: Alarm,
    is_set: AtomicBool,
}

impl WaitingRoom {
    /// An empty one, in the runtime of the I/O thread.
    ///
    /// # Errors
    ///
    /// The system's error when it has no timer.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { waiting: Mutex::default(), alarm: Alarm::new(LONG)?, is_set: AtomicBool::default() })
    }

    /// Sees to it that the loop of this job begins before long.
    pub(super) fn add(&self, job: Arc<Unattended>) {
        lock(&self.waiting).push((Instant::now(), job));
        if !self.is_set.swap(true, Ordering::AcqRel) {
            self.alarm.set();
        }
    }

    /// The work of the I/O thread: attends to those that have waited for long, for ever.
    pub(super) async fn keep(&self) {
        loop {
            self.alarm.rung().await;
            // Before the look: whoever comes after it sets the alarm.
            self.is_set.store(false, Ordering::Release);
            self.attend_to_the_late(Instant::now());
        }
    }

    fn attend_to_the_late(&self, now: Instant) {
        let late = {
            let mut waiting = lock(&self.waiting);
            waiting.retain(|(_, job)| job.is_waiting());
            let late = waiting.extract_if(.., |(since, _)| *since + LONG <= now).collect::<Vec<_>>();
            if !waiting.is_empty() && !self.is_set.swap(true, Ordering::AcqRel) {
                self.alarm.set();
            }
            late
        };
        for (_, job) in late {
            job.attend();
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

    use super::{LONG, Unattended, WaitingRoom, lock};

    #[test]
    fn a_loop_begins_once() {
        let times = Arc::new(AtomicUsize::new(0));
        let job = Unattended::default();
        let counted = Arc::clone(&times);
        job.set(move || _ = counted.fetch_add(1, Ordering::Relaxed));
        job.attend();
        job.attend();
        assert_eq!(times.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn whoever_waits_for_long_is_attended_to() {
        let room = WaitingRoom::new().expect("a room");
        let (begun, beginning) = oneshot::channel();
        let job = Arc::new(Unattended::default());
        job.set(move || begun.send(Instant::now()).expect("it is waited for"));
        let came_at = Instant::now();
        room.add(Arc::clone(&job));
        tokio::select! {
            () = room.keep() => unreachable!("it is kept for ever"),
            begun_at = beginning => assert!(begun_at.expect("it begins") >= came_at + LONG),
        }
        assert!(lock(&room.waiting).is_empty());
    }

    #[tokio::test]
    async fn one_that_comes_while_the_alarm_is_set_is_not_forgotten() {
        let room = WaitingRoom::new().expect("a room");
        room.add(Arc::default());
        std::thread::sleep(LONG / 2);
        let (begun, beginning) = oneshot::channel();
        let job = Arc::new(Unattended::default());
        job.set(move || begun.send(()).expect("it is waited for"));
        room.add(job);
        tokio::select! {
            () = room.keep() => unreachable!("it is kept for ever"),
            begun = beginning => begun.expect("it begins"),
        }
    }
}
