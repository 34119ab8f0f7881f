//! Turns output for a terminal into plain text.
//!
//! A terminal parser (vte) finds the control sequences, and their effects inside a line are applied: a
//! progress bar leaves only its last state. `PlainText` is no screen: a line has any length and does not
//! wrap, and a finished line does not change any more.
//!
//! `performer` applies what the parser finds to the current `line`.
//!
//! | input | effect |
//! |---|---|
//! | `\n` | ends the line |
//! | `\t` | is kept, as one character |
//! | `\r` | moves to the beginning of the line; the text after it overwrites the earlier one |
//! | backspace | moves one character to the left and erases nothing |
//! | `CSI n C` or `a`, `CSI n D` | moves `n` characters to the right or to the left |
//! | `CSI n G` or backtick | moves to the `n`th character of the line |
//! | `ESC 7` or `CSI s`, `ESC 8` or `CSI u` | saves the cursor in this line, restores it |
//! | `CSI K`, `CSI 1 K`, `CSI 2 K` | erases the line after the cursor, before it, or wholly; moves nothing |
//! | `CSI J` | as `CSI K`: in a stream there is nothing below the line |
//! | `CSI n P` | deletes `n` characters: those to the right of them move to the left |
//! | `CSI n @` | inserts `n` blanks: the characters to the right of them move to the right |
//! | `CSI n X` | erases `n` characters, without moving anything |
//! | `CSI n b` | repeats the last character `n` times |
//! | `CSI 4 h`, `CSI 4 l` | turns insert mode on, or off again; `ESC c` and `CSI ! p` turn it off too |
//! | any other sequence | is dropped |
//! | any other control character | is dropped |
//!
//! The dropped sequences are colours, titles, links, images, modes, and everything that moves to other lines
//! (`CSI A`, `B`, `H`) or erases them (`CSI 2 J`). The dropped control characters are NUL, BEL, form feed,
//! DEL, and U+0080 to U+009F, which start no sequence.
//!
//! Each character is one cell, including a tab and those that a terminal shows in two columns or in none:
//! overwriting replaces one for one. Erased cells are blank, and at the end of the line they are dropped.
//!
//! In place of a terminal's right edge there are two limits, which bound the cost of a short sequence: it
//! inserts or repeats at most 256 characters, and it moves or erases at most the 1,024 characters from the
//! cursor on. Text that an insertion moves beyond them is lost, as at the edge.
//!
//! As in a terminal, a sequence that does not end hides the text after it until it ends or another one
//! begins.

mod line;
mod performer;

use std::fmt;

use vte::Parser;

use self::line::EditedLine;
use self::performer::{DELETE, LinePerformer};

/// The number of bytes that the parser gets at a time, which bounds the memory of an unfinished sequence.
const WINDOW: usize = 4 * 1024;

const ESCAPE: u8 = 0x1b;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;
const BELL: u8 = 0x07;

/// Turns output for a terminal into plain text, piece by piece.
///
/// The current line is kept until it ends, up to 65,536 characters of it (2 MiB of memory at worst). A longer
/// line is returned in pieces, and `\r` then moves to the beginning of the last piece only. A movement to the
/// right stops at the end of the written text, or at column 256 if that is further; the gap becomes spaces.
/// So the text can be longer than the input, by up to 256 characters for each sequence: to bound its size,
/// bound the text, not the input.
///
/// The cost of a character or a sequence is amortized and does not depend on the length of the line.
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
    line: EditedLine,
    in_device_string: bool,
    /// Whether an unfinished sequence takes the next characters.
    in_sequence: bool,
}

impl PlainText {
    /// Adds the next piece of the stream and appends the lines that it finishes to `out`. The piece may begin
    /// and end anywhere, also inside a sequence.
    pub fn push(&mut self, text: &str, out: &mut String) {
        let mut rest = text;
        while !rest.is_empty() {
            let (window, after) = split_window(rest);
            self.push_window(window.as_bytes(), out);
            rest = after;
        }
    }

    /// Ends the stream: appends the current line to `out`, without a line break, and drops an unfinished
    /// sequence. The next push starts a new stream.
    pub fn finish(&mut self, out: &mut String) {
        self.line.flush(out);
        *self = Self::default();
    }

    /// Appends what [`PlainText::finish`] would append, the current line, without any other effect.
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

    /// Appends what [`PlainText::finish`] would append after a push of `next`, without any other effect.
    /// `next` is neither ASCII nor a control character.
    pub(super) fn peek_after(&self, next: Option<char>, out: &mut String) {
        let mut line = self.line.clone();
        // Inside a sequence the character would be swallowed, because no sequence ends with a non-ASCII
        // character.
        if !self.in_sequence
            && let Some(next) = next
        {
            line.write(next, out);
        }
        line.flush(out);
    }

    fn push_window(&mut self, mut bytes: &[u8], out: &mut String) {
        while !bytes.is_empty() {
            if self.in_device_string {
                // Only the text up to one of these characters is known to be string data: the parser would
                // take a byte 0x9c inside a character for the end of the string.
                let Some(end) = memchr::memchr3(ESCAPE, CANCEL, SUBSTITUTE, bytes) else {
                    self.in_sequence = true;
                    return;
                };
                bytes = &bytes[end..];
                self.in_device_string = false;
            }
            let mut screen = LinePerformer::new(&mut self.line, out);
            let taken = self.parser.advance_until_terminated(&mut screen, bytes);
            self.in_device_string = screen.in_device_string;
            bytes = &bytes[taken..];
        }
        self.end_window(out);
    }

    /// Drops the command string that the parser has collected, and finds out whether the parser is in a
    /// sequence.
    ///
    /// The parser collects an operating system command (OSC) to its end, however long it is. A bell ends the
    /// command and has no effect in any other state. Then a new command is begun, which swallows the rest of
    /// the text as the first one would.
    ///
    /// The parser does not expose its state, but it prints a DEL only outside of a sequence.
    fn end_window(&mut self, out: &mut String) {
        let mut screen = LinePerformer::new(&mut self.line, out);
        self.parser.advance(&mut screen, &[BELL, DELETE]);
        self.in_sequence = screen.ended_command || !screen.printed_delete;
        if screen.ended_command {
            self.parser.advance(&mut screen, &[ESCAPE, b']']);
        }
    }
}

impl fmt::Debug for PlainText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The parser has no `Debug`, and a line may be long and secret.
        f.debug_struct("PlainText").field("line_len", &self.line.len()).finish_non_exhaustive()
    }
}

/// Splits off the next piece for the parser, between characters.
fn split_window(text: &str) -> (&str, &str) {
    let mut end = text.len().min(WINDOW);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.split_at(end)
}

#[cfg(test)]
mod tests;
