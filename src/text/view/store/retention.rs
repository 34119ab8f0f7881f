//! The memory of a store: which lines the head and the ring keep, and which line leaves first.

use super::Store;
use super::line::{OVERHEAD, StoredLine};
use crate::text::growth::step;

/// The fewest lines of the end that are kept, whatever the budget.
const MIN_RING_LINES: usize = 24;

/// The memory (bytes) of these lines beyond twice the limit of the end: for the parts of long lines in small
/// views.
const MIN_RING_EXTRA: usize = 128 * 1024;

/// The memory (bytes) that the lines of the beginning and of the end may take besides their text.
///
/// A line takes 100 bytes besides its text, so with less memory short lines could not fill a view.
const HEAD_OVERHEAD: usize = 48 * 1024;
const RING_OVERHEAD: usize = 96 * 1024;

impl Store {
    /// Copies the text of a line, into the memory of a dropped line if there is one.
    pub(super) fn reused(&mut self, text: &str) -> String {
        if self.ring_cost > self.ring_limit
            && self.ring.len() > MIN_RING_LINES
            && let Some(mut old) = self.drop_oldest()
            && old.capacity() <= 4 * text.len() + 64
        {
            old.clear();
            old.push_str(text);
            return old;
        }
        text.to_owned()
    }

    /// Adds a line to the head, or to the ring once the head is full.
    pub(super) fn keep(&mut self, line: StoredLine) {
        let cost = line.cost();
        if !self.head_is_full && (self.head_cost + cost <= self.head_limit || self.head.len() < 3) {
            self.head_cost += cost;
            if self.head.len() == self.head.capacity() {
                self.head.reserve_exact(step(self.head.len()));
            }
            self.head.push(line);
            return;
        }
        if !self.head_is_full {
            self.head_is_full = true;
            self.head_run_goes_on = line.run_start < line.number;
        }
        self.ring_cost += cost;
        if self.ring.len() == self.ring.capacity() {
            self.ring.reserve_exact(step(self.ring.len()));
        }
        self.ring.push_back(line);
        while self.ring_cost > self.ring_limit + 4 * OVERHEAD
            && (self.ring.len() > MIN_RING_LINES || self.ring_cost > 2 * self.ring_limit + MIN_RING_EXTRA)
        {
            self.drop_oldest();
        }
    }

    /// Removes the oldest line of the ring. Adds it to the candidates if it may matter, and returns its
    /// memory otherwise.
    #[allow(clippy::inline_always, reason = "as a call, it takes 10 % of the time of short lines")]
    #[inline(always)]
    fn drop_oldest(&mut self) -> Option<String> {
        let oldest = self.ring.front_mut()?;
        self.ring_cost = self.ring_cost.saturating_sub(oldest.cost());
        if self.candidates.wants(oldest, &self.counts, &self.required) {
            let line = self.ring.pop_front()?;
            self.candidates.add(line, &self.counts, &mut self.required);
            return None;
        }
        if self.required.concerns(oldest) {
            let line = self.ring.pop_front()?;
            return self.required.record_dropped(line)?.body.into_text();
        }
        // Most lines are dropped here, without being moved.
        let body = std::mem::take(&mut oldest.body);
        self.ring.pop_front();
        body.into_text()
    }

    /// Returns the most lines that the beginning and the end can have.
    pub(in crate::text::view) const fn most_lines(&self) -> u64 {
        ((self.head_limit + self.ring_limit) / OVERHEAD + 2 * MIN_RING_LINES) as u64
    }

    /// Returns the memory that the lines of the beginning may take (bytes).
    pub(super) const fn head_limit(budget: usize) -> usize {
        budget + if budget < HEAD_OVERHEAD / 2 { 2 * budget } else { HEAD_OVERHEAD }
    }

    /// Returns the memory that the lines of the end may take (bytes).
    pub(super) const fn ring_limit(budget: usize) -> usize {
        budget + if budget < RING_OVERHEAD / 3 { 3 * budget } else { RING_OVERHEAD }
    }
}
