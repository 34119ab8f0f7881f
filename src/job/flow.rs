//! How a consumer of the output slows the command down.
//!
//! Text that was handed out and not yet consumed is bounded. Over the bound the job stops reading, the pipe
//! fills, and the command waits in its `write`. A job that is being ended is read on, so that it can end; over a
//! second, higher bound its text is then dropped.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::Notify;

/// How many bytes may be under way to the consumer before reading stops.
const HIGH_WATER: usize = 256 * 1024;

/// How many bytes a consumer that is behind may be given by a job that is being ended.
const LAST_MARK: usize = 4 * 1024 * 1024;

/// Shared by the job and its consumer.
#[derive(Debug, Default)]
pub struct Flow {
    wanted: AtomicBool,
    paused: AtomicBool,
    under_way: AtomicUsize,
    sent_while_paused: AtomicUsize,
    changed: Notify,
}

impl Flow {
    /// A flow whose text is wanted from the beginning, or not.
    #[must_use]
    pub fn new(wanted: bool) -> Self {
        Self { wanted: AtomicBool::new(wanted), ..Self::default() }
    }

    /// Whether anybody wants the text. Without a consumer the output is captured and otherwise dropped.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Acquire)
    }

    /// Whether reading may go on.
    #[must_use]
    pub fn has_room(&self) -> bool {
        !self.is_wanted()
            || (!self.paused.load(Ordering::Acquire) && self.under_way.load(Ordering::Acquire) < HIGH_WATER)
    }

    /// Whether text that was read should be handed out.
    #[must_use]
    pub fn can_take(&self) -> bool {
        self.is_wanted()
            && self.under_way.load(Ordering::Acquire) < LAST_MARK
            && self.sent_while_paused.load(Ordering::Acquire) < LAST_MARK
    }

    /// So many bytes go to the consumer.
    pub fn sent(&self, bytes: usize) {
        if self.paused.load(Ordering::Acquire) {
            self.sent_while_paused.fetch_add(bytes, Ordering::AcqRel);
        }
        self.under_way.fetch_add(bytes, Ordering::AcqRel);
    }

    /// The consumer is through with so many bytes.
    pub fn consumed(&self, bytes: usize) {
        let before = self.under_way.fetch_sub(bytes, Ordering::AcqRel);
        if before >= HIGH_WATER && before - bytes < HIGH_WATER {
            self.changed.notify_one();
        }
    }

    /// The consumer begins or ceases to want the text.
    pub fn want(&self, wanted: bool) {
        self.wanted.store(wanted, Ordering::Release);
        self.changed.notify_one();
    }

    /// The consumer asks for a pause, or for the end of it.
    pub fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Release);
        self.sent_while_paused.store(0, Ordering::Release);
        self.changed.notify_one();
    }

    /// Waits until there may be room again.
    pub async fn room(&self) {
        while !self.has_room() {
            self.changed.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Flow, HIGH_WATER, LAST_MARK};

    #[test]
    fn there_is_room_below_the_mark() {
        let flow = Flow::new(true);
        flow.sent(HIGH_WATER - 1);
        assert!(flow.has_room());
        flow.sent(1);
        assert!(!flow.has_room());
        flow.consumed(1);
        assert!(flow.has_room());
    }

    #[test]
    fn a_paused_consumer_leaves_no_room() {
        let flow = Flow::new(true);
        flow.pause(true);
        assert!(!flow.has_room());
        flow.pause(false);
        assert!(flow.has_room());
    }

    #[test]
    fn unwanted_text_never_stops_the_reading() {
        let flow = Flow::new(false);
        flow.pause(true);
        assert!(flow.has_room());
    }

    #[test]
    fn a_consumer_far_behind_is_given_no_more() {
        let flow = Flow::new(true);
        flow.sent(LAST_MARK);
        assert!(!flow.can_take());
        flow.consumed(LAST_MARK);
        assert!(flow.can_take());
    }

    #[test]
    fn a_paused_consumer_is_given_a_bounded_rest() {
        let flow = Flow::new(true);
        flow.pause(true);
        flow.sent(LAST_MARK);
        flow.consumed(LAST_MARK);
        assert!(!flow.can_take());
        flow.pause(false);
        assert!(flow.can_take());
    }

    #[tokio::test(flavor = "current_thread")]
    async fn consuming_wakes_the_reader() {
        let flow = std::sync::Arc::new(Flow::new(true));
        flow.sent(HIGH_WATER);
        let consumer = std::sync::Arc::clone(&flow);
        let task = tokio::spawn(async move { consumer.consumed(HIGH_WATER) });
        flow.room().await;
        task.await.expect("the consumer ran");
    }
}
