//! A screen, as JavaScript sees it.

use napi_derive::napi;

use crate::job::terminal::ScreenRevision;
use crate::node::result::javascript_number;

/// A screen at one moment. `index.d.ts` explains each field.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "a terminal has that many modes")]
#[napi(object, object_from_js = false)]
pub struct ScreenState {
    /// The visible lines.
    pub lines: Vec<String>,
    /// The lines that scrolled off the top of the screen, up to the number asked for.
    pub scrollback: Vec<String>,
    /// The scrollback and the visible lines with their colours and attributes, if those were asked for.
    pub ansi: Option<Vec<String>>,
    /// The scrollback and the visible lines as one text, with each wrapped line as one.
    pub text: String,
    /// The number of such lines kept.
    pub scrollback_lines: u32,
    /// The cursor's line.
    pub row: u32,
    pub column: u32,
    /// Whether the cursor is shown.
    pub visible: bool,
    /// The number of columns.
    pub cols: u32,
    /// Whether the screen is the alternate one.
    pub alternate: bool,
    /// The title that the program has set.
    pub title: String,
    /// Whether the program asked for bracketed paste.
    pub bracketed_paste: bool,
    /// Whether a part of the output is missing.
    pub partial: bool,
    /// The number of changes so far.
    pub revision: f64,
    /// The time after which changes are shown that the program holds back (ms).
    pub held_for: Option<u32>,
}

impl From<ScreenRevision> for ScreenState {
    fn from(ScreenRevision { screen, revision, held_for }: ScreenRevision) -> Self {
        let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            text: screen.text(),
            ansi: None,
            lines: screen.lines,
            scrollback: screen.scrollback,
            scrollback_lines: number(screen.scrollback_lines),
            row: number(screen.cursor_row),
            column: number(screen.cursor_column),
            visible: screen.is_cursor_visible,
            cols: number(screen.columns),
            alternate: screen.is_alternate,
            title: screen.title,
            bracketed_paste: screen.has_bracketed_paste,
            partial: false,
            revision: javascript_number(revision),
            // A timer may fire a millisecond early.
            held_for: held_for
                .map(|time| number(usize::try_from(time.as_millis()).unwrap_or(usize::MAX)) + 2),
        }
    }
}
