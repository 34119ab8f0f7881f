//! Reads the process table: parents, groups and sessions, holders of pipes, tags.
//!
//! [`row`] defines one row, [`pid_cursor`] lists the pids that are new since an earlier reading. `linux`
//! reads `/proc`, `macos` calls `libproc`, `emulated` is Linux's table in the shape of macOS's; all have the
//! same functions.

pub mod pid_cursor;
#[cfg_attr(not(darwin), path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(feature = "emulate-darwin", path = "emulated.rs")]
mod platform;
pub mod row;

pub use platform::*;
