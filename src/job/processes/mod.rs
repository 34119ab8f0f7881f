//! The processes of a job, and how to end all of them.
//!
//! The task of a job knows only the trait in `command_processes`. `unix` finds processes by their ties to the
//! job, `windows` by the job's object.

pub(in crate::job) mod command_processes;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
pub(in crate::job) mod windows;

#[cfg(target_os = "linux")]
pub(in crate::job) use unix::durable;
#[cfg(unix)]
pub use unix::{JobProcesses, pids_of};
#[cfg(unix)]
pub(in crate::job) use unix::{local, remote};
