//! The required lines: the last non-blank line, and the first and the last line of each group of similar
//! failures.

use super::counters::Counts;
use super::line::StoredLine;
use crate::text::view::class::Class;

/// The most groups of failures whose first and last lines are kept. A view shows two groups; most outputs
/// have fewer than the limit.
const MAX_GROUPS: usize = 12;

/// Counts failures, and keeps the required lines that the store drops.
#[derive(Clone, Debug, Default)]
pub(super) struct Required {
    pub(super) failures: u64,
    /// The number of the first failure that is not kept.
    pub(super) first_dropped: Option<u64>,
    /// The groups of failures, in the order of their first lines.
    groups: Vec<Group>,
    /// Whether there were more groups, so that the first line of a further group may be lost.
    has_forgotten: bool,
    /// The number of the last non-blank line.
    last_text: u64,
    /// The last non-blank line, if the store has dropped it.
    dropped_text: Option<StoredLine>,
}

/// The failures with one skeleton.
#[derive(Clone, Debug)]
struct Group {
    skeleton: u64,
    first: u64,
    last_dropped: Option<StoredLine>,
}

impl Required {
    pub(super) fn record(&mut self, line: &StoredLine, counts: &Counts) {
        if !line.is_blank() {
            self.last_text = line.number;
            // A dropped line is rare, and `take` moves a whole line.
            if self.dropped_text.is_some() {
                let earlier = self.dropped_text.take();
                self.record_gone(earlier.as_ref());
            }
        }
        if line.class == Class::Failure {
            self.failures += 1;
            self.record_group(line, counts);
        }
    }

    /// Records `count` more lines that equal the one before, from line `first` on.
    pub(super) fn record_more_failures(&mut self, first: u64, count: u64) {
        self.failures += count;
        self.record_first_dropped(first);
    }

    fn record_group(&mut self, line: &StoredLine, counts: &Counts) {
        let skeleton = line.shape.skeleton;
        if self.knows(skeleton) || self.has_forgotten && line.kth > 1 {
            return;
        }
        self.groups.push(Group { skeleton, first: line.number, last_dropped: None });
        if self.groups.len() > MAX_GROUPS {
            self.forget_largest_group(counts);
        }
    }

    /// Removes the group with the most lines, which has the lowest rank. The first two groups stay: the first
    /// failures rank higher.
    fn forget_largest_group(&mut self, counts: &Counts) {
        let size = |group: &Group| (counts.skeletons.get(group.skeleton), group.first);
        let largest = (2..self.groups.len()).max_by_key(|&index| size(&self.groups[index]));
        let Some(index) = largest else { return };
        let group = self.groups.remove(index);
        self.has_forgotten = true;
        self.record_gone(group.last_dropped.as_ref());
    }

    /// Returns whether the first and the last failure of this group are kept.
    pub(super) fn knows(&self, skeleton: u64) -> bool {
        self.groups.iter().any(|group| group.skeleton == skeleton)
    }

    /// Returns whether a line is the first failure of a group.
    pub(super) fn is_first_failure(&self, line: &StoredLine) -> bool {
        self.groups.iter().any(|group| group.first == line.number)
    }

    /// Returns the numbers of the first failures of the groups.
    pub(super) fn first_failures(&self) -> Vec<u64> {
        self.groups.iter().map(|group| group.first).collect()
    }

    /// Returns whether the dropping of this line must be recorded.
    pub(super) fn concerns(&self, line: &StoredLine) -> bool {
        line.class == Class::Failure || line.number == self.last_text
    }

    /// Records a line that the store drops. Returns a line whose memory can be reused.
    pub(super) fn record_dropped(&mut self, line: StoredLine) -> Option<StoredLine> {
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
        self.record_gone(gone.as_ref());
        gone
    }

    fn record_gone(&mut self, line: Option<&StoredLine>) {
        if let Some(line) = line.filter(|line| line.class == Class::Failure) {
            self.record_first_dropped(line.number);
        }
    }

    fn record_first_dropped(&mut self, number: u64) {
        self.first_dropped = Some(self.first_dropped.map_or(number, |first| first.min(number)));
    }

    pub(super) fn memory(&self) -> usize {
        self.dropped().map(StoredLine::cost).sum::<usize>()
    }

    /// Returns the dropped lines that must be shown nevertheless.
    pub(super) fn dropped(&self) -> impl Iterator<Item = &StoredLine> {
        self.groups.iter().filter_map(|group| group.last_dropped.as_ref()).chain(&self.dropped_text)
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, Counts, MAX_GROUPS, Required, StoredLine};
    use crate::text::view::shape::Shape;
    use crate::text::view::store::line::{Body, Marks};

    /// Returns the `kth` failure of the group `skeleton`.
    fn failure(number: u64, skeleton: u64, kth: u32) -> StoredLine {
        StoredLine {
            number,
            start: 0,
            end: 1,
            body: Body::Whole("error".to_owned()),
            class: Class::Failure,
            shape: Shape { template: skeleton, skeleton },
            kth,
            template_kth: kth,
            marks: Marks::default(),
            run_start: number,
        }
    }

    /// Records a failure, and counts its skeleton.
    fn record(required: &mut Required, counts: &mut Counts, line: &StoredLine) {
        counts.skeletons.count(line.shape.skeleton, line.number, Class::default);
        required.record(line, counts);
    }

    /// Records the first failures of as many groups as are kept, from line 1 on. The group of line 3 has ten
    /// failures.
    fn full() -> (Required, Counts) {
        let (mut required, mut counts) = (Required::default(), Counts::default());
        for group in 1..=MAX_GROUPS as u64 {
            record(&mut required, &mut counts, &failure(group, group, 1));
        }
        for kth in 2..=10 {
            record(&mut required, &mut counts, &failure(20 + u64::from(kth), 3, kth));
        }
        (required, counts)
    }

    #[test]
    fn the_largest_group_after_the_first_two_is_forgotten_when_there_are_too_many() {
        let (mut required, mut counts) = full();
        for kth in 2..=20 {
            record(&mut required, &mut counts, &failure(40 + u64::from(kth), 2, kth));
        }
        assert!((1..=MAX_GROUPS as u64).all(|group| required.knows(group)));
        record(&mut required, &mut counts, &failure(90, 90, 1));
        let forgotten: Vec<u64> = (1..=MAX_GROUPS as u64).filter(|&group| !required.knows(group)).collect();
        assert_eq!((forgotten, required.knows(90)), (vec![3], true));
    }

    #[test]
    fn a_group_that_was_forgotten_does_not_return_without_its_first_line() {
        let (mut required, mut counts) = full();
        record(&mut required, &mut counts, &failure(90, 90, 1));
        for kth in 2..=30 {
            record(&mut required, &mut counts, &failure(100 + u64::from(kth), 4, kth));
        }
        record(&mut required, &mut counts, &failure(140, 3, 11));
        assert!(!required.knows(3) && required.knows(4));
    }

    #[test]
    fn the_last_failure_of_a_forgotten_group_is_gone() {
        let (mut required, mut counts) = full();
        required.record_dropped(failure(22, 3, 2));
        assert_eq!((required.first_dropped, required.dropped().count()), (None, 1));
        record(&mut required, &mut counts, &failure(90, 90, 1));
        assert_eq!((required.first_dropped, required.dropped().count()), (Some(22), 0));
    }

    #[test]
    fn a_failure_that_was_kept_as_the_last_line_is_gone_after_the_next_line() {
        let (mut required, mut counts) = full();
        record(&mut required, &mut counts, &failure(90, 90, 1));
        // No group keeps this failure, so it is kept only as the last line.
        let last = failure(91, 3, 11);
        record(&mut required, &mut counts, &last);
        required.record_dropped(last);
        assert_eq!((required.first_dropped, required.dropped().count()), (None, 1));
        record(&mut required, &mut counts, &failure(92, 92, 1));
        assert_eq!((required.first_dropped, required.dropped().count()), (Some(91), 0));
    }

    #[test]
    fn the_first_dropped_failure_is_the_one_with_the_lowest_number() {
        let mut required = Required::default();
        required.record_more_failures(30, 4);
        required.record_more_failures(10, 2);
        required.record_more_failures(50, 1);
        assert_eq!((required.failures, required.first_dropped), (7, Some(10)));
    }

    #[test]
    fn of_a_group_the_dropped_line_with_the_highest_number_is_kept() {
        let (mut required, _) = full();
        required.record_dropped(failure(25, 3, 5));
        required.record_dropped(failure(23, 3, 3));
        let kept: Vec<u64> = required.dropped().map(|line| line.number).collect();
        assert_eq!((kept, required.first_dropped), (vec![25], Some(23)));
    }
}
