//! One row of the process table.

use rustix::process::Pid;

/// A process: its pid, and when it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The pid, which the kernel reuses.
    pub pid: Pid,
    /// The start time, only ever compared: clock ticks since boot on Linux, microseconds since 1970 on macOS.
    pub start: u64,
}

/// One row of the process table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// The process.
    pub identity: Identity,
    /// The pid of its parent; 0 for none.
    pub parent: i32,
    /// Its process group.
    pub group: i32,
    /// Its session.
    pub session: i32,
    /// Whether it has exited and waits to be reaped.
    pub is_zombie: bool,
    /// Whether it is exiting: it runs no more of its program.
    pub is_exiting: bool,
}

impl Process {
    /// Returns the pid as the kernel writes it.
    #[must_use]
    pub const fn pid(&self) -> i32 {
        self.identity.pid.as_raw_nonzero().get()
    }
}
