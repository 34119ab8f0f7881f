//! Backpressure: the consumer of the output slows the command down.
//!
//! The text that was passed to the consumer and not yet consumed is bounded. Over the bound the job stops
//! reading, the pipe fills, and the command waits in its `write`. The engine goes on reading from a job that
//! is being ended, so that it can end; over a second, higher bound it drops the text.
//!
//! As long as the demand is unknown, because the event loop has not turned since the start, the engine passes
//! on text up to a bound in between. Over it, the command waits for [`DEMAND_GRACE`] in all: a consumer of
//! the same turn loses nothing, and an event loop that is busy for longer does not stop a command that has
//! none.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// The most text on its way to the consumer before reading stops (bytes).
const HIGH_WATER: usize = 256 * 1024;

/// The most text on its way to JavaScript while the demand is unknown, before reading stops (bytes).
const EARLY_LIMIT: usize = 1024 * 1024;

/// The most text on its way to the consumer of a job that is being ended (bytes). What one turn of reading
/// takes after a bound was met still fits, also if each byte becomes a replacement character.
const HARD_LIMIT: usize = 4 * 1024 * 1024;

/// The time that a command waits in all for its demand to become known. A thread of a busy machine is seldom
/// off its processor for longer.
const DEMAND_GRACE: Duration = Duration::from_secs(1);

/// Whether a consumer wants the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Demand {
    /// No consumer: the text is captured and otherwise dropped.
    #[default]
    None,
    /// A consumer may come.
    Unknown,
    /// A consumer, and the job waits for it.
    Wanted,
}

const UNKNOWN: u8 = Demand::Unknown as u8;
const WANTED: u8 = Demand::Wanted as u8;

/// The state that the job and its consumer share.
#[derive(Debug, Default)]
pub struct Backpressure {
    want: AtomicU8,
    paused: AtomicBool,
    under_way: AtomicUsize,
    sent_while_paused: AtomicUsize,
    /// The end of the wait for the demand, once the command waits for it.
    grace_end: OnceLock<Instant>,
    changed: Notify,
}

impl Backpressure {
    /// Creates the state with this demand.
    #[must_use]
    pub fn new(want: Demand) -> Self {
        Self { want: AtomicU8::new(want as u8), ..Self::default() }
    }

    /// Returns whether decoded text is of any use.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        !self.is(Demand::None)
    }

    /// Returns whether reading may go on.
    #[must_use]
    pub fn has_room(&self) -> bool {
        match self.want.load(Ordering::Acquire) {
            WANTED => !self.paused.load(Ordering::Acquire) && self.is_below(HIGH_WATER),
            UNKNOWN => self.is_below(EARLY_LIMIT),
            _ => true,
        }
    }

    /// Returns whether text should be passed to the consumer.
    #[must_use]
    pub fn can_take(&self) -> bool {
        self.is_wanted()
            && self.is_below(HARD_LIMIT)
            && self.sent_while_paused.load(Ordering::Acquire) < HARD_LIMIT
    }

    fn is(&self, want: Demand) -> bool {
        self.want.load(Ordering::Acquire) == want as u8
    }

    fn is_below(&self, mark: usize) -> bool {
        self.under_way.load(Ordering::Acquire) < mark
    }

    /// Counts text that goes to the consumer.
    pub fn sent(&self, bytes: usize) {
        if self.paused.load(Ordering::Acquire) {
            self.sent_while_paused.fetch_add(bytes, Ordering::AcqRel);
        }
        self.under_way.fetch_add(bytes, Ordering::AcqRel);
    }

    /// Counts text that the consumer has handled.
    pub fn consumed(&self, bytes: usize) {
        let before = self.under_way.fetch_sub(bytes, Ordering::AcqRel);
        if before >= HIGH_WATER && before - bytes < HIGH_WATER {
            self.changed.notify_one();
        }
    }

    /// Sets whether a consumer wants the text.
    pub fn want(&self, is_wanted: bool) {
        let want = if is_wanted { Demand::Wanted } else { Demand::None };
        self.want.store(want as u8, Ordering::Release);
        self.changed.notify_one();
    }

    /// Begins or ends a pause of the consumer.
    pub fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Release);
        self.sent_while_paused.store(0, Ordering::Release);
        self.changed.notify_one();
    }

    /// Waits until there may be room again. A demand that stays unknown becomes none after [`DEMAND_GRACE`].
    pub async fn room(&self) {
        while !self.has_room() {
            if !self.is(Demand::Unknown) {
                self.changed.notified().await;
                continue;
            }
            // The end is kept, because the task of the job calls this function anew after each other event.
            let end = *self.grace_end.get_or_init(|| Instant::now() + DEMAND_GRACE);
            if timeout_at(end, self.changed.notified()).await.is_err() {
                let (none, order) = (Demand::None as u8, Ordering::AcqRel);
                // The exchange fails if the demand became known meanwhile.
                let _ = self.want.compare_exchange(UNKNOWN, none, order, Ordering::Acquire);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::{Backpressure, DEMAND_GRACE, Demand, EARLY_LIMIT, HARD_LIMIT, HIGH_WATER};

    #[test]
    fn there_is_room_below_the_mark() {
        let flow = Backpressure::new(Demand::Wanted);
        flow.sent(HIGH_WATER - 1);
        assert!(flow.has_room());
        flow.sent(1);
        assert!(!flow.has_room());
        flow.consumed(1);
        assert!(flow.has_room());
    }

    #[test]
    fn a_paused_consumer_leaves_no_room() {
        let flow = Backpressure::new(Demand::Wanted);
        flow.pause(true);
        assert!(!flow.has_room());
        flow.pause(false);
        assert!(flow.has_room());
    }

    #[test]
    fn unwanted_text_never_stops_the_reading() {
        let flow = Backpressure::new(Demand::None);
        flow.pause(true);
        assert!(flow.has_room());
    }

    #[test]
    fn without_a_known_demand_text_is_passed_on_up_to_a_bound() {
        let flow = Backpressure::new(Demand::Unknown);
        flow.sent(EARLY_LIMIT - 1);
        assert!(flow.is_wanted() && flow.can_take() && flow.has_room());
        flow.sent(1);
        assert!(flow.is_wanted() && flow.can_take() && !flow.has_room());
        flow.consumed(HIGH_WATER);
        flow.want(true);
        assert!(flow.can_take() && !flow.has_room());
        flow.want(false);
        assert!(!flow.can_take() && flow.has_room());
    }

    #[tokio::test(flavor = "current_thread")]
    async fn the_wait_for_an_unknown_demand_is_bounded_in_all() {
        let flow = Backpressure::new(Demand::Unknown);
        flow.sent(EARLY_LIMIT);
        // The task of a job drops the wait at each other event.
        let waits = async { while timeout(DEMAND_GRACE / 10, flow.room()).await.is_err() {} };
        timeout(DEMAND_GRACE * 60, waits).await.expect("a dropped wait does not begin anew");
        assert!(flow.has_room() && !flow.is_wanted());
        flow.want(true);
        assert!(flow.is_wanted() && !flow.has_room());
    }

    #[test]
    fn a_consumer_far_behind_is_given_no_more() {
        let flow = Backpressure::new(Demand::Wanted);
        flow.sent(HARD_LIMIT);
        assert!(!flow.can_take());
        flow.consumed(HARD_LIMIT);
        assert!(flow.can_take());
    }

    #[test]
    fn a_paused_consumer_is_given_a_bounded_rest() {
        let flow = Backpressure::new(Demand::Wanted);
        flow.pause(true);
        flow.sent(HARD_LIMIT);
        flow.consumed(HARD_LIMIT);
        assert!(!flow.can_take());
        flow.pause(false);
        assert!(flow.can_take());
    }

    #[tokio::test(flavor = "current_thread")]
    async fn consuming_wakes_the_reader() {
        let flow = std::sync::Arc::new(Backpressure::new(Demand::Wanted));
        flow.sent(HIGH_WATER);
        let consumer = std::sync::Arc::clone(&flow);
        let task = tokio::spawn(async move { consumer.consumed(HIGH_WATER) });
        flow.room().await;
        task.await.expect("the consumer ran");
    }
}
