//! The plain form of a line: as it would be read.
//!
//! Terminal sequences vanish, of text that `\r` overwrites the last state that is not blank remains, backspaces are
//! applied, other control characters and invalid bytes are U+FFFD. It differs from [`PlainText`] in two points, since
//! this is for reading: the rest of a longer text that a shorter one overwrote is gone, and a control character is seen.

use std::borrow::Cow;

use crate::text::PlainText;

const ESCAPE: char = '\u{1b}';
const BACKSPACE: char = '\u{8}';

/// Whether these bytes are text that is its own plain form: printable ASCII, tabs and line breaks.
#[must_use]
pub fn is_plain_text(bytes: &[u8]) -> bool {
    // Without an early exit the compiler makes vector code of it.
    bytes.chunks(1024).all(|chunk| {
        chunk.iter().fold(true, |plain, &byte| {
            plain & ((b' '..0x7f).contains(&byte) || (byte == b'\t') || (byte == b'\n'))
        })
    })
}

/// The plain form of a line, which has no `\n`.
#[must_use]
pub fn plain_line(line: &[u8]) -> Cow<'_, str> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if is_plain_text(line)
        && let Ok(text) = str::from_utf8(line)
    {
        return Cow::Borrowed(text);
    }
    let text = String::from_utf8_lossy(line);
    if !has_controls(&text) {
        return text;
    }
    let states = text.rsplit('\r');
    for state in states {
        let plain = plain_state(state);
        if !plain.trim().is_empty() {
            return Cow::Owned(plain.into_owned());
        }
    }
    // All states are blank: the last is as good as any.
    Cow::Owned(plain_state(text.rsplit('\r').next().unwrap_or_default()).into_owned())
}

/// The plain form of a text without `\r` and `\n`.
#[must_use]
pub fn plain_state(text: &str) -> Cow<'_, str> {
    if !has_controls(text) {
        return Cow::Borrowed(text);
    }
    let visible = |character: char| match character {
        '\t' | ESCAPE | BACKSPACE => character,
        // It begins a sequence, as ESC [ does.
        '\u{80}'..='\u{9f}' if has_escape(text) => character,
        _ if character.is_control() => '\u{fffd}',
        _ => character,
    };
    if !has_escape(text) && !text.contains(BACKSPACE) {
        return Cow::Owned(text.chars().map(visible).collect());
    }
    // Within a sequence a control character is not text. What ends a title is one.
    let text: String =
        if text.contains("\u{1b}]") { text.to_owned() } else { text.chars().map(visible).collect() };
    let mut plain = PlainText::default();
    let mut out = String::with_capacity(text.len());
    plain.push(&text, &mut out);
    plain.finish(&mut out);
    Cow::Owned(out)
}

fn has_escape(text: &str) -> bool {
    text.contains(ESCAPE)
}

/// Whether there is a control character other than a tab: of ASCII, or U+0080 to U+009F.
fn has_controls(text: &str) -> bool {
    let bytes = text.as_bytes();
    let ascii =
        bytes.iter().fold(false, |found, &byte| found || (byte < b' ') && (byte != b'\t') || (byte == 0x7f));
    ascii
        || memchr::memchr_iter(0xc2, bytes).any(|place| bytes.get(place + 1).is_some_and(|&byte| byte < 0xa0))
}

#[cfg(test)]
mod tests {
    use super::{is_plain_text, plain_line};

    #[test]
    fn colours_vanish() {
        assert_eq!(plain_line(b"\x1b[1;31merror\x1b[0m: x"), "error: x");
    }

    #[test]
    fn of_progress_the_last_state_remains_that_is_not_blank() {
        assert_eq!(plain_line(b" 10%\r 50%\r100%, done."), "100%, done.");
        assert_eq!(plain_line(b" 10%\r 50%\r    \r"), " 50%");
        assert_eq!(plain_line(b"downloading\rdone\x1b[K"), "done");
    }

    #[test]
    fn a_line_break_of_windows_is_none_of_the_line() {
        assert_eq!(plain_line(b"text\r"), "text");
    }

    #[test]
    fn backspaces_are_applied() {
        assert_eq!(plain_line(b"_\x08N_\x08A"), "NA");
    }

    #[test]
    fn other_controls_and_invalid_bytes_are_seen() {
        assert_eq!(plain_line(b"a\x00b\xffc\x07"), "a\u{fffd}b\u{fffd}c\u{fffd}");
        assert_eq!(plain_line("a\u{85}b".as_bytes()), "a\u{fffd}b");
    }

    #[test]
    fn titles_and_links_vanish() {
        assert_eq!(plain_line(b"\x1b]0;title\x07text \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), "text link");
    }

    #[test]
    fn plain_text_is_told_from_other_text() {
        assert!(is_plain_text(b"a\tb\n"));
        assert!(!is_plain_text("é".as_bytes()) && !is_plain_text(b"\r") && !is_plain_text(b"\x7f"));
    }
}
