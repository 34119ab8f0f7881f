//! The text of a screen at one moment.

use alacritty_terminal::Term;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::Flags;

/// A screen at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "a terminal has that many modes")]
pub struct Snapshot {
    /// The visible lines from the top, each without trailing blanks.
    pub lines: Vec<String>,
    /// The lines that scrolled off the top of the screen, oldest first, up to the number asked for.
    pub scrollback: Vec<String>,
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
    /// Copies the visible lines, and at most `scrollback` lines that have left the screen.
    pub(super) fn of<T>(term: &Term<T>, title: &str, scrollback: usize) -> Self {
        let grid = term.grid();
        let rows = to_line(grid.screen_lines());
        let kept = grid.history_size();
        let mode = term.mode();
        Self {
            lines: (0..rows).map(|row| line(term, row)).collect(),
            scrollback: (-to_line(scrollback.min(kept))..0).map(|row| line(term, row)).collect(),
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

    /// Returns a copy with at most `most` lines of the scrollback.
    #[must_use]
    pub fn with_scrollback(&self, most: usize) -> Self {
        let first = self.scrollback.len().saturating_sub(most);
        Self { scrollback: self.scrollback[first..].to_vec(), ..self.clone() }
    }

    /// Returns the memory that the text takes (bytes).
    #[must_use]
    pub fn memory(&self) -> usize {
        const OF_EACH: usize = size_of::<String>();
        let lines = self.lines.iter().chain(&self.scrollback);
        lines.map(|line| line.capacity() + OF_EACH).sum::<usize>() + self.title.len()
    }
}

/// Converts a count of lines, which is far below the limit of an `i32`.
fn to_line(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// Returns the text of a line: 0 is the top of the screen, -1 the line that left the screen last.
fn line<T>(term: &Term<T>, row: i32) -> String {
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
    text.truncate(text.trim_end_matches(' ').len());
    text.shrink_to_fit();
    text
}
