//! What is known of the failures that are not kept.

use super::line::Line;
use crate::text::view::class::Class;

/// Counts failures, and keeps the last one that was dropped: the last failure of all must be shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Failures {
    /// How many lines are failures.
    pub(super) count: u64,
    /// The number of the first failure that was dropped.
    pub(super) first_dropped: Option<u64>,
    /// The last failure that was dropped.
    pub(super) last_dropped: Option<Line>,
}

impl Failures {
    /// Notes a line that is dropped. Returns a line that nobody needs any longer.
    pub(super) fn note_dropped(&mut self, line: Line) -> Option<Line> {
        if line.class != Class::Failure {
            return Some(line);
        }
        self.note_first(line.number);
        let is_last = self.last_dropped.as_ref().is_none_or(|last| last.number < line.number);
        if is_last { self.last_dropped.replace(line) } else { Some(line) }
    }

    pub(super) fn note_first(&mut self, number: u64) {
        self.first_dropped = Some(self.first_dropped.map_or(number, |first| first.min(number)));
    }
}
