use proptest::prelude::*;

use super::line::{LINE_LIMIT, MAX_MOVED_CELLS, MIN_COLUMNS};
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

#[test]
fn debug_does_not_show_the_line() {
    let mut plain = PlainText::default();
    plain.push("secret", &mut String::new());
    assert_eq!(format!("{plain:?}"), "PlainText { line_len: 6, .. }");
}

/// A step in drawing a line.
#[derive(Clone, Debug)]
enum Step {
    Write(char),
    Return,
    Left(usize),
    Right(usize),
    Column(usize),
    Erase(usize),
    Delete(usize),
    Insert(usize),
    Blank(usize),
    Repeat(usize),
    Mode(char),
    Save,
    Restore,
}

impl Step {
    fn sequence(&self) -> String {
        match self {
            Self::Write(character) => character.to_string(),
            Self::Return => "\r".to_owned(),
            Self::Left(cells) => format!("\x1b[{cells}D"),
            Self::Right(cells) => format!("\x1b[{cells}C"),
            Self::Column(column) => format!("\x1b[{column}G"),
            Self::Erase(part) => format!("\x1b[{part}K"),
            Self::Delete(cells) => format!("\x1b[{cells}P"),
            Self::Insert(cells) => format!("\x1b[{cells}@"),
            Self::Blank(cells) => format!("\x1b[{cells}X"),
            Self::Repeat(times) => format!("\x1b[{times}b"),
            Self::Mode(change) => format!("\x1b[4{change}"),
            Self::Save => "\x1b7".to_owned(),
            Self::Restore => "\x1b[u".to_owned(),
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => prop::sample::select(vec!['a', 'b', ' ', '\t', 'é', '🦀']).prop_map(Step::Write),
        1 => Just(Step::Return),
        1 => (1..9_usize).prop_map(Step::Left),
        1 => (1..9_usize).prop_map(Step::Right),
        1 => (1..20_usize).prop_map(Step::Column),
        3 => (0..3_usize).prop_map(Step::Erase),
        1 => (1..5_usize).prop_map(Step::Delete),
        1 => (1..5_usize).prop_map(Step::Insert),
        1 => (1..5_usize).prop_map(Step::Blank),
        1 => (1..4_usize).prop_map(Step::Repeat),
        1 => prop::sample::select(vec!['h', 'l']).prop_map(Step::Mode),
        1 => Just(Step::Save),
        1 => Just(Step::Restore),
    ];
    prop::collection::vec(step, 0..300)
}

/// Draws the steps by a reference implementation, which applies each at once to a line with a blank in every
/// cell.
fn draw(steps: &[Step]) -> String {
    let mut line: Vec<Option<char>> = vec![None; 2 * MIN_COLUMNS];
    let (mut cursor, mut saved, mut last, mut inserts) = (0, None, None, false);
    for step in steps {
        match *step {
            Step::Write(character) => {
                last = if character == '\t' { last } else { Some(character) };
                draw_one(&mut line, &mut cursor, character, inserts);
            }
            Step::Repeat(times) => {
                for character in last.iter().cycle().take(if last.is_some() { times } else { 0 }) {
                    draw_one(&mut line, &mut cursor, *character, inserts);
                }
            }
            Step::Delete(cells) => {
                line.drain(cursor..cursor + cells);
                line.resize(2 * MIN_COLUMNS, None);
            }
            Step::Insert(cells) => drop(line.splice(cursor..cursor, vec![None; cells])),
            Step::Blank(cells) => line[cursor..cursor + cells].fill(None),
            Step::Mode(change) => inserts = change == 'h',
            Step::Save => saved = Some(cursor),
            Step::Restore => cursor = saved.unwrap_or(cursor),
            Step::Return => cursor = 0,
            Step::Left(cells) => cursor = cursor.saturating_sub(cells),
            Step::Right(cells) => cursor = (cursor + cells).min(MIN_COLUMNS),
            Step::Column(column) => cursor = column - 1,
            Step::Erase(0) => line[cursor..].fill(None),
            Step::Erase(1) => line[..=cursor].fill(None),
            Step::Erase(_) => line.fill(None),
        }
    }
    let end = line.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    line[..end].iter().map(|cell| cell.unwrap_or(' ')).collect()
}

fn draw_one(line: &mut Vec<Option<char>>, cursor: &mut usize, character: char, inserts: bool) {
    if inserts {
        line.insert(*cursor, None);
    }
    line[*cursor] = Some(character);
    *cursor += 1;
}

/// Returns the number of cells that the steps write.
fn made(steps: &[Step]) -> usize {
    let made = |step: &Step| match *step {
        Step::Write(_) => 1,
        Step::Insert(cells) | Step::Repeat(cells) => cells,
        _ => 0,
    };
    steps.iter().map(made).sum()
}

/// Generates text with many sequences, whole and broken.
fn terminal_output() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        "\\PC{0,5}",
        prop::sample::select(vec![
            "\n", "\r", "\r\n", "\t", "\x08", "\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1bPq", "\x1b_", "\x1b\\",
            "\x07", "\x18", "\x1a", "\u{9c}", "✓✨", ";", "0", "1", "2", "9", "?", ":", "A", "C", "D", "G",
            "H", "J", "K", "P", "X", "@", "b", "`", "a", "s", "u", "7", "8", "m", "\x1b[4h", "\x1b[4l",
            "\x1b[2P", "\x1b[2@", "\x1b[2X", "\x1b[2b", "\x1b7", "\x1b8", "\x1b[2K", "\x1b[1K", "\x1b[K",
            "\x1b[8G", "\x1b[5C", "\x1b[31m",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_line_equals_the_reference_implementation(steps in steps()) {
        let output: String = steps.iter().map(Step::sequence).collect();
        prop_assume!(made(&steps) < MIN_COLUMNS - 20);
        prop_assert_eq!(plain(&output), draw(&steps));
    }

    #[test]
    fn text_without_control_characters_is_unchanged(text in "(\\PC|[\t\n])*") {
        prop_assume!(!text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
        prop_assert_eq!(plain(&text), text);
    }

    #[test]
    fn there_is_no_control_character_in_plain_text_and_it_stays_as_it_is(output in terminal_output()) {
        let text = plain(&output);
        prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
        prop_assert_eq!(plain(&text), text);
    }

    #[test]
    fn peeking_equals_finishing_without_its_effects(output in terminal_output(), next: char) {
        let next = (!next.is_ascii() && !next.is_control()).then_some(next);
        let mut plain_text = PlainText::default();
        let mut text = String::new();
        for (offset, character) in output.char_indices() {
            let mut so_far = text.clone();
            plain_text.peek(&mut so_far);
            prop_assert_eq!(so_far, plain(&output[..offset]));
            let mut with_next = text.clone();
            plain_text.peek_after(next, &mut with_next);
            prop_assert_eq!(with_next, plain_in_pieces([&output[..offset], &String::from_iter(next)]));
            plain_text.push(character.encode_utf8(&mut [0; 4]), &mut text);
        }
        plain_text.finish(&mut text);
        prop_assert_eq!(text, plain(&output));
    }

    #[test]
    fn the_pieces_of_the_stream_do_not_matter(output in terminal_output()) {
        let pieces = output.split_inclusive(|_| true);
        prop_assert_eq!(plain_in_pieces(pieces), plain(&output));
    }
}
