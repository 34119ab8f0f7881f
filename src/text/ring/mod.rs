//! Keeps the latest output of several streams, text or bytes, to be read from an offset on.

use std::{collections::VecDeque, fmt, ops::Range};

use super::growth::growth;

mod timed;

pub use timed::{TimedPiece, TimedRing};

/// The number of runs that even the smallest ring may have: enough for some lines of two alternating streams.
const MIN_RUN_LIMIT: usize = 64;

/// The number of bytes of the limit for which one more run is allowed.
///
/// A run's entry takes about as much memory, so that the runs take no more memory than the text.
const BYTES_PER_RUN: usize = 16;

/// Keeps the latest text of several streams in order of arrival, and reads it from any offset on.
///
/// An offset, called *cursor*, counts the bytes of UTF-8 text that were pushed before it. `S` is the name of
/// a stream.
///
/// The ring keeps at most `limit` bytes of text and at most `limit / 16 + 64` runs (consecutive text of one
/// stream). Older text is dropped, and cuts fall between characters. So with streams that alternate in runs
/// of under 16 bytes, the ring may keep less than the limit. Memory grows with the text that arrives, up to
/// about twice the limit. Nothing is allocated before the first text.
///
/// A ring of [bytes](Self::of_bytes) does the same with bytes that need not be text, and cuts anywhere.
///
/// ```
/// use agent_bash::text::Ring;
///
/// let mut ring = Ring::new(8);
/// ring.push("out", "abc");
/// ring.push("out", "de");
/// ring.push("err", "!");
/// let piece = ring.read(1);
/// assert_eq!(piece.chunks, [("out", "bcde".to_owned()), ("err", "!".to_owned())]);
/// assert_eq!((piece.dropped, piece.cursor), (0, 6));
///
/// ring.push("out", "fghi");
/// let piece = ring.read(1);
/// assert_eq!(piece.chunks[0], ("out", "cde".to_owned()));
/// assert_eq!((piece.dropped, piece.cursor), (1, 10));
/// assert_eq!(ring.read(piece.cursor).chunks, []);
/// ```
pub struct Ring<S> {
    limit: usize,
    has_text: bool,
    /// The kept bytes; text is cut between characters only.
    bytes: VecDeque<u8>,
    /// The streams of the kept text. No run is empty, and two neighbours are never of the same stream.
    runs: VecDeque<Run<S>>,
    /// The cursor before the first kept byte.
    start: u64,
}

/// Consecutive text of one stream.
#[derive(Clone, Copy)]
struct Run<S> {
    stream: S,
    /// The cursor after the last byte of the run.
    end: u64,
}

/// The text, or other chunks `C`, read from a [`Ring`].
///
/// `dropped` plus the bytes of the chunks is the number of bytes between the requested cursor and `cursor`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Piece<S, C = String> {
    /// The number of bytes between the requested cursor and the first chunk: text that the ring has dropped,
    /// or the rest of a character that the cursor splits.
    pub dropped: u64,
    /// The cursor after the last chunk, from which to read on.
    pub cursor: u64,
    /// The text in order of arrival. No chunk is empty, and two neighbours are never of the same stream.
    pub chunks: Vec<(S, C)>,
}

impl<S: Copy + PartialEq + fmt::Debug> Ring<S> {
    /// Creates a ring that keeps at most `limit` bytes of text. A limit of 0 keeps nothing and counts all.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self { limit, has_text: true, bytes: VecDeque::new(), runs: VecDeque::new(), start: 0 }
    }

    /// Creates a ring like [`Self::new`], of bytes: see [`Self::push_bytes`] and [`Self::read_bytes`].
    #[must_use]
    pub fn of_bytes(limit: usize) -> Self {
        Self { has_text: false, ..Self::new(limit) }
    }

    /// Returns whether the ring keeps text, and not bytes.
    #[must_use]
    pub const fn has_text(&self) -> bool {
        self.has_text
    }

    /// Adds the next text of `stream`. Keeps the end of a text that is longer than the limit.
    pub fn push(&mut self, stream: S, text: &str) {
        self.push_bytes(stream, text.as_bytes());
    }

    /// Adds the next bytes of `stream`, as [`Self::push`] does. In a ring of text, they must be text.
    pub fn push_bytes(&mut self, stream: S, bytes: &[u8]) {
        let over = (self.bytes.len() + bytes.len()).saturating_sub(self.limit);
        let kept = &bytes[self.drop_oldest(over, bytes)..];
        if kept.is_empty() {
            return;
        }
        self.bytes.reserve_exact(growth(self.bytes.len(), self.bytes.capacity(), kept.len(), self.limit));
        self.bytes.extend(kept);
        let end = self.cursor();
        match self.runs.back_mut() {
            Some(last) if last.stream == stream => last.end = end,
            _ => self.push_run(Run { stream, end }),
        }
    }

    /// Moves the cursor over bytes that are missing, and drops what is kept.
    pub fn skip(&mut self, count: u64) {
        self.start = self.cursor().saturating_add(count);
        self.bytes.clear();
        self.runs.clear();
    }

    /// Returns the number of bytes pushed so far.
    #[must_use]
    pub fn cursor(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// Returns the memory that the ring takes (bytes).
    #[must_use]
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + self.runs.capacity() * size_of::<Run<S>>()
    }

    /// Returns the kept text after the cursor `since`; nothing for a cursor in the future.
    ///
    /// Takes time in proportion to the text that is returned.
    #[must_use]
    pub fn read(&self, since: u64) -> Piece<S> {
        // The bytes of text are valid UTF-8, since cuts fall between characters: this validates only.
        let text = |bytes| {
            String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
        };
        self.read_with(since, text)
    }

    /// Returns the kept bytes after the cursor `since`, as [`Self::read`] does.
    #[must_use]
    pub fn read_bytes(&self, since: u64) -> Piece<S, Vec<u8>> {
        self.read_with(since, |bytes| bytes)
    }

    /// Returns the kept bytes from one cursor to another one, as [`Self::read`] does.
    fn read_bytes_between(&self, since: u64, end: u64) -> Piece<S, Vec<u8>> {
        self.read_between(since, end, |bytes| bytes)
    }

    fn read_with<C>(&self, since: u64, chunk: impl Fn(Vec<u8>) -> C) -> Piece<S, C> {
        self.read_between(since, u64::MAX, chunk)
    }

    fn read_between<C>(&self, since: u64, end: u64, chunk: impl Fn(Vec<u8>) -> C) -> Piece<S, C> {
        let cursor = self.cursor();
        let since = since.min(cursor);
        let from = self.start + self.next_character(self.index_of(since)) as u64;
        let cursor = end.clamp(from, cursor);
        let first = self.runs.partition_point(|run| run.end <= from);
        let mut begin = from;
        let mut chunks = Vec::new();
        for run in self.runs.range(first..) {
            if begin == cursor {
                break;
            }
            let end = run.end.min(cursor);
            chunks.push((run.stream, chunk(self.copy(self.index_of(begin)..self.index_of(end)))));
            begin = end;
        }
        Piece { dropped: from - since, cursor, chunks }
    }

    /// Drops the oldest `over` bytes of what is kept followed by `added`, which is about to be added.
    ///
    /// Drops the rest of a split character too. Returns how many bytes of `added` are dropped.
    fn drop_oldest(&mut self, over: usize, added: &[u8]) -> usize {
        if over == 0 {
            return 0;
        }
        if over < self.bytes.len() {
            self.drop_first(self.next_character(over));
            return 0;
        }
        let over = over - self.bytes.len();
        let of_added = over + self.rest_of_character(added[over..].iter());
        self.start = self.cursor() + of_added as u64;
        self.bytes.clear();
        self.runs.clear();
        of_added
    }

    /// Drops the first `count` kept bytes, and the runs that end with them.
    fn drop_first(&mut self, count: usize) {
        self.bytes.drain(..count);
        self.start += count as u64;
        while self.runs.front().is_some_and(|run| run.end <= self.start) {
            self.runs.pop_front();
        }
    }

    fn push_run(&mut self, run: Run<S>) {
        let limit = self.limit / BYTES_PER_RUN + MIN_RUN_LIMIT;
        if self.runs.len() == limit
            && let Some(oldest) = self.runs.front()
        {
            self.drop_first(self.index_of(oldest.end));
        }
        self.runs.reserve_exact(growth(self.runs.len(), self.runs.capacity(), 1, limit));
        self.runs.push_back(run);
    }

    /// Returns the index of a cursor in the kept bytes; 0 for a cursor before them.
    fn index_of(&self, cursor: u64) -> usize {
        // The number of kept bytes fits in a `usize`.
        usize::try_from(cursor.saturating_sub(self.start)).unwrap_or(usize::MAX).min(self.bytes.len())
    }

    /// Returns the first index from `index` on that is not inside a character.
    fn next_character(&self, index: usize) -> usize {
        index + self.rest_of_character(self.bytes.range(index..))
    }

    /// Returns how many of these bytes belong to a character that began before them; none of bytes.
    fn rest_of_character<'a>(&self, bytes: impl Iterator<Item = &'a u8>) -> usize {
        let is_inside = |byte: &&u8| self.has_text && (0x80..0xc0).contains(*byte);
        bytes.take_while(is_inside).count()
    }

    /// Returns a copy of a range of what is kept.
    fn copy(&self, range: Range<usize>) -> Vec<u8> {
        let (older, newer) = self.bytes.as_slices();
        let part = |slice: &[u8], from: usize| {
            let begin = range.start.saturating_sub(from).min(slice.len());
            let end = range.end.saturating_sub(from).min(slice.len());
            begin..end
        };
        let mut bytes = Vec::with_capacity(range.len());
        bytes.extend_from_slice(&older[part(older, 0)]);
        bytes.extend_from_slice(&newer[part(newer, older.len())]);
        bytes
    }
}

impl<S: Copy + PartialEq + fmt::Debug> fmt::Debug for Ring<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The text may be long and secret, so it is omitted.
        f.debug_struct("Ring")
            .field("limit", &self.limit)
            .field("start", &self.start)
            .field("len", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
