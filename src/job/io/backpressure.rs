//! How a consumer of the output slows the command down.
//!
//! Text that was handed out and not yet consumed is bounded. Over the bound the job stops reading, the pipe
//! fills, and the command waits in its `write`. A job that is being ended is read on, so that it can end; over a
//! second, higher bound its text is then dropped.
//!
//! As long as nobody knows whether there will be a consumer, the first text is handed out for one that may come, and
//! nothing waits: over the bound the rest is dropped.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use tokio::sync::Notify;

/// How many bytes may be under way to the consumer before reading stops.
const HIGH_WATER: usize = 256 * 1024;

/// How many bytes a consumer that is behind may be given by a job that is being ended.
const LAST_MARK: usize = 4 * 1024 * 1024;

/// Who wants the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Want {
    /// Nobody: it is captured and otherwise dropped.
    #[default]
    Nobody,
    /// Somebody may come.
    Undecided,
    /// Somebody, and the job waits for them.
    Somebody,
}

/// Shared by the job and its consumer.
#[derive(Debug, Default)]
pub struct Flow {
    want: AtomicU8,
    paused: AtomicBool,
    under_way: AtomicUsize,
    sent_while_paused: AtomicUsize,
    changed: Notify,
}

impl Flow {
    /// A flow whose text is wanted so from the beginning.
    #[must_use]
    pub fn new(want: Want) -> Self {
        Self { want: AtomicU8::new(want as u8), ..Self::default() }
    }

    /// Whether there is any use in making text of the output.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.is(Want::Somebody) || (self.is(Want::Undecided) && self.is_below(HIGH_WATER))
    }

    /// Whether reading may go on.
    #[must_use]
    pub fn has_room(&self) -> bool {
        !self.is(Want::Somebody) || (!self.paused.load(Ordering::Acquire) && self.is_below(HIGH_WATER))
    }

    /// Whether text that was read should be handed out.
    #[must_use]
    pub fn can_take(&self) -> bool {
        self.is_wanted()
            && self.is_below(LAST_MARK)
            && self.sent_while_paused.load(Ordering::Acquire) < LAST_MARK
    }

    fn is(&self, want: Want) -> bool {
        self.want.load(Ordering::Acquire) == want as u8
    }

    fn is_below(&self, mark: usize) -> bool {
        self.under_way.load(Ordering::Acquire) < mark
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
    pub fn want(&self, is_wanted: bool) {
        let want = if is_wanted { Want::Somebody } else { Want::Nobody };
        self.want.store(want as u8, Ordering::Release);
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
    use super::{Flow, HIGH_WATER, LAST_MARK, Want};

    #[test]
    fn there_is_room_below_the_mark() {
        let flow = Flow::new(Want::Somebody);
        flow.sent(HIGH_WATER - 1);
        assert!(flow.has_room());
        flow.sent(1);
        assert!(!flow.has_room());
        flow.consumed(1);
        assert!(flow.has_room());
    }

    #[test]
    fn a_paused_consumer_leaves_no_room() {
        let flow = Flow::new(Want::Somebody);
        flow.pause(true);
        assert!(!flow.has_room());
        flow.pause(false);
        assert!(flow.has_room());
    }

    #[test]
    fn unwanted_text_never_stops_the_reading() {
        let flow = Flow::new(Want::Nobody);
        flow.pause(true);
        assert!(flow.has_room());
    }

    #[test]
    fn while_nobody_knows_the_first_text_is_handed_out_and_nothing_waits() {
        let flow = Flow::new(Want::Undecided);
        flow.sent(HIGH_WATER - 1);
        assert!(flow.is_wanted() && flow.can_take() && flow.has_room());
        flow.sent(1);
        assert!(!flow.is_wanted() && !flow.can_take() && flow.has_room());
        flow.want(true);
        assert!(flow.can_take() && !flow.has_room());
        flow.want(false);
        assert!(!flow.can_take() && flow.has_room());
    }

    #[test]
    fn a_consumer_far_behind_is_given_no_more() {
        let flow = Flow::new(Want::Somebody);
        flow.sent(LAST_MARK);
        assert!(!flow.can_take());
        flow.consumed(LAST_MARK);
        assert!(flow.can_take());
    }

    #[test]
    fn a_paused_consumer_is_given_a_bounded_rest() {
        let flow = Flow::new(Want::Somebody);
        flow.pause(true);
        flow.sent(LAST_MARK);
        flow.consumed(LAST_MARK);
        assert!(!flow.can_take());
        flow.pause(false);
        assert!(flow.can_take());
    }

    #[tokio::test(flavor = "current_thread")]
    async fn consuming_wakes_the_reader() {
        let flow = std::sync::Arc::new(Flow::new(Want::Somebody));
        flow.sent(HIGH_WATER);
        let consumer = std::sync::Arc::clone(&flow);
        let task = tokio::spawn(async move { consumer.consumed(HIGH_WATER) });
        flow.room().await;
        task.await.expect("the consumer ran");
    }
}
