//! Keeps the beginning, the end and the segments that matter of a long line, while its plain text arrives.

use super::counters::Counts;
use super::line::{Body, Pieces, Window, prefix, suffix};
use crate::text::view::class::{Class, classify, is_binary};
use crate::text::view::long::LineState;
use crate::text::view::order::ranking;
use crate::text::view::shape::shape_of;

/// The longest segment (bytes). A comma, a semicolon or a brace ends a segment earlier.
const MAX_SEGMENT: usize = 200;

/// The shortest segment that punctuation ends (bytes).
const MIN_SEGMENT: usize = 12;

/// The length (bytes) of the text before a segment that matters, which is shown with the segment.
const CONTEXT_BEFORE: usize = 60;

/// The length (bytes) up to which a segment that may be a failure gets the text after it: the message follows
/// the level.
const CONTEXT_AFTER: usize = 200;

/// The most segments kept while the line arrives, and at its end.
const MAX_ARRIVING: usize = 48;
const MAX_FINISHED: usize = 8;

/// A salt for the keys of segments, so that segments and lines are counted apart.
const SALT: u64 = 0x5e67_6d65_6e74_0001;

/// The number of bytes kept at the beginning and at the end of a long line.
#[derive(Clone, Copy, Debug)]
pub(in crate::text::view) struct SegmentLimits {
    pub(in crate::text::view) head: usize,
    pub(in crate::text::view) tail: usize,
}

/// Takes the plain text of a long line piece by piece.
#[derive(Clone, Debug)]
pub(in crate::text::view) struct LongText {
    pub(in crate::text::view) limits: SegmentLimits,
    total: u64,
    head: String,
    /// The end: grows to twice the limit, then is cut to the limit.
    tail: String,
    segment: String,
    /// The end of the previous segment.
    before: String,
    found: Vec<RankedSegment>,
    class: Class,
    is_blank: bool,
}

#[derive(Clone, Debug)]
struct RankedSegment {
    at: u64,
    text: String,
    class: Class,
    skeleton: u64,
    template: u64,
}

/// The kept parts of a long line, and its properties.
pub(in crate::text::view) struct Finished {
    pub(in crate::text::view) body: Body,
    pub(in crate::text::view) class: Class,
}

impl LongText {
    pub(in crate::text::view) const fn new(limits: SegmentLimits) -> Self {
        Self {
            limits,
            total: 0,
            head: String::new(),
            tail: String::new(),
            segment: String::new(),
            before: String::new(),
            found: Vec::new(),
            class: Class::None,
            is_blank: true,
        }
    }

    pub(in crate::text::view) const fn total(&self) -> u64 {
        self.total
    }

    pub(in crate::text::view) fn memory(&self) -> usize {
        let found: usize =
            self.found.iter().map(|found| found.text.capacity() + size_of::<RankedSegment>()).sum();
        self.head.capacity() + self.tail.capacity() + self.segment.capacity() + self.before.capacity() + found
    }

    fn keep(&mut self, text: &str) {
        let room = self.limits.head - self.head.len();
        // The beginning is complete once a text did not fit.
        if self.head.len() as u64 == self.total {
            self.head.push_str(prefix(text, room));
        }
        if text.len() >= self.limits.tail {
            self.tail.clear();
            self.tail.push_str(suffix(text, self.limits.tail));
            return;
        }
        self.tail.push_str(text);
        if self.tail.len() > 2 * self.limits.tail {
            let cut = self.tail.len() - suffix(&self.tail, self.limits.tail).len();
            self.tail.drain(..cut);
        }
    }

    fn end_segment(&mut self, counts: &mut Counts) {
        let shape = shape_of(&self.segment);
        let (template, skeleton) = (shape.template ^ SALT, shape.skeleton ^ SALT);
        let segment = self.segment.as_str();
        counts.segments += 1;
        let start = self.total - segment.len() as u64;
        let mut joined = None;
        if let Some(last) = self.found.last_mut()
            && last.class >= Class::Likely
            && last.at + last.text.len() as u64 == start
            && last.text.len() < CONTEXT_AFTER
        {
            last.text.push_str(segment);
            joined = Some(last.class);
        }
        let is_text = !is_binary(segment);
        let class = || if is_text { classify(segment) } else { Class::None };
        let seen = counts.templates.count(template, counts.segments, class);
        let kth = counts.skeletons.count(skeleton, counts.segments, Class::default).count;
        self.class = self.class.max(seen.class);
        let is_rare = kth <= 3 || seen.count <= 2;
        // The next segments belong to the part that a failure began, unless one of them is a failure of a
        // higher class.
        let begins = joined.is_none_or(|class| seen.class > class);
        if begins && is_text && (seen.class >= Class::Likely && seen.count <= 3 || is_rare) {
            let at = start - self.before.len() as u64;
            let text = [self.before.as_str(), segment].concat();
            self.found.push(RankedSegment { at, text, class: seen.class, skeleton, template });
            if self.found.len() > 2 * MAX_ARRIVING {
                self.keep_best(MAX_ARRIVING, counts);
            }
        }
        self.before.clear();
        self.before.push_str(suffix(&self.segment, CONTEXT_BEFORE));
        self.segment.clear();
    }

    /// Keeps the `most` best segments, in their order in the line.
    fn keep_best(&mut self, most: usize, counts: &Counts) {
        let ranks: Vec<f64> = self.found.iter().map(|found| rank(found, counts)).collect();
        let mut stays = vec![false; ranks.len()];
        for index in ranking(&ranks).into_iter().take(most) {
            stays[index] = true;
        }
        let mut stays = stays.into_iter();
        self.found.retain(|_| stays.next() == Some(true));
    }

    pub(in crate::text::view) fn finish(mut self, counts: &mut Counts) -> Finished {
        if !self.segment.is_empty() {
            self.end_segment(counts);
        }
        if self.head.len() as u64 == self.total {
            self.head.shrink_to_fit();
            return Finished { body: Body::Whole(self.head), class: self.class };
        }
        self.keep_best(MAX_FINISHED, counts);
        let cut = self.tail.len() - suffix(&self.tail, self.limits.tail).len();
        self.tail.drain(..cut);
        // Reserved memory depends on whether the stream was copied, and the memory of a line must not.
        self.head.shrink_to_fit();
        self.tail.shrink_to_fit();
        let window =
            |found: RankedSegment| Window { at: found.at, rank: rank(&found, counts), text: found.text };
        let windows = self.found.into_iter().map(window).collect();
        let Self { total, is_blank, head, tail, .. } = self;
        let pieces = Pieces { total, is_blank, head, tail, windows };
        Finished { body: Body::Pieces(Box::new(pieces)), class: self.class }
    }
}

impl LineState for LongText {
    type Context = Counts;

    fn push(&mut self, text: &str, counts: &mut Counts) {
        self.is_blank = self.is_blank && text.trim().is_empty();
        self.keep(text);
        let mut rest = text;
        while !rest.is_empty() {
            let room = MAX_SEGMENT - self.segment.len().min(MAX_SEGMENT);
            let end = segment_end(rest, room, MIN_SEGMENT.saturating_sub(self.segment.len()));
            let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
            self.segment.push_str(part);
            self.total += part.len() as u64;
            if end.is_some() {
                self.end_segment(counts);
            }
            rest = after;
        }
    }

    fn is_blank(&self) -> bool {
        self.is_blank
    }

    fn empty(&self) -> Self {
        Self::new(self.limits)
    }
}

/// Returns the rank of a segment: a short form of the rank of a line.
fn rank(found: &RankedSegment, counts: &Counts) -> f64 {
    let weight = match found.class {
        Class::Failure | Class::BadSummary => 90.0,
        Class::Likely => 45.0,
        Class::Complaint | Class::Place => 10.0,
        Class::Warning => 12.0,
        _ => 0.0,
    };
    let count = f64::from(counts.templates.get(found.template));
    let alike = f64::from(counts.skeletons.get(found.skeleton));
    #[allow(clippy::cast_precision_loss, reason = "a rank")]
    let all = counts.segments.max(2) as f64;
    let rarity = (all / count).log2() / all.log2();
    let skeleton_rarity = (all / alike).log2() / all.log2();
    weight / (1.0 + 0.3 * count.log2()) + 25.0 * rarity + 15.0 * skeleton_rarity
}

/// Returns the offset in `text` at which the segment ends, if it ends there.
///
/// The segment has room for `room` more bytes, and punctuation counts from `from` on.
fn segment_end(text: &str, room: usize, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let reach = bytes.len().min(room);
    let ends = |byte: &u8| matches!(byte, b',' | b';' | b'{' | b'}');
    if let Some(offset) = bytes.get(from..reach).and_then(|part| part.iter().position(ends)) {
        return Some(from + offset + 1);
    }
    (bytes.len() >= room)
        .then(|| (room..bytes.len()).find(|&offset| text.is_char_boundary(offset)).unwrap_or(bytes.len()))
}
