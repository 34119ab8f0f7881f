//! Selects the lines that are shown, in four steps:
//!
//! 1. The required lines: the first and the last line of the output, and the first and the last line of each
//!    of the two most important groups of failures.
//! 2. The shares of the beginning and of the end.
//! 3. The lines with the highest scores, as long as they fit. A score is a line's own rank, or a part of the
//!    rank of a line near it.
//! 4. With the rest of the budget, more of the end, and then of the beginning.

mod named;
mod odd;
mod required;
mod runs;
mod scores;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::class::Class;
use super::marker::{Detail, Footer, LeftOut, looks_like_marker};
use super::minimize::Ranges;
use super::options::{ExitKind, Source, ViewOptions};
use super::order::best_first;
use super::result::View;
use super::store::line::StoredLine;
use super::store::{FEW_LINES, Store};
use odd::odd_words;
use runs::LineRuns;
use scores::Scores;

/// The lowest score that counts: a line with a lower score is worth no more than a line of the end.
const MIN_SCORE: f64 = 8.0;

/// Returns the view of a store whose text does not fit into the budget.
/// Lines of `ranges` are not among those that are selected from.
pub(super) fn view(
    store: &Store,
    options: &ViewOptions,
    ending: ExitKind,
    source: &Source<'_>,
    ranges: Ranges,
) -> View {
    let mut selection = Selection::new(store, options, source, ranges);
    let scores = Scores::of(&selection.lines, &selection.odd, store, options, ending);
    selection.add_ends(source);
    selection.add_failures(&scores.ranks);
    selection.widen_required();
    selection.add_shares(options);
    selection.add_best(&scores.scores);
    selection.fill();
    selection.widen();
    selection.view(source)
}

/// Returns the plain view of the beginning and the end, for the case that no other view fits.
pub(super) fn ends(store: &Store, options: &ViewOptions, source: &Source<'_>) -> View {
    let mut selection = Selection::new(store, options, source, Ranges::default());
    selection.add_ends(source);
    selection.widen_required();
    selection.fill();
    selection.widen();
    selection.view(source)
}

struct Selection<'a> {
    store: &'a Store,
    lines: Vec<&'a StoredLine>,
    /// The lines that are left out by rules, in order.
    ranges: Ranges,
    /// The score of each line for an odd word.
    odd: Vec<f64>,
    /// The length to which each line is cut (bytes).
    limits: Vec<usize>,
    /// The length (bytes) to which a line is cut while other lines may need the room.
    width: usize,
    /// The length (bytes) to which a line is cut once there is room.
    longest: usize,
    shown: BTreeSet<usize>,
    runs: LineRuns,
    size: usize,
    /// The budget of lines and markers (bytes).
    budget: usize,
    options: &'a ViewOptions,
    /// The number of lines before the first one, which the numbers of lines include.
    lines_before: u64,
    detail: Option<Detail>,
}

impl<'a> Selection<'a> {
    fn new(store: &'a Store, options: &'a ViewOptions, source: &Source<'_>, ranges: Ranges) -> Self {
        let mut lines = store.all();
        if !ranges.is_empty() {
            lines.retain(|line| !ranges.contains(line.number));
        }
        let few = options.max_bytes * 11 / 20;
        let width = if store.lines() < FEW_LINES { few.max(store.long) } else { store.long };
        let odd = odd_words(&lines);
        let runs = if options.fold { LineRuns::of(&lines, &odd) } else { LineRuns::none(&lines) };
        Self {
            store,
            odd,
            limits: vec![width; lines.len()],
            width,
            // The only line of an output competes with no other line.
            longest: if store.lines() == 1 { options.max_bytes } else { width },
            lines,
            ranges,
            shown: BTreeSet::new(),
            runs,
            size: 0,
            budget: options.max_bytes,
            options,
            lines_before: source.lines_before(),
            detail: None,
        }
    }

    /// Reserves room for the footer.
    fn set_footer(&mut self, detail: Option<Detail>, source: &Source<'_>) {
        let reserved = detail.map_or(0, |detail| longest_footer(self.store, source, detail) + 1);
        self.budget = self.options.max_bytes.saturating_sub(reserved);
        self.detail = detail;
    }

    /// Returns the lines left out between two shown lines, before the first one, or after the last one.
    fn gap(&self, before: Option<usize>, after: Option<usize>) -> Option<LeftOut> {
        let (from, start) =
            before.map_or((1, 0), |index| (self.lines[index].number + 1, self.lines[index].end));
        let (to, end) = after.map_or((self.store.lines(), self.store.total()), |index| {
            (self.lines[index].number - 1, self.lines[index].start)
        });
        (from <= to).then(|| {
            let reason = self.ranges.reasons(from, to);
            let like = self.like(before, from, to).filter(|_| reason.is_none());
            LeftOut {
                from: from + self.lines_before,
                to: to + self.lines_before,
                bytes: end - start,
                like: like.map(|line| line + self.lines_before),
                reason,
            }
        })
    }

    /// Returns the shown line just before these lines, if all of them are similar to it.
    fn like(&self, before: Option<usize>, from: u64, to: u64) -> Option<u64> {
        (before.is_some() && to > from && self.runs.has(from, to)).then(|| from - 1)
    }

    fn gap_len(&self, before: Option<usize>, after: Option<usize>) -> usize {
        self.gap(before, after).map_or(0, |gap| gap.marker_len() + 1)
    }

    fn line_len(&self, index: usize) -> usize {
        let escaped =
            self.options.escape && looks_like_marker(&self.lines[index].body.shown(self.limits[index]));
        self.lines[index].body.shown_len(self.limits[index]) + 1 + usize::from(escaped)
    }

    /// Returns the size of the view with one more line.
    fn size_with(&self, index: usize) -> usize {
        let before = self.shown.range(..index).next_back().copied();
        let after = self.shown.range(index + 1..).next().copied();
        let gaps = self.gap_len(before, Some(index)) + self.gap_len(Some(index), after);
        let old = if self.shown.is_empty() { 0 } else { self.gap_len(before, after) };
        self.size + self.line_len(index) + gaps - old
    }

    /// Shows a line if it fits.
    fn add(&mut self, index: usize) -> bool {
        if self.shown.contains(&index) {
            return true;
        }
        let size = self.size_with(index);
        if size > self.budget {
            return false;
        }
        self.size = size;
        self.shown.insert(index);
        true
    }

    /// Shows more of a line, if there is room.
    fn set_limit(&mut self, index: usize, limit: usize) {
        if limit <= self.limits[index] {
            return;
        }
        let old = self.line_len(index);
        let before = std::mem::replace(&mut self.limits[index], limit);
        let new = self.line_len(index);
        let size = (self.size + new).saturating_sub(old);
        // The ranks of pieces decide which of them fit, so a greater limit can give a shorter text.
        if new < old || size > self.budget {
            self.limits[index] = before;
        } else {
            self.size = size;
        }
    }

    /// Shows the shares of the beginning and of the end.
    fn add_shares(&mut self, options: &ViewOptions) {
        let end = self.lines.len();
        self.add_share(0..end, options.head);
        self.add_share((0..end).rev(), options.tail);
    }

    fn add_share(&mut self, indexes: impl Iterator<Item = usize>, share: usize) {
        let mut left = share;
        for index in indexes {
            if self.runs.is_folded[index] {
                continue;
            }
            let Some(rest) = left.checked_sub(self.line_len(index)) else { return };
            if !self.add(index) {
                return;
            }
            left = rest;
        }
    }

    fn add_best(&mut self, scores: &[f64]) {
        let mut order: Vec<usize> = (0..self.lines.len())
            .filter(|&index| scores[index] >= MIN_SCORE && !self.runs.is_folded[index])
            .collect();
        best_first(&mut order, scores);
        for index in order {
            self.add(index);
        }
        self.close_gaps();
    }

    /// Shows lines that take no more room than their marker.
    fn close_gaps(&mut self) {
        let shown: Vec<usize> = self.shown.iter().copied().collect();
        for pair in shown.windows(2) {
            let (before, after) = (pair[0], pair[1]);
            let is_whole = self.lines[after].number - self.lines[before].number == (after - before) as u64;
            if !is_whole || after - before > 4 || after - before == 1 {
                continue;
            }
            let lines: usize = (before + 1..after).map(|index| self.line_len(index)).sum();
            let marker = self.gap_len(Some(before), Some(after));
            if lines <= marker {
                self.size = self.size + lines - marker;
                self.shown.extend(before + 1..after);
            }
        }
    }

    /// Spends the rest of the budget on the end, then on the beginning, and then on folded lines with other
    /// texts.
    fn fill(&mut self) {
        let end = self.lines.len();
        let is_folded = std::mem::take(&mut self.runs.is_folded);
        for index in (0..end).rev().filter(|&index| !is_folded[index]) {
            if !self.shown.contains(&index) && !self.add(index) {
                break;
            }
        }
        for index in (0..end).filter(|&index| !is_folded[index]) {
            if !self.shown.contains(&index) && !self.add(index) {
                break;
            }
        }
        let is_repeated = std::mem::take(&mut self.runs.is_repeated);
        for index in (0..end).rev().filter(|&index| !is_repeated[index]) {
            if !self.shown.contains(&index) && !self.add(index) {
                break;
            }
        }
        self.runs.is_folded = is_folded;
        self.runs.is_repeated = is_repeated;
        self.close_gaps();
    }

    /// Shows more of the lines that were cut for other lines that then did not need the room.
    fn widen(&mut self) {
        let cut: Vec<usize> = self
            .shown
            .iter()
            .copied()
            .filter(|&index| !self.lines[index].body.is_shown_whole(self.limits[index]))
            .collect();
        for (done, &index) in cut.iter().enumerate() {
            let share = self.budget.saturating_sub(self.size) / (cut.len() - done);
            let limit = self.lines[index].body.shown_len(self.limits[index]) + share;
            self.set_limit(index, limit.min(self.longest));
        }
    }

    fn view(&self, source: &Source<'_>) -> View {
        let mut text = String::with_capacity(self.size + 256);
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        let mut left_out = Vec::new();
        let mut before = None;
        for after in self.shown.iter().map(|&index| Some(index)).chain([None]) {
            if let Some(gap) = self.gap(before, after) {
                text.push_str(&gap.marker());
                text.push('\n');
                left_out.push(gap);
            }
            let Some(index) = after else { break };
            let number = self.lines[index].number + self.lines_before;
            text.push_str(&self.shown_line(index));
            text.push('\n');
            match ranges.last_mut() {
                Some(range) if range.1 + 1 == number => range.1 = number,
                _ => ranges.push((number, number)),
            }
            before = after;
        }
        debug_assert_eq!(text.len(), self.size, "the size of the view is that of its lines and markers");
        match self.detail {
            Some(detail) => text.push_str(&self.footer(source).text(detail)),
            None => text.truncate(text.len().saturating_sub(1)),
        }
        View {
            text,
            lines: self.store.lines(),
            bytes: self.store.total(),
            shown: ranges,
            left_out,
            complete: false,
        }
    }

    fn shown_line(&self, index: usize) -> String {
        let shown = self.lines[index].body.shown(self.limits[index]);
        if self.options.escape && looks_like_marker(&shown) { format!(" {shown}") } else { shown }
    }

    /// Returns the levels of detail that the footer may have, the longest first and `None` last.
    fn footer_details(&self, source: &Source<'_>) -> Vec<Option<Detail>> {
        let budget = self.options.max_bytes;
        let room = if budget < 600 { budget / 2 } else { (budget / 5).max(200) };
        let fits =
            |detail: &Detail| self.options.footer && longest_footer(self.store, source, *detail) <= room;
        let details =
            [Detail::Full, Detail::NoCommand, Detail::NoPath, Detail::Short].into_iter().filter(fits);
        details.map(Some).chain([None]).collect()
    }

    fn footer<'s>(&self, source: &'s Source<'s>) -> Footer<'s> {
        Footer {
            lines: self.store.lines(),
            bytes: self.store.total(),
            shown: self.shown.len() as u64,
            failures: self.failures_left_out(),
            source,
        }
    }

    /// Returns the number of failures left out, and the number of the first one.
    fn failures_left_out(&self) -> Option<(u64, u64)> {
        let is_failure = |index: &usize| self.lines[*index].class == Class::Failure;
        let shown = self.shown.iter().copied().filter(|index| is_failure(index)).count() as u64;
        let left = self.store.failures().saturating_sub(shown);
        let first = (0..self.lines.len()).find(|index| is_failure(index) && !self.shown.contains(index));
        let first = first.map(|index| self.lines[index].number);
        let first = first.into_iter().chain(self.store.first_dropped()).min();
        (left > 0).then_some(())?;
        Some((left, first?))
    }
}

/// Returns the longest footer that the view may need.
fn longest_footer(store: &Store, source: &Source<'_>, detail: Detail) -> usize {
    let (lines, bytes) = (store.lines(), store.total());
    let failures = (store.failures() > 0).then(|| (store.failures().max(2), lines));
    Footer { lines, bytes, shown: lines, failures, source }.text(detail).len()
}
