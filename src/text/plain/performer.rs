//! Applies what the terminal parser finds to the current line.

use vte::{Params, Perform};

use super::line::EditedLine;

/// The parameter that selects insert mode (IRM).
const INSERT_MODE: u16 = 4;

const BACKSPACE: u8 = 0x08;

/// The character that shows whether the parser is in a sequence: the parser prints it only outside of one.
pub(super) const DELETE: u8 = 0x7f;

/// Applies the parser's findings to the line.
pub(super) struct LinePerformer<'a> {
    line: &'a mut EditedLine,
    out: &'a mut String,
    pub(super) in_device_string: bool,
    pub(super) ended_command: bool,
    pub(super) printed_delete: bool,
}

impl<'a> LinePerformer<'a> {
    pub(super) fn new(line: &'a mut EditedLine, out: &'a mut String) -> Self {
        Self { line, out, in_device_string: false, ended_command: false, printed_delete: false }
    }
}

impl Perform for LinePerformer<'_> {
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
            ('K', 2) => line.erase_beginning(line.len()),
            ('P', _) => line.delete(at_least_one),
            ('@', _) => line.insert(at_least_one),
            ('X', _) => line.erase(at_least_one),
            ('b', _) => line.repeat(at_least_one, self.out),
            // With parameters, these sequences set margins and keyboard modes.
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
