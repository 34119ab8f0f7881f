//! Which lines are shown.
//!
//! First those that must be: the first line and the last, and of the two groups of failures that matter most the first and
//! the last. Then the shares of the beginning and of the end. Then whatever has the highest score, as long as it fits: its
//! own rank, or a part of the rank of a line near it. What is left goes to the end, and then to the beginning.

use std::collections::BTreeSet;

use super::class::Class;
use super::options::{Ending, Source, ViewOptions};
use super::render::{Detail, Footer, LeftOut, View, looks_like_marker};
use super::store::line::{Body, Line};
use super::store::rank::ranks;
use super::store::{FEW_LINES, Store};

/// A run of so many lines of one form is folded.
const RUN: usize = 5;

/// What a line near one that matters gets of its rank, by the number of lines between them.
const AFTER: [f64; 4] = [0.62, 0.55, 0.48, 0.42];
const BEFORE: [f64; 2] = [0.40, 0.30];

/// What lines further behind it get, for when there is room.
const FAR: f64 = 0.16;
const FAR_LINES: usize = 14;

/// A line with a lower rank gives nothing to those around it.
const MATTERS: f64 = 25.0;

/// So many groups of failures are told apart, in their order: one of the first is among the best.
const GROUPS: usize = 512;

/// A line with a lower score is no better than one of the end.
const LEAST: f64 = 8.0;

/// A line that must be shown is cut to these sizes until it fits (bytes).
const CUTS: [usize; 5] = [300, 160, 96, 60, 40];

/// The view of a store whose text does not fit.
pub(super) fn view(store: &Store, options: &ViewOptions, ending: Ending, source: &Source<'_>) -> View {
    let mut plan = Plan::new(store, options, source);
    let scores = Scores::of(&plan, store, options, ending);
    plan.add_ends();
    plan.add_failures(&scores.ranks);
    plan.add_shares(options);
    plan.add_best(&scores.scores);
    plan.fill();
    plan.view(source)
}

/// The beginning and the end, with the same markers: what remains when a view can't be made.
pub(super) fn ends(store: &Store, options: &ViewOptions, source: &Source<'_>) -> View {
    let mut plan = Plan::new(store, options, source);
    plan.add_ends();
    plan.fill();
    plan.view(source)
}

struct Plan<'a> {
    store: &'a Store,
    lines: Vec<&'a Line>,
    /// How much of each line is shown at most (bytes).
    limits: Vec<usize>,
    /// Those that are shown.
    shown: BTreeSet<usize>,
    /// Lines that are not the first or the last of a run of lines of one form.
    is_folded: Vec<bool>,
    /// The runs: their first and last numbers.
    runs: Vec<(u64, u64)>,
    size: usize,
    /// What the lines and the markers may take (bytes).
    budget: usize,
    options: &'a ViewOptions,
    detail: Option<Detail>,
}

impl<'a> Plan<'a> {
    fn new(store: &'a Store, options: &'a ViewOptions, source: &Source<'_>) -> Self {
        let lines = store.all();
        let detail = footer_detail(store, options, source);
        let reserved = detail.map_or(0, |detail| longest_footer(store, source, detail) + 1);
        let few = options.max_bytes * 11 / 20;
        let limit = if store.lines() < FEW_LINES { few.max(store.long) } else { store.long };
        let (is_folded, runs) =
            if options.fold { runs(&lines) } else { (vec![false; lines.len()], Vec::new()) };
        Self {
            store,
            limits: vec![limit; lines.len()],
            lines,
            shown: BTreeSet::new(),
            is_folded,
            runs,
            size: 0,
            budget: options.max_bytes.saturating_sub(reserved),
            options,
            detail,
        }
    }

    /// What is left out between two lines that are shown, or before the first, or after the last.
    fn gap(&self, before: Option<usize>, after: Option<usize>) -> Option<LeftOut> {
        let (from, start) =
            before.map_or((1, 0), |index| (self.lines[index].number + 1, self.lines[index].end));
        let (to, end) = after.map_or((self.store.lines(), self.store.total()), |index| {
            (self.lines[index].number - 1, self.lines[index].start)
        });
        (from <= to).then(|| LeftOut { from, to, bytes: end - start, like: self.like(before, from, to) })
    }

    /// The line that all of these are like, if it is shown just before them.
    fn like(&self, before: Option<usize>, from: u64, to: u64) -> Option<u64> {
        let place = self.runs.partition_point(|(_, last)| *last < to);
        let (first, last) = *self.runs.get(place)?;
        (before.is_some() && to > from && first < from && to <= last).then(|| from - 1)
    }

    fn gap_len(&self, before: Option<usize>, after: Option<usize>) -> usize {
        self.gap(before, after).map_or(0, |gap| gap.marker_len() + 1)
    }

    fn line_len(&self, index: usize) -> usize {
        let escaped =
            self.options.escape && looks_like_marker(&self.lines[index].body.shown(self.limits[index]));
        self.lines[index].body.shown_len(self.limits[index]) + 1 + usize::from(escaped)
    }

    /// The size with one more line.
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

    /// Shows a line, in pieces if need be.
    fn add_cut(&mut self, index: usize, most: usize) {
        if self.shown.contains(&index) {
            return;
        }
        let limit = self.limits[index];
        self.limits[index] = limit.min(most);
        if self.add(index) {
            return;
        }
        for cut in CUTS {
            self.limits[index] = cut.min(limit).min(most);
            if self.add(index) {
                return;
            }
        }
        self.limits[index] = limit;
    }

    fn add_ends(&mut self) {
        let last = self.lines.iter().rposition(|line| !line.is_blank());
        let most = self.budget / 4;
        if !self.lines.is_empty() {
            self.add_cut(0, most);
        }
        if let Some(last) = last {
            self.add_cut(last, most.max(40));
        }
    }

    /// Of the two groups of failures that matter most, the first and the last.
    fn add_failures(&mut self, ranks: &[f64]) {
        let mut groups: Vec<(f64, u64, usize, usize)> = Vec::new();
        for (index, line) in self.lines.iter().enumerate().filter(|(_, line)| line.class == Class::Failure) {
            let known = groups.iter().position(|group| group.1 == line.shape.skeleton);
            if let Some(group) = known.map(|place| &mut groups[place]) {
                group.0 = group.0.max(ranks[index]);
                group.3 = index;
            } else if groups.len() < GROUPS {
                groups.push((ranks[index], line.shape.skeleton, index, index));
            }
        }
        groups.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.2.cmp(&other.2)));
        let most = (self.budget / 4).max(60);
        for pick in [|group: &(f64, u64, usize, usize)| group.2, |group: &(f64, u64, usize, usize)| group.3] {
            for group in groups.iter().take(2) {
                self.add_cut(pick(group), most);
            }
        }
    }

    /// The shares of the beginning and of the end.
    fn add_shares(&mut self, options: &ViewOptions) {
        let end = self.lines.len();
        self.add_share(0..end, options.head);
        self.add_share((0..end).rev(), options.tail);
    }

    fn add_share(&mut self, indexes: impl Iterator<Item = usize>, share: usize) {
        let mut left = share;
        for index in indexes {
            if self.is_folded[index] {
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
        let mut order: Vec<usize> =
            (0..self.lines.len()).filter(|&index| scores[index] >= LEAST && !self.is_folded[index]).collect();
        order.sort_by(|&one, &other| scores[other].total_cmp(&scores[one]).then(one.cmp(&other)));
        for index in order {
            self.add(index);
        }
        self.close_gaps();
    }

    /// Shows what takes no more room than the marker that stands for it.
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

    /// What is left goes to the end, then to the beginning, and then to what was folded.
    fn fill(&mut self) {
        let end = self.lines.len();
        let is_folded = std::mem::take(&mut self.is_folded);
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
        for index in (0..end).rev() {
            if !self.shown.contains(&index) && !self.add(index) {
                break;
            }
        }
        self.is_folded = is_folded;
        self.close_gaps();
    }

    fn view(&self, source: &Source<'_>) -> View {
        let mut parts: Vec<String> = Vec::new();
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        let mut left_out = Vec::new();
        let mut before = None;
        for after in self.shown.iter().map(|&index| Some(index)).chain([None]) {
            if let Some(gap) = self.gap(before, after) {
                parts.push(gap.marker());
                left_out.push(gap);
            }
            let Some(index) = after else { break };
            let number = self.lines[index].number;
            parts.push(self.shown_line(index));
            match ranges.last_mut() {
                Some(range) if range.1 + 1 == number => range.1 = number,
                _ => ranges.push((number, number)),
            }
            before = after;
        }
        if let Some(detail) = self.detail {
            parts.push(self.footer(source).text(detail));
        }
        View {
            text: parts.join("\n"),
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

    fn footer<'s>(&self, source: &'s Source<'s>) -> Footer<'s> {
        Footer {
            lines: self.store.lines(),
            bytes: self.store.total(),
            shown: self.shown.len() as u64,
            failures: self.failures_left_out(),
            source,
        }
    }

    /// How many failures are left out, and the first of them.
    fn failures_left_out(&self) -> Option<(u64, u64)> {
        let is_failure = |index: &usize| self.lines[*index].class == Class::Failure;
        let shown = self.shown.iter().copied().filter(|index| is_failure(index)).count() as u64;
        let left = self.store.failures().saturating_sub(shown);
        let first = (0..self.lines.len()).find(|index| is_failure(index) && !self.shown.contains(index));
        let first = first.map(|index| self.lines[index].number);
        let dropped = self.store.first_dropped().filter(|number| {
            self.lines
                .binary_search_by_key(number, |line| line.number)
                .map_or(true, |index| !self.shown.contains(&index))
        });
        let first = match (first, dropped) {
            (Some(first), Some(dropped)) => Some(first.min(dropped)),
            (first, dropped) => first.or(dropped),
        };
        (left > 0).then_some(())?;
        Some((left, first?))
    }
}

/// How much the footer tells, so that it leaves enough for the rest.
fn footer_detail(store: &Store, options: &ViewOptions, source: &Source<'_>) -> Option<Detail> {
    if !options.footer {
        return None;
    }
    let room = if options.max_bytes < 600 { options.max_bytes / 2 } else { (options.max_bytes / 5).max(200) };
    [Detail::Full, Detail::NoCommand, Detail::Short]
        .into_iter()
        .find(|detail| longest_footer(store, source, *detail) <= room)
}

/// The footer that has the most to tell is at least as long as any other.
fn longest_footer(store: &Store, source: &Source<'_>, detail: Detail) -> usize {
    let (lines, bytes) = (store.lines(), store.total());
    let failures = (store.failures() > 0).then(|| (store.failures().max(2), lines));
    Footer { lines, bytes, shown: lines, failures, source }.text(detail).len()
}

/// Which lines are within a run of lines of one form, and the runs.
fn runs(lines: &[&Line]) -> (Vec<bool>, Vec<(u64, u64)>) {
    let mut is_folded = vec![false; lines.len()];
    let mut runs = Vec::new();
    let mut start = 0;
    for index in 1..=lines.len() {
        let goes_on = index < lines.len() && {
            let (line, last) = (lines[index], lines[index - 1]);
            line.number == last.number + 1
                && line.shape.template == last.shape.template
                && may_fold(line)
                && may_fold(last)
        };
        if goes_on {
            continue;
        }
        if index - start >= RUN {
            is_folded[start + 1..index - 1].fill(true);
            runs.push((lines[start].number, lines[index - 1].number));
        }
        start = index;
    }
    (is_folded, runs)
}

fn may_fold(line: &Line) -> bool {
    let is_short = matches!(&line.body, Body::Whole(text) if text.len() <= 512);
    // Numbers near a failure may be the message.
    let is_difference = line.class == Class::Place && line.marks.near_failure;
    is_short
        && line.class <= Class::Place
        && line.class != Class::Summary
        && !is_difference
        && !line.marks.important
}

struct Scores {
    ranks: Vec<f64>,
    scores: Vec<f64>,
}

impl Scores {
    fn of(plan: &Plan<'_>, store: &Store, options: &ViewOptions, ending: Ending) -> Self {
        let ranks = ranks(&plan.lines, &store.counts, ending);
        let mut scores = ranks.clone();
        for index in 0..ranks.len() {
            if ranks[index] >= MATTERS {
                spread(plan, store, options, &ranks, &mut scores, index);
            }
        }
        Self { ranks, scores }
    }
}

/// Gives lines around one that matters a part of its rank.
#[allow(clippy::needless_range_loop, reason = "two lists are read side by side")]
fn spread(
    plan: &Plan<'_>,
    store: &Store,
    options: &ViewOptions,
    ranks: &[f64],
    scores: &mut [f64],
    index: usize,
) {
    let line = plan.lines[index];
    let is_frequent = |other: &Line| {
        let count = u64::from(store.counts.templates.get(other.shape.template));
        other.class == Class::None && count > 8 && count * 20 > store.lines()
    };
    let matters = line.class >= Class::Likely || line.marks.important;
    let mut distance = 0;
    for other in index + 1..plan.lines.len() {
        let is_next = plan.lines[other].number - line.number == (other - index) as u64;
        if !is_next || distance >= FAR_LINES || is_frequent(plan.lines[other]) {
            break;
        }
        if plan.lines[other].is_blank() {
            continue;
        }
        let part = if distance < options.after { AFTER.get(distance).copied().unwrap_or(FAR) } else { FAR };
        let part = if matters { part } else { part * 0.5 };
        scores[other] = scores[other].max(ranks[index] * part);
        distance += 1;
    }
    let mut distance = 0;
    for other in (0..index).rev() {
        let is_next = line.number - plan.lines[other].number == (index - other) as u64;
        if !is_next || distance >= options.before || is_frequent(plan.lines[other]) {
            break;
        }
        if plan.lines[other].is_blank() {
            continue;
        }
        let part = BEFORE.get(distance).copied().unwrap_or(FAR);
        let part = if matters { part } else { part * 0.5 };
        scores[other] = scores[other].max(ranks[index] * part);
        distance += 1;
    }
}
