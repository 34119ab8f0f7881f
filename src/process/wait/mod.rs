//! Waits for the exit of a child.
//!
//! [`Exit`] and [`Usage`] are the results, and [`ntstatus`] names exit codes of Windows. `unix` watches
//! children without `SIGCHLD`; on Windows a child is watched by its handle.

pub mod ntstatus;
#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub use unix::{ExitWatch, ProcessWatch, await_exit, kill_and_reap, peek, reap, usage, was_killed};

use std::time::Duration;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The process exited with this code: 0 to 255, and any 32 bits on Windows ([`Exit::code`]).
    Code(i32),
    /// The signal that killed the process.
    Signal(i32),
    /// The status is lost: other code in this process reaped the child first, such as a SIGCHLD handler that
    /// waits for every child.
    Unknown,
}

impl Exit {
    /// Returns the exit code without a sign, as Windows and Node.js give it, if the process exited.
    #[must_use]
    pub const fn code(self) -> Option<u32> {
        match self {
            Self::Code(code) => Some(code.cast_unsigned()),
            Self::Signal(_) | Self::Unknown => None,
        }
    }
}

/// The resource usage of a process and of the children that it has waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// CPU time in user mode.
    pub user: Duration,
    /// CPU time in the kernel.
    pub system: Duration,
    /// The largest peak resident set of any one of these processes (bytes).
    pub max_rss: u64,
}
