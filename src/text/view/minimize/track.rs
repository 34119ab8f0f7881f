//! Follows the lines of a stream, and records the ranges of lines that may be left out.

use super::Minimizer;
use super::reason::OmissionReason;
use super::rules::printed_command;
use crate::text::view::class::Class;
use crate::text::view::store::line::{Body, StoredLine};

/// The most ranges that are recorded. Lines after them are not left out.
const MAX_RANGES: usize = 2_048;

/// The number of lines before a failure, and after one, that are never left out.
const BEFORE_FAILURE: u64 = 2;
const AFTER_FAILURE: u64 = 4;

/// The longest line that is compared with the next one (bytes).
const MAX_COMPARED: usize = 1_024;

/// A range of consecutive lines that may be left out for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) from: u64,
    pub(super) to: u64,
    /// The offset of the first line, and that after the last line (bytes as written).
    pub(super) start: u64,
    pub(super) end: u64,
    /// The size of the lines in their plain form (bytes).
    pub(super) plain: u64,
    pub(super) reason: OmissionReason,
}

/// The place of a line in the stream.
#[derive(Clone, Copy, Debug, Default)]
struct LinePosition {
    number: u64,
    start: u64,
    end: u64,
    /// The size of the plain form with its line break (bytes).
    plain: u64,
}

/// Follows the lines of a stream.
#[derive(Clone, Debug)]
pub(in crate::text::view) struct LineTracker {
    minimizer: Minimizer,
    /// For each rule set, whether its rules hold, and for each of its rules, whether the line is in a section
    /// of it.
    states: Vec<RuleSetState>,
    pub(super) ranges: Vec<Range>,
    /// Whether the output is data, of which nothing is left out.
    is_data: bool,
    /// The last two lines, the last one first.
    recent: [LinePosition; 2],
    /// The number of the last line that a failure protects.
    protected_until: u64,
    /// The indentation of a failure, while the indented block after it lasts.
    block: Option<usize>,
    has_notice: bool,
    last: LastLine,
}

#[derive(Clone, Debug)]
struct RuleSetState {
    is_active: bool,
    sections: Vec<bool>,
}

#[derive(Clone, Debug, Default)]
struct LastLine {
    text: String,
    is_known: bool,
    /// How many lines up to it are equal.
    equal: u64,
    is_kept: bool,
    is_left_out: bool,
}

impl LineTracker {
    pub(in crate::text::view) fn new(minimizer: &Minimizer) -> Self {
        let state = |candidate: &super::Candidate| RuleSetState {
            is_active: !candidate.needs_sign,
            sections: vec![false; candidate.set.lines()],
        };
        Self {
            states: minimizer.candidates.iter().map(state).collect(),
            minimizer: minimizer.clone(),
            ranges: Vec::new(),
            is_data: false,
            recent: [LinePosition::default(); 2],
            protected_until: 1,
            block: None,
            has_notice: false,
            last: LastLine::default(),
        }
    }

    pub(in crate::text::view) fn memory(&self) -> usize {
        self.ranges.capacity() * size_of::<Range>() + self.last.text.capacity()
    }

    /// Takes the next line.
    pub(in crate::text::view) fn record_line(&mut self, line: &StoredLine) {
        let text = match &line.body {
            Body::Whole(text) => Some(text.as_str()),
            Body::Pieces(_) => None,
        };
        let plain = text.map_or(line.end - line.start, |text| text.len() as u64 + 1);
        let place = LinePosition { number: line.number, start: line.start, end: line.end, plain };
        self.record(text, line.class, line.marks.important, place);
    }

    /// Takes the next line. `text` is `None` for a line too long to be kept whole.
    fn record(&mut self, text: Option<&str>, class: Class, is_important: bool, place: LinePosition) {
        let line = text.unwrap_or_default();
        let trimmed = line.trim();
        if place.number == 1 {
            self.is_data = begins_data(trimmed);
        }
        if self.is_data {
            return;
        }
        let reason = text.and_then(|_| self.reason(line, trimmed));
        let mut is_kept = text.is_none() || self.is_kept(line, trimmed, class, is_important, place.number);
        if class == Class::Warning && reason != Some(OmissionReason::Notices) {
            is_kept = true;
        }
        let is_equal = self.last.is_known && self.last.text == line && !line.is_empty();
        self.last.equal = if is_equal { self.last.equal + 1 } else { 1 };
        let is_first_notice =
            reason == Some(OmissionReason::Notices) && !std::mem::replace(&mut self.has_notice, true);
        if let Some(reason) = reason.filter(|_| !is_kept) {
            self.last.is_left_out = !is_first_notice;
            if !is_first_notice {
                self.add(place, reason);
            }
        } else {
            // The first of equal lines and the last one stay.
            if self.minimizer.folds_repeated && self.last.equal > 2 && !is_kept && !self.last.is_kept {
                self.add(self.recent[0], OmissionReason::Repeated);
            }
            self.last.is_left_out = false;
        }
        self.last.is_kept = is_kept;
        if !is_equal {
            self.last.is_known = text.is_some() && line.len() <= MAX_COMPARED;
            self.last.text.clear();
            if self.last.is_known {
                self.last.text.push_str(line);
            }
        }
        self.recent = [place, self.recent[0]];
    }

    /// Takes `count` more lines that equal the last one.
    pub(in crate::text::view) fn record_equal(&mut self, count: u64) {
        let last = self.recent[0];
        let (bytes, plain) = (last.end - last.start, last.plain);
        let after = |lines: u64| LinePosition {
            number: last.number + lines,
            start: last.start + lines * bytes,
            end: last.end + lines * bytes,
            plain,
        };
        if !self.is_data && !self.last.is_kept {
            let all = LinePosition { end: after(count).end, plain: count * plain, ..after(1) };
            if self.last.is_left_out {
                let reason = self.ranges.last().map_or(OmissionReason::Repeated, |range| range.reason);
                self.add_lines(all, count, reason);
            } else if self.minimizer.folds_repeated && self.last.equal > 1 {
                // The last one of these lines stays until the next line.
                let all = LinePosition { end: after(count - 1).end, plain: count * plain, ..last };
                self.add_lines(all, count, OmissionReason::Repeated);
            }
        }
        self.last.equal += count;
        self.recent = [after(count), after(count.saturating_sub(1))];
    }

    /// Returns the reason that the rules have for a line.
    fn reason(&mut self, written: &str, line: &str) -> Option<OmissionReason> {
        let mut found = None;
        let command = printed_command(line);
        for (candidate, state) in self.minimizer.candidates.iter().zip(&mut self.states) {
            if !state.is_active {
                state.is_active = candidate.set.has_sign(line, command.as_deref());
            }
            if state.is_active {
                let reason = candidate.set.reason(written, line, &mut state.sections);
                found = found.or(reason);
            }
        }
        found
    }

    /// Returns whether a line must stay, whatever a rule says. A failure protects the lines around it.
    fn is_kept(&mut self, line: &str, trimmed: &str, class: Class, is_important: bool, number: u64) -> bool {
        let indentation = line.len() - line.trim_start().len();
        if class >= Class::Likely || is_important {
            self.keep_from(number.saturating_sub(BEFORE_FAILURE));
            self.protected_until = number + AFTER_FAILURE;
            self.block = Some(indentation);
            return true;
        }
        if self.block.is_some_and(|block| !trimmed.is_empty() && indentation <= block) {
            self.block = None;
        }
        let is_near = number <= self.protected_until || self.block.is_some();
        is_near || matches!(class, Class::Complaint | Class::Summary)
    }

    /// Keeps the recent lines from this number on.
    fn keep_from(&mut self, number: u64) {
        for place in self.recent {
            let Some(range) = self.ranges.last_mut() else { return };
            if place.number < number || place.number != range.to {
                continue;
            }
            if range.from == range.to {
                self.ranges.pop();
                continue;
            }
            range.to -= 1;
            range.end = place.start;
            range.plain -= place.plain;
        }
        self.last.is_kept |= self.recent[0].number >= number;
    }

    fn add(&mut self, place: LinePosition, reason: OmissionReason) {
        self.add_lines(place, 1, reason);
    }

    /// Adds lines, of which `place` has the number of the first one, and the offsets and the size of all.
    fn add_lines(&mut self, place: LinePosition, count: u64, reason: OmissionReason) {
        let LinePosition { number: from, start, end, plain } = place;
        let to = from + count - 1;
        if let Some(last) = self.ranges.last_mut() {
            if last.to >= from {
                return;
            }
            if last.reason == reason && last.to + 1 == from {
                *last = Range { to, end, plain: last.plain + plain, ..*last };
                return;
            }
        }
        if self.ranges.len() < MAX_RANGES {
            self.ranges.push(Range { from, to, start, end, plain, reason });
        }
    }
}

/// Returns whether the first line of an output shows that a program reads it: JSON, XML.
fn begins_data(line: &str) -> bool {
    let mut characters = line.chars();
    match characters.next() {
        Some('{') => true,
        Some('<') => characters.next().is_some_and(|next| next.is_ascii_alphabetic() || "?!".contains(next)),
        Some('[') => characters.next().is_none_or(|next| "[{\"".contains(next)),
        _ => false,
    }
}
