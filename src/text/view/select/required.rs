//! The required lines: the first and the last line of the output, and the first and the last line of each of
//! the two most important groups of failures.
//!
//! Each line is first cut to a few bytes, so that all of them fit. Then they are widened in turns.

use super::Selection;
use crate::text::view::class::Class;
use crate::text::view::options::Source;
use crate::text::view::order::ranking;
use crate::text::view::store::Store;
use crate::text::view::store::line::{MIN_LIMIT, StoredLine};

/// The sizes (bytes) to which required lines are widened one after another, as long as there is room.
const WIDTHS: [usize; 5] = [60, 96, 160, 300, usize::MAX];

/// The size (bytes) of the first and of the last line if the budget has no room for more.
const MIN_WIDTH: usize = 28;

/// The most groups of failures that are distinguished, in order: the best group is almost always among the
/// first.
const MAX_GROUPS: usize = 512;

/// Failures with one skeleton.
struct Group {
    rank: f64,
    skeleton: u64,
    first: usize,
    last: usize,
}

impl Selection<'_> {
    /// Shows the first line and the last non-blank line, with the longest footer that leaves room for them.
    pub(super) fn add_ends(&mut self, source: &Source<'_>) {
        let last = self.lines.iter().rposition(|line| !line.is_blank()).unwrap_or(0);
        let ends = if last > 0 { vec![0, last] } else { vec![0] };
        for detail in self.footer_details(source) {
            self.set_footer(detail, source);
            if [MIN_LIMIT, MIN_WIDTH].into_iter().any(|size| self.add_all(&ends, size)) {
                break;
            }
        }
    }

    /// Shows exactly these lines, cut to a size. Returns whether all fit.
    fn add_all(&mut self, indexes: &[usize], size: usize) -> bool {
        self.shown.clear();
        self.size = 0;
        indexes.iter().filter(|&&index| self.add_narrow(index, size)).count() == indexes.len()
    }

    /// Shows the first and the last line of each of the two most important groups of failures.
    pub(super) fn add_failures(&mut self, ranks: &[f64]) {
        let groups = groups(self.store, &self.lines, ranks);
        let ranks: Vec<f64> = groups.iter().map(|group| group.rank).collect();
        let order = ranking(&ranks);
        let best = || order.iter().take(2).map(|&index| &groups[index]);
        for index in best().map(|group| group.first).chain(best().map(|group| group.last)) {
            self.add_narrow(index, MIN_LIMIT);
        }
    }

    /// Widens the shown lines in turns, as long as there is room. No line gets more than a quarter of the
    /// budget.
    pub(super) fn widen_required(&mut self) {
        let required: Vec<usize> = self.shown.iter().copied().collect();
        let most = (self.budget / 4).max(60).min(self.width);
        for width in WIDTHS {
            for &index in &required {
                self.set_limit(index, width.min(most));
            }
        }
    }

    fn add_narrow(&mut self, index: usize, size: usize) -> bool {
        if self.shown.contains(&index) {
            return true;
        }
        let usual = std::mem::replace(&mut self.limits[index], size.min(self.width));
        let fits = self.add(index);
        if !fits {
            self.limits[index] = usual;
        }
        fits
    }
}

/// Returns the groups of failures whose first and last lines are kept.
fn groups(store: &Store, lines: &[&StoredLine], ranks: &[f64]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let is_known =
        |line: &StoredLine| line.class == Class::Failure && store.knows_failures(line.shape.skeleton);
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| is_known(line)) {
        if let Some(group) = groups.iter_mut().find(|group| group.skeleton == line.shape.skeleton) {
            group.rank = group.rank.max(ranks[index]);
            group.last = index;
        } else if groups.len() < MAX_GROUPS {
            groups.push(Group {
                rank: ranks[index],
                skeleton: line.shape.skeleton,
                first: index,
                last: index,
            });
        }
    }
    groups
}
