//! Tests of plain text: `editing` of the changes of a line, `reference` against a plain implementation.

mod editing;
mod reference;

use super::line::LINE_LIMIT;
use super::{PlainText, WINDOW};

fn plain_in_pieces<'a>(pieces: impl IntoIterator<Item = &'a str>) -> String {
    let mut plain = PlainText::default();
    let mut text = String::new();
    for piece in pieces {
        plain.push(piece, &mut text);
    }
    plain.finish(&mut text);
    text
}

fn plain(text: &str) -> String {
    plain_in_pieces([text])
}

#[test]
fn colours_and_other_sequences_are_dropped() {
    assert_eq!(plain("a\x1b[31mb\x1b[0mc\x1b[38;2;1;2;3md\x1b[4:3me"), "abcde");
    assert_eq!(plain("a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\c"), "ablinkc");
    assert_eq!(plain("a\x1bPq#0;2;0\x1b\\b\x1b_apc\x1b\\c\x1b^pm\x1b\\d\x1bXsos\x1b\\e"), "abcde");
    assert_eq!(plain("a\x1b[?25l\x1b[?1049hb\x1b(B\x1b=\x1b>\x1b7\x1b8\x1bcd"), "abd");
}

#[test]
fn a_sequence_that_is_cut_anywhere_is_dropped() {
    for sequence in ["\x1b[1;31m", "\x1b]0;ti✓tle\x07", "\x1bPqdata✓\x1b\\", "\x1b(B", "\x1b[?25l"] {
        let pieces = sequence.split_inclusive(|_| true);
        assert_eq!(plain_in_pieces(["a"].into_iter().chain(pieces).chain(["b"])), "ab");
    }
}

#[test]
fn an_unfinished_sequence_at_the_end_is_dropped() {
    for unfinished in ["\x1b", "\x1b[", "\x1b[31", "\x1b]0;title", "\x1bPq", "\x1b_x", "\x1b("] {
        assert_eq!(plain(&format!("a\n{unfinished}")), "a\n");
    }
}

#[test]
fn a_push_after_the_end_starts_a_new_stream() {
    let mut plain = PlainText::default();
    let mut text = String::new();
    plain.push("a\x1b]0;title", &mut text);
    plain.finish(&mut text);
    plain.push("b", &mut text);
    plain.finish(&mut text);
    assert_eq!(text, "ab");
}

fn peek_after(pushed: &str, next: Option<char>) -> String {
    let mut plain = PlainText::default();
    let mut text = String::new();
    plain.push(pushed, &mut text);
    plain.peek_after(next, &mut text);
    text
}

#[test]
fn peeking_shows_the_next_character_at_the_cursor() {
    assert_eq!(peek_after("", Some('é')), "é");
    assert_eq!(peek_after("abc\r", Some('é')), "ébc");
    assert_eq!(peek_after("abc\x1b[9G\x1b[1K", Some('é')), "        é");
    assert_eq!(peek_after("a\x1b[6G", None), "a");
    assert_eq!(peek_after("a\x1b[6G", Some('é')), "a    é");
    assert_eq!(peek_after("a\x7f", Some('é')), "aé");
}

#[test]
fn peeking_in_a_sequence_does_not_show_the_next_character() {
    for sequence in [
        "\x1b", "\x1b[", "\x1b[3", "\x1b[ ", "\x1b[3?", "\x1b]", "\x1b]0;title", "\x1bP", "\x1bP1", "\x1bP ",
        "\x1bP1?", "\x1bPq", "\x1bPqdata", "\x1b_", "\x1bX", "\x1b^", "\x1b(",
    ] {
        assert_eq!(peek_after(&format!("a{sequence}"), Some('é')), "a", "{sequence:?}");
        assert_eq!(plain(&format!("a{sequence}é")), "a", "{sequence:?}");
    }
}

#[test]
fn peeking_after_a_line_of_the_maximum_length_starts_its_next_piece() {
    let line = "a".repeat(LINE_LIMIT);
    assert_eq!(peek_after(&line, None), line);
    assert_eq!(peek_after(&line, Some('é')), format!("{line}é"));
}

#[test]
fn movements_to_other_lines_are_ignored() {
    assert_eq!(plain("a\nb\x1b[A\x1b[3Bc\x1b[Hd\x1b[2Je\x1b[1;1ff\x1bMg"), "a\nbcdefg");
}

#[test]
fn private_forms_of_known_sequences_are_ignored() {
    assert_eq!(plain("abc\x1b[?1K\x1b[>1D\x1b[1 D\x1b[2 Gd"), "abcd");
}

#[test]
fn other_control_characters_are_dropped() {
    assert_eq!(plain("a\0b\x07c\x0bd\x0ce\x0e\x0ff\x7fg\u{85}h\u{9b}31mi"), "abcdefgh31mi");
}

#[test]
fn a_control_character_inside_a_sequence_has_its_usual_effect() {
    assert_eq!(plain("ab\x1b[3\n1mc"), "ab\nc");
}

#[test]
fn text_in_a_device_string_does_not_end_it() {
    // The characters contain the byte 0x9c, which is a C1 string terminator in other encodings.
    assert_eq!(plain("a\x1bPq✓ ✨ Ü\x1b\\b"), "ab");
    assert_eq!(plain("a\x1bPq✨\x18b\x1bPq✨\x1ac"), "abc");
}

#[test]
fn a_long_command_string_is_dropped_whole() {
    for length in [WINDOW - 2, WINDOW - 1, WINDOW, 10 * WINDOW] {
        let title = "é;".repeat(length);
        assert_eq!(plain(&format!("a\x1b]0;{title}\x07b")), "ab");
        assert_eq!(plain(&format!("a\x1b]0;{title}\x1b\\b")), "ab");
    }
}

#[test]
fn a_window_does_not_end_inside_a_character() {
    for before in 0..4 {
        let text = format!("{}{}", "a".repeat(before), "🦀".repeat(WINDOW));
        assert_eq!(plain(&text), text);
    }
}

#[test]
fn debug_does_not_show_the_line() {
    let mut plain = PlainText::default();
    plain.push("secret", &mut String::new());
    assert_eq!(format!("{plain:?}"), "PlainText { line_len: 6, .. }");
}
