//! The latest text of several streams, to be read from a place on.

use std::{collections::VecDeque, fmt, ops::Range};

use super::growth::growth;

/// Runs that there may be in any ring.
const FEW_RUNS: usize = 64;

/// One run more for each so many bytes of the limit: about what a run's entry takes in memory.
const BYTES_PER_RUN: usize = 16;

/// Keeps the latest text of several streams in the order in which it came, and reads it from any place on.
///
/// A place is a *cursor*: how many bytes of UTF-8 text had been pushed before it. `S` is the name of a stream.
///
/// At most `limit` bytes of text are kept, and at most `limit / 16 + 64` runs (consecutive text of one stream): what is
/// older is dropped, and cuts fall between characters. So with streams that alternate in runs of under 16 bytes, less
/// than the limit may be kept. Memory grows with what arrives, up to about twice the limit. Nothing is allocated before
/// the first text.
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
    /// The text that is kept: whole characters.
    bytes: VecDeque<u8>,
    /// Which stream it is from; none is empty, and two neighbours are never of one stream.
    runs: VecDeque<Run<S>>,
    /// The cursor before the first byte that is kept.
    start: u64,
}

/// Consecutive text of one stream.
#[derive(Clone, Copy)]
struct Run<S> {
    stream: S,
    /// The cursor behind its last byte.
    end: u64,
}

/// What was read from a [`Ring`].
///
/// `dropped` and the bytes of the chunks together are the bytes between the place that was asked for and `cursor`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Piece<S> {
    /// Bytes after the place that was asked for and before the first chunk. They are no longer there, or they are the rest
    /// of the character in which that place was.
    pub dropped: u64,
    /// The place behind the last chunk, from which to read on.
    pub cursor: u64,
    /// The text, in the order in which it came. No chunk is empty, and two neighbours are never of one stream.
    pub chunks: Vec<(S, String)>,
}

impl<S: Copy + PartialEq + fmt::Debug> Ring<S> {
    /// A ring that keeps at most `limit` bytes of text. A limit of 0 keeps nothing and counts all.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self { limit, bytes: VecDeque::new(), runs: VecDeque::new(), start: 0 }
    }

    /// Takes the next text of `stream`. Of a text over the limit the end is kept.
    pub fn push(&mut self, stream: S, text: &str) {
        let over = (self.bytes.len() + text.len()).saturating_sub(self.limit);
        let kept = &text[self.drop_oldest(over, text)..];
        if kept.is_empty() {
            return;
        }
        self.bytes.reserve_exact(growth(self.bytes.len(), self.bytes.capacity(), kept.len(), self.limit));
        self.bytes.extend(kept.as_bytes());
        let end = self.cursor();
        match self.runs.back_mut() {
            Some(last) if last.stream == stream => last.end = end,
            _ => self.push_run(Run { stream, end }),
        }
    }

    /// How many bytes of text have been pushed so far.
    #[must_use]
    pub fn cursor(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// How much memory the ring takes (bytes).
    #[must_use]
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + self.runs.capacity() * size_of::<Run<S>>()
    }

    /// All text after the place `since` that is still there. A place that is still to come gives nothing.
    ///
    /// It takes as long as there is text to be copied.
    #[must_use]
    pub fn read(&self, since: u64) -> Piece<S> {
        let cursor = self.cursor();
        let since = since.min(cursor);
        let from = self.start + self.next_character(self.place(since)) as u64;
        let first = self.runs.partition_point(|run| run.end <= from);
        let mut begin = from;
        let mut chunks = Vec::with_capacity(self.runs.len() - first);
        for run in self.runs.range(first..) {
            chunks.push((run.stream, self.text(self.place(begin)..self.place(run.end))));
            begin = run.end;
        }
        Piece { dropped: from - since, cursor, chunks }
    }

    /// Drops the oldest `over` bytes, and the rest of a character that this cuts, of what is kept and then of `text`, which
    /// is to come. Returns how many bytes of `text` are dropped.
    fn drop_oldest(&mut self, over: usize, text: &str) -> usize {
        if over == 0 {
            return 0;
        }
        if over < self.bytes.len() {
            self.drop_first(self.next_character(over));
            return 0;
        }
        let of_text = (over - self.bytes.len()..text.len()).find(|&place| text.is_char_boundary(place));
        let of_text = of_text.unwrap_or(text.len());
        self.start = self.cursor() + of_text as u64;
        self.bytes.clear();
        self.runs.clear();
        of_text
    }

    /// Drops so many of the bytes that are kept, and the runs that end with them.
    fn drop_first(&mut self, count: usize) {
        self.bytes.drain(..count);
        self.start += count as u64;
        while self.runs.front().is_some_and(|run| run.end <= self.start) {
            self.runs.pop_front();
        }
    }

    fn push_run(&mut self, run: Run<S>) {
        let limit = self.limit / BYTES_PER_RUN + FEW_RUNS;
        if self.runs.len() == limit
            && let Some(oldest) = self.runs.front()
        {
            self.drop_first(self.place(oldest.end));
        }
        self.runs.reserve_exact(growth(self.runs.len(), self.runs.capacity(), 1, limit));
        self.runs.push_back(run);
    }

    /// Where in the bytes a cursor is; 0 for what is no longer there.
    fn place(&self, cursor: u64) -> usize {
        // What is kept has no more bytes than a `usize` can count.
        usize::try_from(cursor.saturating_sub(self.start)).unwrap_or(usize::MAX).min(self.bytes.len())
    }

    /// The first place from `place` on that is not inside a character.
    fn next_character(&self, place: usize) -> usize {
        let is_inside = |byte: &&u8| (0x80..0xc0).contains(*byte);
        place + self.bytes.range(place..).take_while(is_inside).count()
    }

    /// The text of a range of whole characters.
    fn text(&self, range: Range<usize>) -> String {
        let (older, newer) = self.bytes.as_slices();
        let part = |slice: &[u8], from: usize| {
            let begin = range.start.saturating_sub(from).min(slice.len());
            let end = range.end.saturating_sub(from).min(slice.len());
            begin..end
        };
        let mut bytes = Vec::with_capacity(range.len());
        bytes.extend_from_slice(&older[part(older, 0)]);
        bytes.extend_from_slice(&newer[part(newer, older.len())]);
        // Only text came in, and cuts fall between characters: this is a check and no copy.
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

impl<S: Copy + PartialEq + fmt::Debug> fmt::Debug for Ring<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The text may be long, and it is not for every eye.
        f.debug_struct("Ring")
            .field("limit", &self.limit)
            .field("start", &self.start)
            .field("len", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{FEW_RUNS, Piece, Ring};

    fn ring_of(limit: usize, pushes: &[(char, &str)]) -> Ring<char> {
        let mut ring = Ring::new(limit);
        for (stream, text) in pushes {
            ring.push(*stream, text);
        }
        ring
    }

    fn piece(dropped: u64, cursor: u64, chunks: &[(char, &str)]) -> Piece<char> {
        let chunks = chunks.iter().map(|(stream, text)| (*stream, (*text).to_owned())).collect();
        Piece { dropped, cursor, chunks }
    }

    #[test]
    fn memory_counts_the_text_and_stays_about_twice_the_limit() {
        let mut ring = Ring::new(1000);
        assert_eq!(ring.memory(), 0);
        ring.push("out", &"a".repeat(500));
        assert!(ring.memory() >= 500, "{}", ring.memory());
        for _ in 0..1000 {
            ring.push("out", &"a".repeat(99));
        }
        assert!((1000..4000).contains(&ring.memory()), "{}", ring.memory());
    }

    #[test]
    fn consecutive_text_of_one_stream_is_one_chunk() {
        let ring = ring_of(10, &[('o', "a"), ('o', "b"), ('e', "c"), ('e', ""), ('o', ""), ('e', "d")]);
        assert_eq!(ring.read(0), piece(0, 4, &[('o', "ab"), ('e', "cd")]));
    }

    #[test]
    fn reading_begins_at_the_cursor() {
        let ring = ring_of(10, &[('o', "abc"), ('e', "def")]);
        assert_eq!(ring.read(2), piece(0, 6, &[('o', "c"), ('e', "def")]));
        assert_eq!(ring.read(3), piece(0, 6, &[('e', "def")]));
        assert_eq!(ring.read(6), piece(0, 6, &[]));
    }

    #[test]
    fn a_cursor_that_is_still_to_come_gives_nothing() {
        let ring = ring_of(10, &[('o', "abc")]);
        assert_eq!(ring.read(4), piece(0, 3, &[]));
        assert_eq!(ring.read(u64::MAX), piece(0, 3, &[]));
    }

    #[test]
    fn an_empty_ring_is_empty() {
        assert_eq!(ring_of(10, &[]).read(0), piece(0, 0, &[]));
    }

    #[test]
    fn what_is_over_the_limit_is_dropped_from_the_beginning() {
        let ring = ring_of(4, &[('o', "abc"), ('e', "def")]);
        assert_eq!(ring.read(0), piece(2, 6, &[('o', "c"), ('e', "def")]));
        assert_eq!(ring.read(1), piece(1, 6, &[('o', "c"), ('e', "def")]));
    }

    #[test]
    fn a_text_that_just_fills_the_ring_replaces_what_was_there() {
        let ring = ring_of(4, &[('o', "abc"), ('e', "defg")]);
        assert_eq!(ring.read(0), piece(3, 7, &[('e', "defg")]));
    }

    #[test]
    fn of_a_text_over_the_limit_the_end_is_kept() {
        let ring = ring_of(4, &[('o', "abc"), ('e', "defghijk")]);
        assert_eq!(ring.read(0), piece(7, 11, &[('e', "hijk")]));
    }

    #[test]
    fn a_character_is_dropped_whole() {
        assert_eq!(ring_of(4, &[('o', "a🦀")]).read(0), piece(1, 5, &[('o', "🦀")]));
        assert_eq!(ring_of(4, &[('o', "🦀"), ('o', "b")]).read(0), piece(4, 5, &[('o', "b")]));
        assert_eq!(ring_of(4, &[('o', "a🦀b")]).read(0), piece(5, 6, &[('o', "b")]));
    }

    #[test]
    fn a_character_that_is_larger_than_the_ring_is_dropped() {
        let ring = ring_of(3, &[('o', "ab"), ('o', "🦀")]);
        assert_eq!(ring.read(0), piece(6, 6, &[]));
    }

    #[test]
    fn a_cursor_inside_a_character_begins_at_the_next_one() {
        let ring = ring_of(10, &[('o', "€"), ('e', "é")]);
        for since in 1..=3 {
            assert_eq!(ring.read(since), piece(3 - since, 5, &[('e', "é")]));
        }
        assert_eq!(ring.read(4), piece(1, 5, &[]));
    }

    #[test]
    fn a_limit_of_zero_keeps_nothing_and_counts_all() {
        assert_eq!(ring_of(0, &[('o', "abc"), ('e', "")]).read(1), piece(2, 3, &[]));
    }

    #[test]
    fn nothing_is_allocated_before_text_arrives() {
        let ring = ring_of(usize::MAX, &[('o', "")]);
        assert_eq!((ring.bytes.capacity(), ring.runs.capacity()), (0, 0));
    }

    #[test]
    fn the_buffers_grow_to_the_limit_and_not_beyond_it() {
        let limit = 100_000;
        let mut ring = Ring::new(limit);
        for _ in 0..1_000 {
            ring.push('o', &"a".repeat(777));
            assert!(ring.bytes.capacity() <= limit);
        }
    }

    #[test]
    fn runs_of_one_byte_take_bounded_memory() {
        let limit = 16 * 1024;
        let mut ring = Ring::new(limit);
        for _ in 0..limit {
            ring.push('o', "a");
            ring.push('e', "b");
            assert!(ring.runs.capacity() <= limit / 16 + FEW_RUNS);
        }
        let piece = ring.read(0);
        assert_eq!(piece.chunks.len(), limit / 16 + FEW_RUNS);
        assert_eq!(piece.chunks.last(), Some(&('e', "b".to_owned())));
        assert_eq!(piece.dropped + piece.chunks.len() as u64, piece.cursor);
    }

    #[test]
    fn many_runs_in_a_small_ring_drop_no_more_than_they_must() {
        let mut ring = Ring::new(FEW_RUNS);
        for _ in 0..1_000 {
            ring.push('o', "a");
            ring.push('e', "b");
        }
        assert_eq!(ring.read(0).chunks.len(), FEW_RUNS);
    }

    #[test]
    fn debug_does_not_show_the_text() {
        let ring = ring_of(4, &[('o', "secret")]);
        assert_eq!(format!("{ring:?}"), "Ring { limit: 4, start: 2, len: 4, .. }");
    }

    /// The second implementation: has all text, character by character, and cuts when it is asked.
    struct Model {
        limit: usize,
        characters: Vec<(char, char)>,
    }

    impl Model {
        fn read(&self, since: u64) -> Piece<char> {
            let cursor: u64 = self.characters.iter().map(|(_, character)| character.len_utf8() as u64).sum();
            let oldest = cursor.saturating_sub(self.limit as u64).max(since);
            let mut chunks: Vec<(char, String)> = Vec::new();
            let mut place = 0;
            let mut returned = 0;
            for (stream, character) in &self.characters {
                if place >= oldest {
                    returned += character.len_utf8() as u64;
                    match chunks.last_mut() {
                        Some((last, text)) if last == stream => text.push(*character),
                        _ => chunks.push((*stream, character.to_string())),
                    }
                }
                place += character.len_utf8() as u64;
            }
            Piece { dropped: cursor.saturating_sub(since) - returned, cursor, chunks }
        }
    }

    fn pushes() -> impl Strategy<Value = Vec<(char, String)>> {
        prop::collection::vec((prop::sample::select(vec!['o', 'e']), "[abé€🦀]{0,12}"), 0..40)
    }

    proptest! {
        #[test]
        fn it_reads_as_a_list_of_all_text_does(pushes in pushes(), limit in 0..60_usize) {
            let mut ring = Ring::new(limit);
            let mut model = Model { limit, characters: Vec::new() };
            for (stream, text) in &pushes {
                ring.push(*stream, text);
                model.characters.extend(text.chars().map(|character| (*stream, character)));
                prop_assert!(ring.bytes.len() <= limit);
            }
            for since in 0..ring.cursor() + 3 {
                prop_assert_eq!(ring.read(since), model.read(since));
            }
        }

        #[test]
        fn what_is_dropped_and_what_is_returned_add_up(pushes in pushes(), limit in 0..60_usize) {
            let mut ring = Ring::new(limit);
            for (stream, text) in &pushes {
                ring.push(*stream, text);
            }
            for since in 0..=ring.cursor() {
                let piece = ring.read(since);
                let returned: usize = piece.chunks.iter().map(|(_, text)| text.len()).sum();
                prop_assert_eq!(piece.dropped + returned as u64, ring.cursor() - since);
            }
        }

        #[test]
        fn reading_on_from_the_last_cursor_misses_nothing(pushes in pushes()) {
            let mut ring = Ring::new(usize::MAX);
            let mut read = String::new();
            let mut cursor = 0;
            for (stream, text) in &pushes {
                ring.push(*stream, text);
                let piece = ring.read(cursor);
                cursor = piece.cursor;
                prop_assert_eq!(piece.dropped, 0);
                read.extend(piece.chunks.into_iter().map(|(_, text)| text));
            }
            let all: String = pushes.into_iter().map(|(_, text)| text).collect();
            prop_assert_eq!(read, all);
        }
    }
}
