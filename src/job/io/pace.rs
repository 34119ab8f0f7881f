//! The pace of a stream's turns. Pure, but for the clock.

use std::time::Duration;

use tokio::time::Instant;

/// A turn below this size (bytes) counts as small: waking the thread costs more than reading.
const SMALL_TURN: usize = 16 * 1024;

/// The number of small turns, each within `SMALL_TURN_INTERVAL` of the last, after which the next turn waits
/// for `COALESCE_DELAY`. Otherwise a command that writes line by line would wake this thread, and then
/// JavaScript's, for every line.
const SMALL_TURNS: u32 = 3;
const SMALL_TURN_INTERVAL: Duration = Duration::from_millis(3);
const COALESCE_DELAY: Duration = Duration::from_millis(1);

/// The pace of a stream's turns: coalesces small ones.
#[derive(Debug, Default)]
pub(super) struct Pace {
    small_turns: u32,
    last_turn: Option<Instant>,
    resume_at: Option<Instant>,
}

impl Pace {
    /// Returns the time of the next turn; `None` for as soon as there is output.
    pub(super) const fn resume_at(&self) -> Option<Instant> {
        self.resume_at
    }

    /// Lets the next turn read without the delay for small turns.
    pub(super) const fn expect_answer(&mut self) {
        self.small_turns = 0;
    }

    /// Records a turn that has read `taken` bytes.
    pub(super) fn after_turn(&mut self, taken: usize) {
        let now = Instant::now();
        let is_soon = self.last_turn.is_some_and(|last| now.duration_since(last) < SMALL_TURN_INTERVAL);
        let is_small = (1..SMALL_TURN).contains(&taken);
        self.small_turns = if is_soon && is_small { self.small_turns + 1 } else { 0 };
        self.last_turn = Some(now);
        self.resume_at = (self.small_turns >= SMALL_TURNS).then(|| now + COALESCE_DELAY);
    }
}
