//! The options of an excerpt: what it keeps, where it is cut, and its marker.

use super::marker::Marker;

/// The part of a longer stream that is kept.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Keep {
    Head,
    Tail,
    /// The first and the last bytes, with half of the limit each unless [`Shape::head`] says otherwise; an
    /// odd byte goes to the tail. The default.
    #[default]
    Both,
}

/// The positions at which a longer stream may be cut.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Cut {
    /// Between two lines, if that loses no more than a quarter of the head or the tail; otherwise between two
    /// characters. The default.
    #[default]
    Line,
    /// Between two characters: loses at most three bytes, and none in ASCII.
    Character,
}

/// The options of an excerpt: what it keeps, where it is cut, and its marker.
///
/// ```
/// use agent_bash::text::{Cut, Excerpt, Keep, Marker, Shape};
///
/// let shape = Shape {
///     head: Some(6),
///     cut: Cut::Character,
///     marker: Some(Marker::new("<{bytes} bytes>")),
///     ..Shape::new(10, Keep::Both)
/// };
/// let mut excerpt = Excerpt::shaped(&shape);
/// excerpt.push(b"line 1\nline 2\nline 3\n");
/// assert_eq!(excerpt.finish().text, "line 1<11 bytes>e 3\n");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Shape {
    /// The largest number of raw bytes that are kept; 0 keeps nothing. The text is longer by the marker, and
    /// by up to two bytes for each invalid byte, since U+FFFD takes three.
    pub limit: usize,
    pub keep: Keep,
    /// With [`Keep::Both`], the number of bytes of `limit` that belong to the beginning; `None` is half.
    /// Ignored otherwise.
    pub head: Option<usize>,
    pub cut: Cut,
    /// The text in place of omitted bytes; `None` is the default marker, which
    /// [`Excerpt::finish`](super::Excerpt::finish) describes.
    pub marker: Option<Marker>,
}

impl Shape {
    /// Creates a shape of at most `limit` bytes with the defaults: halves of the same size, cut between
    /// lines, and the default marker.
    #[must_use]
    pub const fn new(limit: usize, keep: Keep) -> Self {
        Self { limit, keep, head: None, cut: Cut::Line, marker: None }
    }

    pub(super) fn head_limit(&self) -> usize {
        match self.keep {
            Keep::Head => self.limit,
            Keep::Tail => 0,
            Keep::Both => self.head.unwrap_or(self.limit / 2).min(self.limit),
        }
    }
}
