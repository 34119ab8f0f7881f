//! The required lines: the last line that is not blank, and the first and the last line of each group of similar failures.

use super::counters::Counts;
use super::line::Line;
use crate::text::view::class::Class;

/// The most groups of failures whose first and last lines are kept. Two groups are shown; most outputs have fewer than the limit.
const MAX_GROUPS: usize = 12;

/// Counts failures, and keeps the lines that must be shown when the store drops them.
#[derive(Clone, Debug, Default)]
pub(super) struct Required {
    /// The number of lines that are failures.
    pub(super) failures: u64,
    /// The number of the first failure that is not kept.
    pub(super) first_dropped: Option<u64>,
    /// The groups of failures, in the order of their first lines.
    groups: Vec<Group>,
    /// Whether there were more groups: the first line of a further one may be gone.
    has_forgotten: bool,
    /// The number of the last line that is not blank.
    last_text: u64,
    /// The last line that is not blank, if the store has dropped it.
    dropped_text: Option<Line>,
}

/// The failures with one skeleton.
#[derive(Clone, Debug)]
struct Group {
    skeleton: u64,
    /// The number of the first failure.
    first: u64,
    /// The last failure that was dropped.
    last_dropped: Option<Line>,
}

impl Required {
    /// Records the next line.
    pub(super) fn note(&mut self, line: &Line, counts: &Counts) {
        if !line.is_blank() {
            self.last_text = line.number;
            let earlier = self.dropped_text.take();
            self.note_gone(earlier.as_ref());
        }
        if line.class == Class::Failure {
            self.failures += 1;
            self.note_group(line, counts);
        }
    }

    /// Records `count` further lines that equal the one before; `first` is the number of the first of them.
    pub(super) fn note_more_failures(&mut self, first: u64, count: u64) {
        self.failures += count;
        self.note_first_dropped(first);
    }

    fn note_group(&mut self, line: &Line, counts: &Counts) {
        let skeleton = line.shape.skeleton;
        if self.knows(skeleton) || self.has_forgotten && line.kth > 1 {
            return;
        }
        self.groups.push(Group { skeleton, first: line.number, last_dropped: None });
        if self.groups.len() > MAX_GROUPS {
            self.forget_largest_group(counts);
        }
    }

    /// Removes the group with the most lines, which has the lowest rank. The first two groups stay: the first failures rank
    /// higher.
    fn forget_largest_group(&mut self, counts: &Counts) {
        let size = |group: &Group| (counts.skeletons.get(group.skeleton), group.first);
        let largest = (2..self.groups.len()).max_by_key(|&index| size(&self.groups[index]));
        let Some(index) = largest else { return };
        let group = self.groups.remove(index);
        self.has_forgotten = true;
        self.note_gone(group.last_dropped.as_ref());
    }

    /// Whether the first and the last failure of this group are kept.
    pub(super) fn knows(&self, skeleton: u64) -> bool {
        self.groups.iter().any(|group| group.skeleton == skeleton)
    }

    /// Returns whether a line is the first failure of a group.
    pub(super) fn is_first_failure(&self, line: &Line) -> bool {
        self.groups.iter().any(|group| group.first == line.number)
    }

    /// Returns the numbers of the first failures of the groups.
    pub(super) fn first_failures(&self) -> Vec<u64> {
        self.groups.iter().map(|group| group.first).collect()
    }

    /// Records a line that the store drops. Returns a line whose memory can be reused.
    pub(super) fn note_dropped(&mut self, line: Line) -> Option<Line> {
        let is_failure = line.class == Class::Failure;
        let group = self.groups.iter_mut().find(|group| is_failure && group.skeleton == line.shape.skeleton);
        let kept = match group {
            Some(Group { last_dropped, .. })
                if last_dropped.as_ref().is_none_or(|last| last.number < line.number) =>
            {
                Some(last_dropped)
            }
            None if line.number == self.last_text => Some(&mut self.dropped_text),
            _ => None,
        };
        let gone = match kept {
            Some(kept) => kept.replace(line.shortened()),
            None => Some(line),
        };
        self.note_gone(gone.as_ref());
        gone
    }

    fn note_gone(&mut self, line: Option<&Line>) {
        if let Some(line) = line.filter(|line| line.class == Class::Failure) {
            self.note_first_dropped(line.number);
        }
    }

    fn note_first_dropped(&mut self, number: u64) {
        self.first_dropped = Some(self.first_dropped.map_or(number, |first| first.min(number)));
    }

    pub(super) fn memory(&self) -> usize {
        self.dropped().map(Line::cost).sum::<usize>()
    }

    /// The dropped lines that must be shown nevertheless.
    pub(super) fn dropped(&self) -> impl Iterator<Item = &Line> {
        self.groups.iter().filter_map(|group| group.last_dropped.as_ref()).chain(&self.dropped_text)
    }
}
