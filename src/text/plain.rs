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
//! | `CSI n C` or `a`, `CSI n D` | goes `n` characters to the right or to the left |
//! | `CSI n G` or backtick | goes to the `n`th character of the line |
//! | `ESC 7` or `CSI s`, `ESC 8` or `CSI u` | remembers the place in this line, goes back to it |
//! | `CSI K`, `CSI 1 K`, `CSI 2 K` | erases the end of the line, its beginning, or all of it, and moves nothing |
//! | `CSI J` | as `CSI K`: in a stream there is nothing below the line |
//! | `CSI n P` | deletes `n` characters: what is right of them moves to the left |
//! | `CSI n @` | inserts `n` blanks: what is right of them moves to the right |
//! | `CSI n X` | erases `n` characters, and moves nothing |
//! | `CSI n b` | writes the last character `n` times more |
//! | `CSI 4 h`, `CSI 4 l` | from now on, what is written is inserted, or overwrites again; so do `ESC c` and `CSI ! p` |
//! | any other sequence | vanishes: colours, titles, links, images, modes, and all that moves to other lines (`CSI A`, `B`, `H`) or erases them (`CSI 2 J`) |
//! | any other control character | vanishes: NUL, BEL, form feed, DEL, and U+0080 to U+009F, which start no sequence |
//!
//! Each character is one cell, also those that a terminal shows in two columns or in none, and a tab: what overwrites
//! them takes their place one for one. What is erased is blank, and at the end of the line nothing at all.
//!
//! Where a terminal has its right edge, this has two limits, which bound what a short sequence can cost: a sequence inserts
//! or repeats at most 256 characters, and what moves or is erased is at most the 1,024 characters from the cursor on. Text
//! that an insertion moves beyond them is lost, as at the edge.
//!
//! As in a terminal, a sequence that does not end hides what follows until it is ended or another one begins.

use std::fmt;
use std::ops::Range;

use vte::{Params, Parser, Perform};

/// The characters of a line that are kept to be overwritten.
const LINE_LIMIT: usize = 64 * 1024;

/// The column at which a movement to the right stops if no text has come this far: about what the widest terminals
/// have, and a bound on the blanks that a short sequence can ask for.
const COLUMNS: usize = 256;

/// The cells from the cursor on that an insertion or a deletion moves. No terminal has so many columns, and to move all of
/// a long line for each sequence of three bytes would take minutes for a megabyte.
const REACH: usize = 1024;

/// How much of the text the parser is given at once, in bytes.
const WINDOW: usize = 4 * 1024;

/// The mode in which what is written is inserted.
const INSERT_MODE: u16 = 4;

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
/// than the input, by up to 256 characters for each sequence: where its size matters, bound the text, not the input.
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
    /// Erasures of beginnings of the line that have not been carried out. Carried out together they cost no more than what
    /// came in, while each by itself may go over the whole line. One that a later one covers is left out: each reaches less
    /// far than the one before it.
    erasures: Vec<Erasure>,
    /// How many erasures there have been since they were carried out.
    erasure_count: u32,
    /// The cursor that was saved in this line.
    saved: Option<usize>,
    /// The last character that was printed.
    last: Option<char>,
    /// Whether what is written is inserted.
    inserts: bool,
}

#[derive(Clone, Copy)]
struct Erasure {
    /// How many erasures came before it.
    number: u32,
    /// How many cells it erased.
    cells: usize,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    /// Nothing if it was erased or passed over.
    character: Option<char>,
    /// How many of the line's erasures are older than it.
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
        if self.inserts {
            self.insert(1);
        }
        let cell = Cell { character: Some(character), older_erasures: self.erasure_count };
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
        if self.erasure_count == u32::MAX {
            self.carry_out_erasures();
        }
        while self.erasures.pop_if(|older| older.cells <= cells).is_some() {}
        self.erasures.push(Erasure { number: self.erasure_count, cells });
        self.erasure_count += 1;
    }

    fn carry_out_erasures(&mut self) {
        self.carry_out_erasures_in(0..self.cells.len());
        for cell in &mut self.cells {
            cell.older_erasures = 0;
        }
        self.erasures.clear();
        self.erasure_count = 0;
    }

    /// Carries out what the pending erasures do to these cells: they may be moved then.
    fn carry_out_erasures_in(&mut self, range: Range<usize>) {
        if self.erasures.is_empty() {
            return;
        }
        for column in range {
            let cell = &mut self.cells[column];
            // Of those that are younger than the cell, the first one that is left reaches furthest.
            let first = self.erasures.partition_point(|erasure| erasure.number < cell.older_erasures);
            if self.erasures.get(first).is_some_and(|erasure| column < erasure.cells) {
                cell.character = None;
            }
            cell.older_erasures = self.erasure_count;
        }
    }

    /// The cells that an insertion or a deletion at the cursor moves.
    fn movable(&self) -> Range<usize> {
        self.cursor.min(self.cells.len())..self.cells.len().min(self.cursor.saturating_add(REACH))
    }

    /// Inserts blanks. What they push beyond the reach is lost, or else the line grows.
    fn insert(&mut self, count: usize) {
        let mut moved = self.movable();
        if moved.is_empty() {
            return;
        }
        self.carry_out_erasures_in(moved.clone());
        let count = count.min(COLUMNS);
        if moved.end == self.cells.len() {
            let length = (moved.end + count).min(LINE_LIMIT);
            self.cells.resize(length, Cell::default());
            moved.end = length;
        }
        let cells = &mut self.cells[moved];
        let count = count.min(cells.len());
        cells.rotate_right(count);
        cells[..count].fill(Cell::default());
    }

    /// Deletes characters. What is right of them, as far as the reach, moves to the left.
    fn delete(&mut self, count: usize) {
        let moved = self.movable();
        self.carry_out_erasures_in(moved.clone());
        let count = count.min(moved.len());
        if moved.end == self.cells.len() {
            self.cells.drain(moved.start..moved.start + count);
        } else {
            let cells = &mut self.cells[moved];
            cells.rotate_left(count);
            let left = cells.len() - count;
            cells[left..].fill(Cell::default());
        }
    }

    /// Erases characters and moves nothing.
    fn erase(&mut self, count: usize) {
        let reached = self.movable();
        if count >= self.cells.len() - reached.start {
            self.erase_end();
        } else {
            let end = reached.end.min(reached.start + count);
            self.cells[reached.start..end].fill(Cell::default());
        }
    }

    /// Writes the last character again.
    fn repeat(&mut self, count: usize, out: &mut String) {
        if let Some(character) = self.last {
            for _ in 0..count.min(COLUMNS) {
                self.write(character, out);
            }
        }
    }

    fn restore(&mut self) {
        if let Some(column) = self.saved {
            self.go_to(column);
        }
    }

    /// What a reset of the terminal changes in a line.
    const fn reset(&mut self) {
        self.inserts = false;
        self.saved = None;
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
        self.saved = None;
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
            self.line.last = Some(character);
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
        if !ignore && intermediates == b"!" && action == 'p' {
            self.line.reset();
        }
        if ignore || !intermediates.is_empty() {
            return;
        }
        let number = params.iter().next().and_then(|param| param.first().copied()).map_or(0, usize::from);
        let at_least_one = number.max(1);
        let line = &mut *self.line;
        match (action, number) {
            ('C' | 'a', _) => line.go_to(line.cursor + at_least_one),
            ('D', _) => line.left(at_least_one),
            ('G' | '`', _) => line.go_to(at_least_one - 1),
            ('K' | 'J', 0) => line.erase_end(),
            ('K', 1) => line.erase_beginning(line.cursor.saturating_add(1)),
            ('K', 2) => line.erase_beginning(line.cells.len()),
            ('P', _) => line.delete(at_least_one),
            ('@', _) => line.insert(at_least_one),
            ('X', _) => line.erase(at_least_one),
            ('b', _) => line.repeat(at_least_one, self.out),
            // With numbers, they are margins and keys.
            ('s', 0) => line.saved = Some(line.cursor),
            ('u', 0) => line.restore(),
            ('h' | 'l', _) if params.iter().any(|mode| mode == [INSERT_MODE]) => line.inserts = action == 'h',
            _ => {}
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], ignore: bool, byte: u8) {
        if ignore || !intermediates.is_empty() {
            return;
        }
        match byte {
            b'7' => self.line.saved = Some(self.line.cursor),
            b'8' => self.line.restore(),
            b'c' => self.line.reset(),
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

    use super::{COLUMNS, LINE_LIMIT, PlainText, REACH, WINDOW};

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
    fn deleted_characters_are_gone_and_the_rest_moves_to_the_left() {
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
        assert_eq!(plain("ab\x1b[3D\x1b[2b"), "bb");
        assert_eq!(plain("\x1b[5bx"), "x");
    }

    #[test]
    fn a_saved_place_is_returned_to_in_the_same_line() {
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
    fn the_other_names_of_the_movements_do_the_same() {
        assert_eq!(plain("abc\x1b[2`x"), "axc");
        assert_eq!(plain("abc\x1b[`x"), "xbc");
        assert_eq!(plain("abc\r\x1b[2ax"), "abx");
        assert_eq!(plain("abc\r\x1b[ax"), "axc");
    }

    #[test]
    fn in_insert_mode_what_is_written_moves_the_rest() {
        assert_eq!(plain("abc\r\x1b[4hxy\x1b[4lz"), "xyzbc");
        assert_eq!(plain("abc\r\x1b[20;4hx"), "xabc");
        assert_eq!(plain("ab\x1b[4h\ncd\rx"), "ab\nxcd");
        assert_eq!(plain("ab\r\x1b[4h\x1bcx\r\x1b[4h\x1b[!py"), "yb");
        assert_eq!(plain("ab\r\x1b[?4hx\x1b[4h\x1b[4G!"), "xb !");
    }

    #[test]
    fn what_a_readline_writes_to_edit_in_the_middle_of_a_line_is_applied() {
        // Typed: "ehco", back to the `h`, deleted, and inserted behind the `c`.
        assert_eq!(plain("$ ehco\x08\x08\x08\x1b[1P\x1b[C\x1b[1@h\n"), "$ echo\n");
    }

    #[test]
    fn a_short_sequence_inserts_and_repeats_a_bounded_number_of_characters() {
        assert_eq!(plain("a\x1b[65535b").len(), 1 + COLUMNS);
        assert_eq!(plain("a\r\x1b[65535@").len(), 1 + COLUMNS);
    }

    #[test]
    fn in_a_long_line_only_what_is_in_reach_moves() {
        let rest = "r".repeat(REACH);
        assert_eq!(plain(&format!("ab{rest}cd\r\x1b[P")), format!("b{} rrcd", &rest[2..]));
        assert_eq!(plain(&format!("ab{rest}cd\r\x1b[@")), format!(" ab{}rrcd", &rest[3..]));
        let line = "a".repeat(LINE_LIMIT);
        let blanks = " ".repeat(REACH);
        assert_eq!(plain(&format!("{line}\r\x1b[60000X")), format!("{blanks}{}", &line[REACH..]));
        assert_eq!(plain(&format!("{line}\x1b[9D\x1b[@")), format!("{} {}", &line[9..], &line[..8]));
    }

    #[test]
    fn changing_a_long_line_again_and_again_takes_no_longer_for_its_length() {
        // Were all of the line moved each time, this would move two billion cells.
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

    /// The second implementation: does each step at once on a line that has a blank in every place.
    fn draw(steps: &[Step]) -> String {
        let mut line: Vec<Option<char>> = vec![None; 2 * COLUMNS];
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
                    line.resize(2 * COLUMNS, None);
                }
                Step::Insert(cells) => drop(line.splice(cursor..cursor, vec![None; cells])),
                Step::Blank(cells) => line[cursor..cursor + cells].fill(None),
                Step::Mode(change) => inserts = change == 'h',
                Step::Save => saved = Some(cursor),
                Step::Restore => cursor = saved.unwrap_or(cursor),
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

    fn draw_one(line: &mut Vec<Option<char>>, cursor: &mut usize, character: char, inserts: bool) {
        if inserts {
            line.insert(*cursor, None);
        }
        line[*cursor] = Some(character);
        *cursor += 1;
    }

    /// How many cells the steps make.
    fn made(steps: &[Step]) -> usize {
        let made = |step: &Step| match *step {
            Step::Write(_) => 1,
            Step::Insert(cells) | Step::Repeat(cells) => cells,
            _ => 0,
        };
        steps.iter().map(made).sum()
    }

    /// Text that is rich in sequences, whole and broken.
    fn terminal_output() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<char>().prop_map(String::from),
            "\\PC{0,5}",
            prop::sample::select(vec![
                "\n", "\r", "\r\n", "\t", "\x08", "\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1bPq", "\x1b_",
                "\x1b\\", "\x07", "\x18", "\x1a", "\u{9c}", "✓✨", ";", "0", "1", "2", "9", "?", ":", "A",
                "C", "D", "G", "H", "J", "K", "P", "X", "@", "b", "`", "a", "s", "u", "7", "8", "m",
                "\x1b[4h", "\x1b[4l", "\x1b[2P", "\x1b[2@", "\x1b[2X", "\x1b[2b", "\x1b7", "\x1b8",
                "\x1b[2K", "\x1b[1K", "\x1b[K", "\x1b[8G", "\x1b[5C", "\x1b[31m",
            ])
            .prop_map(str::to_owned),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn a_line_is_what_drawing_it_step_by_step_leaves(steps in steps()) {
            let output: String = steps.iter().map(Step::sequence).collect();
            prop_assume!(made(&steps) < COLUMNS - 20);
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
