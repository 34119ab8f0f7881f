//! The colours and attributes of a line, as control sequences (SGR).
//!
//! Nothing else of what a program has written is in such a line: no link, no movement and no control
//! character. So it can be written to a person's terminal.

use std::fmt::Write;

use alacritty_terminal::grid::Row;
use alacritty_terminal::index::Column;
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::vte::ansi::{Color, NamedColor};

/// Each attribute with its number in an SGR sequence.
const ATTRIBUTES: [(Flags, &str); 7] = [
    (Flags::BOLD, ";1"),
    (Flags::DIM, ";2"),
    (Flags::ITALIC, ";3"),
    (Flags::ALL_UNDERLINES, ";4"),
    (Flags::INVERSE, ";7"),
    (Flags::HIDDEN, ";8"),
    (Flags::STRIKEOUT, ";9"),
];

const RESET: &str = "\x1b[0m";

/// The style of a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Style {
    flags: Flags,
    foreground: Color,
    background: Color,
}

impl Style {
    const PLAIN: Self = Self {
        flags: Flags::empty(),
        foreground: Color::Named(NamedColor::Foreground),
        background: Color::Named(NamedColor::Background),
    };

    fn of(cell: &Cell) -> Self {
        let shown = ATTRIBUTES.iter().fold(Flags::empty(), |all, (flags, _)| all | *flags);
        let mut flags = cell.flags & shown;
        if flags.intersects(Flags::ALL_UNDERLINES) {
            flags.insert(Flags::ALL_UNDERLINES);
        }
        Self { flags, foreground: cell.fg, background: cell.bg }
    }

    /// Returns whether a blank in this style looks like an empty cell.
    fn is_invisible_blank(self) -> bool {
        let marks = Flags::ALL_UNDERLINES | Flags::INVERSE | Flags::STRIKEOUT;
        self.background == Self::PLAIN.background && !self.flags.intersects(marks)
    }

    /// Appends the sequence that sets this style, whatever the one before was.
    fn write(self, line: &mut String) {
        line.push_str("\x1b[0");
        for (flags, number) in ATTRIBUTES {
            if self.flags.intersects(flags) {
                line.push_str(number);
            }
        }
        write_color(self.foreground, 30, line);
        write_color(self.background, 40, line);
        line.push('m');
    }
}

/// Appends the number of a colour: `base` is 30 for the text, and 40 for what is behind it.
fn write_color(color: Color, base: usize, line: &mut String) {
    let number = match color {
        Color::Named(name @ (NamedColor::Foreground | NamedColor::Background)) => {
            debug_assert!(name as usize >= 256, "the terminal's own colours have no number");
            return;
        }
        Color::Named(name) => name as usize,
        Color::Indexed(index) => usize::from(index),
        Color::Spec(rgb) => {
            let _ = write!(line, ";{};2;{};{};{}", base + 8, rgb.r, rgb.g, rgb.b);
            return;
        }
    };
    let _ = match number {
        0..8 => write!(line, ";{}", base + number),
        8..16 => write!(line, ";{}", base + 60 + number - 8),
        16..256 => write!(line, ";{};5;{number}", base + 8),
        // Names for what a cell can't have: the grid stores dim text as a colour and an attribute.
        _ => Ok(()),
    };
}

/// Returns a line with its styles; `None` if it has none, and is its text.
pub(super) fn styled(row: &Row<Cell>) -> Option<String> {
    let mut line = String::new();
    let mut current = Style::PLAIN;
    let mut has_style = false;
    // The length of the line without the blanks at its end.
    let mut length = 0;
    for column in 0..row.len() {
        let cell = &row[Column(column)];
        if cell.flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER) {
            continue;
        }
        let style = Style::of(cell);
        if style != current {
            style.write(&mut line);
            current = style;
        }
        let shown = if cell.c.is_control() { ' ' } else { cell.c };
        line.push(shown);
        line.extend(cell.zerowidth().into_iter().flatten().filter(|mark| !mark.is_control()));
        if shown != ' ' || !style.is_invisible_blank() {
            length = line.len();
            has_style = has_style || style != Style::PLAIN;
        }
    }
    line.truncate(length);
    if !has_style {
        return None;
    }
    line.push_str(RESET);
    Some(line)
}

#[cfg(test)]
mod tests {
    use crate::text::screen::{Emulator, ScreenSize};

    fn line(output: &str) -> String {
        let mut emulator = Emulator::new(ScreenSize { columns: 12, rows: 2 }, 10);
        emulator.feed(output.as_bytes());
        emulator.styled_snapshot(0).styled_lines().swap_remove(0)
    }

    #[test]
    fn a_line_without_styles_is_its_text() {
        assert_eq!(line("plain  "), "plain");
        assert_eq!(line("\x1b[31m\x1b[0mplain\x1b[1m  "), "plain");
    }

    #[test]
    fn colours_and_attributes_are_kept_until_they_end() {
        assert_eq!(line("a\x1b[1;31mb\x1b[0mc"), "a\x1b[0;1;31mb\x1b[0mc\x1b[0m");
        assert_eq!(line("\x1b[92;44mb"), "\x1b[0;92;44mb\x1b[0m");
        assert_eq!(line("\x1b[38;5;200mb"), "\x1b[0;38;5;200mb\x1b[0m");
        assert_eq!(line("\x1b[48;2;1;2;3mb"), "\x1b[0;48;2;1;2;3mb\x1b[0m");
        assert_eq!(line("\x1b[2;3;4;7;8;9mb"), "\x1b[0;2;3;4;7;8;9mb\x1b[0m");
    }

    #[test]
    fn blanks_with_a_background_are_kept() {
        assert_eq!(line("\x1b[7m  "), "\x1b[0;7m  \x1b[0m");
        assert_eq!(line("\x1b[41m \x1b[0m "), "\x1b[0;41m \x1b[0m");
    }

    #[test]
    fn only_styles_get_through() {
        let link = "\x1b]8;;http://x\x1b\\a\x1b]8;;\x1b\\\x1b]52;c;YQ==\x07\x1b[6n\x1b[?1049h\x1b[31mb";
        assert_eq!(line(link), " \x1b[0;31mb\x1b[0m");
    }

    #[test]
    fn the_last_screen_keeps_its_styles() {
        let mut emulator = Emulator::new(ScreenSize { columns: 12, rows: 2 }, 10);
        emulator.feed(b"\x1b[31mone\x1b[0m\r\ntwo\r\n\x1b[1mthree");
        let last = emulator.finish();
        let expected = ["\x1b[0;31mone\x1b[0m", "two", "\x1b[0;1mthree\x1b[0m"];
        assert_eq!(last.styled_lines(), expected);
        assert_eq!(last.with_scrollback(0, true).styled_lines(), expected[1..]);
    }
}
