//! The plain form of a line, as a person would read it on a terminal.
//!
//! Terminal sequences are removed; of text that `\r` overwrites, the last state that is not blank remains;
//! backspaces are applied; other control characters and invalid bytes become U+FFFD. The form differs from
//! [`PlainText`] in two points: the rest of a longer text that a shorter one overwrote is dropped, and other
//! control characters are visible.

use std::borrow::Cow;

use crate::text::PlainText;

const ESCAPE: char = '\u{1b}';
const BACKSPACE: char = '\u{8}';

/// The bytes of printable ASCII and the tab, which stand for themselves.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = b' ';
    while byte < 0x7f {
        plain[byte as usize] = true;
        byte += 1;
    }
    plain[b'\t' as usize] = true;
    plain
};

/// Returns whether a text has no visible character.
#[inline]
pub(in crate::text::view) fn is_blank(text: &str) -> bool {
    // For most lines the first byte decides.
    !text.bytes().next().is_some_and(|first| first.is_ascii_graphic()) && text.trim_start().is_empty()
}

/// Returns whether these bytes are their own plain form: printable ASCII, tabs and line breaks.
#[must_use]
pub fn is_plain_text(bytes: &[u8]) -> bool {
    let is_plain = |byte: u8| (b' '..0x7f).contains(&byte) || byte == b'\t' || byte == b'\n';
    // Without an early exit, the compiler vectorizes the loop over a long block. A short block would gain
    // nothing.
    let (blocks, rest) = bytes.as_chunks::<64>();
    blocks.iter().all(|block| block.iter().fold(true, |plain, &byte| plain & is_plain(byte)))
        && rest.iter().fold(true, |plain, &byte| plain & is_plain(byte))
}

/// Returns the plain form of a line, which has no `\n`.
#[must_use]
pub fn plain_line(line: &[u8]) -> Cow<'_, str> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    as_plain_text(line).map_or_else(|| last_state(line), Cow::Borrowed)
}

/// The length (bytes) up to which a line is always copied: checking whether it must be copied costs more.
const ALWAYS_COPIED: usize = 32;

/// Returns the plain form of a line as [`plain_line`] does. A short line is copied to `buffer`, which is
/// reused for all lines.
pub(super) fn plain_line_in<'a>(line: &'a [u8], buffer: &'a mut String) -> Cow<'a, str> {
    if line.len() <= ALWAYS_COPIED && line.is_ascii() {
        buffer.clear();
        if push_without_colours(line.strip_suffix(b"\r").unwrap_or(line), buffer).is_some() {
            return Cow::Borrowed(buffer);
        }
    }
    plain_line(line)
}

/// Returns `bytes` as text if they equal their plain form.
pub(super) fn as_plain_text(bytes: &[u8]) -> Option<&str> {
    if is_plain_text(bytes) { str::from_utf8(bytes).ok() } else { None }
}

/// Returns the plain form of the last state of a line that is not blank.
fn last_state(line: &[u8]) -> Cow<'_, str> {
    if memchr::memchr(b'\r', line).is_none() {
        return state_with_others(line);
    }
    // Only the shown state is decoded. Splitting bytes at `\r` is safe, because no other character contains
    // that byte.
    let mut last = None;
    for state in states(line) {
        let plain = plain_bytes(state);
        if !is_blank(&plain) {
            return plain;
        }
        last.get_or_insert(plain);
    }
    // If all states are blank, the line is blank.
    last.unwrap_or_default()
}

/// Returns the states of a line, the last one first. `\r` separates them, and each overwrites the one before.
fn states(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest?;
        let start = memchr::memrchr(b'\r', line);
        rest = start.map(|start| &line[..start]);
        Some(&line[start.map_or(0, |start| start + 1)..])
    })
}

/// Returns the plain form of bytes without `\r` and `\n`.
fn plain_bytes(state: &[u8]) -> Cow<'_, str> {
    as_plain_text(state).map_or_else(|| state_with_others(state), Cow::Borrowed)
}

/// Returns the plain form of bytes without `\r` and `\n` that are not plain text.
fn state_with_others(state: &[u8]) -> Cow<'_, str> {
    // ASCII that is no plain text has a control character, so no search for one is needed.
    if !state.is_ascii()
        && let Ok(text) = str::from_utf8(state)
    {
        return plain_state(text);
    }
    Cow::Owned(without_colours(state).unwrap_or_else(|| as_on_terminal(&String::from_utf8_lossy(state))))
}

/// Returns the plain form of a text without `\r` and `\n`.
#[must_use]
pub fn plain_state(text: &str) -> Cow<'_, str> {
    if !has_controls(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(without_colours(text.as_bytes()).unwrap_or_else(|| as_on_terminal(text)))
}

/// Returns the plain form of a text with control characters, by the rules of a terminal.
fn as_on_terminal(text: &str) -> String {
    let has_escape = memchr::memchr(ESCAPE as u8, text.as_bytes()).is_some();
    if !has_escape && !text.contains(BACKSPACE) {
        return with_visible_controls(text, has_escape);
    }
    // A control character inside a sequence, such as the end of a title, is no text.
    let visible = if text.contains("\u{1b}]") {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(with_visible_controls(text, has_escape))
    };
    let mut plain = PlainText::default();
    let mut out = String::with_capacity(visible.len());
    plain.push(&visible, &mut out);
    plain.finish(&mut out);
    out
}

/// Returns the text with U+FFFD in place of control characters that are no part of a sequence.
fn with_visible_controls(text: &str, has_escape: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (offset, character) in text.char_indices().filter(|(_, character)| character.is_control()) {
        // A C1 control character may begin a sequence, as ESC [ does.
        let is_sequence = matches!(character, '\t' | ESCAPE | BACKSPACE)
            || has_escape && matches!(character, '\u{80}'..='\u{9f}');
        if !is_sequence {
            out.push_str(&text[copied..offset]);
            out.push('\u{fffd}');
            copied = offset + character.len_utf8();
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// Returns the plain form of bytes whose sequences don't affect the text, such as colours; `None` for other
/// sequences.
///
/// The result equals that of [`as_on_terminal`] and takes a fifth of the time; most output has no other
/// sequences.
fn without_colours(state: &[u8]) -> Option<String> {
    // U+FFFD takes two bytes more than the control character for which it stands.
    let mut out = String::with_capacity(state.len() + 8);
    push_without_colours(state, &mut out)?;
    Some(out)
}

/// Appends the plain form of bytes whose sequences don't affect the text to `out`, which is empty. Returns
/// `None` for other sequences and for `\r`.
fn push_without_colours(state: &[u8], out: &mut String) -> Option<()> {
    let mut offset = 0;
    // Whether the next character overwrites the last one.
    let mut is_back = false;
    loop {
        let run = state[offset..].iter().position(|&byte| !PLAIN[usize::from(byte)]);
        let end = run.map_or(state.len(), |run| offset + run);
        if end > offset {
            if std::mem::take(&mut is_back) {
                out.pop();
            }
            out.push_str(str::from_utf8(&state[offset..end]).ok()?);
            offset = end;
        }
        let Some(&byte) = state.get(offset) else { return Some(()) };
        if byte == b'\r' {
            return None;
        }
        if byte == BACKSPACE as u8 {
            // Two backspaces in a row are left to the terminal's rules.
            if is_back {
                return None;
            }
            is_back = !out.is_empty();
            offset += 1;
            continue;
        }
        if byte == ESCAPE as u8 {
            if is_back {
                return None;
            }
            offset += idle_sequence(&state[offset..])?;
            continue;
        }
        let (character, length) =
            if byte < 0x80 { ('\u{fffd}', 1) } else { first_character(&state[offset..]) };
        let is_control = character.is_control();
        // A control character of two bytes may be part of a sequence next to it.
        if is_control && memchr::memchr(ESCAPE as u8, state).is_some() {
            return None;
        }
        if std::mem::take(&mut is_back) {
            out.pop();
        }
        out.push(if is_control { '\u{fffd}' } else { character });
        offset += length;
    }
}

/// Returns the length of the sequence at the beginning of `bytes`, if the sequence does not affect text at
/// the end of a line.
fn idle_sequence(bytes: &[u8]) -> Option<usize> {
    let is_parameter = |byte: &u8| matches!(byte, b'0'..=b';');
    match bytes.get(1)? {
        b'[' => {
            let is_private = matches!(bytes.get(2)?, b'<'..=b'?');
            let from = if is_private { 3 } else { 2 };
            let length = bytes[from..].iter().take_while(|byte| is_parameter(byte)).count();
            let parameters = &bytes[from..from + length];
            let is_idle = match bytes.get(from + length)? {
                b'm' => true,
                b'@'..=b'~' if is_private => true,
                // The sequence erases the text after the cursor, and the cursor is at the end.
                b'K' | b'J' => matches!(parameters, b"" | b"0"),
                _ => false,
            };
            is_idle.then_some(from + length + 1)
        }
        // The sequence selects a character set, as `ESC ( B`, which tput sends to reset colours.
        b'(' | b')' => matches!(bytes.get(2)?, b'0'..=b'~').then_some(3),
        // These characters begin a longer sequence, or save and restore the cursor.
        b'7' | b'8' | b'c' | b'P' | b'X' | b']' | b'^' | b'_' => None,
        b'0'..=b'~' => Some(2),
        _ => None,
    }
}

/// Returns the first character of `bytes` and its length. For an invalid sequence, returns U+FFFD and the
/// length of that sequence, as [`String::from_utf8_lossy`] does.
fn first_character(bytes: &[u8]) -> (char, usize) {
    let goes_on = bytes.get(1).is_some_and(|byte| matches!(byte, 0x80..0xc0));
    if !goes_on || matches!(bytes[0], 0x80..0xc2 | 0xf5..) {
        return ('\u{fffd}', 1);
    }
    // No character is longer than four bytes.
    let Some(chunk) = bytes[..bytes.len().min(4)].utf8_chunks().next() else { return ('\u{fffd}', 1) };
    match chunk.valid().chars().next() {
        Some(character) => (character, character.len_utf8()),
        None => ('\u{fffd}', chunk.invalid().len()),
    }
}

/// Returns whether the text has a control character other than a tab: in ASCII, or U+0080 to U+009F.
fn has_controls(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_control = |byte: u8| (byte < b' ') && (byte != b'\t') || (byte == 0x7f);
    bytes.iter().fold(false, |found, &byte| found | is_control(byte))
        || memchr::memchr_iter(0xc2, bytes)
            .any(|offset| bytes.get(offset + 1).is_some_and(|&byte| byte < 0xa0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{as_on_terminal, is_plain_text, plain_bytes, plain_line, plain_line_in};

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
    fn plain_text_is_distinguished_from_other_text() {
        assert!(is_plain_text(b"a\tb\n"));
        assert!(!is_plain_text("é".as_bytes()) && !is_plain_text(b"\r") && !is_plain_text(b"\x7f"));
    }

    /// Generates characters, invalid bytes, and sequences with and without an effect.
    fn any_state() -> impl Strategy<Value = Vec<u8>> {
        let part = prop_oneof![
            4 => "[a-z \\t]{1,9}".prop_map(String::into_bytes),
            2 => "[é€🦀\u{80}\u{9b}\u{a0}]".prop_map(String::into_bytes),
            2 => prop::collection::vec(any::<u8>(), 1..6),
            3 => "\u{1b}\\[[0-9;:]{0,7}[mKJ]".prop_map(String::into_bytes),
            1 => "\u{1b}\\[[<=>?]?[0-9;:]{0,3}[@-~]".prop_map(String::into_bytes),
            1 => "\u{1b}[ -~]{0,3}".prop_map(String::into_bytes),
        ];
        prop::collection::vec(part, 0..9)
            .prop_map(|parts| parts.concat().into_iter().filter(|byte| !b"\r\n".contains(byte)).collect())
    }

    /// Generates states, which `\r` separates or ends.
    fn any_line() -> impl Strategy<Value = Vec<u8>> {
        (prop::collection::vec(any_state(), 1..3), any::<bool>()).prop_map(|(states, ends)| {
            [states.join(&b'\r'), if ends { vec![b'\r'] } else { Vec::new() }].concat()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn colours_vanish_as_on_a_terminal(state in any_state()) {
            prop_assert_eq!(plain_bytes(&state), as_on_terminal(&String::from_utf8_lossy(&state)));
        }

        #[test]
        fn a_line_in_a_buffer_is_that_of_its_own(lines in prop::collection::vec(any_line(), 1..9)) {
            let mut buffer = String::new();
            for line in lines {
                prop_assert_eq!(plain_line_in(&line, &mut buffer), plain_line(&line));
            }
        }
    }
}
