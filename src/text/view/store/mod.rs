//! The kept lines of a stream: its beginning, its end, and between them the lines that may matter.
//!
//! [`Store::take`] adds a line with its marks. `retention` bounds the memory of the beginning (head) and the
//! end (ring). A line that leaves the ring goes to the `candidates` if it may matter, and to `required`.

mod candidates;
mod columns;
pub(super) mod counters;
pub(super) mod line;
pub(super) mod rank;
mod required;
mod retention;
pub(super) mod segments;

use std::collections::VecDeque;

use aho_corasick::AhoCorasick;

use super::class::{Class, SEARCH_WINDOW, classify};
use super::long::LineState as _;
use super::minimize::LineTracker;
use super::options::ViewOptions;
use super::shape::{Shape, shape_of};
use crate::text::growth::growth;
use candidates::Candidates;
use counters::{Counts, SeenLines};
use line::{Body, Marks, Pieces, StoredLine, prefix};
use rank::{FAILURES_OF_ONE_KIND, OF_ONE_KIND};
use required::Required;
use segments::{LongText, SegmentLimits};

/// The number of lines after a failure that count as near it.
const NEAR_LINES: u64 = 40;

/// The number of lines after an important line that are kept as its context.
const CONTEXT_LINES: u64 = 14;

/// The longest line that can be part of a folded run (bytes): its shape depends on no more bytes.
const MAX_FOLDED: usize = 512;

/// The most lines of an output in which each line may take a larger share of the budget.
pub(super) const FEW_LINES: u64 = 12;

#[derive(Clone, Copy, Debug, Default)]
pub(in crate::text::view) struct Arrival {
    pub(in crate::text::view) start: u64,
    pub(in crate::text::view) end: u64,
    pub(in crate::text::view) has_break: bool,
    pub(in crate::text::view) stream: Option<u8>,
}

impl Arrival {
    /// Returns the arrival of the next line, if it has the same length.
    pub(in crate::text::view) const fn next(self) -> Self {
        self.after(1)
    }

    /// Returns the arrival of the last of `lines` more lines of the same length.
    pub(in crate::text::view) const fn after(self, lines: u64) -> Self {
        let length = self.end - self.start;
        Self { start: self.start + length * lines, end: self.end + length * lines, ..self }
    }
}

/// The kept lines of a stream, in three consecutive parts: head, candidates, ring.
#[derive(Clone, Debug)]
pub(in crate::text::view) struct Store {
    budget: usize,
    before: usize,
    /// The longest line that is shown whole (bytes).
    pub(in crate::text::view) long: usize,
    important: Option<AhoCorasick>,
    pub(in crate::text::view) counts: Counts,
    /// The whole plain text, while it fits into the budget.
    whole: Option<String>,
    head: Vec<StoredLine>,
    head_cost: usize,
    head_limit: usize,
    head_is_full: bool,
    /// Whether the run at the end of the head goes on after it.
    head_run_goes_on: bool,
    candidates: Candidates,
    ring: VecDeque<StoredLine>,
    ring_cost: usize,
    ring_limit: usize,
    total: u64,
    required: Required,
    last: PreviousLine,
    last_failure: Option<u64>,
    /// The number of the last line of the current context.
    context_until: u64,
    stream_totals: [u64; 2],
    /// Follows the lines that may be left out by rules, if there are rules.
    pub(in crate::text::view) tracker: Option<Box<LineTracker>>,
}

/// The properties of the last line, which are compared to find runs.
#[derive(Clone, Copy, Debug, Default)]
struct PreviousLine {
    template: u64,
    run_start: u64,
    may_fold: bool,
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
            head_limit: Self::head_limit(options.max_bytes),
            head_is_full: false,
            head_run_goes_on: false,
            candidates: Candidates::default(),
            ring: VecDeque::new(),
            ring_cost: 0,
            ring_limit: Self::ring_limit(options.max_bytes),
            total: 0,
            required: Required::default(),
            last: PreviousLine::default(),
            last_failure: None,
            context_until: 0,
            stream_totals: [0; 2],
            tracker: options.minimize.as_ref().map(|minimizer| Box::new(LineTracker::new(minimizer))),
        }
    }

    /// Returns the whole plain text, if it fits into the budget.
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
        self.required.failures
    }

    /// Returns the number of the first failure that was dropped.
    pub(in crate::text::view) const fn first_dropped(&self) -> Option<u64> {
        self.required.first_dropped
    }

    /// Returns whether the first and the last failure with this skeleton are among the lines.
    pub(in crate::text::view) fn knows_failures(&self, skeleton: u64) -> bool {
        self.first_dropped().is_none() || self.required.knows(skeleton)
    }

    pub(in crate::text::view) fn memory(&self) -> usize {
        self.counts.templates.memory()
            + self.counts.skeletons.memory()
            + self.whole.as_ref().map_or(0, String::capacity)
            + self.head_cost
            + self.candidates.memory()
            + self.ring_cost
            + self.required.memory()
            + self.tracker.as_ref().map_or(0, |tracker| tracker.memory())
    }

    /// Returns all kept lines, by number.
    pub(in crate::text::view) fn all(&self) -> Vec<&StoredLine> {
        let mut lines: Vec<&StoredLine> =
            self.head.iter().chain(self.candidates.iter()).chain(&self.ring).collect();
        for last in self.required.dropped() {
            let index = lines.partition_point(|line| line.number < last.number);
            lines.insert(index, last);
        }
        lines
    }

    /// Returns the limits of the kept parts of a line that is too long to be shown whole.
    pub(in crate::text::view) fn long_limits(&self) -> SegmentLimits {
        let fits = self.whole.as_ref().map_or(0, |whole| self.budget - whole.len());
        let end = match self.counts.lines {
            // The first line may be the only one.
            0 => self.budget / 2,
            lines if lines < FEW_LINES => self.budget * 3 / 10,
            _ => self.long / 2,
        };
        SegmentLimits { head: fits.max(end).max(150), tail: end.max(150) }
    }

    /// Adds a line in its plain form.
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
            self.add(finished.body, prefix(text, SEARCH_WINDOW), finished.class, important, arrival);
        } else {
            let important = self.is_important(text);
            self.add_short(text, important, arrival);
        }
    }

    /// Adds a long line, of which only pieces are kept.
    pub(in crate::text::view) fn take_long(
        &mut self,
        pieces: Pieces,
        class: Class,
        total: u64,
        arrival: &Arrival,
    ) {
        debug_assert!(total >= pieces.head.len() as u64, "the head is part of it");
        self.whole = None;
        let beginning = prefix(&pieces.head, SEARCH_WINDOW).to_owned();
        let windows = pieces.windows.iter().any(|window| self.is_important(&window.text));
        let important = windows || self.is_important(&pieces.head) || self.is_important(&pieces.tail);
        self.add(Body::Pieces(Box::new(pieces)), &beginning, class, important, arrival);
    }

    fn keep_whole(&mut self, text: &str, plain_len: usize, arrival: &Arrival) {
        let Some(whole) = &mut self.whole else { return };
        if whole.len() + plain_len > self.budget {
            self.whole = None;
            return;
        }
        whole.reserve_exact(growth(whole.len(), whole.capacity(), plain_len, self.budget));
        whole.push_str(text);
        if arrival.has_break {
            whole.push('\n');
        }
    }

    fn is_important(&self, text: &str) -> bool {
        self.important.as_ref().is_some_and(|important| important.is_match(text))
    }

    fn add_short(&mut self, text: &str, important: bool, arrival: &Arrival) {
        let shape = shape_of(text);
        let seen = self.counts.templates.count(shape.template, self.counts.lines, || classify(text));
        // The template covers only the beginning of a longer line, and the class depends on all of it.
        let class = if text.len() <= MAX_FOLDED { seen.class } else { classify(text) };
        let body = Body::Whole(self.reused(text));
        self.push(body, &shape, SeenLines { class, ..seen }, important, arrival);
    }

    fn add(&mut self, body: Body, beginning: &str, class: Class, important: bool, arrival: &Arrival) {
        let shape = shape_of(beginning);
        let seen = self.counts.templates.count(shape.template, self.counts.lines, || class);
        self.push(body, &shape, SeenLines { class, ..seen }, important, arrival);
    }

    fn push(&mut self, body: Body, shape: &Shape, seen: SeenLines, important: bool, arrival: &Arrival) {
        let class = seen.class;
        let shape = if class == Class::Failure { shape.of_failure() } else { *shape };
        let kth = self.counts.skeletons.count(shape.skeleton, self.counts.lines, Class::default).count;
        self.counts.lines += 1;
        self.total = arrival.end;
        let number = self.counts.lines;
        let marks = Marks {
            important,
            near_failure: self.last_failure.is_some_and(|last| number - last <= NEAR_LINES),
            context: number <= self.context_until,
            quiet: self.count_quiet(arrival),
            odd: false,
        };
        let mut line = StoredLine {
            number,
            start: arrival.start,
            end: arrival.end,
            body,
            class,
            shape,
            kth,
            template_kth: seen.count,
            marks,
            run_start: number,
        };
        if let Some(tracker) = &mut self.tracker {
            tracker.record_line(&line);
        }
        self.required.record(&line, &self.counts);
        self.record_failure(&line);
        self.record_run(&mut line);
        self.keep(line);
    }

    /// Marks the lines around a line that matters.
    fn record_failure(&mut self, line: &StoredLine) {
        if line.class >= Class::BadSummary {
            self.last_failure = Some(line.number);
        }
        let is_first = line.template_kth <= OF_ONE_KIND && line.kth <= FAILURES_OF_ONE_KIND;
        if line.marks.important || line.class >= Class::Likely && is_first {
            self.context_until = line.number + CONTEXT_LINES;
            let before = self.before.max(2);
            for earlier in self.ring.iter_mut().rev().take(before) {
                earlier.marks.context = true;
            }
        }
    }

    /// Finds the run of similar lines that a line belongs to.
    fn record_run(&mut self, line: &mut StoredLine) {
        let may_fold = line.may_fold();
        if may_fold && self.last.may_fold && self.last.template == line.shape.template {
            line.run_start = self.last.run_start;
        } else if std::mem::take(&mut self.head_run_goes_on)
            && let Some(last) = self.ring.back_mut()
        {
            // If the head ends within a run, the last line of the run is kept too, to show how long the run
            // is.
            last.marks.context = true;
        }
        self.last = PreviousLine { template: line.shape.template, run_start: line.run_start, may_fold };
    }

    /// Counts a line of one of two streams. Returns whether that stream has few lines and the other has more.
    fn count_quiet(&mut self, arrival: &Arrival) -> bool {
        let Some(stream) = arrival.stream else { return false };
        let stream = usize::from(stream.min(1));
        self.stream_totals[stream] += arrival.end - arrival.start;
        let (own, other) = (self.stream_totals[stream], self.stream_totals[1 - stream]);
        own <= self.budget as u64 / 4 && other > own
    }

    /// Counts lines that equal the last one without keeping them. `text` is the text of that line.
    pub(in crate::text::view) fn skip(&mut self, lines: u64, text: &str, last: &Arrival) {
        let Some(line) = self.ring.back().or(self.head.last()) else { return };
        self.counts.templates.count_more(line.shape.template, self.counts.lines + lines, lines);
        self.counts.skeletons.count_more(line.shape.skeleton, self.counts.lines + lines, lines);
        if line.class == Class::Failure {
            self.required.record_more_failures(self.counts.lines + 1, lines);
        }
        if let Some(tracker) = &mut self.tracker {
            tracker.record_equal(lines);
        }
        self.counts.lines += lines;
        self.total = last.after(lines).end;
        if let Some(stream) = last.stream {
            self.stream_totals[usize::from(stream.min(1))] += lines * (last.end - last.start);
        }
        let length = (text.len() as u64 + 1).saturating_mul(lines);
        match &mut self.whole {
            Some(whole) if whole.len() as u64 + length <= self.budget as u64 => {
                for _ in 0..lines {
                    whole.push_str(text);
                    whole.push('\n');
                }
            }
            whole => *whole = None,
        }
    }
}
