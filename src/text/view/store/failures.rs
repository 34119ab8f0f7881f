//! Counts the failures, and remembers the first and the last one that the store dropped.

use super::line::Line;
use crate::text::view::class::Class;

/// Counts failures, and keeps the last one that was dropped: the last failure of all must be shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Failures {
    /// The number of lines that are failures.
    pub(super) count: u64,
    /// The number of the first failure that was dropped.
    pub(super) first_dropped: Option<u64>,
    /// The last failure that was dropped.
    pub(super) last_dropped: Option<Line>,
}

impl Failures {
    /// Records a line that the store drops. Returns a line whose memory can be reused.
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
