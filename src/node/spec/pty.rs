//! The options of a command's terminal.

use napi_derive::napi;

use crate::job::model::plan::{self, WindowSize};

/// The options of a command's terminal, checked by JavaScript, with the defaults filled in.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct PtySpec {
    /// The number of columns.
    pub cols: u32,
    /// The number of lines.
    pub rows: u32,
    /// The number of lines kept that scrolled off the top of the screen.
    pub scrollback: u32,
    /// Whether the addon answers the program's queries about its terminal.
    pub answers_queries: bool,
}

impl PtySpec {
    /// Converts the options for a plan.
    #[must_use]
    pub fn terminal(&self) -> plan::Terminal {
        plan::Terminal {
            size: size(self.cols, self.rows),
            scrollback: self.scrollback as usize,
            answers_queries: self.answers_queries,
        }
    }
}

/// Returns the size of a terminal, at most what the kernel can hold.
pub(in crate::node) fn size(columns: u32, rows: u32) -> WindowSize {
    let number = |count| u16::try_from(count).unwrap_or(u16::MAX);
    WindowSize { columns: number(columns), rows: number(rows) }
}
