//! The kept part of a stream: its first bytes, or an excerpt.

use super::{Capture, Excerpt, Shape};

/// The part of a stream to keep.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Keeping {
    /// The first bytes, cut at the limit even inside a character, without a marker.
    Prefix {
        limit: usize,
    },
    Excerpt(Shape),
}

/// The kept part of a stream: a prefix or an excerpt.
///
/// ```
/// use agent_bash::text::{Keep, Keeping, Kept, Shape};
///
/// let mut prefix = Kept::new(&Keeping::Prefix { limit: 4 });
/// prefix.push(b"abcdefgh");
/// assert_eq!((prefix.text().as_str(), prefix.is_cut(), prefix.total()), ("abcd", true, 8));
///
/// let mut excerpt = Kept::new(&Keeping::Excerpt(Shape::new(4, Keep::Tail)));
/// excerpt.push(b"abcdefgh");
/// assert_eq!(excerpt.text(), "[... 4 bytes of a line omitted ...]\nefgh");
/// ```
#[derive(Clone, Debug)]
pub enum Kept {
    Prefix(Capture),
    Excerpt(Box<Excerpt>),
}

impl Kept {
    /// Creates an empty `Kept`. Memory grows with the data that arrives.
    #[must_use]
    pub fn new(keeping: &Keeping) -> Self {
        match keeping {
            Keeping::Prefix { limit } => Self::Prefix(Capture::new(*limit)),
            Keeping::Excerpt(shape) => Self::Excerpt(Box::new(Excerpt::shaped(shape))),
        }
    }

    /// Adds the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Prefix(capture) => capture.push(bytes),
            Self::Excerpt(excerpt) => excerpt.push(bytes),
        }
    }

    /// Returns the part kept so far as text: [`Capture::text`], or the text of [`Excerpt::finish`]. The
    /// stream may go on after that.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Prefix(capture) => capture.text(),
            Self::Excerpt(excerpt) => excerpt.finish().text,
        }
    }

    /// Returns the part kept so far as bytes, without a marker.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Prefix(capture) => capture.into_bytes(),
            Self::Excerpt(excerpt) => excerpt.into_bytes(),
        }
    }

    /// Returns whether the stream is longer than the limit, so that bytes are left out.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        match self {
            Self::Prefix(capture) => capture.is_cut(),
            Self::Excerpt(excerpt) => excerpt.is_cut(),
        }
    }

    /// Returns the number of bytes of the stream so far.
    #[must_use]
    pub const fn total(&self) -> u64 {
        match self {
            Self::Prefix(capture) => capture.total(),
            Self::Excerpt(excerpt) => excerpt.total(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Keeping, Kept};
    use crate::text::{Capture, Excerpt, Keep, Shape};

    fn both(limit: usize) -> [Keeping; 2] {
        [Keeping::Prefix { limit }, Keeping::Excerpt(Shape::new(limit, Keep::Both))]
    }

    #[test]
    fn a_stream_without_bytes_is_empty() {
        for keeping in both(4) {
            let kept = Kept::new(&keeping);
            assert_eq!((kept.text(), kept.is_cut(), kept.total()), (String::new(), false, 0));
        }
    }

    #[test]
    fn a_stream_within_the_limit_is_whole() {
        for keeping in both(8) {
            let mut kept = Kept::new(&keeping);
            kept.push(b"abcd");
            kept.push(b"efgh");
            assert_eq!((kept.text().as_str(), kept.is_cut(), kept.total()), ("abcdefgh", false, 8));
        }
    }

    #[test]
    fn the_text_can_be_read_while_the_stream_goes_on() {
        for keeping in both(4) {
            let mut kept = Kept::new(&keeping);
            kept.push(b"ab");
            assert_eq!(kept.text(), "ab");
            kept.push(b"cd");
            assert_eq!(kept.text(), "abcd");
        }
    }

    proptest! {
        #[test]
                fn it_behaves_as_the_capture_or_the_excerpt(
            pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..10),
            limit in 0..100_usize,
        ) {
            let shape = Shape::new(limit, Keep::Both);
            let mut prefix = Kept::new(&Keeping::Prefix { limit });
            let mut capture = Capture::new(limit);
            let mut kept = Kept::new(&Keeping::Excerpt(shape.clone()));
            let mut excerpt = Excerpt::shaped(&shape);
            for piece in &pieces {
                prefix.push(piece);
                capture.push(piece);
                kept.push(piece);
                excerpt.push(piece);
            }
            prop_assert_eq!(prefix.text(), capture.text());
            prop_assert_eq!(kept.text(), excerpt.finish().text);
            prop_assert_eq!((prefix.is_cut(), kept.is_cut()), (capture.is_cut(), excerpt.is_cut()));
            prop_assert_eq!((prefix.total(), kept.total()), (capture.total(), excerpt.total()));
        }
    }
}
