//! A line in the store.

use crate::text::view::class::Class;
use crate::text::view::lines::plain::is_blank;
use crate::text::view::marker::{grouped, grouped_len};
use crate::text::view::order::ranking;
use crate::text::view::shape::Shape;

#[derive(Clone, Debug)]
pub(in crate::text::view) struct StoredLine {
    /// The number of the line, from 1.
    pub(in crate::text::view) number: u64,
    /// The offset of the line in the stream (bytes).
    pub(in crate::text::view) start: u64,
    /// The offset of the next line (bytes).
    pub(in crate::text::view) end: u64,
    pub(in crate::text::view) body: Body,
    pub(in crate::text::view) class: Class,
    pub(in crate::text::view) shape: Shape,
    /// The number of lines up to this one with the same skeleton.
    pub(in crate::text::view) kth: u32,
    /// The number of lines up to this one with the same template.
    pub(in crate::text::view) template_kth: u32,
    pub(in crate::text::view) marks: Marks,
    /// The number of the first line of this line's run of similar lines; its own number if the line before
    /// differs.
    pub(in crate::text::view) run_start: u64,
}

/// Further properties of a line.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent")]
pub(in crate::text::view) struct Marks {
    /// Whether the line contains one of the caller's texts.
    pub(in crate::text::view) important: bool,
    /// Whether the line follows a failure.
    pub(in crate::text::view) near_failure: bool,
    /// Whether the line is near an important one.
    pub(in crate::text::view) context: bool,
    /// Whether the line's stream had few lines before it.
    pub(in crate::text::view) quiet: bool,
    /// Whether the line is a row with a word that is rare in its column.
    pub(in crate::text::view) odd: bool,
}

impl Marks {
    /// Returns whether the line's surroundings give it no meaning.
    pub(super) const fn is_empty(self) -> bool {
        !(self.important || self.near_failure || self.context || self.quiet || self.odd)
    }
}

/// The approximate memory of an allocation besides its content (bytes).
const ALLOCATION_OVERHEAD: usize = 16;

/// The number of bytes at each end of a required long line that stay when other lines are dropped.
const KEPT_END: usize = 4 * 1024;

/// The approximate memory of a line besides its text (bytes).
pub(super) const OVERHEAD: usize = size_of::<StoredLine>() + ALLOCATION_OVERHEAD;

impl StoredLine {
    pub(in crate::text::view) fn cost(&self) -> usize {
        self.body.memory() + OVERHEAD
    }

    /// Returns the memory of the text (bytes).
    pub(super) fn text_cost(&self) -> usize {
        self.body.memory() + ALLOCATION_OVERHEAD
    }

    /// Returns whether a similar line may represent this one.
    pub(in crate::text::view) fn may_fold(&self) -> bool {
        let is_short = matches!(&self.body, Body::Whole(text) if text.len() <= 512);
        // Numbers near a failure may be the message.
        let is_difference = self.class == Class::Place && self.marks.near_failure;
        is_short
            && self.class <= Class::Place
            && self.class != Class::Summary
            && !is_difference
            && !self.marks.important
    }

    /// Returns the line with only as much of its beginning and end as takes little memory.
    pub(super) fn shortened(mut self) -> Self {
        if self.body.memory() > 4 * KEPT_END {
            self.body = Body::Pieces(Box::new(match self.body {
                Body::Whole(text) => Pieces {
                    total: text.len() as u64,
                    is_blank: is_blank(&text),
                    head: prefix(&text, KEPT_END).to_owned(),
                    tail: suffix(&text, KEPT_END).to_owned(),
                    windows: Vec::new(),
                },
                Body::Pieces(pieces) => Pieces {
                    head: prefix(&pieces.head, KEPT_END).to_owned(),
                    tail: suffix(&pieces.tail, KEPT_END).to_owned(),
                    ..*pieces
                },
            }));
        }
        self
    }

    pub(in crate::text::view) fn is_blank(&self) -> bool {
        match &self.body {
            Body::Whole(text) => is_blank(text),
            Body::Pieces(pieces) => pieces.is_blank,
        }
    }
}

/// The kept part of a line's plain form.
#[derive(Debug)]
pub(in crate::text::view) enum Body {
    Whole(String),
    Pieces(Box<Pieces>),
}

impl Default for Body {
    fn default() -> Self {
        Self::Whole(String::new())
    }
}

/// A copy takes as much memory as the original: a view of the stream so far must keep the same lines as the
/// final view.
impl Clone for Body {
    fn clone(&self) -> Self {
        match self {
            Self::Whole(text) => {
                let mut copy = String::with_capacity(text.capacity());
                copy.push_str(text);
                Self::Whole(copy)
            }
            Self::Pieces(pieces) => Self::Pieces(pieces.clone()),
        }
    }
}

/// Parts of a long line.
#[derive(Clone, Debug, Default)]
pub(in crate::text::view) struct Pieces {
    /// The length of the plain form (bytes).
    pub(in crate::text::view) total: u64,
    /// Whether the line is white space.
    pub(in crate::text::view) is_blank: bool,
    pub(in crate::text::view) head: String,
    pub(in crate::text::view) tail: String,
    /// Parts that matter, in order; they may overlap each other, the head and the tail.
    pub(in crate::text::view) windows: Vec<Window>,
}

/// A part of a long line that matters.
#[derive(Clone, Debug)]
pub(in crate::text::view) struct Window {
    /// The offset of the part in the plain form (bytes).
    pub(in crate::text::view) at: u64,
    pub(in crate::text::view) text: String,
    pub(in crate::text::view) rank: f64,
}

/// The shortest limit to which a line is cut (bytes): a marker with room for some characters.
pub(in crate::text::view) const MIN_LIMIT: usize = 40;

/// The most windows of a line that are shown.
const SHOWN_WINDOWS: usize = 5;

/// The share of a cut line that its windows get, if there are any. The beginning and the end get the rest.
const WINDOW_SHARE: f64 = 0.6;

/// Returns the room (bytes) for a marker in a line of this length: `[… 1,234,567 bytes …]`.
fn gap_len(total: u64) -> usize {
    "[… ".len() + grouped_len(total) + " bytes …]".len()
}

impl Body {
    /// Returns whether both bodies are the same whole text.
    pub(in crate::text::view) fn is_text_of(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Whole(text), Self::Whole(same)) if text == same)
    }

    /// Returns the text of a whole line, to reuse its memory.
    pub(super) fn into_text(self) -> Option<String> {
        match self {
            Self::Whole(text) => Some(text),
            Self::Pieces(_) => None,
        }
    }

    pub(in crate::text::view) fn memory(&self) -> usize {
        match self {
            Self::Whole(text) => text.capacity(),
            Self::Pieces(pieces) => {
                let windows: usize = pieces.windows.iter().map(|window| window.text.capacity() + 48).sum();
                pieces.head.capacity() + pieces.tail.capacity() + windows + size_of::<Pieces>()
            }
        }
    }

    /// Returns the line cut to `limit` bytes, which are at least [`MIN_LIMIT`].
    pub(in crate::text::view) fn shown(&self, limit: usize) -> String {
        match self {
            Self::Whole(text) if text.len() <= limit => text.clone(),
            Self::Whole(text) => cut(&Pieces::of(text), limit),
            Self::Pieces(pieces) => cut(pieces, limit),
        }
    }

    /// Returns whether [`Self::shown`] has the whole line.
    pub(in crate::text::view) fn is_shown_whole(&self, limit: usize) -> bool {
        matches!(self, Self::Whole(text) if text.len() <= limit)
    }

    /// Returns the length of [`Self::shown`] (bytes).
    pub(in crate::text::view) fn shown_len(&self, limit: usize) -> usize {
        match self {
            Self::Whole(text) if text.len() <= limit => text.len(),
            _ => self.shown(limit).len(),
        }
    }
}

impl Pieces {
    fn of(text: &str) -> Self {
        let (head, tail) = (text.to_owned(), text.to_owned());
        let is_blank = text.trim().is_empty();
        Self { total: text.len() as u64, is_blank, head, tail, windows: Vec::new() }
    }
}

/// Composes the shown form of a long line: its beginning, its best parts, its end.
fn cut(pieces: &Pieces, limit: usize) -> String {
    let gap = gap_len(pieces.total);
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share"
    )]
    let mut for_windows = if pieces.windows.is_empty() { 0 } else { (limit as f64 * WINDOW_SHARE) as usize };
    let ranks: Vec<f64> = pieces.windows.iter().map(|window| window.rank).collect();
    let mut chosen: Vec<(u64, &str)> = Vec::new();
    for window in ranking(&ranks).into_iter().map(|index| &pieces.windows[index]) {
        if chosen.len() == SHOWN_WINDOWS {
            break;
        }
        // Windows that touch are shown as one, so each window needs at most one gap.
        let room = for_windows.saturating_sub(gap);
        if room < 24 {
            break;
        }
        let text = prefix(&window.text, room);
        for_windows -= text.len() + gap;
        chosen.push((window.at, text));
    }
    let spent: usize = chosen.iter().map(|(_, text)| text.len() + gap).sum();
    let ends = limit.saturating_sub(spent + gap);
    let head = prefix(&pieces.head, ends.div_ceil(2));
    let tail = suffix(&pieces.tail, ends - head.len());
    chosen.push((0, head));
    chosen.push((pieces.total - tail.len() as u64, tail));
    chosen.sort_by_key(|(at, text)| (*at, text.len()));
    compose(&chosen, pieces.total)
}

fn compose(parts: &[(u64, &str)], total: u64) -> String {
    let mut out = String::new();
    let mut offset = 0;
    for (at, text) in parts {
        if *at > offset {
            push_gap(&mut out, *at - offset);
            offset = *at;
        }
        // An earlier window may have written this one in part or as a whole.
        let known = usize::try_from(offset - at).unwrap_or(usize::MAX);
        if known < text.len() {
            // All windows begin and end between characters.
            out.push_str(&text[known..]);
            offset = at + text.len() as u64;
        }
    }
    if offset < total {
        push_gap(&mut out, total - offset);
    }
    out
}

/// Appends the marker of a gap in a line.
pub(crate) fn push_gap(out: &mut String, bytes: u64) {
    out.push_str("[… ");
    out.push_str(&grouped(bytes));
    out.push_str(if bytes == 1 { " byte …]" } else { " bytes …]" });
}

/// Returns the longest prefix of at most `limit` bytes that ends between characters.
pub(crate) fn prefix(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = (0..=limit).rev().find(|&offset| text.is_char_boundary(offset)).unwrap_or(0);
    &text[..end]
}

/// Returns the longest suffix of at most `limit` bytes that begins between characters.
pub(crate) fn suffix(text: &str, limit: usize) -> &str {
    let from = text.len().saturating_sub(limit);
    let start = (from..=text.len()).find(|&offset| text.is_char_boundary(offset)).unwrap_or(text.len());
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::{Body, Pieces, Window};

    fn long(total: usize, window_at: usize) -> Body {
        let text: String =
            (0..total).map(|at| char::from(b'a' + u8::try_from(at % 26).expect("small"))).collect();
        let window =
            Window { at: window_at as u64, text: text[window_at..window_at + 30].to_owned(), rank: 1.0 };
        Body::Pieces(Box::new(Pieces {
            total: total as u64,
            is_blank: false,
            head: text[..200].to_owned(),
            tail: text[total - 200..].to_owned(),
            windows: vec![window],
        }))
    }

    #[test]
    fn a_line_that_fits_is_whole() {
        assert_eq!(Body::Whole("abc".to_owned()).shown(3), "abc");
    }

    #[test]
    fn a_long_line_has_its_beginning_its_best_part_and_its_end() {
        let shown = long(10_000, 5_200).shown(300);
        assert!(shown.len() <= 300, "{}", shown.len());
        assert!(shown.starts_with("abcdef") && shown.contains("[… ") && shown.ends_with('p'), "{shown}");
        assert_eq!(shown.matches("bytes …]").count(), 2);
        assert!(shown.contains("]abcdefghijklmnopqrstuvwxyzabcd["), "{shown}");
    }

    #[test]
    fn a_line_with_many_parts_is_no_longer_than_its_limit() {
        let window =
            |at: u32| Window { at: u64::from(at) * 1_000, text: "part ".repeat(40), rank: f64::from(at) };
        let body = Body::Pieces(Box::new(Pieces {
            total: 20_000,
            is_blank: false,
            head: "head ".repeat(400),
            tail: "tail ".repeat(400),
            windows: (3..11).map(window).collect(),
        }));
        for limit in 200..3_000 {
            assert!(body.shown(limit).len() <= limit, "{limit}: {}", body.shown(limit));
        }
    }

    #[test]
    fn parts_that_overlap_are_one() {
        let shown = long(10_000, 50).shown(400);
        assert_eq!(shown.matches("bytes …]").count(), 1, "{shown}");
    }

    #[test]
    fn the_bytes_that_are_left_out_are_counted() {
        let shown = Body::Whole("x".repeat(1_000)).shown(120);
        let count: usize = shown.matches('x').count();
        assert!(shown.contains(&format!("[… {} bytes …]", 1_000 - count)), "{shown}");
    }
}
