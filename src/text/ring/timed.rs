//! Keeps the latest bytes of several streams with the times at which they came.

use std::{collections::VecDeque, fmt};

use super::Ring;

/// The resolution of times (ms): bytes that come sooner after a mark than this have its time.
const MARK_INTERVAL: u64 = 5;

/// The most marks. A ring that has more drops every second one, so that slow output has rougher times rather
/// than a ring more memory.
const MAX_MARKS: usize = 8_192;

/// A [`Ring`] of bytes that also knows when they came: within 5 ms, in ms of the caller's clock.
///
/// ```
/// use agent_bash::text::ring::TimedRing;
///
/// let mut ring = TimedRing::new(1024);
/// ring.push("out", b"ab", 100);
/// ring.push("out", b"cd", 250);
/// let piece = ring.read(1, 1024);
/// assert_eq!(piece.chunks, [("out", b"b".to_vec(), 100), ("out", b"cd".to_vec(), 250)]);
/// assert_eq!((piece.dropped, piece.cursor), (0, 4));
/// ```
pub struct TimedRing<S> {
    ring: Ring<S>,
    /// The times from a cursor on, in the order of the cursors. The first one is at the first kept byte, or
    /// before it.
    marks: VecDeque<Mark>,
}

#[derive(Clone, Copy)]
struct Mark {
    cursor: u64,
    time: u64,
}

/// The bytes read from a [`TimedRing`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TimedPiece<S> {
    /// The number of bytes between the requested cursor and the first chunk, which the ring has dropped.
    pub dropped: u64,
    /// The cursor after the last chunk, from which to read on.
    pub cursor: u64,
    /// The bytes in order of arrival, each chunk of one stream and one time. No chunk is empty.
    pub chunks: Vec<(S, Vec<u8>, u64)>,
}

impl<S: Copy + PartialEq + fmt::Debug> TimedRing<S> {
    /// Creates a ring that keeps at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { ring: Ring::of_bytes(limit), marks: VecDeque::new() }
    }

    /// Adds the next bytes of `stream`, which came at this time.
    pub fn push(&mut self, stream: S, bytes: &[u8], time: u64) {
        if bytes.is_empty() {
            return;
        }
        if self.marks.back().is_none_or(|last| time < last.time || time - last.time >= MARK_INTERVAL) {
            self.mark(time);
        }
        self.ring.push_bytes(stream, bytes);
        while self.marks.get(1).is_some_and(|next| next.cursor <= self.ring.start) {
            self.marks.pop_front();
        }
    }

    /// Returns the number of bytes pushed so far.
    #[must_use]
    pub fn cursor(&self) -> u64 {
        self.ring.cursor()
    }

    /// Returns at most `most` of the kept bytes after the cursor `since`; nothing for a cursor in the future.
    #[must_use]
    pub fn read(&self, since: u64, most: usize) -> TimedPiece<S> {
        let end = since.max(self.ring.start).saturating_add(most as u64);
        let piece = self.ring.read_bytes_between(since, end);
        let mut begin = since.min(self.ring.cursor()) + piece.dropped;
        let mut chunks = Vec::with_capacity(piece.chunks.len());
        for (stream, bytes) in piece.chunks {
            let length = bytes.len() as u64;
            self.split(stream, bytes, begin, &mut chunks);
            begin += length;
        }
        TimedPiece { dropped: piece.dropped, cursor: piece.cursor, chunks }
    }

    /// Splits bytes that begin at a cursor where their times change.
    fn split(&self, stream: S, mut bytes: Vec<u8>, mut begin: u64, chunks: &mut Vec<(S, Vec<u8>, u64)>) {
        let mut index = self.marks.partition_point(|mark| mark.cursor <= begin).saturating_sub(1);
        let time = |index: usize| self.marks.get(index).map_or(0, |mark| mark.time);
        while let Some(next) = self.marks.get(index + 1)
            && next.cursor - begin < bytes.len() as u64
        {
            // The length fits in a `usize`, as it is less than that of the bytes.
            let rest = bytes.split_off(usize::try_from(next.cursor - begin).unwrap_or(bytes.len()));
            chunks.push((stream, std::mem::replace(&mut bytes, rest), time(index)));
            begin = next.cursor;
            index += 1;
        }
        chunks.push((stream, bytes, time(index)));
    }

    fn mark(&mut self, time: u64) {
        if self.marks.len() == MAX_MARKS {
            let mut is_kept = false;
            self.marks.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
        }
        self.marks.push_back(Mark { cursor: self.ring.cursor(), time });
    }
}

impl<S: Copy + PartialEq + fmt::Debug> fmt::Debug for TimedRing<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimedRing").field("ring", &self.ring).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_MARKS, TimedRing};

    #[test]
    fn bytes_that_come_within_five_ms_have_one_time() {
        let mut ring = TimedRing::new(100);
        ring.push("out", b"a", 10);
        ring.push("out", b"b", 14);
        ring.push("out", b"c", 15);
        assert_eq!(ring.read(0, 100).chunks, [("out", b"ab".to_vec(), 10), ("out", b"c".to_vec(), 15)]);
    }

    #[test]
    fn a_clock_that_is_set_back_begins_a_new_time() {
        let mut ring = TimedRing::new(100);
        ring.push("out", b"a", 1_000);
        ring.push("out", b"b", 500);
        assert_eq!(ring.read(0, 100).chunks, [("out", b"a".to_vec(), 1_000), ("out", b"b".to_vec(), 500)]);
    }

    #[test]
    fn what_was_dropped_is_counted_and_the_rest_keeps_its_time() {
        let mut ring = TimedRing::new(4);
        ring.push("out", b"abc", 10);
        ring.push("err", b"def", 20);
        let piece = ring.read(0, 100);
        assert_eq!((piece.dropped, piece.cursor), (2, 6));
        assert_eq!(piece.chunks, [("out", b"c".to_vec(), 10), ("err", b"def".to_vec(), 20)]);
    }

    #[test]
    fn a_limited_read_goes_on_where_it_ended() {
        let mut ring = TimedRing::new(100);
        ring.push("out", b"abcd", 10);
        ring.push("err", b"ef", 10);
        let first = ring.read(0, 3);
        assert_eq!(first.chunks, [("out", b"abc".to_vec(), 10)]);
        assert_eq!(first.cursor, 3);
        let second = ring.read(first.cursor, 100);
        assert_eq!(second.chunks, [("out", b"d".to_vec(), 10), ("err", b"ef".to_vec(), 10)]);
        assert_eq!(second.cursor, 6);
        assert_eq!(ring.read(6, 100).chunks, []);
        assert_eq!(ring.read(99, 100).cursor, 6);
    }

    #[test]
    fn slow_output_has_a_bounded_number_of_marks_and_rougher_times() {
        let mut ring = TimedRing::new(1 << 20);
        let count = 5 * MAX_MARKS as u64;
        for time in 0..count {
            ring.push("out", b"x", time * 10);
        }
        assert!(ring.marks.len() <= MAX_MARKS);
        let piece = ring.read(0, usize::MAX);
        assert_eq!(piece.chunks.iter().map(|(_, bytes, _)| bytes.len() as u64).sum::<u64>(), count);
        let mut position = 0;
        for (_, bytes, time) in &piece.chunks {
            assert!(*time <= position * 10, "{time} for {position}");
            position += bytes.len() as u64;
        }
        // The latest times are exact.
        assert_eq!(piece.chunks.last(), Some(&("out", b"x".to_vec(), (count - 1) * 10)));
    }
}
