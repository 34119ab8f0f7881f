//! The calls on the terminal of a job.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]

use std::sync::Arc;

use napi_derive::napi;

use crate::job::terminal::LiveScreen;
use crate::node::binding::Binding;
use crate::node::result::live::screen::ScreenState;
use crate::node::spec::pty::size;

/// The screen of a job, for as long as JavaScript holds this.
#[derive(Debug)]
#[napi]
pub struct TerminalScreen {
    screen: Arc<LiveScreen>,
}

impl TerminalScreen {
    pub(in crate::node) const fn of(screen: Arc<LiveScreen>) -> Self {
        Self { screen }
    }
}

#[napi]
impl TerminalScreen {
    /// Returns the screen now, with at most `scrollback` lines that have left it at its top, and with its
    /// colours and attributes if `has_styles`.
    #[napi(catch_unwind)]
    pub fn snapshot(&self, scrollback: u32, has_styles: bool) -> ScreenState {
        let partial = self.screen.is_partial();
        if !has_styles {
            return ScreenState { partial, ..self.screen.snapshot(scrollback as usize).into() };
        }
        let seen = self.screen.styled_snapshot(scrollback as usize);
        let ansi = Some(seen.screen.styled_lines());
        ScreenState { ansi, partial, ..seen.into() }
    }

    /// Returns whether the program wants the cursor keys in their application form.
    #[napi(catch_unwind)]
    pub fn has_application_cursor(&self) -> bool {
        self.screen.has_application_cursor()
    }

    /// Returns the memory that the screen of a finished job takes (bytes).
    #[napi(catch_unwind)]
    pub fn memory(&self) -> u32 {
        u32::try_from(self.screen.memory()).unwrap_or(u32::MAX)
    }
}

#[napi]
impl Binding {
    /// Returns the screen of a job: at the first call also if the job is over, later while it is live. Null
    /// for a job without a terminal.
    #[napi(catch_unwind)]
    pub fn screen(&self, id: u32) -> Option<TerminalScreen> {
        self.state.screen(id).map(TerminalScreen::of)
    }

    /// Changes the size of a job's terminal. Returns whether the job was live.
    #[napi(catch_unwind)]
    pub fn resize(&self, id: u32, cols: u32, rows: u32) -> bool {
        self.state.job(id).is_some_and(|job| job.resize(size(cols, rows)))
    }

    /// Requests one event `changed`, when the next output of a job has been read.
    #[napi(catch_unwind)]
    pub fn watch(&self, id: u32) {
        if let Some(job) = self.state.job(id) {
            job.watch();
        }
    }
}
