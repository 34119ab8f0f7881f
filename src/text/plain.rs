//! What is written for a terminal, as plain text.
//!
//! The control sequences are found by a terminal's own parser, and what they do inside a line is done: a progress bar
//! leaves its last state, not all of them. This is not a screen. There are lines of any length and no columns that
//! wrap; a line that has ended stays as it is.
//!
//! | input | what it does |
//! |---|---|
//! | `\n` | ends the line |
//! | `\t` | stays, as one character |
//! | `\r` | goes to the beginning of the line; what follows overwrites what is there |
//! | backspace | goes one character to the left and erases nothing |
//! | `CSI n C`, `CSI n D` | goes `n` characters to the right or to the left |
//! | `CSI n G` | goes to the `n`th character of the line |
//! | `CSI K`, `CSI 1 K`, `CSI 2 K` | erases the end of the line, its beginning, or all of it, and moves nothing |
//! | `CSI J` | as `CSI K`: in a stream there is nothing below the line |
//! | any other sequence | vanishes: colours, titles, links, images, modes, and all that moves to other lines (`CSI A`, `B`, `H`) or erases them (`CSI 2 J`) |
//! | any other control character | vanishes: NUL, BEL, form feed, DEL, and U+0080 to U+009F, which start no sequence |
//!
//! Each character is one cell, also those that a terminal shows in two columns or in none, and a tab: what overwrites
//! them takes their place one for one. What is erased is blank, and at the end of the line nothing at all.
//!
//! As in a terminal, a sequence that does not end hides what follows until it is ended or another one begins.

use std::fmt;

use vte::{Params, Parser, Perform};

/// The characters of a line that are kept to be overwritten.
const LINE_LIMIT: usize = 64 * 1024;

/// The column at which a movement to the right stops if no text has come this far: about what the widest terminals
/// have, and a bound on the blanks that a short sequence can ask for.
const COLUMNS: usize = 256;

/// How much of the text the parser is given at once, in bytes.
const WINDOW: usize = 4 * 1024;

/// Erasures of beginnings of a line that are remembered at least before they are carried out.
const FEW_ERASURES: usize = 8;

const ESCAPE: u8 = 0x1b;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;
const BELL: u8 = 0x07;
const BACKSPACE: u8 = 0x08;
const DELETE: u8 = 0x7f;

/// Turns the output for a terminal into plain text, piece by piece.
///
/// The current line is kept until it ends, at most 65,536 characters of it (2 MiB of memory at worst): a longer one is
/// handed out in pieces, and `\r` then goes back to the beginning of the last piece only. A movement to the right stops at
/// the end of what is written, or at column 256 if that is further; the gap becomes spaces. So the text can be longer
/// than the input, by up to these 256 bytes for each sequence: where its size matters, bound the text, not the input.
///
/// The work for a character or a sequence is, amortised, independent of the length of the line.
///
/// ```
/// use agent_bash::text::PlainText;
///
/// let mut plain = PlainText::default();
/// let mut text = String::new();
/// plain.push("\x1b[1mloading\x1b[0m\r\n 50%\r", &mut text);
/// assert_eq!(text, "loading\n");
/// plain.push("100%\x1b[", &mut text);
/// plain.push("K done", &mut text);
/// plain.finish(&mut text);
/// assert_eq!(text, "loading\n100% done");
/// ```
#[derive(Default)]
pub struct PlainText {
    parser: Parser,
    line: Line,
    in_device_string: bool,
    /// Whether what comes next belongs to a sequence that has been begun.
    in_sequence: bool,
}

impl PlainText {
    /// Takes the next piece of the stream and appends the lines that it ends to `out`. The piece may begin and end
    /// anywhere, also inside a sequence.
    pub fn push(&mut self, text: &str, out: &mut String) {
        let mut rest = text;
        while !rest.is_empty() {
            let (window, after) = split_window(rest);
            self.push_window(window.as_bytes(), out);
            rest = after;
        }
    }

    /// The stream has ended: appends the current line to `out`, without a line break. An unfinished sequence vanishes.
    /// What is pushed next is a new stream.
    pub fn finish(&mut self, out: &mut String) {
        self.line.hand_out(out);
        *self = Self::default();
    }

    /// Appends what [`PlainText::finish`] would append, the current line, and changes nothing.
    ///
    /// ```
    /// use agent_bash::text::PlainText;
    ///
    /// let mut plain = PlainText::default();
    /// let mut text = String::new();
    /// plain.push("loading\n 50%\r", &mut text);
    /// let mut so_far = text.clone();
    /// plain.peek(&mut so_far);
    /// assert_eq!(so_far, "loading\n 50%");
    /// plain.push("100%\n", &mut text);
    /// assert_eq!(text, "loading\n100%\n");
    /// ```
    pub fn peek(&self, out: &mut String) {
        self.peek_after(None, out);
    }

    /// Appends what [`PlainText::finish`] would append if `next`, which is neither ASCII nor a control character, were pushed
    /// before it, and changes nothing.
    pub(super) fn peek_after(&self, next: Option<char>, out: &mut String) {
        let mut line = self.line.clone();
        // In a sequence it would vanish: none is ended by such a character.
        if !self.in_sequence
            && let Some(next) = next
        {
            line.write(next, out);
        }
        line.hand_out(out);
    }

    fn push_window(&mut self, mut bytes: &[u8], out: &mut String) {
        while !bytes.is_empty() {
            if self.in_device_string {
                // The parser takes a byte inside a character for the end of the string.
                let Some(end) = memchr::memchr3(ESCAPE, CANCEL, SUBSTITUTE, bytes) else {
                    self.in_sequence = true;
                    return;
                };
                bytes = &bytes[end..];
                self.in_device_string = false;
            }
            let mut screen = Screen::new(&mut self.line, out);
            let taken = self.parser.advance_until_terminated(&mut screen, bytes);
            self.in_device_string = screen.in_device_string;
            bytes = &bytes[taken..];
        }
        self.end_window(out);
    }

    /// Drops what the parser has of a command string, and sees whether a sequence has been begun.
    ///
    /// The parser collects an operating system command to its end, however long it is. Ended here, with a bell, which does
    /// nothing in any other state, and begun anew, it vanishes just the same and takes no memory.
    ///
    /// The parser tells nobody its state. But a DEL, which does nothing in a sequence, is printed outside of one.
    fn end_window(&mut self, out: &mut String) {
        let mut screen = Screen::new(&mut self.line, out);
        self.parser.advance(&mut screen, &[BELL, DELETE]);
        self.in_sequence = screen.ended_command || !screen.printed_delete;
        if screen.ended_command {
            self.parser.advance(&mut screen, &[ESCAPE, b']']);
        }
    }
}

impl fmt::Debug for PlainText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The parser has no `Debug`, and a line may be very long.
        f.debug_struct("PlainText").field("line_len", &self.line.cells.len()).finish_non_exhaustive()
    }
}

/// Splits off what the parser is given at once.
fn split_window(text: &str) -> (&str, &str) {
    let mut end = text.len().min(WINDOW);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.split_at(end)
}

/// The current line and where what is written next goes.
#[derive(Clone, Default)]
struct Line {
    cells: Vec<Cell>,
    cursor: usize,
    /// For each erasure of a beginning of the line that has not been carried out, how many cells it erased. Carried out
    /// together they cost no more than what came in, while each by itself may go over the whole line.
    erasures: Vec<usize>,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    /// Nothing if it was erased or passed over.
    character: Option<char>,
    /// How many of the line's pending erasures are older than it.
    older_erasures: u32,
}

impl Line {
    fn write(&mut self, character: char, out: &mut String) {
        if self.cursor >= LINE_LIMIT {
            self.hand_out_piece(out);
        }
        if self.cursor > self.cells.len() {
            self.cells.resize(self.cursor, Cell::default());
        }
        let older_erasures = u32::try_from(self.erasures.len()).unwrap_or(u32::MAX);
        let cell = Cell { character: Some(character), older_erasures };
        match self.cells.get_mut(self.cursor) {
            Some(old) => *old = cell,
            None => self.cells.push(cell),
        }
        self.cursor += 1;
    }

    fn left(&mut self, cells: usize) {
        self.cursor = self.cursor.saturating_sub(cells);
    }

    fn go_to(&mut self, column: usize) {
        self.cursor = column.min(self.cells.len().max(COLUMNS));
    }

    fn erase_end(&mut self) {
        self.cells.truncate(self.cursor);
    }

    /// Erases the first `cells` of the line.
    fn erase_beginning(&mut self, cells: usize) {
        self.erasures.push(cells);
        if self.erasures.len() > self.cells.len().max(FEW_ERASURES) {
            self.carry_out_erasures();
        }
    }

    fn carry_out_erasures(&mut self) {
        let mut furthest = 0;
        for erased in self.erasures.iter_mut().rev() {
            furthest = furthest.max(*erased);
            *erased = furthest;
        }
        // Now each number is the furthest of the erasure and all later ones.
        for (column, cell) in self.cells.iter_mut().enumerate() {
            let erased = self.erasures.get(cell.older_erasures as usize);
            if erased.is_some_and(|erased| column < *erased) {
                cell.character = None;
            }
            cell.older_erasures = 0;
        }
        self.erasures.clear();
    }

    fn end(&mut self, out: &mut String) {
        self.hand_out(out);
        out.push('\n');
    }

    /// Hands out the line up to its last character, and begins a new one.
    fn hand_out(&mut self, out: &mut String) {
        self.carry_out_erasures();
        let last = self.cells.iter().rposition(|cell| cell.character.is_some());
        self.cells.truncate(last.map_or(0, |last| last + 1));
        self.hand_out_piece(out);
    }

    /// Hands out all cells, as the line goes on behind them.
    fn hand_out_piece(&mut self, out: &mut String) {
        self.carry_out_erasures();
        out.extend(self.cells.drain(..).map(|cell| cell.character.unwrap_or(' ')));
        self.cursor = 0;
    }
}

/// What the parser's findings do to the line.
struct Screen<'a> {
    line: &'a mut Line,
    out: &'a mut String,
    in_device_string: bool,
    ended_command: bool,
    printed_delete: bool,
}

impl<'a> Screen<'a> {
    fn new(line: &'a mut Line, out: &'a mut String) -> Self {
        Self { line, out, in_device_string: false, ended_command: false, printed_delete: false }
    }
}

impl Perform for Screen<'_> {
    fn print(&mut self, character: char) {
        if character == char::from(DELETE) {
            self.printed_delete = true;
        } else {
            self.line.write(character, self.out);
        }
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => self.line.end(self.out),
            b'\t' => self.line.write('\t', self.out),
            b'\r' => self.line.cursor = 0,
            BACKSPACE => self.line.left(1),
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: char) {
        if ignore || !intermediates.is_empty() {
            return;
        }
        let number = params.iter().next().and_then(|param| param.first().copied()).map_or(0, usize::from);
        let at_least_one = number.max(1);
        let line = &mut *self.line;
        match (action, number) {
            ('C', _) => line.go_to(line.cursor + at_least_one),
            ('D', _) => line.left(at_least_one),
            ('G', _) => line.go_to(at_least_one - 1),
            ('K' | 'J', 0) => line.erase_end(),
            ('K', 1) => line.erase_beginning(line.cursor.saturating_add(1)),
            ('K', 2) => line.erase_beginning(line.cells.len()),
            _ => {}
        }
    }

    fn hook(&mut self, _: &Params, _: &[u8], _: bool, _: char) {
        self.in_device_string = true;
    }

    fn osc_dispatch(&mut self, _: &[&[u8]], _: bool) {
        self.ended_command = true;
    }

    fn terminated(&self) -> bool {
        self.in_device_string
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{COLUMNS, LINE_LIMIT, PlainText, WINDOW};

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
    fn colours_and_other_sequences_vanish() {
        assert_eq!(plain("a\x1b[31mb\x1b[0mc\x1b[38;2;1;2;3md\x1b[4:3me"), "abcde");
        assert_eq!(plain("a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\c"), "ablinkc");
        assert_eq!(plain("a\x1bPq#0;2;0\x1b\\b\x1b_apc\x1b\\c\x1b^pm\x1b\\d\x1bXsos\x1b\\e"), "abcde");
        assert_eq!(plain("a\x1b[?25l\x1b[?1049hb\x1b(B\x1b=\x1b>\x1b7\x1b8\x1bcd"), "abd");
    }

    #[test]
    fn a_sequence_that_is_cut_anywhere_vanishes() {
        for sequence in ["\x1b[1;31m", "\x1b]0;ti✓tle\x07", "\x1bPqdata✓\x1b\\", "\x1b(B", "\x1b[?25l"] {
            let pieces = sequence.split_inclusive(|_| true);
            assert_eq!(plain_in_pieces(["a"].into_iter().chain(pieces).chain(["b"])), "ab");
        }
    }

    #[test]
    fn an_unfinished_sequence_at_the_end_vanishes() {
        for unfinished in ["\x1b", "\x1b[", "\x1b[31", "\x1b]0;title", "\x1bPq", "\x1b_x", "\x1b("] {
            assert_eq!(plain(&format!("a\n{unfinished}")), "a\n");
        }
    }

    #[test]
    fn after_the_end_begins_a_new_stream() {
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
    fn peeking_at_a_character_to_come_shows_it_where_it_would_be_written() {
        assert_eq!(peek_after("", Some('é')), "é");
        assert_eq!(peek_after("abc\r", Some('é')), "ébc");
        assert_eq!(peek_after("abc\x1b[9G\x1b[1K", Some('é')), "        é");
        assert_eq!(peek_after("a\x1b[6G", None), "a");
        assert_eq!(peek_after("a\x1b[6G", Some('é')), "a    é");
        assert_eq!(peek_after("a\x7f", Some('é')), "aé");
    }

    #[test]
    fn peeking_at_a_character_to_come_in_a_sequence_does_not_show_it() {
        for sequence in [
            "\x1b",
            "\x1b[",
            "\x1b[3",
            "\x1b[ ",
            "\x1b[3?",
            "\x1b]",
            "\x1b]0;title",
            "\x1bP",
            "\x1bP1",
            "\x1bP ",
            "\x1bP1?",
            "\x1bPq",
            "\x1bPqdata",
            "\x1b_",
            "\x1bX",
            "\x1b^",
            "\x1b(",
        ] {
            assert_eq!(peek_after(&format!("a{sequence}"), Some('é')), "a", "{sequence:?}");
            assert_eq!(plain(&format!("a{sequence}é")), "a", "{sequence:?}");
        }
    }

    #[test]
    fn peeking_behind_a_line_of_the_longest_length_begins_its_next_piece() {
        let line = "a".repeat(LINE_LIMIT);
        assert_eq!(peek_after(&line, None), line);
        assert_eq!(peek_after(&line, Some('é')), format!("{line}é"));
    }

    #[test]
    fn a_line_is_handed_out_when_it_ends() {
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
            assert_eq!(plain(&format!("{sequence}x")).len(), COLUMNS + 1);
        }
        let long = "a".repeat(1_000);
        assert_eq!(plain(&format!("{long}\r\x1b[9999Gx")), format!("{long}x"));
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
    fn other_control_characters_vanish() {
        assert_eq!(plain("a\0b\x07c\x0bd\x0ce\x0e\x0ff\x7fg\u{85}h\u{9b}31mi"), "abcdefgh31mi");
    }

    #[test]
    fn a_control_character_inside_a_sequence_does_what_it_does() {
        assert_eq!(plain("ab\x1b[3\n1mc"), "ab\nc");
    }

    #[test]
    fn text_in_a_device_string_does_not_end_it() {
        // These characters have the byte 0x9c, which is a string terminator of its own elsewhere.
        assert_eq!(plain("a\x1bPq✓ ✨ Ü\x1b\\b"), "ab");
        assert_eq!(plain("a\x1bPq✨\x18b\x1bPq✨\x1ac"), "abc");
    }

    #[test]
    fn a_long_command_string_vanishes_whole() {
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
    fn a_line_over_the_limit_is_handed_out_in_pieces() {
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
    fn what_was_erased_in_a_line_over_the_limit_is_blank() {
        let line = "a".repeat(LINE_LIMIT);
        let text = plain(&format!("{line}\x1b[2Kb"));
        assert_eq!(text, format!("{}b", " ".repeat(LINE_LIMIT)));
    }

    #[test]
    fn erasing_a_long_line_again_and_again_takes_no_longer_for_its_length() {
        // Were each of them carried out at once, this would write 13 billion cells.
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

    /// What a line is made of.
    #[derive(Clone, Debug)]
    enum Step {
        Write(char),
        Return,
        Left(usize),
        Right(usize),
        Column(usize),
        Erase(usize),
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
        ];
        prop::collection::vec(step, 0..300)
    }

    /// The second implementation: does each step at once on a line that has a blank in every place.
    fn draw(steps: &[Step]) -> String {
        let mut line: Vec<Option<char>> = vec![None; 2 * COLUMNS];
        let mut cursor = 0;
        for step in steps {
            match *step {
                Step::Write(character) => {
                    line[cursor] = Some(character);
                    cursor += 1;
                }
                Step::Return => cursor = 0,
                Step::Left(cells) => cursor = cursor.saturating_sub(cells),
                Step::Right(cells) => cursor = (cursor + cells).min(COLUMNS),
                Step::Column(column) => cursor = column - 1,
                Step::Erase(0) => line[cursor..].fill(None),
                Step::Erase(1) => line[..=cursor].fill(None),
                Step::Erase(_) => line.fill(None),
            }
        }
        let end = line.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        line[..end].iter().map(|cell| cell.unwrap_or(' ')).collect()
    }

    /// Text that is rich in sequences, whole and broken.
    fn terminal_output() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<char>().prop_map(String::from),
            "\\PC{0,5}",
            prop::sample::select(vec![
                "\n", "\r", "\r\n", "\t", "\x08", "\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1bPq", "\x1b_",
                "\x1b\\", "\x07", "\x18", "\x1a", "\u{9c}", "✓✨", ";", "0", "1", "2", "9", "?", ":", "A",
                "C", "D", "G", "H", "J", "K", "m", "\x1b[2K", "\x1b[1K", "\x1b[K", "\x1b[8G", "\x1b[5C",
                "\x1b[31m",
            ])
            .prop_map(str::to_owned),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn a_line_is_what_drawing_it_step_by_step_leaves(steps in steps()) {
            let output: String = steps.iter().map(Step::sequence).collect();
            prop_assume!(steps.iter().filter(|step| matches!(step, Step::Write(_))).count() < COLUMNS - 20);
            prop_assert_eq!(plain(&output), draw(&steps));
        }

        #[test]
        fn text_without_control_characters_comes_through_unchanged(text in "(\\PC|[\t\n])*") {
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
        fn peeking_shows_what_finishing_gives_and_changes_nothing(output in terminal_output(), next: char) {
            let next = (!next.is_ascii() && !next.is_control()).then_some(next);
            let mut plain_text = PlainText::default();
            let mut text = String::new();
            for (place, character) in output.char_indices() {
                let mut so_far = text.clone();
                plain_text.peek(&mut so_far);
                prop_assert_eq!(so_far, plain(&output[..place]));
                let mut with_next = text.clone();
                plain_text.peek_after(next, &mut with_next);
                prop_assert_eq!(with_next, plain_in_pieces([&output[..place], &String::from_iter(next)]));
                plain_text.push(character.encode_utf8(&mut [0; 4]), &mut text);
            }
            plain_text.finish(&mut text);
            prop_assert_eq!(text, plain(&output));
        }

        #[test]
        fn the_pieces_in_which_it_comes_do_not_matter(output in terminal_output()) {
            let pieces = output.split_inclusive(|_| true);
            prop_assert_eq!(plain_in_pieces(pieces), plain(&output));
        }
    }
}
