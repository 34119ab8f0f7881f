//! The terminal that a command is to have.

use napi_derive::napi;

use crate::job::model::plan::{self, WindowSize};

/// The terminal that a command is to have, checked by JavaScript, with its defaults in place.
#[derive(Debug)]
#[napi(object, object_to_js = false)]
pub struct PtySpec {
    /// Characters in a line.
    pub cols: u32,
    /// Lines.
    pub rows: u32,
    /// The number of lines kept that scrolled off the top of the screen.
    pub scrollback: u32,
}

impl PtySpec {
    /// The same for a plan.
    #[must_use]
    pub fn terminal(&self) -> plan::Terminal {
        plan::Terminal { size: size(self.cols, self.rows), scrollback: self.scrollback as usize }
    }
}

/// Returns the size of a terminal, at most what the kernel can hold.
pub(in crate::node) fn size(columns: u32, rows: u32) -> WindowSize {
    let number = |count| u16::try_from(count).unwrap_or(u16::MAX);
    WindowSize { columns: number(columns), rows: number(rows) }
}
