//! A bounded part of a long stream, fit to be read: its beginning, its end, or both.
//!
//! The error is as a rule at the end of a long output and its cause at the beginning, so [`Keep::Both`] is the default.
//! Cuts fall between characters, and unless told otherwise between lines if a line ends near enough. What is left out is
//! counted exactly.

use std::{collections::VecDeque, fmt};

use super::{Marker, growth::growth};

/// The share of the head or tail, as a divisor, that may be given up so that the cut falls between two lines.
const LINE_SHARE: usize = 4;

/// The most continuation bytes that a character has.
const CONTINUATIONS: usize = 3;

/// Which part of a stream that is over the limit is kept.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Keep {
    /// The first bytes.
    Head,
    /// The last bytes.
    Tail,
    /// The first and the last bytes. Half of the limit each, unless [`Shape::head`] says otherwise; an odd byte goes to the
    /// tail. The default.
    #[default]
    Both,
}

/// Where a stream that is over the limit may be cut.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Cut {
    /// Between two lines, if giving up a quarter of the head or the tail is enough for that, else between two characters.
    /// The default.
    #[default]
    Line,
    /// Between two characters: at most three bytes are given up, and none in ASCII.
    Character,
}

/// What an excerpt keeps, where it is cut, and what stands there.
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
    /// The most bytes of the stream that are kept; 0 keeps nothing. The limit is on the raw bytes: the text is longer by
    /// the marker, and by up to two bytes for each invalid byte, as a U+FFFD has three.
    pub limit: usize,
    /// Which part is kept.
    pub keep: Keep,
    /// With [`Keep::Both`], how many bytes of the limit are for the beginning; more than the limit is the limit. Half of it
    /// if there is no number. Otherwise it means nothing.
    pub head: Option<usize>,
    /// Where cuts fall.
    pub cut: Cut,
    /// What stands where bytes are left out. The default marker if there is none; [`Excerpt::finish`] describes it.
    pub marker: Option<Marker>,
}

impl Shape {
    /// A shape of at most `limit` bytes with the defaults: halves of the same size, cut between lines, and the default
    /// marker.
    #[must_use]
    pub const fn new(limit: usize, keep: Keep) -> Self {
        Self { limit, keep, head: None, cut: Cut::Line, marker: None }
    }

    fn head_limit(&self) -> usize {
        match self.keep {
            Keep::Head => self.limit,
            Keep::Tail => 0,
            Keep::Both => self.head.unwrap_or(self.limit / 2).min(self.limit),
        }
    }
}

/// Keeps a bounded part of a byte stream and counts what it leaves out.
///
/// A stream that fits in the limit is kept whole. Memory grows with what arrives: the buffers are never larger than the
/// limit plus one byte, and nothing is allocated before the first byte. The text is a copy and may be asked for at any
/// time.
///
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
    /// The last bytes that are not in the head; when it is full, with the byte before them.
    tail: VecDeque<u8>,
    tail_limit: usize,
    cut: Cut,
    marker: Option<Marker>,
    total: u64,
    newlines: u64,
}

impl Excerpt {
    /// An excerpt of at most `limit` bytes of the stream, of the shape [`Shape::new`].
    #[must_use]
    pub fn new(limit: usize, keep: Keep) -> Self {
        Self::shaped(&Shape::new(limit, keep))
    }

    /// An excerpt of this shape.
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

    /// Takes the next bytes of the stream.
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
        // One byte more than the tail tells whether the tail begins a line.
        let limit = self.tail_limit.saturating_add(1);
        let last = &bytes[bytes.len().saturating_sub(limit)..];
        let kept = self.tail.len().min(limit - last.len());
        self.tail.drain(..self.tail.len() - kept);
        self.tail.reserve_exact(growth(kept, self.tail.capacity(), last.len(), limit));
        self.tail.extend(last);
    }

    /// How many bytes the stream has had so far.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Whether the stream is over the limit, so that bytes are left out.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        // The two limits add up to a `usize`, so this can't overflow.
        self.total > (self.head_limit + self.tail_limit) as u64
    }

    /// The stream so far as text, with the marker of the shape where bytes are left out. It ends nothing and may be called
    /// at any time.
    ///
    /// A marker of the caller's own stands in the text just as it is. The default marker is a line of its own, `[... 12345 bytes (678 lines) omitted ...]`, at the end for [`Keep::Head`], at the
    /// beginning for [`Keep::Tail`] and between the two parts for [`Keep::Both`]. If the text before it does not end
    /// with a line break, it gets one.
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

    /// The stream so far as text, with what `marker` returns where bytes are left out, and not the marker of the shape. It
    /// stands in the text just as it is returned; `marker` is called at most once, and only if the stream is cut.
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

    /// The raw bytes that stand in the text.
    fn parts(&self) -> Parts<'_> {
        let (older, newer) = self.tail.as_slices();
        if !self.is_cut() {
            // In one piece, as a character may be half in the head and half in the tail.
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

/// What an excerpt leaves out.
///
/// It is displayed as the default marker, less the line breaks: `[... 12345 bytes (678 lines) omitted ...]`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Omitted {
    /// Bytes of the stream that are not in the text; at least 1.
    pub bytes: u64,
    /// Line breaks (`\n`) among them.
    pub lines: u64,
    /// Whether the text before the marker ends inside a line: a marker that is to stand on a line of its own then
    /// begins with a line break.
    pub in_line: bool,
}

impl fmt::Display for Omitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[... {} bytes ({} lines) omitted ...]", self.bytes, self.lines)
    }
}

/// An excerpt as text.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ExcerptText {
    /// What was kept, with a marker where bytes are left out. Invalid bytes are U+FFFD, after the WHATWG rule.
    pub text: String,
    /// Whether bytes are left out.
    pub truncated: bool,
    /// Bytes of the stream that are not in the text.
    pub omitted_bytes: u64,
    /// Line breaks (`\n`) among them.
    pub omitted_lines: u64,
}

/// The bytes that stand in the text before and after what is left out. What is not cut is all in `tail`.
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

/// The head less what is after the last line break, if that is near its end and cuts are to fall between lines, else less
/// an unfinished character.
fn cut_head(head: &[u8], cut: Cut) -> &[u8] {
    let from = head.len() - head.len() / LINE_SHARE;
    if cut == Cut::Line
        && let Some(newline) = memchr::memrchr(b'\n', &head[from..])
    {
        return &head[..=from + newline];
    }
    // A byte that begins a character does so in every decoder, so the cut before it is one between characters.
    let lead = head.iter().rev().take(CONTINUATIONS).position(|byte| *byte >= 0xc0);
    let end = lead.map_or(head.len(), |back| head.len() - 1 - back);
    let unfinished = str::from_utf8(&head[end..]).is_err_and(|error| error.error_len().is_none());
    if unfinished { &head[..end] } else { head }
}

/// The tail, which comes with the byte before it, less what is before its first line break, if that is near its
/// beginning and cuts are to fall between lines, else less the rest of a character that may have begun before it.
fn cut_tail(with_context: &[u8], cut: Cut) -> &[u8] {
    let Some((before, tail)) = with_context.split_first() else {
        return &[];
    };
    if *before == b'\n' {
        return tail;
    }
    if cut == Cut::Line
        && let Some(newline) = memchr::memchr(b'\n', &tail[..tail.len() / LINE_SHARE])
    {
        return &tail[newline + 1..];
    }
    // An ASCII byte has no continuation: what follows it is invalid by itself.
    let most = if before.is_ascii() { 0 } else { CONTINUATIONS };
    let rest = tail.iter().take(most).take_while(|byte| (0x80..0xc0).contains(*byte)).count();
    &tail[rest..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Cut, Excerpt, ExcerptText, Keep, Marker, Shape};

    fn excerpt_of(stream: &[u8], limit: usize, keep: Keep) -> Excerpt {
        let mut excerpt = Excerpt::new(limit, keep);
        excerpt.push(stream);
        excerpt
    }

    fn text_of(stream: &[u8], limit: usize, keep: Keep) -> String {
        excerpt_of(stream, limit, keep).text_with(|_| "|".to_owned())
    }

    fn shaped_text(stream: &[u8], shape: &Shape) -> String {
        let mut excerpt = Excerpt::shaped(shape);
        excerpt.push(stream);
        excerpt.finish().text
    }

    /// A shape that cuts between characters and marks with a bar.
    fn cut_at_characters(limit: usize, keep: Keep) -> Shape {
        Shape { cut: Cut::Character, marker: Some(Marker::new("|")), ..Shape::new(limit, keep) }
    }

    #[test]
    fn what_fits_in_the_limit_is_whole_wherever_its_halves_meet() {
        for keep in [Keep::Head, Keep::Tail, Keep::Both] {
            let stream = "a\n€€\n🦀";
            let excerpt = excerpt_of(stream.as_bytes(), stream.len(), keep);
            assert!(!excerpt.is_cut());
            let whole = ExcerptText { text: stream.to_owned(), ..ExcerptText::default() };
            assert_eq!(excerpt.finish(), whole);
        }
    }

    #[test]
    fn one_byte_over_the_limit_is_cut() {
        assert_eq!(text_of(b"abcdefghi", 8, Keep::Head), "abcdefgh|");
        assert_eq!(text_of(b"abcdefghi", 8, Keep::Tail), "|bcdefghi");
        assert_eq!(text_of(b"abcdefghi", 8, Keep::Both), "abcd|fghi");
    }

    #[test]
    fn the_odd_byte_goes_to_the_tail() {
        assert_eq!(text_of(b"abcdefghi", 5, Keep::Both), "ab|ghi");
        assert_eq!(text_of(b"abcdefghi", 1, Keep::Both), "|i");
    }

    #[test]
    fn a_limit_of_zero_keeps_nothing_and_counts_all() {
        for keep in [Keep::Head, Keep::Tail, Keep::Both] {
            let text = excerpt_of(b"a\nb", 0, keep).finish();
            assert_eq!(text.text, "[... 3 bytes (1 lines) omitted ...]\n");
            assert_eq!((text.truncated, text.omitted_bytes, text.omitted_lines), (true, 3, 1));
        }
    }

    #[test]
    fn an_empty_stream_is_empty() {
        for limit in [0, 8] {
            assert_eq!(Excerpt::new(limit, Keep::Both).finish(), ExcerptText::default());
        }
    }

    #[test]
    fn the_default_marker_stands_on_a_line_of_its_own() {
        let stream = b"abcdefghij";
        let text = |keep| excerpt_of(stream, 4, keep).finish().text;
        assert_eq!(text(Keep::Head), "abcd\n[... 6 bytes (0 lines) omitted ...]\n");
        assert_eq!(text(Keep::Tail), "[... 6 bytes (0 lines) omitted ...]\nghij");
        assert_eq!(text(Keep::Both), "ab\n[... 6 bytes (0 lines) omitted ...]\nij");
    }

    #[test]
    fn the_default_marker_makes_no_empty_line_after_a_whole_line() {
        let text = excerpt_of(b"aaa\nbbb\nccc\nddd\n", 8, Keep::Both).finish().text;
        assert_eq!(text, "aaa\n[... 8 bytes (2 lines) omitted ...]\nddd\n");
    }

    #[test]
    fn a_line_break_near_the_cut_takes_it() {
        // The last quarter of the head are its bytes 6 and 7.
        assert_eq!(text_of(b"abcdef\nhijkl", 8, Keep::Head), "abcdef\n|");
        assert_eq!(text_of(b"abcde\nghijkl", 8, Keep::Head), "abcde\ngh|");
        // The first quarter of the tail are its bytes 0 and 1.
        assert_eq!(text_of(b"abcde\nghijkl", 8, Keep::Tail), "|ghijkl");
        assert_eq!(text_of(b"abcdef\nhijkl", 8, Keep::Tail), "|ef\nhijkl");
    }

    #[test]
    fn a_line_break_near_the_cut_does_not_take_it_where_only_characters_count() {
        let text = |keep| shaped_text(b"abcdef\nhijk\nlmnopq", &cut_at_characters(8, keep));
        assert_eq!(text(Keep::Head), "abcdef\nh|");
        assert_eq!(text(Keep::Tail), "|k\nlmnopq");
        assert_eq!(text(Keep::Both), "abcd|nopq");
    }

    #[test]
    fn a_character_is_left_out_whole_where_only_characters_count() {
        for character in ["é", "€", "🦀"] {
            for place in 1..character.len() {
                let stream = format!("ab{character}yz");
                let text = |keep| shaped_text(stream.as_bytes(), &cut_at_characters(2 + place, keep));
                assert_eq!((text(Keep::Head), text(Keep::Tail)), ("ab|".to_owned(), "|yz".to_owned()));
            }
        }
    }

    #[test]
    fn the_head_has_as_many_bytes_as_are_for_it() {
        let text =
            |head| shaped_text(b"abcdefghi", &Shape { head: Some(head), ..cut_at_characters(4, Keep::Both) });
        assert_eq!(text(0), "|fghi");
        assert_eq!(text(1), "a|ghi");
        assert_eq!(text(3), "abc|i");
        assert_eq!(text(4), "abcd|");
    }

    #[test]
    fn a_head_of_more_than_the_limit_is_the_limit() {
        let shape = Shape { head: Some(usize::MAX), ..cut_at_characters(4, Keep::Both) };
        assert_eq!(shaped_text(b"abcdefghi", &shape), "abcd|");
    }

    #[test]
    fn only_an_excerpt_of_both_ends_has_a_head_of_its_own_size() {
        for (keep, text) in [(Keep::Head, "abcd|"), (Keep::Tail, "|fghi")] {
            let shape = Shape { head: Some(1), ..cut_at_characters(4, keep) };
            assert_eq!(shaped_text(b"abcdefghi", &shape), text);
        }
    }

    #[test]
    fn a_marker_of_the_callers_own_knows_all_counts() {
        let marker = Some(Marker::new("<{bytes}, {lines}, {total}>"));
        let shape = Shape { marker, ..Shape::new(4, Keep::Both) };
        assert_eq!(shaped_text(b"ab\ncd\nef", &shape), "ab<4, 2, 8>ef");
    }

    #[test]
    fn a_stream_that_fits_has_no_marker() {
        assert_eq!(shaped_text(b"abcd", &cut_at_characters(4, Keep::Both)), "abcd");
    }

    #[test]
    fn a_tail_that_begins_a_line_is_not_cut_further() {
        assert_eq!(text_of(b"xyz\n\nbcdefgh", 8, Keep::Tail), "|\nbcdefgh");
    }

    #[test]
    fn a_cut_inside_a_character_leaves_the_character_out() {
        for character in ["é", "€", "🦀"] {
            for place in 1..character.len() {
                let head = text_of(format!("ab{character}yz").as_bytes(), 2 + place, Keep::Head);
                assert_eq!(head, "ab|");
                let tail = text_of(format!("ab{character}yz").as_bytes(), 2 + place, Keep::Tail);
                assert_eq!(tail, "|yz");
            }
        }
    }

    #[test]
    fn invalid_bytes_beside_a_cut_stay() {
        assert_eq!(text_of(b"abc\xffdef", 4, Keep::Head), "abc\u{fffd}|");
        assert_eq!(text_of(b"abc\x80def", 4, Keep::Tail), "|\u{fffd}def");
    }

    #[test]
    fn a_chunk_that_is_larger_than_the_tail_replaces_it() {
        let mut excerpt = Excerpt::new(4, Keep::Tail);
        for chunk in ["ab", "cdefghij", "k", "lmnop"] {
            excerpt.push(chunk.as_bytes());
        }
        assert_eq!(excerpt.text_with(|_| String::new()), "mnop");
        assert_eq!(excerpt.total(), 16);
    }

    #[test]
    fn the_text_can_be_had_while_the_stream_goes_on() {
        let mut excerpt = excerpt_of(b"ab", 2, Keep::Both);
        assert_eq!(excerpt.finish().text, "ab");
        excerpt.push(b"c");
        assert_eq!(excerpt.text_with(|omitted| omitted.bytes.to_string()), "a1c");
    }

    #[test]
    fn nothing_is_allocated_before_bytes_arrive() {
        let mut excerpt = Excerpt::new(usize::MAX, Keep::Both);
        excerpt.push(b"");
        assert_eq!((excerpt.head.capacity(), excerpt.tail.capacity()), (0, 0));
    }

    #[test]
    fn the_buffers_grow_to_the_limit_and_not_beyond_it() {
        for keep in [Keep::Head, Keep::Tail, Keep::Both] {
            let limit = 100_000;
            let mut excerpt = Excerpt::new(limit, keep);
            for _ in 0..1_000 {
                excerpt.push(&[b'a'; 777]);
                assert!(excerpt.head.capacity() + excerpt.tail.capacity() <= limit + 1);
            }
        }
    }

    /// Bytes that are rich in lines and in beginnings and ends of characters.
    fn tricky_bytes() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            any::<u8>().prop_map(|byte| vec![byte]),
            (0x80..=0xbf_u8).prop_map(|byte| vec![byte]),
            prop::sample::select(vec!["\n", "a", "é", "€", "🦀", "a line\n"])
                .prop_map(|text| text.as_bytes().to_vec()),
        ];
        prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
    }

    fn any_keep() -> impl Strategy<Value = Keep> {
        prop::sample::select(vec![Keep::Head, Keep::Tail, Keep::Both])
    }

    fn any_shape() -> impl Strategy<Value = Shape> {
        let head = prop::option::of(0..200_usize);
        let cut = prop::sample::select(vec![Cut::Line, Cut::Character]);
        (0..150_usize, any_keep(), head, cut).prop_map(|(limit, keep, head, cut)| Shape {
            head,
            cut,
            ..Shape::new(limit, keep)
        })
    }

    proptest! {
        #[test]
        fn the_text_is_a_beginning_and_an_end_of_the_stream_and_the_counts_add_up(
            stream in tricky_bytes(),
            shape in any_shape(),
        ) {
            let limit = shape.limit;
            let mut excerpt = Excerpt::shaped(&shape);
            excerpt.push(&stream);
            let parts = excerpt.parts();
            let kept = parts.head.len() + parts.tail.len();
            prop_assert!(kept <= limit);
            prop_assert_eq!(excerpt.is_cut(), stream.len() > limit);

            let from = stream.len() - parts.tail.len();
            prop_assert_eq!((parts.head, &parts.tail[..]), (&stream[..parts.head.len()], &stream[from..]));
            let omitted = &stream[parts.head.len()..from];
            let text = excerpt.finish();
            prop_assert_eq!(text.truncated, !omitted.is_empty());
            prop_assert_eq!(text.omitted_bytes, omitted.len() as u64);
            prop_assert_eq!(text.omitted_lines, omitted.split(|byte| *byte == b'\n').count() as u64 - 1);
            prop_assert_eq!(text.omitted_bytes + kept as u64, excerpt.total());

            // Another implementation than the one under test, so that both follow the WHATWG rule.
            let whole = encoding_rs::UTF_8.decode_without_bom_handling(&stream).0;
            let head = String::from_utf8_lossy(parts.head);
            let tail = String::from_utf8_lossy(&parts.tail);
            prop_assert!(whole.starts_with(&*head));
            prop_assert!(whole.ends_with(&*tail));
            if text.truncated {
                prop_assert_eq!(excerpt.text_with(|_| String::new()), [&*head, &*tail].concat());
            } else {
                prop_assert_eq!(text.text, whole);
            }
        }

        #[test]
        fn a_cut_adds_no_replacement_character(
            text in "[a\né€🦀]{0,80}",
            shape in any_shape(),
        ) {
            prop_assert!(!shaped_text(text.as_bytes(), &shape).contains(char::REPLACEMENT_CHARACTER));
        }

        #[test]
        fn an_excerpt_of_ascii_that_is_cut_at_characters_has_exactly_the_limit(
            text in "[a\n]{0,80}",
            shape in any_shape(),
        ) {
            let marker = Some(Marker::new(""));
            let shape = Shape { cut: Cut::Character, marker, ..shape };
            prop_assert_eq!(shaped_text(text.as_bytes(), &shape).len(), text.len().min(shape.limit));
        }

        #[test]
        fn a_cut_at_characters_gives_up_three_bytes_at_each_side_at_most(
            stream in tricky_bytes(),
            shape in any_shape(),
        ) {
            let mut excerpt = Excerpt::shaped(&Shape { cut: Cut::Character, ..shape.clone() });
            excerpt.push(&stream);
            let parts = excerpt.parts();
            prop_assert!(parts.head.len() + parts.tail.len() + 6 >= stream.len().min(shape.limit));
        }

        #[test]
        fn a_cut_gives_up_a_quarter_or_three_bytes_at_most(
            stream in tricky_bytes(),
            limit in 0..150_usize,
            keep in any_keep(),
        ) {
            let excerpt = excerpt_of(&stream, limit, keep);
            let parts = excerpt.parts();
            let least = |limit: usize| limit - (limit / 4).max(3).min(limit);
            let floor = match keep {
                Keep::Both => least(limit / 2) + least(limit - limit / 2),
                Keep::Head | Keep::Tail => least(limit),
            };
            prop_assert!(parts.head.len() + parts.tail.len() >= floor.min(stream.len()));
        }

        #[test]
        fn the_chunks_in_which_it_comes_do_not_matter(
            chunks in prop::collection::vec(tricky_bytes(), 0..8),
            shape in any_shape(),
        ) {
            let mut excerpt = Excerpt::shaped(&shape);
            let mut whole = Vec::new();
            for chunk in &chunks {
                excerpt.push(chunk);
                whole.extend_from_slice(chunk);
                // Asked for at any time, it tells of the stream so far and changes nothing.
                prop_assert_eq!(excerpt.finish().text, shaped_text(&whole, &shape));
            }
        }
    }
}
