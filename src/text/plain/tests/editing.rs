//! Changes of a line.

use super::{plain, plain_in_pieces};
use crate::text::plain::PlainText;
use crate::text::plain::line::{LINE_LIMIT, MAX_MOVED_CELLS, MIN_COLUMNS};

#[test]
fn a_line_is_returned_when_it_ends() {
    let mut plain = PlainText::default();
    let mut text = String::new();
    plain.push("one\ntw", &mut text);
    assert_eq!(text, "one\n");
    plain.push("o\n", &mut text);
    assert_eq!(text, "one\ntwo\n");
}

#[test]
fn a_carriage_return_and_a_line_feed_are_a_line_break() {
    assert_eq!(plain("a\r\nb\r\r\n\r\nc"), "a\nb\n\nc");
    assert_eq!(plain_in_pieces(["a\r", "\nb"]), "a\nb");
}

#[test]
fn a_progress_bar_leaves_its_last_state() {
    assert_eq!(plain("  0%\r 50%\r100%\ndone"), "100%\ndone");
    assert_eq!(plain("\x1b[2K\r[=   ]\x1b[2K\r[==  ]\x1b[2K\rdone\n"), "done\n");
    assert_eq!(plain("working...\r"), "working...");
}

#[test]
fn a_shorter_text_overwrites_only_as_far_as_it_goes() {
    assert_eq!(plain("abcdef\rxy"), "xycdef");
    assert_eq!(plain("abcdef\rxy\x1b[K"), "xy");
}

#[test]
fn erasing_takes_the_end_the_beginning_or_all_of_the_line() {
    assert_eq!(plain("abcdef\x1b[3D\x1b[K"), "abc");
    assert_eq!(plain("abcdef\x1b[3D\x1b[0Kx"), "abcx");
    assert_eq!(plain("abcdef\x1b[3D\x1b[1K"), "    ef");
    assert_eq!(plain("abcdef\x1b[3D\x1b[1Kx"), "   xef");
    assert_eq!(plain("abcdef\x1b[3D\x1b[2Kx"), "   x");
    assert_eq!(plain("abcdef\x1b[2K\n"), "\n");
    assert_eq!(plain("abcdef\r\x1b[J"), "");
}

#[test]
fn spaces_that_were_written_stay_at_the_end_of_a_line() {
    assert_eq!(plain("a  \n  \n"), "a  \n  \n");
}

#[test]
fn backspace_moves_left_and_erases_nothing() {
    assert_eq!(plain("abc\x08\x08x"), "axc");
    assert_eq!(plain("abc\x08 \x08"), "ab ");
    assert_eq!(plain("\x08\x08a"), "a");
}

#[test]
fn the_cursor_moves_in_the_line() {
    assert_eq!(plain("abc\x1b[2Dx"), "axc");
    assert_eq!(plain("abc\x1b[Dx\x1b[9Dy"), "ybx");
    assert_eq!(plain("abc\r\x1b[Cx\x1b[0Cy"), "axcy");
    assert_eq!(plain("abc\x1b[2Gx\x1b[Gy"), "yxc");
    assert_eq!(plain("ab\x1b[6Gok"), "ab   ok");
    assert_eq!(plain("ab\x1b[6G\n"), "ab\n");
}

#[test]
fn a_movement_to_the_right_is_bounded() {
    for sequence in ["\x1b[65535C", "\x1b[65535G", "\x1b[99999999C", "\x1b[200C\x1b[200C"] {
        assert_eq!(plain(&format!("{sequence}x")).len(), MIN_COLUMNS + 1);
    }
    let long = "a".repeat(1_000);
    assert_eq!(plain(&format!("{long}\r\x1b[9999Gx")), format!("{long}x"));
}

#[test]
fn after_a_deletion_the_rest_moves_to_the_left() {
    assert_eq!(plain("abcdef\r\x1b[2P"), "cdef");
    assert_eq!(plain("abcdef\x1b[4D\x1b[Px"), "abxef");
    assert_eq!(plain("abcdef\x1b[2D\x1b[9P"), "abcd");
    assert_eq!(plain("abc\x1b[P"), "abc");
    assert_eq!(plain("abc\x1b[9G\x1b[P"), "abc");
    assert_eq!(plain("abcdef\x1b[3D\x1b[1K\r\x1b[P"), "   ef");
}

#[test]
fn inserted_blanks_move_the_rest_to_the_right() {
    assert_eq!(plain("abc\r\x1b[2@"), "  abc");
    assert_eq!(plain("abc\x1b[2D\x1b[@x"), "axbc");
    assert_eq!(plain("abc\x1b[3@"), "abc");
    assert_eq!(plain("abc\x1b[9G\x1b[@x"), "abc     x");
    assert_eq!(plain("abcd\x1b[2D\x1b[1K\r\x1b[@"), "    d");
    assert_eq!(plain("abcd\r\x1b[@\x1b[5G\x1b[1K"), "");
}

#[test]
fn erased_characters_leave_blanks() {
    assert_eq!(plain("abcdef\r\x1b[2X"), "  cdef");
    assert_eq!(plain("abcdef\x1b[4D\x1b[Xx"), "abxdef");
    assert_eq!(plain("abcdef\x1b[2D\x1b[2X"), "abcd");
    assert_eq!(plain("abc\x1b[9G\x1b[X"), "abc");
}

#[test]
fn the_last_character_can_be_repeated() {
    assert_eq!(plain("=\x1b[4b>"), "=====>");
    assert_eq!(plain("é\x1b[b"), "éé");
    assert_eq!(plain("a\x1b[1b"), "aa");
    assert_eq!(plain("ab\x1b[3D\x1b[2b"), "bb");
    assert_eq!(plain("\x1b[5bx"), "x");
}

#[test]
fn a_saved_cursor_is_restored_in_the_same_line() {
    for (save, restore) in [("\x1b7", "\x1b8"), ("\x1b[s", "\x1b[u")] {
        assert_eq!(plain(&format!("ab{save}cd{restore}x")), "abxd");
        assert_eq!(plain(&format!("ab{save}cd{restore}x{restore}y")), "abyd");
        assert_eq!(plain(&format!("ab{save}\r{restore}c")), "abc");
        assert_eq!(plain(&format!("ab{save}\ncd{restore}e")), "ab\ncde");
        assert_eq!(plain(&format!("ab{restore}c")), "abc");
    }
    assert_eq!(plain("ab\x1b[1;2scd\x1b[1;2u\x1b[?u\x1b#8x"), "abcdx");
}

#[test]
fn the_aliases_of_movements_have_the_same_effect() {
    assert_eq!(plain("abc\x1b[2`x"), "axc");
    assert_eq!(plain("abc\x1b[`x"), "xbc");
    assert_eq!(plain("abc\r\x1b[2ax"), "abx");
    assert_eq!(plain("abc\r\x1b[ax"), "axc");
}

#[test]
fn in_insert_mode_written_text_moves_the_rest() {
    assert_eq!(plain("abc\r\x1b[4hxy\x1b[4lz"), "xyzbc");
    assert_eq!(plain("abc\r\x1b[20;4hx"), "xabc");
    assert_eq!(plain("ab\x1b[4h\ncd\rx"), "ab\nxcd");
    assert_eq!(plain("ab\r\x1b[4h\x1bcx\r\x1b[4h\x1b[!py"), "yb");
    assert_eq!(plain("ab\r\x1b[?4hx\x1b[4h\x1b[4G!"), "xb !");
}

#[test]
fn the_sequences_of_readline_for_editing_inside_a_line_are_applied() {
    // The keys: "ehco", back to the `h`, delete, and insert after the `c`.
    assert_eq!(plain("$ ehco\x08\x08\x08\x1b[1P\x1b[C\x1b[1@h\n"), "$ echo\n");
}

#[test]
fn a_short_sequence_inserts_and_repeats_a_bounded_number_of_characters() {
    assert_eq!(plain("a\x1b[65535b").len(), 1 + MIN_COLUMNS);
    assert_eq!(plain("a\r\x1b[65535@").len(), 1 + MIN_COLUMNS);
}

#[test]
fn in_a_long_line_only_the_cells_near_the_cursor_move() {
    let rest = "r".repeat(MAX_MOVED_CELLS);
    assert_eq!(plain(&format!("ab{rest}cd\r\x1b[P")), format!("b{} rrcd", &rest[2..]));
    assert_eq!(plain(&format!("ab{rest}cd\r\x1b[@")), format!(" ab{}rrcd", &rest[3..]));
    let line = "a".repeat(LINE_LIMIT);
    let blanks = " ".repeat(MAX_MOVED_CELLS);
    assert_eq!(plain(&format!("{line}\r\x1b[60000X")), format!("{blanks}{}", &line[MAX_MOVED_CELLS..]));
    assert_eq!(plain(&format!("{line}\x1b[9D\x1b[@")), format!("{} {}", &line[9..], &line[..8]));
}

#[test]
fn changing_a_long_line_again_and_again_takes_no_longer_for_its_length() {
    // Moving the whole line each time would move two billion cells.
    let line = "a".repeat(LINE_LIMIT);
    let changes = "\r\x1b[P\x1b[1K\x1b[@\x1b[4hb\x1b[4l\x1b[X".repeat(10_000);
    assert_eq!(plain(&format!("{line}{changes}")).len(), LINE_LIMIT);
}

#[test]
fn a_line_over_the_limit_is_returned_in_pieces() {
    let line = "é".repeat(LINE_LIMIT);
    let mut plain = PlainText::default();
    let mut text = String::new();
    plain.push(&line, &mut text);
    assert_eq!(text, "");
    plain.push("abc", &mut text);
    assert_eq!(text, line);
    plain.push("\rx\n", &mut text);
    assert_eq!(text, format!("{line}xbc\n"));
}

#[test]
fn erased_cells_of_a_line_over_the_limit_are_blank() {
    let line = "a".repeat(LINE_LIMIT);
    let text = plain(&format!("{line}\x1b[2Kb"));
    assert_eq!(text, format!("{}b", " ".repeat(LINE_LIMIT)));
}

#[test]
fn erasing_a_long_line_again_and_again_takes_no_longer_for_its_length() {
    // Applying each erasure at once would write 13 billion cells.
    let line = "a".repeat(LINE_LIMIT);
    let text = plain(&format!("{line}{}", "\x1b[1K\x08b\rb\x1b[65535G".repeat(200_000)));
    assert_eq!(text.trim_end_matches(' ').len(), LINE_LIMIT);
}
