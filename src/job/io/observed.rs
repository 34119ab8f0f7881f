//! The latest output of a job for observers: recordings and live views.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::Notify;

use super::observer::StreamName;
use crate::text::ring::{TimedPiece, TimedRing};

/// The output that is kept of each observed job (bytes): what comes in the longest pause of a busy event
/// loop.
const KEPT: usize = 1024 * 1024;

/// The output that is kept of a job that waits for its observer (bytes).
const KEPT_WAITING: usize = 4 * 1024 * 1024;
/// The part of it at which such a job waits (bytes). The rest has room for a turn of each stream, and for
/// what the pipes hold at the end.
const MAX_UNTAKEN: u64 = 1024 * 1024;

/// The latest output of a job as it was read, with the times of the reads.
///
/// The ring is apart from the one that users read, whose size they choose, and has bytes whatever the form of
/// the job: so an observed job is read, decoded and passed on as any other. Only a job [that
/// waits](Self::that_waits) is slowed down by its observer.
#[derive(Clone, Debug)]
pub struct ObservedOutput {
    shared: Arc<ObservedRing>,
}

#[derive(Debug)]
struct ObservedRing {
    ring: Mutex<TimedRing<StreamName>>,
    /// Whether an observer waits for the next output.
    is_watched: AtomicBool,
    /// The cursor up to which the observer has taken the output of a job that waits for it; the largest one
    /// for a job that does not.
    taken: AtomicU64,
    has_room: Notify,
}

impl ObservedOutput {
    /// Creates the output of a job that is read no faster than an observer takes it, by [`Self::take`].
    #[must_use]
    pub fn that_waits() -> Self {
        Self::new(KEPT_WAITING, 0)
    }

    fn new(kept: usize, taken: u64) -> Self {
        let shared = ObservedRing {
            ring: Mutex::new(TimedRing::new(kept)),
            is_watched: AtomicBool::new(false),
            taken: AtomicU64::new(taken),
            has_room: Notify::new(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Notes that the observer has taken the output up to a cursor, and of no cursor that it takes no more.
    pub fn take(&self, cursor: Option<u64>) {
        self.shared.taken.fetch_max(cursor.unwrap_or(u64::MAX), Ordering::AcqRel);
        self.shared.has_room.notify_one();
    }

    /// Returns whether reading may go on.
    #[must_use]
    pub fn has_room(&self) -> bool {
        let taken = self.shared.taken.load(Ordering::Acquire);
        taken == u64::MAX || self.lock().cursor().saturating_sub(taken) < MAX_UNTAKEN
    }

    /// Waits until there is room again.
    pub async fn room(&self) {
        while !self.has_room() {
            self.shared.has_room.notified().await;
        }
    }

    /// Adds bytes that were just read.
    pub fn push(&self, stream: StreamName, bytes: &[u8]) {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let time = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.lock().push(stream, bytes, time);
    }

    /// Returns at most `most` bytes from a cursor on, with their times (ms since 1970).
    #[must_use]
    pub fn read(&self, since: u64, most: usize) -> TimedPiece<StreamName> {
        self.lock().read(since, most)
    }

    /// Asks for one [`Observer::observed`](super::observer::Observer::observed) after the next output.
    pub fn watch(&self) {
        self.shared.is_watched.store(true, Ordering::Release);
    }

    /// Returns whether an observer waits for output, which is reported once.
    #[must_use]
    pub fn take_watch(&self) -> bool {
        self.shared.is_watched.swap(false, Ordering::AcqRel)
    }

    fn lock(&self) -> MutexGuard<'_, TimedRing<StreamName>> {
        self.shared.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for ObservedOutput {
    fn default() -> Self {
        Self::new(KEPT, u64::MAX)
    }
}

impl PartialEq for ObservedOutput {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl Eq for ObservedOutput {}

#[cfg(test)]
mod tests {
    use super::{MAX_UNTAKEN, ObservedOutput, StreamName};

    fn most() -> Vec<u8> {
        vec![b'x'; usize::try_from(MAX_UNTAKEN).expect("it fits")]
    }

    #[test]
    fn a_job_never_waits_for_an_observer_of_its_latest_output() {
        let observed = ObservedOutput::default();
        for _ in 0..3 {
            observed.push(StreamName::Stdout, &most());
            assert!(observed.has_room());
        }
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_job_that_waits_goes_on_when_its_output_was_taken() {
        let observed = ObservedOutput::that_waits();
        observed.push(StreamName::Stdout, &most());
        assert!(!observed.has_room());
        let taker = observed.clone();
        let waiting = tokio::spawn(async move { taker.room().await });
        observed.take(Some(1));
        waiting.await.expect("no panic");
        assert!(observed.has_room());
    }

    #[test]
    fn a_job_waits_for_no_observer_that_takes_no_more() {
        let observed = ObservedOutput::that_waits();
        observed.take(None);
        observed.push(StreamName::Stdout, &most());
        assert!(observed.has_room());
    }

    #[test]
    fn a_watch_is_reported_once() {
        let observed = ObservedOutput::default();
        assert!(!observed.take_watch());
        observed.watch();
        assert!(observed.take_watch() && !observed.take_watch());
    }
}
