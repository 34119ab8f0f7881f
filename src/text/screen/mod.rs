//! The screen of a terminal: what a person would see, as text.
//!
//! * [`Emulator`] applies a program's output to a grid of cells and collects the replies to its queries. The
//!   grid is that of `alacritty_terminal`: two to five times as fast as avt, vt100 and wezterm-term, and
//!   right for 73 real programs.
//! * `grid_filter` stands between the parser and the grid: it drops what needs a window, and corrects defects
//!   of the grid.
//! * `limiter` bounds the strings that a program may send.
//! * `unparsed` finds soft resets and queries that the parser does not know.
//! * `unseen` finds the text that leaves the screen before anyone sees it.
//! * `snapshot` is the text of a screen at one moment, and `styles` has its colours.

mod emulator;
mod grid_filter;
mod limiter;
mod snapshot;
mod styles;
mod unparsed;
mod unseen;

pub use emulator::{Emulator, ScreenSize};
pub use snapshot::Snapshot;
pub use unseen::is_plain;
