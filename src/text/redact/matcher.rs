//! Finds many patterns in a text.
//!
//! A filter samples the text: every occurrence of a pattern covers a sampled position, whose four bytes are
//! then among the first ones of a pattern. Only where they are, a binary search in the sorted patterns
//! decides. Most output has no such place, so that a text of any length costs a fraction of its reading. An
//! automaton reads each byte, and has up to a megabyte of states for the forms of a few values.

use super::Hit;

/// The bytes that the filter reads at a position.
const GRAM: usize = 4;

/// The largest distance between two sampled positions (bytes). More would fill the filter.
const MAX_STRIDE: usize = 8;

/// The bits of the filter for each of its entries, so that one in sixteen positions of other text passes.
const BITS_PER_ENTRY: usize = 16;

/// Patterns to compile.
#[derive(Debug, Default)]
pub(super) struct Patterns(Vec<(Vec<u8>, u32)>);

impl Patterns {
    /// Adds a pattern of at least four bytes. The first name of equal patterns counts.
    pub(super) fn add(&mut self, pattern: &[u8], name: u32) {
        if pattern.len() >= GRAM {
            self.0.push((pattern.to_vec(), name));
        }
    }

    pub(super) fn matcher(mut self) -> Matcher {
        self.0.sort();
        self.0.dedup_by(|later, earlier| later.0 == earlier.0);
        let mut patterns: Vec<Pattern> = Vec::with_capacity(self.0.len());
        for (bytes, name) in self.0 {
            let mut parent = patterns.len().checked_sub(1);
            while let Some(index) = parent
                && !bytes.starts_with(&patterns[index].bytes)
            {
                parent = patterns[index].parent;
            }
            patterns.push(Pattern { bytes: bytes.into(), name, parent });
        }
        let shortest = patterns.iter().map(|pattern| pattern.bytes.len()).min().unwrap_or(GRAM);
        let stride = (shortest - GRAM + 1).min(MAX_STRIDE);
        let mut sampled = Filter::with_entries(patterns.len() * stride);
        let mut starts = Filter::with_entries(patterns.len());
        for Pattern { bytes, .. } in &patterns {
            starts.add(bytes, 0);
            for offset in 0..stride {
                sampled.add(bytes, offset);
            }
        }
        Matcher { patterns, stride, sampled, starts }
    }
}

#[derive(Debug)]
struct Pattern {
    bytes: Box<[u8]>,
    name: u32,
    /// The longest other pattern that this one begins with.
    parent: Option<usize>,
}

/// A set of patterns.
#[derive(Debug)]
pub(super) struct Matcher {
    /// Sorted.
    patterns: Vec<Pattern>,
    stride: usize,
    sampled: Filter,
    starts: Filter,
}

/// The match at a position of a text.
struct Found {
    /// The longest pattern.
    longest: Option<usize>,
    /// The name of a longer pattern that the rest of the text begins.
    begun: Option<u32>,
}

/// The place in a text from which more text could complete a pattern, and that pattern's name.
pub(super) type Undecided = Option<(usize, u32)>;

impl Matcher {
    pub(super) const fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Finds the longest pattern at each position, in order, and replaces `hits` by them. Unless the text is
    /// final, stops at the first position where more text could complete a pattern, and returns that
    /// position. In a final text, that position is the first of all, and the hits are complete.
    pub(super) fn scan(&self, text: &[u8], is_final: bool, hits: &mut Vec<Hit>) -> Undecided {
        hits.clear();
        let mut undecided: Undecided = None;
        self.each_candidate(text, |start| {
            let Found { longest, begun } = self.find(&text[start..]);
            if let Some(index) = longest {
                let Pattern { bytes, name, .. } = &self.patterns[index];
                hits.push(Hit { start, end: start + bytes.len(), name: *name });
            }
            if let Some(name) = begun {
                undecided = undecided.or(Some((start, name)));
            }
            is_final || undecided.is_none()
        });
        undecided
    }

    /// Returns the patterns that a text begins with: their names, the longest first.
    pub(super) fn all_at<'a>(&'a self, text: &[u8]) -> impl Iterator<Item = u32> + 'a {
        let longest = self.find(text).longest;
        std::iter::successors(longest, |index| self.patterns[*index].parent)
            .map(|index| self.patterns[index].name)
    }

    /// Returns whether a pattern is in a text, in capitals or not.
    pub(super) fn is_in_any_case(&self, text: &[u8]) -> bool {
        let is_at = |pattern: &Pattern| {
            text.windows(pattern.bytes.len()).any(|part| part.eq_ignore_ascii_case(&pattern.bytes))
        };
        self.patterns.iter().any(is_at)
    }

    /// Calls `visit` with each position where a pattern may begin, in order, until it returns `false`.
    fn each_candidate(&self, text: &[u8], mut visit: impl FnMut(usize) -> bool) {
        if self.is_empty() {
            return;
        }
        let mut unseen = 0;
        let mut position = 0;
        while position + GRAM <= text.len() {
            if self.sampled.has(text, position) {
                for start in unseen.max((position + 1).saturating_sub(self.stride))..=position {
                    if self.starts.has(text, start) && !visit(start) {
                        return;
                    }
                }
            }
            unseen = position + 1;
            position += self.stride;
        }
        // The rest is too short for the filter.
        for start in unseen..text.len() {
            if !visit(start) {
                return;
            }
        }
    }

    fn find(&self, rest: &[u8]) -> Found {
        let after = self.patterns.partition_point(|pattern| *pattern.bytes <= *rest);
        let mut longest = after.checked_sub(1);
        // Between a pattern and a text that begins with it, all others begin with it too.
        while let Some(index) = longest
            && !rest.starts_with(&self.patterns[index].bytes)
        {
            longest = self.patterns[index].parent;
        }
        let next = self.patterns.get(after);
        let begun = next.filter(|pattern| pattern.bytes.starts_with(rest)).map(|pattern| pattern.name);
        Found { longest, begun }
    }
}

/// A set of four-byte words that may also have others.
#[derive(Debug)]
struct Filter {
    words: Vec<u64>,
    shift: u32,
}

impl Filter {
    fn with_entries(entries: usize) -> Self {
        let bits = (entries * BITS_PER_ENTRY).next_power_of_two().max(1 << 12);
        Self { words: vec![0; bits / 64], shift: 32 - bits.trailing_zeros() }
    }

    fn add(&mut self, bytes: &[u8], offset: usize) {
        if let Some(bit) = self.bit(bytes, offset) {
            self.words[bit / 64] |= 1 << (bit % 64);
        }
    }

    fn has(&self, text: &[u8], position: usize) -> bool {
        self.bit(text, position).is_none_or(|bit| self.words[bit / 64] >> (bit % 64) & 1 == 1)
    }

    /// Returns the bit of the four bytes at a position; `None` behind the last four.
    fn bit(&self, text: &[u8], position: usize) -> Option<usize> {
        let word = text.get(position..)?.first_chunk::<GRAM>()?;
        // The multiplier of Fibonacci hashing: 2^32 by the golden ratio.
        Some((u32::from_le_bytes(*word).wrapping_mul(0x9e37_79b1) >> self.shift) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Hit;
    use super::{Matcher, Patterns};

    fn matcher(patterns: &[&str]) -> Matcher {
        let mut all = Patterns::default();
        for (name, pattern) in (0..).zip(patterns) {
            all.add(pattern.as_bytes(), name);
        }
        all.matcher()
    }

    #[test]
    fn the_longest_pattern_is_found_at_each_position() {
        let mut hits = Vec::new();
        let matcher = matcher(&["abcd", "abcdef", "cdefgh", "abcx"]);
        assert_eq!(matcher.scan(b"-abcdefgh-abcdeX-abcx.", false, &mut hits), None);
        let expected = [(1, 7, 1), (3, 9, 2), (10, 14, 0), (17, 21, 3)];
        assert_eq!(hits, expected.map(|(start, end, name)| Hit { start, end, name }));
    }

    #[test]
    fn a_text_is_undecided_from_where_more_of_it_could_complete_a_pattern() {
        let mut hits = Vec::new();
        let matcher = matcher(&["abcdefgh", "abcd"]);
        for (text, from) in [("xxa", Some(2)), ("abcde", Some(0)), ("abcdefgh", None), ("abcdeX", None)] {
            let undecided = matcher.scan(text.as_bytes(), false, &mut hits);
            assert_eq!(undecided.map(|(start, _)| start), from, "{text}");
        }
    }

    #[test]
    fn the_work_does_not_grow_with_what_no_pattern_begins_with() {
        let values: Vec<String> = (0_u64..256)
            .map(|index| format!("{:x}", index.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63))
            .collect();
        let matcher = matcher(&values.iter().map(String::as_str).collect::<Vec<_>>());
        let visits = |length: usize| {
            let text = "the quick brown fox jumps over the lazy dog\n".repeat(length / 44);
            let mut count = 0;
            matcher.each_candidate(text.as_bytes(), |_| {
                count += 1;
                true
            });
            count
        };
        let (short, long) = (visits(44_000), visits(440_000));
        assert!(long <= short * 10 + 100, "{short} visits, then {long}");
        assert!(long < 44_000, "{long} visits of 440,000 bytes");
    }
}
