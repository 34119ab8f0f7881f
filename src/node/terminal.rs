//! Terminals, as JavaScript sees them.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]

use std::sync::Arc;

use napi_derive::napi;

use super::event::javascript_number;
use super::host::Host;
use crate::job::model::plan::{self, WindowSize};
use crate::job::terminal::{LiveScreen, Seen};

/// The terminal that a command is to have, checked by JavaScript, with its defaults in place.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct PtySpec {
    /// Characters in a line.
    pub cols: u32,
    /// Lines.
    pub rows: u32,
    /// How many lines are kept that leave the screen at its top.
    pub scrollback: u32,
}

impl PtySpec {
    /// The same for a plan.
    #[must_use]
    pub fn terminal(&self) -> plan::Terminal {
        plan::Terminal { size: size(self.cols, self.rows), scrollback: self.scrollback as usize }
    }
}

fn size(columns: u32, rows: u32) -> WindowSize {
    let number = |count| u16::try_from(count).unwrap_or(u16::MAX);
    WindowSize { columns: number(columns), rows: number(rows) }
}

/// A screen at one moment. `index.d.ts` explains each field.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct ScreenState {
    /// What is seen.
    pub lines: Vec<String>,
    /// What has left it at its top, as far as it was asked for.
    pub scrollback: Vec<String>,
    /// How many such lines are kept.
    pub scrollback_lines: u32,
    /// The cursor's line.
    pub row: u32,
    /// The cursor's column.
    pub column: u32,
    /// Whether the cursor is shown.
    pub visible: bool,
    /// Characters in a line.
    pub cols: u32,
    /// Whether it is the alternate screen.
    pub alternate: bool,
    /// The title that the program has set.
    pub title: String,
    /// Whether pasted text is wanted in brackets.
    pub bracketed_paste: bool,
    /// How far it is.
    pub revision: f64,
}

impl From<Seen> for ScreenState {
    fn from(Seen { screen, revision }: Seen) -> Self {
        let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
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
            revision: javascript_number(revision),
        }
    }
}

/// The screen of a job, for as long as JavaScript holds this.
#[derive(Debug)]
#[napi]
pub struct TerminalScreen {
    screen: Arc<LiveScreen>,
}

#[napi]
impl TerminalScreen {
    /// The screen now, with at most so many lines that have left it.
    #[napi(catch_unwind)]
    pub fn look(&self, scrollback: u32) -> ScreenState {
        self.screen.look(scrollback as usize).into()
    }

    /// Whether the program wants the cursor keys in their application form.
    #[napi(catch_unwind)]
    pub fn has_application_cursor(&self) -> bool {
        self.screen.has_application_cursor()
    }

    /// How much memory the text takes of a job that is over (bytes).
    #[napi(catch_unwind)]
    pub fn memory(&self) -> u32 {
        u32::try_from(self.screen.memory()).unwrap_or(u32::MAX)
    }
}

#[napi]
impl Host {
    /// The screen of a live job; null for one that is over already, or has no terminal.
    #[napi(catch_unwind)]
    pub fn screen(&self, id: u32) -> Option<TerminalScreen> {
        Some(TerminalScreen { screen: Arc::clone(self.job(id)?.screen()?) })
    }

    /// Changes the size of a job's terminal. Whether the job was still there.
    #[napi(catch_unwind)]
    pub fn resize(&self, id: u32, cols: u32, rows: u32) -> bool {
        self.job(id).is_some_and(|job| job.resize(size(cols, rows)))
    }

    /// Has an event `changed` come, once, when the next output of a job has been read.
    #[napi(catch_unwind)]
    pub fn watch(&self, id: u32) {
        if let Some(job) = self.job(id) {
            job.watch();
        }
    }
}
