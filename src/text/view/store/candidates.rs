//! Lines between the beginning and the end that may matter.

use super::counters::Counts;
use super::line::Line;
use super::rank::{may_matter, ranks};
use crate::text::view::class::Class;
use crate::text::view::options::Ending;

/// The most memory that candidates take (bytes): half of what a view may take besides its budget.
const MOST: usize = 1024 * 1024;

/// The candidates, in their order: all lines while there is room, and from then on those that may matter.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    lines: Vec<Line>,
    cost: usize,
    is_selective: bool,
}

impl Candidates {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter()
    }

    pub(super) const fn memory(&self) -> usize {
        self.cost
    }

    /// Whether a line is to be added.
    pub(super) fn wants(&self, line: &Line, counts: &Counts) -> bool {
        !self.is_selective || may_matter(line, counts)
    }

    /// Adds a line. Returns those that have to go: of too many, those that don't matter, and the half that ranks lower.
    pub(super) fn add(&mut self, line: Line, counts: &Counts) -> Vec<Line> {
        self.cost += line.cost();
        self.lines.push(line);
        if self.cost <= MOST {
            return Vec::new();
        }
        let mut removed = Vec::new();
        if !std::mem::replace(&mut self.is_selective, true) {
            removed.extend(self.lines.extract_if(.., |line| !may_matter(line, counts)));
            self.cost = self.lines.iter().map(Line::cost).sum();
        }
        if self.cost > MOST / 2 {
            removed.extend(self.remove_lower_half(counts));
        }
        removed
    }

    /// Removes the lines with the lowest ranks. The first two failures stay.
    fn remove_lower_half(&mut self, counts: &Counts) -> Vec<Line> {
        let lines: Vec<&Line> = self.lines.iter().collect();
        let mut ranked: Vec<(f64, usize)> =
            ranks(&lines, counts, Ending::Failed).into_iter().zip(0..).collect();
        let is_failure = |index: usize| self.lines[index].class == Class::Failure;
        for (rank, _) in ranked.iter_mut().filter(|(_, index)| is_failure(*index)).take(2) {
            *rank = f64::INFINITY;
        }
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut stays = vec![false; self.lines.len()];
        let mut cost = 0;
        for (_, index) in ranked {
            cost += self.lines[index].cost();
            stays[index] = cost <= MOST / 2;
        }
        let mut removed = Vec::new();
        for (line, stays) in std::mem::take(&mut self.lines).into_iter().zip(stays) {
            if stays { self.lines.push(line) } else { removed.push(line) }
        }
        self.cost = self.lines.iter().map(Line::cost).sum();
        removed
    }
}
