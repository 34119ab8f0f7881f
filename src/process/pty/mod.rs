//! Pseudoterminals: pairs of devices, one end for a program and one for the engine.
//!
//! `unix` has them. Windows has none here yet, so `windows` has ends that never exist.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{Peer, Pty, device, foreground_group, input_mode, set_size};
#[cfg(windows)]
pub use windows::Peer;

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
