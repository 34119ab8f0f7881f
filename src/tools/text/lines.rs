//! Reads lines of a file: a range of lines, or the lines that contain a text.
//!
//! The file is read once, from its beginning, in pieces of 64 KiB: line numbers are those of the file, and memory does not
//! depend on its size or on the length of its lines.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::Path;

use memchr::memmem::Finder;

use super::regular_file::RegularFile;
use crate::text::view::plain::plain_line;

/// The size of one read (bytes).
const PIECE: usize = 64 * 1024;

/// The longest line (bytes). The rest of a longer line is dropped.
const LONGEST: usize = 1024 * 1024;

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The lines, joined by line breaks.
    pub text: String,
    /// The number of the first one, from 1.
    pub from: u64,
    /// The number of the last one; one less than `from` if there is none.
    pub to: u64,
    /// Whether the file has no line after it.
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
    /// The number of lines in the file that contain the text.
    pub total: u64,
}

/// A search for lines.
#[derive(Clone, Debug)]
pub struct Search<'a> {
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

/// Returns the lines `from` to `to` of a file, in their plain form unless `raw` is true. Returns only as many whole
/// lines as fit into `max_bytes`; a first line that does not fit is cut.
///
/// # Errors
///
/// The system's, when the file can't be read.
pub fn read_lines(path: &Path, from: u64, to: u64, max_bytes: usize, raw: bool) -> io::Result<Lines> {
    let mut lines = Lines { text: String::new(), from, to: from.saturating_sub(1), eof: true };
    each_line(path, |number, line| {
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

/// Returns the lines whose plain form contains the text.
///
/// # Errors
///
/// The system's, when the file can't be read.
pub fn find_lines(path: &Path, search: &Search<'_>) -> io::Result<FoundLines> {
    let finder = Finder::new(search.text);
    let mut found = FoundLines { lines: Vec::new(), total: 0 };
    let mut before: VecDeque<FoundLine> = VecDeque::new();
    let mut room = search.max_bytes;
    let mut after = 0;
    let mut hits = 0;
    let mut push = |line: FoundLine, lines: &mut Vec<FoundLine>| {
        let text = prefix(&line.text, room).to_owned();
        let fits = room > 0;
        room -= text.len();
        if fits {
            lines.push(FoundLine { text, ..line });
        }
        fits
    };
    each_line(path, |number, line| {
        let text = plain_line(line);
        let is_hit = number >= search.from && finder.find(text.as_bytes()).is_some();
        found.total += u64::from(is_hit);
        if is_hit && hits < search.max {
            hits += 1;
            after = search.context;
            for earlier in before.drain(..) {
                push(earlier, &mut found.lines);
            }
            push(FoundLine { line: number, text: text.into_owned() }, &mut found.lines);
        } else if after > 0 {
            after -= 1;
            push(FoundLine { line: number, text: text.into_owned() }, &mut found.lines);
        } else if search.context > 0 && hits < search.max {
            if before.len() == search.context {
                before.pop_front();
            }
            before.push_back(FoundLine { line: number, text: prefix(&text, search.max_bytes).to_owned() });
        }
        true
    })?;
    Ok(found)
}

/// Calls `take` with each line, without its line break, until it returns false.
fn each_line(path: &Path, mut take: impl FnMut(u64, &[u8]) -> bool) -> io::Result<()> {
    let mut file = RegularFile::open(path)?;
    let mut piece = vec![0; PIECE];
    let mut line: Vec<u8> = Vec::new();
    let mut number = 0;
    loop {
        let count = match file.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut rest = &piece[..count];
        while let Some(end) = memchr::memchr(b'\n', rest) {
            number += 1;
            let goes_on = if line.is_empty() {
                take(number, &rest[..end])
            } else {
                append(&mut line, &rest[..end]);
                take(number, &line)
            };
            if !goes_on {
                return Ok(());
            }
            line.clear();
            rest = &rest[end + 1..];
        }
        append(&mut line, rest);
    }
    if !line.is_empty() {
        take(number + 1, &line);
    }
    Ok(())
}

fn append(line: &mut Vec<u8>, part: &[u8]) {
    let room = LONGEST.saturating_sub(line.len());
    line.extend_from_slice(&part[..part.len().min(room)]);
}

fn prefix(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = (0..=limit).rev().find(|&place| text.is_char_boundary(place)).unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{FoundLine, Search, find_lines, read_lines};

    fn file(text: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(text).expect("written");
        file
    }

    #[test]
    fn a_range_of_lines_is_read() {
        let file = file(b"a\n\x1b[1mb\x1b[0m\nc\nd");
        let lines = read_lines(file.path(), 2, 3, 100, false).expect("read");
        assert_eq!((lines.text.as_str(), lines.from, lines.to, lines.eof), ("b\nc", 2, 3, false));
        let lines = read_lines(file.path(), 3, 9, 100, false).expect("read");
        assert_eq!((lines.text.as_str(), lines.from, lines.to, lines.eof), ("c\nd", 3, 4, true));
        assert_eq!(read_lines(file.path(), 2, 2, 100, true).expect("read").text, "\u{1b}[1mb\u{1b}[0m");
    }

    #[test]
    fn lines_that_do_not_fit_are_left_for_the_next_time() {
        let file = file("ä1234\nb1234\nc1234\n".as_bytes());
        let lines = read_lines(file.path(), 1, 9, 13, false).expect("read");
        assert_eq!((lines.text.as_str(), lines.to, lines.eof), ("ä1234\nb1234", 2, false));
        assert_eq!(read_lines(file.path(), 1, 9, 1, false).expect("read").text, "");
    }

    #[test]
    fn lines_behind_the_end_are_none() {
        let file = file(b"a\n");
        let lines = read_lines(file.path(), 7, 9, 100, false).expect("read");
        assert_eq!((lines.text.as_str(), lines.from, lines.to, lines.eof), ("", 7, 6, true));
    }

    #[test]
    fn a_text_is_found_with_its_context_and_counted() {
        let file = file(b"1\n2 x.y\n3\n4\n5 x.y\n6 xzy\n7 x.y\n");
        let search = Search { text: "x.y", from: 1, max: 2, context: 1, max_bytes: 1000 };
        let found = find_lines(file.path(), &search).expect("read");
        let lines: Vec<(u64, &str)> =
            found.lines.iter().map(|found| (found.line, found.text.as_str())).collect();
        assert_eq!(lines, [(1, "1"), (2, "2 x.y"), (3, "3"), (4, "4"), (5, "5 x.y"), (6, "6 xzy")]);
        assert_eq!(found.total, 3);
        let search = Search { from: 5, max: 1, context: 0, ..search };
        let found = find_lines(file.path(), &search).expect("read");
        assert_eq!(found.lines, [FoundLine { line: 5, text: "5 x.y".to_owned() }]);
        assert_eq!(found.total, 2);
    }

    #[test]
    fn a_line_longer_than_a_piece_is_one_line() {
        let file = file(&[b"x".repeat(200_000), b"\nerror\n".to_vec()].concat());
        let lines = read_lines(file.path(), 2, 2, 100, false).expect("read");
        assert_eq!((lines.text.as_str(), lines.to), ("error", 2));
    }

    #[test]
    fn a_file_that_is_not_there_is_an_error() {
        assert!(read_lines(std::path::Path::new("/nowhere/x"), 1, 1, 1, false).is_err());
    }
}
