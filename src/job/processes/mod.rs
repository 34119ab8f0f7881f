//! The processes of a job, and how to end all of them.
//!
//! The task of a job knows only the trait in `command_processes`. `unix` finds processes by their ties to the
//! job, `windows` by the job's object.

pub(in crate::job) mod command_processes;
#[cfg_attr(unix, path = "unix/mod.rs")]
#[cfg_attr(windows, path = "windows/mod.rs")]
mod platform;

pub use platform::*;
