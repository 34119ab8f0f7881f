//! The process table, as the kernel shows it: who is whose child, in which group and session, who holds a pipe, and who
//! carries a tag.
//!
//! [`row`] is what the kernel tells of one process, [`pid_cursor`] tells which pids are new. `linux` reads `/proc`, `macos`
//! asks `libproc`; both have the same functions.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
pub mod pid_cursor;
pub mod row;

#[cfg(target_os = "linux")]
pub use linux::{
    children_of, holds_any_pipe, ignores_interrupts, inspect, inspect_process, is_at_rest,
    is_program_of_host, list_pids, snapshot, tag_of,
};
#[cfg(target_os = "macos")]
pub use macos::{
    children_of, holds_any_pipe, ignores_interrupts, inspect, inspect_process, is_at_rest,
    is_program_of_host, list_pids, snapshot, tag_of,
};
