//! Reads the process table: parents, groups and sessions, holders of pipes, tags.
//!
//! [`row`] defines one row, [`pid_cursor`] lists the pids that are new since an earlier reading. `linux`
//! reads `/proc`, `macos` calls `libproc`, `emulated` is Linux's table in the shape of macOS's; all have the
//! same functions.

#[cfg(feature = "emulate-darwin")]
mod emulated;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
pub mod pid_cursor;
pub mod row;

#[cfg(feature = "emulate-darwin")]
use emulated as platform;
#[cfg(not(darwin))]
use linux as platform;
#[cfg(target_os = "macos")]
use macos as platform;

#[cfg(darwin)]
pub use platform::is_asleep;
pub use platform::{
    children_of, cpu_time, holds_any_pipe, ignores, ignores_interrupts, inspect, inspect_process,
    is_available, is_stopped_or_gone, list_pids, may_inherit_handler, runs_host_executable, snapshot, tag_of,
};
#[cfg(target_os = "linux")]
pub use platform::{ignored_signals, inherited_handlers, path_of};
