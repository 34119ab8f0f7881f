//! Lines between the beginning and the end that may matter.

use super::columns::Columns;
use super::counters::Counts;
use super::line::StoredLine;
use super::rank::{MAX_SIMILAR, may_matter, ranks};
use super::required::Required;
use crate::text::growth::step;
use crate::text::view::class::Class;
use crate::text::view::options::ExitKind;
use crate::text::view::order::ranking;

/// The most memory that candidates take (bytes): half of the memory that a view may take beyond its budget.
const MAX_MEMORY: usize = 1024 * 1024;

/// The candidates, in order: all lines while there is room, and later those that may matter.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    lines: Vec<StoredLine>,
    /// The memory of the texts of the lines (bytes).
    texts: usize,
    is_selective: bool,
    columns: Columns,
}

/// A copy reserves as much memory as the original, because the choice of kept lines depends on the reserved
/// memory.
impl Clone for Candidates {
    fn clone(&self) -> Self {
        let mut lines = Vec::with_capacity(self.lines.capacity());
        lines.extend_from_slice(&self.lines);
        Self { lines, columns: self.columns.clone(), ..*self }
    }
}

impl Candidates {
    pub(super) fn iter(&self) -> impl Iterator<Item = &StoredLine> {
        self.lines.iter()
    }

    pub(super) const fn memory(&self) -> usize {
        self.texts + self.lines.capacity() * size_of::<StoredLine>()
    }

    /// Returns whether a line should be added.
    pub(super) fn wants(&mut self, line: &mut StoredLine, counts: &Counts, required: &Required) -> bool {
        !self.is_selective || stands_out(line, counts, &mut self.columns) || required.is_first_failure(line)
    }

    /// Adds a line. With too many lines, drops those that don't matter, and the lower half of the others by
    /// rank.
    pub(super) fn add(&mut self, line: StoredLine, counts: &Counts, required: &mut Required) {
        if self.lines.len() == self.lines.capacity() {
            self.lines.reserve_exact(step(self.lines.len()));
        }
        self.texts += line.text_cost();
        self.lines.push(line);
        if self.memory() <= MAX_MEMORY {
            return;
        }
        if !std::mem::replace(&mut self.is_selective, true) {
            let firsts = required.first_failures();
            let mut columns = Columns::default();
            self.keep(required, |_, line| {
                stands_out(line, counts, &mut columns) || firsts.contains(&line.number)
            });
            self.columns = columns;
        }
        if self.memory() > MAX_MEMORY / 2 {
            self.drop_lower_half(counts, required);
        }
    }

    /// Drops the lines with the lowest ranks. The first failure of each group stays.
    fn drop_lower_half(&mut self, counts: &Counts, required: &mut Required) {
        let firsts = required.first_failures();
        for line in self.lines.iter_mut().filter(|line| firsts.contains(&line.number)) {
            self.texts -= line.text_cost();
            *line = line.clone().shortened();
            self.texts += line.text_cost();
        }
        let mut ranks = ranks(self.iter(), counts, ExitKind::Failed);
        for (rank, line) in ranks.iter_mut().zip(&self.lines) {
            if firsts.contains(&line.number) {
                *rank = f64::INFINITY;
            }
        }
        let mut stays = vec![false; self.lines.len()];
        let mut cost = 0;
        for index in ranking(&ranks) {
            cost += self.lines[index].cost();
            stays[index] = cost <= MAX_MEMORY / 2;
        }
        self.keep(required, |index, _| stays[index]);
    }

    /// Drops all lines but these.
    fn keep(&mut self, required: &mut Required, mut stays: impl FnMut(usize, &mut StoredLine) -> bool) {
        let mut index = 0;
        let dropped = self.lines.extract_if(.., |line| {
            index += 1;
            !stays(index - 1, line)
        });
        for line in dropped {
            self.texts -= line.text_cost();
            required.record_dropped(line);
        }
        self.lines.shrink_to_fit();
    }
}

/// Returns whether a line may matter for more than its words, or for a word that is rare in its column.
///
/// Needed where every line has words of its own, as in a list of names.
fn stands_out(line: &mut StoredLine, counts: &Counts, columns: &mut Columns) -> bool {
    let all_differ = counts.templates.distinct() > counts.lines / 10 * 9;
    let is_ordinary = line.class == Class::None && line.marks.is_empty() && line.kth > MAX_SIMILAR;
    if all_differ && is_ordinary {
        line.marks.odd = columns.has_odd_word(line);
        return line.marks.odd;
    }
    may_matter(line, counts)
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Candidates, Counts, Required, StoredLine};
    use crate::text::view::class::Class;
    use crate::text::view::shape::Shape;
    use crate::text::view::store::line::{Body, Marks};

    /// Returns a line with words of its own, and the form of all others.
    fn ordinary(number: u64) -> StoredLine {
        StoredLine {
            number,
            start: 0,
            end: 1,
            body: Body::Whole("a line".to_owned()),
            class: Class::None,
            shape: Shape { template: number, skeleton: 1 },
            kth: u32::try_from(number).expect("small"),
            template_kth: 1,
            marks: Marks::default(),
            run_start: number,
        }
    }

    /// Returns a row of a table.
    pub(in crate::text::view::store) fn row(number: u64, text: &str) -> StoredLine {
        StoredLine { body: Body::Whole(text.to_owned()), ..ordinary(number) }
    }

    #[test]
    fn the_memory_of_dropped_lines_is_counted_no_longer() {
        let (mut candidates, mut required) = (Candidates::default(), Required::default());
        let counts = Counts::default();
        for number in 1..=40_000 {
            candidates.add(StoredLine { kth: 1, ..ordinary(number) }, &counts, &mut required);
        }
        let texts: usize = candidates.iter().map(StoredLine::text_cost).sum();
        assert!(candidates.lines.len() < 20_000, "lines are dropped");
        assert_eq!(candidates.texts, texts);
    }

    #[test]
    fn of_lines_that_all_differ_only_those_are_wanted_that_differ_by_more_than_their_words() {
        let (mut candidates, required, mut counts) =
            (Candidates::default(), Required::default(), Counts::default());
        for number in 1..=100 {
            counts.templates.count(number, number, Class::default);
            counts.skeletons.count(1, number, Class::default);
            counts.lines = number;
        }
        let mut near_an_error =
            StoredLine { marks: Marks { context: true, ..Marks::default() }, ..ordinary(100) };
        let mut warning = StoredLine { class: Class::Warning, ..ordinary(100) };
        assert!(candidates.wants(&mut ordinary(100), &counts, &required), "while there is room");
        candidates.is_selective = true;
        assert!(!candidates.wants(&mut ordinary(100), &counts, &required));
        assert!(candidates.wants(&mut near_an_error, &counts, &required));
        assert!(candidates.wants(&mut warning, &counts, &required));
        assert!(
            candidates.wants(&mut StoredLine { kth: 1, ..ordinary(100) }, &counts, &required),
            "a rare form"
        );

        for _ in 0..100 {
            counts.templates.count(1, 200, Class::default);
            counts.lines += 1;
        }
        assert!(
            candidates.wants(&mut ordinary(100), &counts, &required),
            "rare words among lines that repeat"
        );
    }
}
