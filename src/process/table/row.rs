//! A row of the process table.

use rustix::process::Pid;

/// Identifies one process until the machine restarts: its pid and its start time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The pid, which the kernel reuses.
    pub pid: Pid,
    /// The start time, for comparison only: clock ticks since boot on Linux, microseconds since 1970 on
    /// macOS.
    pub start: u64,
}

/// A row of the process table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// The pid and the start time.
    pub identity: Identity,
    /// The pid of the parent; 0 for none.
    pub parent: i32,
    pub group: i32,
    /// The id of the session; 0 if it is unknown.
    pub session: i32,
    /// Whether the process has exited and has not been reaped.
    pub is_zombie: bool,
    /// Whether the process is exiting: the kernel is tearing it down, and its program no longer runs.
    pub is_exiting: bool,
}

impl Process {
    /// Returns the pid as the kernel writes it.
    #[must_use]
    pub const fn pid(&self) -> i32 {
        self.identity.pid.as_raw_nonzero().get()
    }
}
