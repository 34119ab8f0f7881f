//! What is kept of a stream: its beginning, its end, and of what is between them the lines that may matter.

pub(super) mod counters;
pub(super) mod line;
pub(super) mod rank;
pub(super) mod segments;

use std::collections::VecDeque;

use aho_corasick::AhoCorasick;

use super::class::{Class, REACH, classify};
use super::options::{Ending, ViewOptions};
use super::shape::shape_of;
use counters::Counts;
use line::{Body, Line, Marks, OVERHEAD, Pieces, prefix};
use rank::ranks;
use segments::{Limits, LongText};

/// What lines between the beginning and the end may take together (bytes).
const KEPT: usize = 1024 * 1024;

/// So many lines are looked back at, whatever the budget.
const FEW: usize = 24;

/// A line belongs to a failure for so many lines after it.
const NEAR: u64 = 40;

/// So many lines after one that matters are kept with it, so that there is context when there is room.
const AFTER: u64 = 14;

/// Of lines with one template so many are kept; of failures so many.
const OF_ONE_KIND: u32 = 6;
const FAILURES_OF_ONE_KIND: u32 = 40;

/// A line is rare while so many are like it.
const RARE: u32 = 3;

/// In an output of so few lines each may take a larger share of the budget.
pub(super) const FEW_LINES: u64 = 12;

/// Where a line comes from.
#[derive(Clone, Copy, Debug)]
pub(in crate::text::view) struct Arrival {
    pub(in crate::text::view) start: u64,
    pub(in crate::text::view) end: u64,
    pub(in crate::text::view) has_break: bool,
    pub(in crate::text::view) stream: Option<u8>,
}

/// The lines of a stream, as far as they are kept: each is in one of three places, which follow each other.
#[derive(Clone, Debug)]
pub(in crate::text::view) struct Store {
    budget: usize,
    before: usize,
    /// A line that is longer is shown in pieces (bytes).
    pub(in crate::text::view) long: usize,
    important: Option<AhoCorasick>,
    pub(in crate::text::view) counts: Counts,
    /// All of the plain text, while it fits.
    whole: Option<String>,
    head: Vec<Line>,
    head_cost: usize,
    head_is_full: bool,
    kept: Vec<Line>,
    kept_cost: usize,
    ring: VecDeque<Line>,
    ring_cost: usize,
    total: u64,
    /// How many lines are failures.
    failures: u64,
    /// The first failure that was dropped.
    first_dropped: Option<u64>,
    /// The last failure that was dropped; it comes back in the end.
    last_dropped: Option<Line>,
    last_failure: Option<u64>,
    /// Up to this line everything is context.
    context_until: u64,
    stream_totals: [u64; 2],
}

impl Store {
    pub(in crate::text::view) fn new(options: &ViewOptions) -> Self {
        let important = (!options.important.is_empty()).then(|| AhoCorasick::new(&options.important).ok());
        Self {
            budget: options.max_bytes,
            before: options.before,
            long: (options.max_bytes / 8).max(300),
            important: important.flatten(),
            counts: Counts::default(),
            whole: Some(String::new()),
            head: Vec::new(),
            head_cost: 0,
            head_is_full: false,
            kept: Vec::new(),
            kept_cost: 0,
            ring: VecDeque::new(),
            ring_cost: 0,
            total: 0,
            failures: 0,
            first_dropped: None,
            last_dropped: None,
            last_failure: None,
            context_until: 0,
            stream_totals: [0; 2],
        }
    }

    /// The whole plain text, if it fits.
    pub(in crate::text::view) fn whole_text(&self) -> Option<&str> {
        self.whole.as_deref()
    }

    pub(in crate::text::view) const fn lines(&self) -> u64 {
        self.counts.lines
    }

    pub(in crate::text::view) const fn total(&self) -> u64 {
        self.total
    }

    pub(in crate::text::view) const fn failures(&self) -> u64 {
        self.failures
    }

    /// The first failure that is not among the lines.
    pub(in crate::text::view) const fn first_dropped(&self) -> Option<u64> {
        self.first_dropped
    }

    pub(in crate::text::view) fn memory(&self) -> usize {
        self.counts.templates.memory()
            + self.counts.skeletons.memory()
            + self.whole.as_ref().map_or(0, String::capacity)
            + self.head_cost
            + self.kept_cost
            + self.ring_cost
    }

    /// All lines that are kept, by number.
    pub(in crate::text::view) fn all(&self) -> Vec<&Line> {
        let mut lines: Vec<&Line> = self.head.iter().chain(&self.kept).chain(&self.ring).collect();
        if let Some(last) = &self.last_dropped {
            let place = lines.partition_point(|line| line.number < last.number);
            lines.insert(place, last);
        }
        lines
    }

    /// What is kept of a line that is too long to be shown whole.
    pub(in crate::text::view) fn long_limits(&self) -> Limits {
        let fits = self.whole.as_ref().map_or(0, |whole| self.budget - whole.len());
        let end = if self.counts.lines < FEW_LINES { self.budget * 3 / 10 } else { self.long / 2 };
        Limits { head: fits.max(end).max(150), tail: end.max(150) }
    }

    /// Takes a line in its plain form.
    pub(in crate::text::view) fn take(&mut self, text: &str, arrival: &Arrival) {
        let plain_len = text.len() + usize::from(arrival.has_break);
        self.keep_whole(text, plain_len, arrival);
        if text.len() > self.long {
            let mut limits = self.long_limits();
            limits.head = limits.head.min(self.budget * 3 / 10).max(150);
            let mut long = LongText::new(limits);
            long.push(text, &mut self.counts);
            let finished = long.finish(&mut self.counts);
            let important = self.is_important(text);
            self.add(finished.body, prefix(text, REACH), finished.class, important, arrival);
        } else {
            let important = self.is_important(text);
            self.add_short(text, important, arrival);
        }
    }

    /// Takes a line of which only pieces are left.
    pub(in crate::text::view) fn take_long(
        &mut self,
        pieces: Pieces,
        class: Class,
        total: u64,
        arrival: &Arrival,
    ) {
        debug_assert!(total >= pieces.head.len() as u64, "the head is part of it");
        self.whole = None;
        let beginning = prefix(&pieces.head, REACH).to_owned();
        let windows = pieces.windows.iter().any(|window| self.is_important(&window.text));
        let important = windows || self.is_important(&pieces.head) || self.is_important(&pieces.tail);
        self.add(Body::Pieces(Box::new(pieces)), &beginning, class, important, arrival);
    }

    fn keep_whole(&mut self, text: &str, plain_len: usize, arrival: &Arrival) {
        match &mut self.whole {
            Some(whole) if whole.len() + plain_len <= self.budget => {
                whole.push_str(text);
                if arrival.has_break {
                    whole.push('\n');
                }
            }
            whole => *whole = None,
        }
    }

    fn is_important(&self, text: &str) -> bool {
        self.important.as_ref().is_some_and(|important| important.is_match(text))
    }

    fn add_short(&mut self, text: &str, important: bool, arrival: &Arrival) {
        let shape = shape_of(text);
        let now = self.counts.lines;
        let seen = self.counts.templates.count(shape.template, now, || classify(text));
        // Of a longer line the template is not all that its class depends on.
        let class = if text.len() <= 512 { seen.class } else { classify(text) };
        let kth = self.counts.skeletons.count(shape.skeleton, now, Class::default).count;
        let body = Body::Whole(self.reused(text));
        let marks = Marks { important, ..self.marks(arrival) };
        self.push(Line {
            number: 0,
            start: arrival.start,
            end: arrival.end,
            body,
            class,
            shape,
            kth,
            template_kth: seen.count,
            marks,
        });
    }

    fn add(&mut self, body: Body, beginning: &str, class: Class, important: bool, arrival: &Arrival) {
        let shape = shape_of(beginning);
        let seen = self.counts.templates.count(shape.template, self.counts.lines, || class);
        let kth = self.counts.skeletons.count(shape.skeleton, self.counts.lines, Class::default).count;
        let marks = Marks { important, ..self.marks(arrival) };
        self.push(Line {
            number: 0,
            start: arrival.start,
            end: arrival.end,
            body,
            class,
            shape,
            kth,
            template_kth: seen.count,
            marks,
        });
    }

    /// The text of a line, in memory of one that was dropped if there is some.
    fn reused(&mut self, text: &str) -> String {
        if self.ring_cost > self.budget && self.ring.len() > FEW {
            let old = self.drop_oldest();
            if let Some(Line { body: Body::Whole(mut old), .. }) = old
                && old.capacity() <= 4 * text.len() + 64
            {
                old.clear();
                old.push_str(text);
                return old;
            }
        }
        text.to_owned()
    }

    fn marks(&mut self, arrival: &Arrival) -> Marks {
        let mut marks = Marks::default();
        if let Some(stream) = arrival.stream {
            let stream = usize::from(stream.min(1));
            self.stream_totals[stream] += arrival.end - arrival.start;
            marks.quiet = self.is_quiet(stream);
        }
        marks
    }

    /// Whether a stream has said little, and the other more.
    fn is_quiet(&self, stream: usize) -> bool {
        let (own, other) = (self.stream_totals[stream], self.stream_totals[1 - stream]);
        own <= self.budget as u64 / 4 && other > own
    }

    fn push(&mut self, mut line: Line) {
        self.counts.lines += 1;
        self.total = line.end;
        line.number = self.counts.lines;
        let near = self.last_failure.is_some_and(|last| line.number - last <= NEAR);
        line.marks.near_failure = near;
        line.marks.context |= line.number <= self.context_until;
        if line.class >= Class::BadSummary {
            self.failures += u64::from(line.class == Class::Failure);
            self.last_failure = Some(line.number);
        }
        let is_first = line.template_kth <= OF_ONE_KIND && line.kth <= FAILURES_OF_ONE_KIND;
        if line.marks.important || line.class >= Class::Likely && is_first {
            self.context_until = line.number + AFTER;
            let before = self.before.max(2);
            for earlier in self.ring.iter_mut().rev().take(before) {
                earlier.marks.context = true;
            }
        }
        self.place(line);
    }

    fn place(&mut self, line: Line) {
        let cost = line.cost();
        if !self.head_is_full && (self.head_cost + cost <= self.budget || self.head.len() < 3) {
            self.head_cost += cost;
            self.head.push(line);
            return;
        }
        self.head_is_full = true;
        self.ring_cost += cost;
        self.ring.push_back(line);
        while self.ring_cost > self.budget + 4 * OVERHEAD && self.ring.len() > FEW {
            self.drop_oldest();
        }
    }

    /// The oldest line of the ring goes, to those that are kept if it may matter. Returns it if not.
    fn drop_oldest(&mut self) -> Option<Line> {
        let line = self.ring.pop_front()?;
        self.ring_cost = self.ring_cost.saturating_sub(line.cost());
        if !self.may_matter(&line) {
            return self.forget(line);
        }
        self.kept_cost += line.cost();
        self.kept.push(line);
        if self.kept_cost > KEPT {
            self.drop_lower_half();
        }
        None
    }

    fn may_matter(&self, line: &Line) -> bool {
        let marks = line.marks;
        if marks.important || marks.context || marks.quiet {
            return true;
        }
        let is_first = line.template_kth <= OF_ONE_KIND;
        match line.class {
            Class::Failure => line.template_kth <= FAILURES_OF_ONE_KIND,
            Class::BadSummary | Class::Likely | Class::Summary | Class::Warning | Class::Complaint
                if is_first =>
            {
                true
            }
            Class::Place if is_first && marks.near_failure => true,
            _ => {
                line.kth <= RARE && self.counts.skeletons.get(line.shape.skeleton) <= RARE
                    || line.template_kth <= RARE && self.counts.templates.get(line.shape.template) <= RARE
            }
        }
    }

    /// Returns a line that nobody needs any longer.
    fn forget(&mut self, line: Line) -> Option<Line> {
        if line.class != Class::Failure {
            return Some(line);
        }
        self.first_dropped = Some(self.first_dropped.map_or(line.number, |first| first.min(line.number)));
        let is_last = self.last_dropped.as_ref().is_none_or(|last| last.number < line.number);
        if !is_last {
            return Some(line);
        }
        self.last_dropped.replace(line)
    }

    /// Makes room: of the lines that are kept those go that are worth least. The first two failures stay.
    fn drop_lower_half(&mut self) {
        let lines: Vec<&Line> = self.kept.iter().collect();
        let mut ranked: Vec<(f64, usize)> =
            ranks(&lines, &self.counts, Ending::Failed).into_iter().zip(0..).collect();
        for (rank, _) in
            ranked.iter_mut().filter(|(_, index)| self.kept[*index].class == Class::Failure).take(2)
        {
            *rank = f64::INFINITY;
        }
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut stays = vec![false; self.kept.len()];
        let mut cost = 0;
        for (_, index) in ranked {
            cost += self.kept[index].cost();
            stays[index] = cost <= KEPT / 2;
        }
        self.kept_cost = 0;
        for (line, stays) in std::mem::take(&mut self.kept).into_iter().zip(stays) {
            if stays {
                self.kept_cost += line.cost();
                self.kept.push(line);
            } else {
                self.forget(line);
            }
        }
    }
}
