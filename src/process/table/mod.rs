//! Reads the process table: parents, groups and sessions, holders of pipes, tags.
//!
//! [`row`] defines one row, [`pid_cursor`] lists the pids that are new since an earlier reading. `linux`
//! reads `/proc`, `macos` calls `libproc`; both have the same functions.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
pub mod pid_cursor;
pub mod row;

#[cfg(target_os = "linux")]
pub use linux::{
    children_of, cpu_time, holds_any_pipe, ignores, ignores_interrupts, inspect, inspect_process,
    is_available, is_stopped_or_gone, list_pids, path_of, runs_host_executable, snapshot, tag_of,
};
#[cfg(target_os = "macos")]
pub use macos::{
    children_of, cpu_time, holds_any_pipe, ignores, ignores_interrupts, inspect, inspect_process,
    is_available, is_stopped_or_gone, list_pids, runs_host_executable, snapshot, tag_of,
};
