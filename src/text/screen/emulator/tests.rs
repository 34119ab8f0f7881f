use proptest::prelude::*;

use super::{Emulator, ScreenSize, Snapshot};

const SIZE: ScreenSize = ScreenSize { columns: 20, rows: 4 };

fn screen(output: &str) -> Snapshot {
    let mut emulator = Emulator::new(SIZE, 100);
    emulator.feed(output.as_bytes());
    emulator.snapshot(100)
}

#[test]
fn an_empty_screen_has_all_its_lines() {
    let screen = screen("");
    assert_eq!(screen.lines, [""; 4]);
    assert_eq!((screen.cursor_row, screen.cursor_column, screen.is_cursor_visible), (0, 0, true));
}

#[test]
fn tabs_and_wide_and_combined_characters_are_text() {
    assert_eq!(screen("a\tb 日本 e\u{301}x").lines[0], "a       b 日本 e\u{301}x");
}

#[test]
fn a_character_takes_a_bounded_number_of_marks() {
    let text = format!("e{}", "\u{301}".repeat(10_000));
    assert_eq!(screen(&text).lines[0].chars().count(), 1 + 16);
}

#[test]
fn each_way_to_the_alternate_screen_leads_there_and_back() {
    for number in [47, 1047, 1049] {
        let entered = format!("shell\x1b[?{number}h\x1b[H\x1b[2Jeditor");
        let inside = screen(&entered);
        assert!(inside.is_alternate);
        assert_eq!(inside.lines[0], "editor");
        let outside = screen(&format!("{entered}\x1b[?{number}l"));
        assert!(!outside.is_alternate);
        assert_eq!(outside.lines[0], "shell");
    }
}

#[test]
fn erasing_above_from_the_second_line_erases_the_first() {
    assert_eq!(screen("one\r\ntwo\x1b[1J").lines[0], "");
}

#[test]
fn the_title_is_the_programs() {
    assert_eq!(screen("\x1b]0;vim\x07").title, "vim");
    assert_eq!(screen("\x1b]2;vim\x1b\\\x1b]2;\x07").title, "");
}

#[test]
fn queries_are_answered_and_nothing_else_is() {
    let mut emulator = Emulator::new(SIZE, 0);
    assert_eq!(emulator.feed(b"\x1b[5n"), b"\x1b[0n");
    assert!(emulator.feed(b"\x1b[c").starts_with(b"\x1b[?6"));
    for (query, reply) in [
        ("\x1b[=c", "\x1bP!|00000000\x1b\\"),
        ("\x1b[=0c", "\x1bP!|00000000\x1b\\"),
        ("\x1b[?u", "\x1b[?0u"),
        ("\x1b[14t", "\x1b[4;64;160t"),
        ("\x1b[16t", "\x1b[6;16;8t"),
        ("\x1b[18t", "\x1b[8;4;20t"),
        ("\x1b[2;3H\x1b[?6n", "\x1b[?2;3R"),
        ("\x1b[?6n\x1b[6n\x1b[?6n", "\x1b[?2;3R\x1b[2;3R\x1b[?2;3R"),
    ] {
        assert_eq!(String::from_utf8_lossy(&emulator.feed(query.as_bytes())), reply, "{query:?}");
    }
    let version = concat!("\x1bP>|agent-bash(", env!("CARGO_PKG_VERSION"), ")\x1b\\");
    assert_eq!(emulator.feed(b"\x1b[>q"), version.as_bytes());
    assert_eq!(emulator.feed(b"\x1b[>0q"), version.as_bytes());
    for silent in ["\x1b]52;c;?\x07", "\x1b]11;?\x07", "\x1b]4;1;?\x07", "\x1b[21t", "\x1b[>1u"] {
        assert_eq!(emulator.feed(silent.as_bytes()), b"", "{silent:?}");
    }
}

#[test]
fn a_query_is_answered_however_it_is_split() {
    for query in ["\x1b[>0q", "\x1b[>q", "\x1b[?6n", "\x1b[16t", "\x1b[=c", "\x1b[?u"] {
        let expected = Emulator::new(SIZE, 0).feed(query.as_bytes());
        assert!(!expected.is_empty());
        for cut in 0..query.len() {
            let mut emulator = Emulator::new(SIZE, 0);
            let mut replies = emulator.feed(&query.as_bytes()[..cut]);
            replies.extend(emulator.feed(&query.as_bytes()[cut..]));
            assert_eq!(replies, expected, "{query:?} cut at {cut}");
        }
    }
}

#[test]
fn a_synchronized_update_is_shown_when_it_ends() {
    let mut emulator = Emulator::new(SIZE, 0);
    emulator.feed(b"old\x1b[?2026h\rnew");
    assert_eq!(emulator.snapshot(0).lines[0], "old");
    emulator.feed(b"\x1b[?2026l");
    assert_eq!(emulator.snapshot(0).lines[0], "new");
}

#[test]
fn a_synchronized_update_without_an_end_is_shown_and_answered_after_a_time() {
    let mut emulator = Emulator::new(SIZE, 0);
    emulator.feed(b"old\x1b[?2026h\rnew\x1b[6n");
    let before = emulator.revision();
    let held_for = emulator.held_for().expect("a synchronized update");
    std::thread::sleep(held_for);
    assert_eq!(emulator.show_overdue(), b"\x1b[1;4R");
    assert_eq!((emulator.held_for(), emulator.snapshot(0).lines[0].as_str()), (None, "new"));
    assert!(emulator.revision() > before);
}

#[test]
fn rows_that_wrapped_are_one_line_of_the_text() {
    let text = format!("{}\r\n{}\r\n", "0123456789 ".repeat(6), "日".repeat(25));
    let screen = screen(&text);
    assert_eq!(screen.text(), text.replace('\r', "").trim_end_matches('\n').replacen(" \n", "\n", 1));
    assert_eq!(screen.with_scrollback(0, false).text(), "\u{65e5}".repeat(25));
}

#[test]
fn the_line_of_the_cursor_has_all_its_rows() {
    for text in ["", "short", "0123456789012345678", "a question that takes more than one row (y/n) "] {
        assert_eq!(screen(&format!("before\r\n{text}")).line_of_cursor(), text.trim_end());
    }
}

#[test]
fn a_soft_reset_ends_the_modes_of_a_program_and_leaves_text_and_cursor() {
    let modes = "\u{1b}[?25l\u{1b}[?1h\u{1b}=\u{1b}[2;3r\u{1b}[?6h\u{1b}[4h\u{1b}(0";
    for cut in 0..4 {
        let mut emulator = Emulator::new(SIZE, 100);
        emulator.feed(format!("one{modes}\u{1b}[2;4H").as_bytes());
        let (first, second) = b"\x1b[!p".split_at(cut);
        emulator.feed(first);
        emulator.feed(second);
        let screen = emulator.snapshot(0);
        assert_eq!((screen.cursor_row, screen.cursor_column), (2, 3));
        assert!(screen.is_cursor_visible && !screen.has_application_cursor);
        // No insert mode, line drawing, scroll region or origin mode is left, and the saved cursor is at
        // the top.
        emulator.feed(b"q\x1b[1;4Htwo\x1b[3D-\x1b[4;1Hlast\n\x1b8top");
        assert_eq!(emulator.snapshot(9).lines, ["top", "   q", "last", ""]);
        assert_eq!(emulator.snapshot(9).scrollback, ["one-wo"]);
    }
}

#[test]
fn a_soft_reset_within_held_changes_comes_in_its_order() {
    let output = "\u{1b}[4hab\u{1b}[?2026h\r1\u{1b}[!p\r2\u{1b}[?2026l";
    assert_eq!(screen(output).lines[0], "2ab");
}

#[test]
fn the_column_mode_leaves_the_screen_alone() {
    assert_eq!(screen("one\u{1b}[?3l two\u{1b}[?3h three").lines[0], "one two three");
}

#[test]
fn what_is_held_back_is_shown_at_the_end() {
    let mut emulator = Emulator::new(SIZE, 0);
    emulator.feed(b"old\x1b[?2026h\rnew");
    assert_eq!(emulator.finish().lines[0], "new");
}

#[test]
fn lines_are_wrapped_anew_when_the_size_changes() {
    let mut emulator = Emulator::new(SIZE, 10);
    emulator.feed(b"0123456789abcdefghij0123456789");
    emulator.resize(ScreenSize { columns: 40, rows: 2 });
    let screen = emulator.snapshot(10);
    assert_eq!(screen.lines, ["0123456789abcdefghij0123456789", ""]);
    assert_eq!(screen.columns, 40);
}

#[test]
fn the_scrollback_is_bounded_and_its_latest_lines_are_given() {
    let mut emulator = Emulator::new(SIZE, 5);
    for number in 0..20 {
        emulator.feed(format!("{number}\r\n").as_bytes());
    }
    let screen = emulator.snapshot(2);
    assert_eq!((screen.scrollback_lines, screen.scrollback), (5, vec!["15".to_owned(), "16".to_owned()]));
}

#[test]
fn the_revision_grows_with_each_change_alone() {
    let mut emulator = Emulator::new(SIZE, 5);
    emulator.feed(b"");
    assert_eq!(emulator.revision(), 0);
    emulator.feed(b"a");
    let before = emulator.revision();
    emulator.snapshot(5);
    assert_eq!(emulator.revision(), before);
    emulator.resize(SIZE);
    assert!(emulator.revision() > before);
}

proptest! {
    #[test]
    fn the_screen_is_the_same_however_the_output_is_split(
        characters in prop::collection::vec(
            prop::sample::select(
                "\u{1b}[];?>=!0126789hlmnpqtucHJK\r\n\t\u{7}abc ".chars().collect::<Vec<_>>(),
            ),
            0..200,
        ),
        cut in 0..200_usize,
    ) {
        // The characters exclude invalid UTF-8 and a character after a lone ESC: their result depends on
        // the cut.
        let text: String = characters.into_iter().collect();
        let bytes = text.into_bytes();
        let mut whole = Emulator::new(SIZE, 10);
        let all_replies = whole.feed(&bytes);
        let mut split = Emulator::new(SIZE, 10);
        let (first, second) = bytes.split_at(cut.min(bytes.len()));
        let mut replies = split.feed(first);
        replies.extend(split.feed(second));
        prop_assert_eq!(whole.finish(), split.finish());
        prop_assert_eq!(all_replies, replies);
    }

    #[test]
    fn the_screen_is_the_same_without_the_text_that_nobody_can_see(
        before in "[a-z\r\n\t]{0,30}",
        lines in prop::collection::vec("[a-z ]{0,50}(\r|\n|\r\n)?", 0..60),
        cut in 0..3_000_usize, scrollback in 0..5_usize, columns in 2..30_u16, rows in 1..4_u16,
    ) {
        let text = lines.concat();
        let mut whole = Emulator::new(ScreenSize { columns, rows }, scrollback);
        whole.feed(before.as_bytes());
        whole.feed(text.as_bytes());
        let mut skipping = Emulator::new(ScreenSize { columns, rows }, scrollback);
        skipping.feed(before.as_bytes());
        let (first, second) = text.as_bytes().split_at(cut.min(text.len()));
        let unseen = skipping.unseen([first, second].into_iter());
        if unseen > 0 {
            skipping.skip(unseen);
        }
        skipping.feed(&text.as_bytes()[unseen..]);
        prop_assert_eq!(skipping.revision(), whole.revision());
        prop_assert_eq!(skipping.finish(), whole.finish());
    }

    #[test]
    fn any_output_and_any_size_give_a_screen_of_that_size(
        bytes in prop::collection::vec(any::<u8>(), 0..500),
        columns in 1..50_u16, rows in 1..20_u16,
        later_columns in 1..50_u16, later_rows in 1..20_u16,
    ) {
        let mut emulator = Emulator::new(ScreenSize { columns, rows }, 10);
        emulator.feed(&bytes);
        emulator.resize(ScreenSize { columns: later_columns, rows: later_rows });
        emulator.feed(&bytes);
        let screen = emulator.snapshot(10);
        prop_assert_eq!(screen.lines.len(), usize::from(later_rows));
        prop_assert!(screen.cursor_row < usize::from(later_rows));
    }
}
