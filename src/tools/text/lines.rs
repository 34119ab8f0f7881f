//! Reads lines of a file or a text: a range of lines, or the lines that contain a text.
//!
//! The source is read once, from its beginning, in pieces of 64 KiB: line numbers are those of the source,
//! and memory does not depend on its size or on the length of its lines.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, Read};

use memchr::memmem::Finder;

use crate::text::view::long::{LineState as State, LongLine};
use crate::text::view::plain::plain_line;
use crate::text::view::{prefix, push_gap, suffix};

/// The size of one read (bytes).
const PIECE: usize = 64 * 1024;

/// The longest line that is collected (bytes). A longer one is searched piece by piece, and only its
/// beginning is read as text.
const MAX_LINE: usize = 1024 * 1024;

/// Lines of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The lines, joined by line breaks.
    pub text: String,
    /// The number of the first one, from 1.
    pub from: u64,
    /// The number of the last one; one less than `from` if there is none.
    pub to: u64,
    /// Whether the source has no line after it.
    pub eof: bool,
}

/// A line that contains the text, or a line of its context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLine {
    /// The number of the line, from 1.
    pub line: u64,
    /// The text of the line.
    pub text: String,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLines {
    /// The first lines that contain the text, with their context.
    pub lines: Vec<FoundLine>,
    /// The number of lines in the source that contain the text.
    pub total: u64,
}

#[derive(Clone, Debug)]
pub struct LineSearch<'a> {
    /// The text, which is compared literally.
    pub text: &'a str,
    /// The first line that is searched.
    pub from: u64,
    /// The most lines with the text that are returned.
    pub max: usize,
    /// The number of lines before and after each that are returned with it.
    pub context: usize,
    /// The most that is returned in all (bytes of UTF-8).
    pub max_bytes: usize,
}

/// Returns the lines `from` to `to` of a source, in their plain form unless `raw` is true. Returns only as
/// many whole lines as fit into `max_bytes`; a first line that does not fit is cut.
///
/// # Errors
///
/// The system's, when the source can't be read.
pub fn read_lines(source: impl Read, from: u64, to: u64, max_bytes: usize, raw: bool) -> io::Result<Lines> {
    let mut lines = Lines { text: String::new(), from, to: from.saturating_sub(1), eof: true };
    each_line(source, MAX_LINE.max(max_bytes), |number, line| {
        if number < from {
            return true;
        }
        if number > to {
            lines.eof = false;
            return false;
        }
        let text = if raw { String::from_utf8_lossy(line) } else { plain_line(line) };
        let room = max_bytes.saturating_sub(lines.text.len() + usize::from(number > from));
        if text.len() > room && number > from {
            lines.eof = false;
            return false;
        }
        if number > from {
            lines.text.push('\n');
        }
        lines.text.push_str(prefix(&text, room));
        lines.to = number;
        true
    })?;
    Ok(lines)
}

/// Returns the lines whose plain form contains the text, however long they are. Of a line that does not fit,
/// or is longer than 1 MiB, returns the part around the text.
///
/// # Errors
///
/// The system's, when the source can't be read.
pub fn find_lines(source: impl Read, search: &LineSearch<'_>) -> io::Result<FoundLines> {
    let finder = Finder::new(search.text);
    let mut results = Results::new(search);
    let mut line: Vec<u8> = Vec::new();
    let mut long: Option<LongLine<TextSearch<'_>>> = None;
    let mut number = 0;
    each_piece(source, |piece, has_ended| {
        if long.is_none() && line.len() + piece.len() > MAX_LINE {
            let mut text = LongLine::new(TextSearch::new(&finder, search.max_bytes.min(MAX_LINE)));
            line.chunks(PIECE).for_each(|block| text.push(block, &mut ()));
            line = Vec::new();
            long = Some(text);
        }
        if let Some(long) = &mut long {
            long.push(piece, &mut ());
        } else if !has_ended || !line.is_empty() {
            line.extend_from_slice(piece);
        }
        if !has_ended {
            return true;
        }
        number += 1;
        if let Some(long) = long.take() {
            let scan = long.finish(&mut ());
            results.take(number, Cow::Owned(scan.head), scan.part, scan.total);
        } else {
            let text = plain_line(if line.is_empty() { piece } else { &line });
            let part = finder.find(text.as_bytes()).map(|at| MatchContext::of(&text, at, search.text.len()));
            let total = text.len() as u64;
            results.take(number, text, part, total);
        }
        line.clear();
        true
    })?;
    Ok(results.found)
}

/// The most text on either side of a match (bytes).
const AROUND: usize = 1000;

/// A match with the text around it.
#[derive(Clone, Debug)]
struct MatchContext {
    /// The offset of the part in the line (bytes).
    at: u64,
    text: String,
    /// The length of what stands before the found text (bytes).
    before: usize,
    /// The length of the found text (bytes).
    len: usize,
}

impl MatchContext {
    fn of(line: &str, at: usize, len: usize) -> Self {
        let before = suffix(&line[..at], AROUND).len();
        let after = prefix(&line[at + len..], AROUND).len();
        let text = line[at - before..at + len + after].to_owned();
        Self { at: (at - before) as u64, text, before, len }
    }

    /// Returns the part within its line, of at most `room` bytes if the found text fits.
    fn shown(&self, total: u64, room: usize) -> String {
        const GAPS: usize = 2 * "[… 1,000,000,000 bytes …]".len();
        let side = room.saturating_sub(GAPS + self.len) / 2;
        let found = self.before + self.len;
        let start = self.before - suffix(&self.text[..self.before], side).len();
        let end = found + prefix(&self.text[found..], side).len();
        let mut shown = String::new();
        let (skipped, rest) = (self.at + start as u64, total - self.at - end as u64);
        if skipped > 0 {
            push_gap(&mut shown, skipped);
        }
        shown.push_str(&self.text[start..end]);
        if rest > 0 {
            push_gap(&mut shown, rest);
        }
        shown
    }
}

/// Searches a text that comes piece by piece.
#[derive(Clone, Debug)]
struct TextSearch<'a> {
    finder: &'a Finder<'a>,
    /// The most that is kept of the beginning (bytes).
    most: usize,
    head: String,
    /// The end of the text so far, in which the found text may begin.
    tail: String,
    total: u64,
    part: Option<MatchContext>,
    is_blank: bool,
}

impl<'a> TextSearch<'a> {
    const fn new(finder: &'a Finder<'a>, most: usize) -> Self {
        Self { finder, most, head: String::new(), tail: String::new(), total: 0, part: None, is_blank: true }
    }
}

impl State for TextSearch<'_> {
    type Context = ();

    fn push(&mut self, text: &str, (): &mut ()) {
        self.is_blank = self.is_blank && text.trim().is_empty();
        if self.head.len() as u64 == self.total {
            self.head.push_str(prefix(text, self.most - self.head.len()));
        }
        self.total += text.len() as u64;
        let len = self.finder.needle().len();
        if let Some(part) = &mut self.part {
            let after = part.text.len() - part.before - part.len;
            if part.at + part.text.len() as u64 == self.total - text.len() as u64 {
                part.text.push_str(prefix(text, AROUND.saturating_sub(after)));
            }
            return;
        }
        self.tail.push_str(text);
        if let Some(at) = self.finder.find(self.tail.as_bytes()) {
            let part = MatchContext::of(&self.tail, at, len);
            let start = self.total - self.tail.len() as u64;
            self.part = Some(MatchContext { at: start + part.at, ..part });
            self.tail = String::new();
            return;
        }
        let cut = self.tail.len() - suffix(&self.tail, AROUND + len - 1).len();
        self.tail.drain(..cut);
    }

    fn is_blank(&self) -> bool {
        self.is_blank
    }

    fn empty(&self) -> Self {
        Self::new(self.finder, self.most)
    }
}

/// Collects the lines of a search.
struct Results<'a> {
    search: &'a LineSearch<'a>,
    found: FoundLines,
    /// The last lines, which may be context of the next hit.
    before: VecDeque<FoundLine>,
    room: usize,
    /// The number of lines that follow as context of the last hit.
    after: usize,
    hits: usize,
}

impl<'a> Results<'a> {
    fn new(search: &'a LineSearch<'a>) -> Self {
        let found = FoundLines { lines: Vec::new(), total: 0 };
        Self { search, found, before: VecDeque::new(), room: search.max_bytes, after: 0, hits: 0 }
    }

    /// Takes a line: its text, or the beginning of it if it is longer than `text`.
    fn take(&mut self, line: u64, text: Cow<'_, str>, part: Option<MatchContext>, total: u64) {
        let part = part.filter(|_| line >= self.search.from);
        self.found.total += u64::from(part.is_some());
        if let Some(part) = part.filter(|_| self.hits < self.search.max) {
            self.hits += 1;
            self.after = self.search.context;
            for earlier in std::mem::take(&mut self.before) {
                self.push(earlier);
            }
            let fits = text.len() as u64 == total && text.len() <= self.room;
            let text = if fits { text.into_owned() } else { part.shown(total, self.room) };
            self.push(FoundLine { line, text });
        } else if self.after > 0 {
            self.after -= 1;
            self.push(FoundLine { line, text: text.into_owned() });
        } else if self.search.context > 0 && self.hits < self.search.max {
            if self.before.len() == self.search.context {
                self.before.pop_front();
            }
            let text = prefix(&text, self.search.max_bytes).to_owned();
            self.before.push_back(FoundLine { line, text });
        }
    }

    fn push(&mut self, mut line: FoundLine) {
        if self.room > 0 {
            line.text.truncate(prefix(&line.text, self.room).len());
            self.room -= line.text.len();
            self.found.lines.push(line);
        }
    }
}

/// Calls `take` with each line, without its line break, until it returns false. Of a line longer than
/// `longest`, the rest is dropped.
fn each_line(source: impl Read, longest: usize, mut take: impl FnMut(u64, &[u8]) -> bool) -> io::Result<()> {
    let mut line: Vec<u8> = Vec::new();
    let mut number = 0;
    each_piece(source, |piece, has_ended| {
        if !has_ended {
            append(&mut line, piece, longest);
            return true;
        }
        number += 1;
        if line.is_empty() {
            return take(number, &piece[..piece.len().min(longest)]);
        }
        append(&mut line, piece, longest);
        let goes_on = take(number, &line);
        line.clear();
        goes_on
    })
}

/// Calls `take` with each piece of each line, and whether that ends the line, until it returns false.
fn each_piece(mut source: impl Read, mut take: impl FnMut(&[u8], bool) -> bool) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    let mut is_within = false;
    loop {
        let count = match source.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut rest = &piece[..count];
        while let Some(end) = memchr::memchr(b'\n', rest) {
            if !take(&rest[..end], true) {
                return Ok(());
            }
            is_within = false;
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            is_within = true;
            if !take(rest, false) {
                return Ok(());
            }
        }
    }
    if is_within {
        take(&[], true);
    }
    Ok(())
}

fn append(line: &mut Vec<u8>, part: &[u8], longest: usize) {
    let room = longest.saturating_sub(line.len());
    line.extend_from_slice(&part[..part.len().min(room)]);
}

#[cfg(test)]
mod tests {
    use super::{FoundLine, LineSearch, find_lines, read_lines};

    #[test]
    fn a_range_of_lines_is_read() {
        let file = "a\n\x1b[1mb\x1b[0m\nc\nd".as_bytes();
        let lines = read_lines(file, 2, 3, 100, false).expect("read");
        assert_eq!((lines.text.as_str(), lines.from, lines.to, lines.eof), ("b\nc", 2, 3, false));
        let lines = read_lines(file, 3, 9, 100, false).expect("read");
        assert_eq!((lines.text.as_str(), lines.from, lines.to, lines.eof), ("c\nd", 3, 4, true));
        assert_eq!(read_lines(file, 2, 2, 100, true).expect("read").text, "\u{1b}[1mb\u{1b}[0m");
    }

    #[test]
    fn lines_that_do_not_fit_are_left_for_the_next_time() {
        let file = "ä1234\nb1234\nc1234\n".as_bytes();
        let lines = read_lines(file, 1, 9, 13, false).expect("read");
        assert_eq!((lines.text.as_str(), lines.to, lines.eof), ("ä1234\nb1234", 2, false));
        assert_eq!(read_lines(file, 1, 9, 1, false).expect("read").text, "");
    }

    #[test]
    fn lines_behind_the_end_are_none() {
        let file = "a\n".as_bytes();
        let lines = read_lines(file, 7, 9, 100, false).expect("read");
        assert_eq!((lines.text.as_str(), lines.from, lines.to, lines.eof), ("", 7, 6, true));
    }

    #[test]
    fn a_text_is_found_with_its_context_and_counted() {
        let file = "1\n2 x.y\n3\n4\n5 x.y\n6 xzy\n7 x.y\n".as_bytes();
        let search = LineSearch { text: "x.y", from: 1, max: 2, context: 1, max_bytes: 1000 };
        let found = find_lines(file, &search).expect("read");
        let lines: Vec<(u64, &str)> =
            found.lines.iter().map(|found| (found.line, found.text.as_str())).collect();
        assert_eq!(lines, [(1, "1"), (2, "2 x.y"), (3, "3"), (4, "4"), (5, "5 x.y"), (6, "6 xzy")]);
        assert_eq!(found.total, 3);
        let search = LineSearch { from: 5, max: 1, context: 0, ..search };
        let found = find_lines(file, &search).expect("read");
        assert_eq!(found.lines, [FoundLine { line: 5, text: "5 x.y".to_owned() }]);
        assert_eq!(found.total, 2);
    }

    #[test]
    fn a_text_is_found_anywhere_in_a_line_of_any_length() {
        const MIB: usize = 1024 * 1024;
        let unit = "née";
        let text: String = unit.chars().cycle().take(5 * MIB).collect();
        for offset in [0, MIB - 12, MIB - 3, MIB, MIB + 65_532, 3 * MIB + 1, text.len()] {
            let offset =
                (offset..=text.len()).find(|&offset| text.is_char_boundary(offset)).expect("a boundary");
            let line = format!("{}error: né{}", &text[..offset], &text[offset..]);
            let file = format!("one\n{line}\nthree\n");
            let search = LineSearch { text: "error: né", from: 1, max: 9, context: 1, max_bytes: 16_000 };
            let found = find_lines(file.as_bytes(), &search).expect("read");
            let numbers: Vec<u64> = found.lines.iter().map(|found| found.line).collect();
            assert_eq!((found.total, numbers.as_slice()), (1, &[1, 2, 3][..]));
            let shown = &found.lines[1].text;
            assert!(shown.len() < 2_200 && is_of(shown, &line), "{shown}");
            assert!(shown.contains("error: né"), "{shown}");
        }
    }

    /// Returns whether a text is a part of a line between counts of what is missing.
    fn is_of(shown: &str, line: &str) -> bool {
        let count = |marker: &str| -> usize {
            marker.chars().filter(char::is_ascii_digit).collect::<String>().parse().expect("a count")
        };
        let (before, shown) =
            shown.strip_prefix("[… ").and_then(|rest| rest.split_once(" bytes …]")).unwrap_or(("0", shown));
        let (shown, after) = shown.split_once("[… ").unwrap_or((shown, "0"));
        line.get(count(before)..line.len() - count(after)) == Some(shown)
    }

    #[test]
    fn of_a_line_that_does_not_fit_the_part_with_the_text_is_returned() {
        let line = format!("{}error{}", "a".repeat(30_000), "b".repeat(30_000));
        let file = line.as_bytes();
        for max_bytes in [100, 500, 16_000] {
            let search = LineSearch { text: "error", from: 1, max: 9, context: 0, max_bytes };
            let found = find_lines(file, &search).expect("read");
            let shown = &found.lines[0].text;
            assert!(shown.contains("aerrorb") && shown.len() <= max_bytes && is_of(shown, &line), "{shown}");
        }
    }

    #[test]
    fn of_a_very_long_line_the_last_state_is_searched() {
        let file = format!("{}\rgone\r{}found", "gone ".repeat(500_000), "x".repeat(1_500_000));
        let total = |text| {
            let search = LineSearch { text, from: 1, max: 9, context: 0, max_bytes: 100 };
            find_lines(file.as_bytes(), &search).expect("read").total
        };
        assert_eq!((total("gone"), total("found")), (0, 1));
    }

    #[test]
    fn a_line_longer_than_a_piece_is_one_line() {
        let file = [b"x".repeat(200_000), b"\nerror\n".to_vec()].concat();
        let lines = read_lines(&*file, 2, 2, 100, false).expect("read");
        assert_eq!((lines.text.as_str(), lines.to), ("error", 2));
    }
}
