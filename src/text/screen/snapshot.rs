//! The text of a screen at one moment.

use alacritty_terminal::Term;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::Flags;

use super::styles::styled;

/// A screen at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "a terminal has that many modes")]
pub struct Snapshot {
    /// The visible lines from the top, each without trailing blanks.
    pub lines: Vec<String>,
    /// The lines that scrolled off the top of the screen, oldest first, up to the number asked for.
    pub scrollback: Vec<String>,
    /// For each line of `scrollback` and then of `lines`: the number of blanks at its end, if the terminal
    /// wrapped it, so that its text goes on in the next line.
    wraps: Vec<Option<usize>>,
    /// The same lines with their colours and attributes; `None` for a line without any. Empty if they were
    /// not asked for.
    styled: Vec<Option<String>>,
    /// The number of scrollback lines that exist, which may be more than `scrollback` has.
    pub scrollback_lines: usize,
    /// The row of the cursor, from 0.
    pub cursor_row: usize,
    /// The column of the cursor, from 0.
    pub cursor_column: usize,
    pub is_cursor_visible: bool,
    pub columns: usize,
    /// Whether the alternate screen is shown, which full-screen programs use.
    pub is_alternate: bool,
    /// Whether the program wants pasted text in brackets (bracketed paste).
    pub has_bracketed_paste: bool,
    /// Whether the program wants the cursor keys in their application form (`ESC O A` for up).
    pub has_application_cursor: bool,
    /// The window title that the program set.
    pub title: String,
}

impl Snapshot {
    /// Copies the visible lines, and at most `scrollback` lines that have left the screen. With `has_styles`,
    /// copies their colours and attributes too.
    pub(super) fn of<T>(term: &Term<T>, title: &str, scrollback: usize, has_styles: bool) -> Self {
        let grid = term.grid();
        let rows = to_line(grid.screen_lines());
        let kept = grid.history_size();
        let mode = term.mode();
        let first = -to_line(scrollback.min(kept));
        let (mut scrollback, wraps): (Vec<_>, Vec<_>) = (first..rows).map(|row| line(term, row)).unzip();
        let style = |row| styled(&grid[Line(row)]);
        Self {
            styled: if has_styles { (first..rows).map(style).collect() } else { Vec::new() },
            lines: scrollback.split_off(usize::try_from(-first).unwrap_or_default()),
            scrollback,
            wraps,
            scrollback_lines: kept,
            cursor_row: usize::try_from(grid.cursor.point.line.0).unwrap_or_default(),
            cursor_column: grid.cursor.point.column.0,
            is_cursor_visible: mode.contains(TermMode::SHOW_CURSOR),
            columns: grid.columns(),
            is_alternate: mode.contains(TermMode::ALT_SCREEN),
            has_bracketed_paste: mode.contains(TermMode::BRACKETED_PASTE),
            has_application_cursor: mode.contains(TermMode::APP_CURSOR),
            title: title.to_owned(),
        }
    }

    /// Returns a copy with at most `most` lines of the scrollback, and with colours and attributes if
    /// `has_styles`.
    #[must_use]
    pub fn with_scrollback(&self, most: usize, has_styles: bool) -> Self {
        let first = self.scrollback.len().saturating_sub(most);
        Self {
            scrollback: self.scrollback[first..].to_vec(),
            wraps: self.wraps[first..].to_vec(),
            styled: self.styled.get(first..).filter(|_| has_styles).unwrap_or_default().to_vec(),
            lines: self.lines.clone(),
            title: self.title.clone(),
            ..*self
        }
    }

    /// Returns the lines of the scrollback and then the visible ones, with their colours and attributes if
    /// those were asked for.
    #[must_use]
    pub fn styled_lines(&self) -> Vec<String> {
        let styled = |index: usize| self.styled.get(index).and_then(Option::as_ref);
        let lines = self.scrollback.iter().chain(&self.lines).enumerate();
        lines.map(|(index, line)| styled(index).unwrap_or(line).clone()).collect()
    }

    /// Returns the scrollback and the visible lines as one text, without empty lines at its end. A line that
    /// the terminal wrapped is one line of the text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (line, wrap) in self.scrollback.iter().chain(&self.lines).zip(&self.wraps) {
            text.push_str(line);
            match wrap {
                Some(blanks) => text.extend(std::iter::repeat_n(' ', *blanks)),
                None => text.push('\n'),
            }
        }
        text.truncate(text.trim_end_matches('\n').len());
        text
    }

    /// Returns the text of the line with the cursor: all rows of a line that the terminal wrapped.
    #[must_use]
    pub fn line_of_cursor(&self) -> String {
        let before = self.scrollback.len();
        let wrap = |row: usize| self.wraps.get(before + row).copied().flatten();
        let first = (0..self.cursor_row).rev().take_while(|&row| wrap(row).is_some()).last();
        let mut text = String::new();
        for row in first.unwrap_or(self.cursor_row)..self.lines.len() {
            text.push_str(&self.lines[row]);
            let Some(blanks) = wrap(row) else { break };
            text.extend(std::iter::repeat_n(' ', blanks));
        }
        text
    }

    /// Returns the memory that the text takes (bytes).
    #[must_use]
    pub fn memory(&self) -> usize {
        const OF_EACH: usize = size_of::<String>();
        let lines = self.lines.iter().chain(&self.scrollback);
        let wraps = self.wraps.capacity() * size_of::<Option<usize>>();
        let styled = self.styled.iter().flatten().map(String::capacity).sum::<usize>()
            + self.styled.capacity() * size_of::<Option<String>>();
        lines.map(|line| line.capacity() + OF_EACH).sum::<usize>() + wraps + styled + self.title.len()
    }
}

/// Converts a count of lines, which is far below the limit of an `i32`.
fn to_line(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// Returns the text of a line, and the number of blanks at its end if its text goes on in the next one: 0 is
/// the top of the screen, -1 the line that left the screen last.
fn line<T>(term: &Term<T>, row: i32) -> (String, Option<usize>) {
    let row = &term.grid()[Line(row)];
    let mut text = String::with_capacity(row.len());
    for column in 0..row.len() {
        let cell = &row[Column(column)];
        if cell.flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER) {
            continue;
        }
        // The grid stores a tab in the cell in which it began; the other cells that the tab passed are blank.
        text.push(if cell.c == '\t' { ' ' } else { cell.c });
        text.extend(cell.zerowidth().into_iter().flatten());
    }
    let is_wrapped = row.last().is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE));
    let length = text.trim_end_matches(' ').len();
    let blanks = text.len() - length;
    text.truncate(length);
    text.shrink_to_fit();
    (text, is_wrapped.then_some(blanks))
}
