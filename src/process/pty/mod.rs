//! Pseudoterminals: pairs of devices, one end for a program and one for the engine.
//!
//! `unix` has them. Windows has none here yet, so `windows` has ends that never exist.

#[cfg_attr(unix, path = "unix/mod.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;

pub use platform::*;

use serde::{Deserialize, Serialize};

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowSize {
    /// The number of characters in a line.
    pub columns: u16,
    pub rows: u16,
}

/// The mode in which a terminal handles input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputMode {
    /// Whether programs get whole lines (canonical mode) instead of single keys.
    pub is_by_line: bool,
    pub has_echo: bool,
}
