//! How a consumer of the output slows the command down.
//!
//! Text that was handed out and not yet consumed is bounded. Over the bound the job stops reading, the pipe
//! fills, and the command waits in its `write`.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::Notify;

/// How many bytes may be under way to the consumer before reading stops.
const HIGH_WATER: usize = 256 * 1024;

/// Shared by the job and its consumer.
#[derive(Debug, Default)]
pub struct Flow {
    wanted: AtomicBool,
    paused: AtomicBool,
    under_way: AtomicUsize,
    changed: Notify,
}

impl Flow {
    /// A flow whose text is wanted from the beginning, or not.
    #[must_use]
    pub fn new(wanted: bool) -> Self {
        Self {
            wanted: AtomicBool::new(wanted),
            ..Self::default()
        }
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

    /// So many bytes go to the consumer.
    pub fn sent(&self, bytes: usize) {
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
    use super::{Flow, HIGH_WATER};

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
