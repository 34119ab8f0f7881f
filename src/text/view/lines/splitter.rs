//! Cuts a stream of bytes into lines.

use std::borrow::Cow;

use super::long::LongLine;
use super::plain::{as_plain_text, plain_line, plain_line_in};
use crate::text::view::View;
use crate::text::view::options::ViewOptions;
use crate::text::view::store::line::Body;
use crate::text::view::store::segments::LongText;
use crate::text::view::store::{Arrival, Store};

/// The longest line that is collected (bytes).
const MAX_COLLECTED: usize = 64 * 1024;

/// Cuts a stream into lines, in memory that does not depend on the length of lines.
#[derive(Clone, Debug)]
pub(in crate::text::view) struct Splitter {
    pub(in crate::text::view) store: Store,
    /// The beginning of an unfinished line.
    carry: Vec<u8>,
    long: Option<Box<LongLine<LongText>>>,
    /// Memory for the plain form of a short line.
    buffer: String,
    repeated: Repeated,
    line_start: u64,
    /// The number of bytes so far.
    total: u64,
    /// The stream of the current line's first byte.
    stream: Option<u8>,
}

/// A line, or its last part.
#[derive(Clone, Copy, Debug)]
enum LinePart<'a> {
    /// Bytes that equal their plain form.
    Plain(&'a str),
    /// Any other bytes.
    Bytes(&'a [u8]),
}

impl<'a> LinePart<'a> {
    const fn bytes(self) -> &'a [u8] {
        match self {
            Self::Plain(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl Splitter {
    pub(in crate::text::view) fn new(options: &ViewOptions) -> Self {
        Self {
            store: Store::new(options),
            carry: Vec::new(),
            long: None,
            buffer: String::new(),
            repeated: Repeated::default(),
            line_start: 0,
            total: 0,
            stream: None,
        }
    }

    pub(in crate::text::view) const fn total(&self) -> u64 {
        self.total
    }

    pub(in crate::text::view) fn memory(&self) -> usize {
        let long = self.long.as_ref().map_or(0, |long| long.memory(LongText::memory));
        self.store.memory()
            + self.carry.capacity()
            + self.buffer.capacity()
            + self.repeated.line.capacity()
            + long
    }

    pub(in crate::text::view) fn push(&mut self, bytes: &[u8], stream: Option<u8>) {
        // Checking the whole piece is faster than checking each line.
        let plain = as_plain_text(bytes);
        let mut offset = 0;
        while offset < bytes.len() {
            if self.is_between_lines() {
                self.stream = stream;
            }
            let Some(length) = line_length(&bytes[offset..]) else {
                self.total += (bytes.len() - offset) as u64;
                self.carry_on(&bytes[offset..]);
                return;
            };
            let end = offset + length;
            let part = plain
                .map_or(LinePart::Bytes(&bytes[offset..end]), |text| LinePart::Plain(&text[offset..end]));
            let arrival = self.next_arrival(length as u64 + 1, true);
            self.end_line(part, &arrival);
            offset = end + 1;
        }
    }

    /// Returns the lines so far, including the unfinished one.
    pub(in crate::text::view) fn finished(&self) -> Cow<'_, Self> {
        if self.is_between_lines() && self.repeated.count == 0 {
            return Cow::Borrowed(self);
        }
        let mut finished = self.clone();
        finished.finish();
        Cow::Owned(finished)
    }

    /// Ends the last line.
    pub(in crate::text::view) fn finish(&mut self) {
        if !self.is_between_lines() {
            let arrival = self.next_arrival(0, false);
            self.end_line(LinePart::Bytes(&[]), &arrival);
        }
        self.take_repeated();
    }

    /// Returns the view of the whole output, if it fits into the budget.
    pub(in crate::text::view) fn whole_view(&self) -> Option<View> {
        let text = self.store.whole_text()?;
        Some(View::whole(text.to_owned(), self.store.lines(), self.total))
    }

    const fn is_between_lines(&self) -> bool {
        self.line_start == self.total
    }

    /// Adds the beginning of a line, or a part of its middle.
    fn carry_on(&mut self, part: &[u8]) {
        let mut rest = part;
        while self.carry.len() + rest.len() > MAX_COLLECTED {
            self.take_repeated();
            let (block, after) = rest.split_at(MAX_COLLECTED - self.carry.len());
            self.carry.extend_from_slice(block);
            let limits = self.store.long_limits();
            let long = self.long.get_or_insert_with(|| Box::new(LongLine::new(LongText::new(limits))));
            long.push(&self.carry, &mut self.store.counts);
            self.carry.clear();
            rest = after;
        }
        self.carry.extend_from_slice(rest);
    }

    /// Counts the last bytes of a line, and returns the line's position.
    fn next_arrival(&mut self, bytes: u64, has_break: bool) -> Arrival {
        let (start, end) = (self.line_start, self.total + bytes);
        (self.line_start, self.total) = (end, end);
        Arrival { start, end, has_break, stream: self.stream }
    }

    #[inline]
    fn end_line(&mut self, part: LinePart<'_>, arrival: &Arrival) {
        if self.carry.is_empty() && self.long.is_none() && part.bytes().len() <= MAX_COLLECTED {
            self.take_line(part, arrival);
        } else {
            self.end_carried_line(part, arrival);
        }
    }

    /// Ends a line that begins in `carry`, or that is too long to be collected.
    #[cold]
    fn end_carried_line(&mut self, part: LinePart<'_>, arrival: &Arrival) {
        self.carry_on(part.bytes());
        if let Some(mut long) = self.long.take() {
            long.push(&self.carry, &mut self.store.counts);
            let text = long.finish(&mut self.store.counts);
            let total = text.total();
            let finished = text.finish(&mut self.store.counts);
            match finished.body {
                Body::Whole(text) => self.store.take(&text, arrival),
                Body::Pieces(pieces) => self.store.take_long(*pieces, finished.class, total, arrival),
            }
            self.repeated.line_is_known = false;
        } else {
            let line = std::mem::take(&mut self.carry);
            self.take_line(LinePart::Bytes(&line), arrival);
            self.carry = line;
        }
        self.carry.clear();
        // Releases the memory of a long line, which the next line may not need.
        self.carry.shrink_to(4 * 1024);
    }

    /// Passes a line of at most 64 KiB to the store, or only counts it if it equals the line before.
    fn take_line(&mut self, line: LinePart<'_>, arrival: &Arrival) {
        let repeated = &mut self.repeated;
        if repeated.is_again(line.bytes(), arrival) {
            repeated.count += 1;
            return;
        }
        self.take_repeated();
        match line {
            LinePart::Plain(text) => self.store.take(text, arrival),
            LinePart::Bytes(bytes) => self.store.take(&plain_line_in(bytes, &mut self.buffer), arrival),
        }
        self.repeated.set(line.bytes(), arrival);
    }

    /// Passes the counted repetitions on to the store.
    #[inline]
    fn take_repeated(&mut self) {
        if self.repeated.count > 0 {
            self.take_run();
        }
    }

    /// Passes the lines of a run on to the store.
    ///
    /// Passes the first and the last lines of a very long run one by one, and the others as a count: the
    /// store would drop each of them.
    #[cold]
    fn take_run(&mut self) {
        let count = std::mem::take(&mut self.repeated.count);
        let line = std::mem::take(&mut self.repeated.line);
        let text = plain_line(&line);
        let edge = self.store.most_lines();
        let between = count.saturating_sub(2 * edge);
        let mut arrival = self.repeated.arrival;
        for _ in 0..count.min(edge) {
            arrival = arrival.next();
            self.store.take(&text, &arrival);
        }
        if between > 0 {
            self.store.skip(between, &text, &arrival);
            arrival = arrival.after(between);
        }
        for _ in 0..(count - between).saturating_sub(edge) {
            arrival = arrival.next();
            self.store.take(&text, &arrival);
        }
        self.repeated.line = line;
        self.repeated.arrival = arrival;
    }
}

/// Returns the length of the first line. Finds the end of a very short line without a call.
fn line_length(bytes: &[u8]) -> Option<usize> {
    let near = bytes.iter().take(6).position(|&byte| byte == b'\n');
    near.or_else(|| memchr::memchr(b'\n', bytes))
}

/// The longest line compared with the next one (bytes).
const MAX_COMPARED: usize = 1024;

/// The last line, and the number of its repetitions.
#[derive(Clone, Debug, Default)]
struct Repeated {
    line: Vec<u8>,
    line_is_known: bool,
    /// The number of repetitions since the store took the line.
    count: u64,
    /// The arrival of the last line that the store took.
    arrival: Arrival,
}

impl Repeated {
    fn is_again(&self, line: &[u8], arrival: &Arrival) -> bool {
        // Compares only non-empty lines of equal length that begin alike, because a call of `memcmp` costs
        // more than these checks.
        let begins_alike = self.line.len() == line.len() && self.line.first() == line.first();
        self.line_is_known
            && begins_alike
            && (line.is_empty() || self.line == line)
            && arrival.has_break
            && self.arrival.has_break
            && arrival.stream == self.arrival.stream
    }

    fn set(&mut self, line: &[u8], arrival: &Arrival) {
        self.line_is_known = line.len() <= MAX_COMPARED;
        if self.line_is_known {
            self.line.clear();
            self.line.extend_from_slice(line);
            self.arrival = *arrival;
        }
    }
}
