//! What is kept of a line.

use crate::text::view::class::Class;
use crate::text::view::render::grouped;
use crate::text::view::shape::Shape;

/// A line, as far as it is kept.
#[derive(Clone, Debug)]
pub(in crate::text::view) struct Line {
    /// Its number, from 1.
    pub(in crate::text::view) number: u64,
    /// Where it begins in the stream (bytes).
    pub(in crate::text::view) start: u64,
    /// Where the next one begins.
    pub(in crate::text::view) end: u64,
    pub(in crate::text::view) body: Body,
    pub(in crate::text::view) class: Class,
    pub(in crate::text::view) shape: Shape,
    /// How many lines up to this one had its skeleton.
    pub(in crate::text::view) kth: u32,
    /// How many lines up to this one had its template.
    pub(in crate::text::view) template_kth: u32,
    pub(in crate::text::view) marks: Marks,
    /// The first line of the run of alike lines that this one belongs to: its own number, if the line before is different.
    pub(in crate::text::view) run_start: u64,
}

/// What else is known of a line.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent")]
pub(in crate::text::view) struct Marks {
    /// It has one of the caller's texts.
    pub(in crate::text::view) important: bool,
    /// It follows a failure.
    pub(in crate::text::view) near_failure: bool,
    /// It stands around a line that matters.
    pub(in crate::text::view) context: bool,
    /// It is one of a stream that had said little until then.
    pub(in crate::text::view) quiet: bool,
}

/// The memory that a line takes besides its text, about (bytes).
pub(super) const OVERHEAD: usize = size_of::<Line>() + 16;

impl Line {
    pub(in crate::text::view) fn cost(&self) -> usize {
        self.body.memory() + OVERHEAD
    }

    /// Whether a line like this one may stand for it.
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

    pub(in crate::text::view) fn is_blank(&self) -> bool {
        match &self.body {
            Body::Whole(text) => text.trim().is_empty(),
            Body::Pieces(_) => false,
        }
    }
}

/// The plain form of a line, as far as it is kept.
#[derive(Clone, Debug)]
pub(in crate::text::view) enum Body {
    Whole(String),
    Pieces(Box<Pieces>),
}

/// Parts of a long line.
#[derive(Clone, Debug, Default)]
pub(in crate::text::view) struct Pieces {
    /// How long the plain form is (bytes).
    pub(in crate::text::view) total: u64,
    pub(in crate::text::view) head: String,
    pub(in crate::text::view) tail: String,
    /// Parts that matter, in order; they may overlap each other, the head and the tail.
    pub(in crate::text::view) windows: Vec<Window>,
}

/// A part of a long line that matters.
#[derive(Clone, Debug)]
pub(in crate::text::view) struct Window {
    /// Where it begins in the plain form (bytes).
    pub(in crate::text::view) at: u64,
    pub(in crate::text::view) text: String,
    pub(in crate::text::view) rank: f64,
}

/// At most so many windows of a line are shown.
const SHOWN_WINDOWS: usize = 5;

/// So much of a line that is cut is windows, if there are any: the rest is its beginning and its end.
const WINDOW_SHARE: f64 = 0.6;

/// Room for the marker within a line: `[… 1,234,567 bytes …]` with a longer number (bytes).
const GAP: usize = 36;

impl Body {
    pub(in crate::text::view) fn memory(&self) -> usize {
        match self {
            Self::Whole(text) => text.capacity(),
            Self::Pieces(pieces) => {
                let windows: usize = pieces.windows.iter().map(|window| window.text.capacity() + 48).sum();
                pieces.head.capacity() + pieces.tail.capacity() + windows + size_of::<Pieces>()
            }
        }
    }

    /// The line as it is shown in at most `limit` bytes, of which there are 12 at least.
    pub(in crate::text::view) fn shown(&self, limit: usize) -> String {
        match self {
            Self::Whole(text) if text.len() <= limit => text.clone(),
            Self::Whole(text) => cut(&Pieces::of(text), limit),
            Self::Pieces(pieces) => cut(pieces, limit),
        }
    }

    /// Whether nothing of the line is left out then.
    pub(in crate::text::view) fn is_shown_whole(&self, limit: usize) -> bool {
        matches!(self, Self::Whole(text) if text.len() <= limit)
    }

    /// How long that is.
    pub(in crate::text::view) fn shown_len(&self, limit: usize) -> usize {
        match self {
            Self::Whole(text) if text.len() <= limit => text.len(),
            _ => self.shown(limit).len(),
        }
    }
}

impl Pieces {
    fn of(text: &str) -> Self {
        Self { total: text.len() as u64, head: text.to_owned(), tail: text.to_owned(), windows: Vec::new() }
    }
}

/// Composes what is shown of a long line: its beginning, its best parts, its end.
fn cut(pieces: &Pieces, limit: usize) -> String {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share"
    )]
    let mut for_windows = if pieces.windows.is_empty() { 0 } else { (limit as f64 * WINDOW_SHARE) as usize };
    let mut best: Vec<&Window> = pieces.windows.iter().collect();
    best.sort_by(|one, other| other.rank.total_cmp(&one.rank).then(one.at.cmp(&other.at)));
    let mut chosen: Vec<(u64, &str)> = Vec::new();
    for window in best {
        if chosen.len() == SHOWN_WINDOWS {
            break;
        }
        // Two that touch are shown as one, so each costs a gap at most.
        let room = for_windows.saturating_sub(GAP);
        if room < 24 {
            break;
        }
        let text = prefix(&window.text, room);
        for_windows -= text.len() + GAP;
        chosen.push((window.at, text));
    }
    let spent: usize = chosen.iter().map(|(_, text)| text.len() + GAP).sum();
    let ends = limit.saturating_sub(spent + GAP);
    let head = prefix(&pieces.head, ends.div_ceil(2));
    let tail = suffix(&pieces.tail, ends - head.len());
    chosen.push((0, head));
    chosen.push((pieces.total - tail.len() as u64, tail));
    chosen.sort_by_key(|(at, text)| (*at, text.len()));
    compose(&chosen, pieces.total)
}

fn compose(parts: &[(u64, &str)], total: u64) -> String {
    let mut out = String::new();
    let mut place = 0;
    for (at, text) in parts {
        if *at > place {
            push_gap(&mut out, *at - place);
            place = *at;
        }
        // Some of it, or all, is there already.
        let known = usize::try_from(place - at).unwrap_or(usize::MAX);
        if known < text.len() {
            // A part begins between two characters, and the other ended so.
            out.push_str(&text[known..]);
            place = at + text.len() as u64;
        }
    }
    if place < total {
        push_gap(&mut out, total - place);
    }
    out
}

fn push_gap(out: &mut String, bytes: u64) {
    out.push_str("[… ");
    out.push_str(&grouped(bytes));
    out.push_str(if bytes == 1 { " byte …]" } else { " bytes …]" });
}

/// The longest beginning of at most `limit` bytes that ends between two characters.
pub(in crate::text::view) fn prefix(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = (0..=limit).rev().find(|&place| text.is_char_boundary(place)).unwrap_or(0);
    &text[..end]
}

/// The longest end of at most `limit` bytes that begins between two characters.
pub(in crate::text::view) fn suffix(text: &str, limit: usize) -> &str {
    let from = text.len().saturating_sub(limit);
    let start = (from..=text.len()).find(|&place| text.is_char_boundary(place)).unwrap_or(text.len());
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
