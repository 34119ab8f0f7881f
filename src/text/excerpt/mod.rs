//! Keeps a bounded, readable part of a long stream: its beginning, its end, or both.
//!
//! The error is usually at the end of a long output and its cause at the beginning, so [`Keep::Both`] is the
//! default. Cuts fall between characters, and by default between lines if a line ends near enough. The number
//! of omitted bytes is exact.
//!
//! `shape` has the options, `cut` finds the offsets at which the stream is cut, and `marker` writes the
//! caller's own text in place of the omitted bytes.

mod cut;
mod marker;
mod shape;

pub use self::marker::{Marker, Omitted};
pub use self::shape::{Cut, Keep, Shape};

use std::collections::VecDeque;

use self::cut::{cut_head, cut_tail};
use super::growth::growth;

/// Keeps a bounded part of a byte stream and counts the omitted bytes.
///
/// A stream within the limit is kept whole. Memory grows with the data that arrives, up to the limit plus one
/// byte, and nothing is allocated before the first byte. The text is a copy and may be read at any time.
/// ```
/// use agent_bash::text::{Excerpt, Keep};
///
/// let mut excerpt = Excerpt::new(16, Keep::Both);
/// excerpt.push(b"line 1\nline 2\nli");
/// excerpt.push(b"ne 3\nline 4\n");
/// let text = excerpt.finish();
/// assert_eq!(text.text, "line 1\n[... 14 bytes (2 lines) omitted ...]\nline 4\n");
/// assert_eq!((text.truncated, text.omitted_bytes, text.omitted_lines), (true, 14, 2));
/// ```
#[derive(Clone, Debug)]
pub struct Excerpt {
    head: Vec<u8>,
    head_limit: usize,
    /// The last bytes that are not in the head. A full tail has one more byte before them.
    tail: VecDeque<u8>,
    tail_limit: usize,
    cut: Cut,
    marker: Option<Marker>,
    total: u64,
    newlines: u64,
}

impl Excerpt {
    /// Creates an excerpt of at most `limit` bytes of the stream, of the shape [`Shape::new`].
    #[must_use]
    pub fn new(limit: usize, keep: Keep) -> Self {
        Self::shaped(&Shape::new(limit, keep))
    }

    /// Creates an excerpt of this shape.
    #[must_use]
    pub fn shaped(shape: &Shape) -> Self {
        let head_limit = shape.head_limit();
        Self {
            head: Vec::new(),
            head_limit,
            tail: VecDeque::new(),
            tail_limit: shape.limit - head_limit,
            cut: shape.cut,
            marker: shape.marker.clone(),
            total: 0,
            newlines: 0,
        }
    }

    /// Adds the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        self.newlines += newlines(bytes);
        let room = self.head_limit - self.head.len();
        let (head, rest) = bytes.split_at(bytes.len().min(room));
        if !head.is_empty() {
            let more = growth(self.head.len(), self.head.capacity(), head.len(), self.head_limit);
            self.head.reserve_exact(more);
            self.head.extend_from_slice(head);
        }
        self.push_to_tail(rest);
    }

    fn push_to_tail(&mut self, bytes: &[u8]) {
        if bytes.is_empty() || self.tail_limit == 0 {
            return;
        }
        // The byte before the tail shows whether the tail begins a line.
        let limit = self.tail_limit.saturating_add(1);
        let last = &bytes[bytes.len().saturating_sub(limit)..];
        let kept = self.tail.len().min(limit - last.len());
        self.tail.drain(..self.tail.len() - kept);
        self.tail.reserve_exact(growth(kept, self.tail.capacity(), last.len(), limit));
        self.tail.extend(last);
    }

    /// Returns the number of bytes of the stream so far.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Returns whether the stream is longer than the limit, so that bytes are left out.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        // The two limits add up to a `usize`, so this can't overflow.
        self.total > (self.head_limit + self.tail_limit) as u64
    }

    /// Returns the stream so far as text, with the shape's marker in place of omitted bytes. The stream may
    /// go on after that.
    ///
    /// The caller's marker is copied unchanged. The default marker, `[... 12345 bytes (678 lines) omitted
    /// ...]`, is a line of its own: at the end for [`Keep::Head`], at the beginning for [`Keep::Tail`], and
    /// between the two parts for [`Keep::Both`]. If the text before the marker does not end with a line
    /// break, one is added.
    #[must_use]
    pub fn finish(&self) -> ExcerptText {
        let parts = self.parts();
        ExcerptText {
            text: parts.text_with(|omitted| match &self.marker {
                Some(marker) => marker.text(omitted, self.total),
                None => default_marker(omitted),
            }),
            truncated: parts.omitted.is_some(),
            omitted_bytes: parts.omitted.map_or(0, |omitted| omitted.bytes),
            omitted_lines: parts.omitted.map_or(0, |omitted| omitted.lines),
        }
    }

    /// Returns the stream so far as text, with the result of `marker`, copied unchanged, in place of omitted
    /// bytes. The shape's marker is not used. Calls `marker` at most once, and only if the stream is cut.
    ///
    /// ```
    /// use agent_bash::text::{Excerpt, Keep};
    ///
    /// let mut excerpt = Excerpt::new(4, Keep::Head);
    /// excerpt.push(b"abcdefg");
    /// assert_eq!(excerpt.text_with(|omitted| format!(" (+{})", omitted.bytes)), "abcd (+3)");
    /// ```
    #[must_use]
    pub fn text_with(&self, marker: impl Fn(&Omitted) -> String) -> String {
        self.parts().text_with(marker)
    }

    /// Returns the kept bytes: of a stream that is cut exactly as many as the limit, wherever lines and
    /// characters end, and without a marker between the two parts.
    ///
    /// ```
    /// use agent_bash::text::{Excerpt, Keep};
    ///
    /// let mut excerpt = Excerpt::new(4, Keep::Both);
    /// excerpt.push(b"\xc3\n\x00\xfe\xff\x80");
    /// assert_eq!(excerpt.into_bytes(), b"\xc3\n\xff\x80");
    /// ```
    #[must_use]
    pub fn into_bytes(mut self) -> Vec<u8> {
        // A full tail begins with one byte of context.
        self.tail.drain(..self.tail.len().saturating_sub(self.tail_limit));
        self.head.reserve_exact(self.tail.len());
        let (older, newer) = self.tail.as_slices();
        self.head.extend_from_slice(older);
        self.head.extend_from_slice(newer);
        self.head
    }

    /// Returns the raw bytes of the text.
    fn parts(&self) -> Parts<'_> {
        let (older, newer) = self.tail.as_slices();
        if !self.is_cut() {
            // The bytes are joined first, because a character may be half in the head and half in the tail.
            let whole = [&self.head, older, newer].concat();
            return Parts { head: &[], tail: whole, omitted: None };
        }
        let head = cut_head(&self.head, self.cut);
        let mut tail = [older, newer].concat();
        tail.drain(..tail.len() - cut_tail(&tail, self.cut).len());
        let omitted = Omitted {
            bytes: self.total - (head.len() + tail.len()) as u64,
            lines: self.newlines - newlines(head) - newlines(&tail),
            in_line: head.last().is_some_and(|last| *last != b'\n'),
        };
        Parts { head, tail, omitted: Some(omitted) }
    }
}

#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ExcerptText {
    /// The kept text, with a marker in place of omitted bytes. Invalid bytes are U+FFFD, by the WHATWG rule.
    pub text: String,
    pub truncated: bool,
    pub omitted_bytes: u64,
    /// The number of line breaks (`\n`) among the omitted bytes.
    pub omitted_lines: u64,
}

/// The raw bytes before and after the omitted ones. All bytes of a stream that is not cut are in `tail`.
struct Parts<'a> {
    head: &'a [u8],
    tail: Vec<u8>,
    omitted: Option<Omitted>,
}

impl Parts<'_> {
    fn text_with(&self, marker: impl Fn(&Omitted) -> String) -> String {
        let mut text = String::from_utf8_lossy(self.head).into_owned();
        if let Some(omitted) = &self.omitted {
            text.push_str(&marker(omitted));
        }
        text.push_str(&String::from_utf8_lossy(&self.tail));
        text
    }
}

fn default_marker(omitted: &Omitted) -> String {
    let line_break = if omitted.in_line { "\n" } else { "" };
    format!("{line_break}{omitted}\n")
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
mod tests;
