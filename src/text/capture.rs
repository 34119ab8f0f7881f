//! Keeps a bounded prefix of a stream and counts the whole.

use super::growth::growth;

/// Keeps the first bytes of a stream, up to a limit, and counts the rest.
///
/// Memory grows with the data that arrives, up to the limit.
///
/// ```
/// use agent_bash::text::Capture;
///
/// let mut capture = Capture::new(4);
/// capture.push(b"abc");
/// capture.push(b"def");
/// assert_eq!((capture.text().as_str(), capture.is_cut(), capture.total()), ("abcd", true, 6));
/// ```
#[derive(Clone, Debug)]
pub struct Capture {
    kept: Vec<u8>,
    limit: usize,
    total: u64,
}

impl Capture {
    /// Creates a capture that keeps at most `limit` bytes.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self { kept: Vec::new(), limit, total: 0 }
    }

    /// Adds the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.limit - self.kept.len();
        let bytes = &bytes[..bytes.len().min(room)];
        let more = growth(self.kept.len(), self.kept.capacity(), bytes.len(), self.limit);
        self.kept.reserve_exact(more);
        self.kept.extend_from_slice(bytes);
    }

    /// Returns the kept bytes: a prefix of the stream.
    #[must_use]
    pub fn kept(&self) -> &[u8] {
        &self.kept
    }

    /// Returns the number of bytes of the whole stream.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Returns whether bytes were dropped.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.total > self.kept.len() as u64
    }

    /// Returns the kept bytes without a copy.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.kept
    }

    /// Returns the kept bytes as text. Invalid sequences, and a character that the cut splits, become U+FFFD.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.kept).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Capture;

    #[test]
    fn keeps_all_up_to_the_limit() {
        let mut capture = Capture::new(4);
        capture.push(b"ab");
        capture.push(b"cd");
        assert_eq!((capture.kept(), capture.total(), capture.is_cut()), (&b"abcd"[..], 4, false));
    }

    #[test]
    fn drops_and_counts_bytes_over_the_limit() {
        let mut capture = Capture::new(4);
        capture.push(b"abcdef");
        capture.push(b"gh");
        assert_eq!((capture.kept(), capture.total(), capture.is_cut()), (&b"abcd"[..], 8, true));
    }

    #[test]
    fn a_limit_of_zero_keeps_nothing() {
        let mut capture = Capture::new(0);
        capture.push(b"a");
        assert_eq!((capture.kept(), capture.is_cut()), (&b""[..], true));
    }

    #[test]
    fn nothing_is_allocated_before_bytes_arrive() {
        let mut capture = Capture::new(usize::MAX);
        capture.push(b"");
        assert_eq!(capture.kept.capacity(), 0);
    }

    #[test]
    fn the_buffer_grows_to_the_limit_and_not_beyond_it() {
        let mut capture = Capture::new(100_000);
        for _ in 0..1_000 {
            capture.push(&[b'a'; 777]);
            assert!(capture.kept.capacity() <= 100_000);
        }
    }

    proptest! {
        #[test]
                fn the_kept_bytes_are_a_prefix_of_the_stream(
            pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..20),
            limit in 0..100_usize,
        ) {
            let mut capture = Capture::new(limit);
            for piece in &pieces {
                capture.push(piece);
            }
            let whole = pieces.concat();
            prop_assert_eq!(capture.kept(), &whole[..whole.len().min(limit)]);
            prop_assert_eq!(capture.total(), whole.len() as u64);
            prop_assert_eq!(capture.is_cut(), whole.len() > limit);
        }
    }
}
