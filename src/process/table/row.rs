//! A row of the process table.

use rustix::process::Pid;
use serde::{Deserialize, Serialize};

/// Identifies one process until the machine restarts: its pid and its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "(i32, u64)", try_from = "(i32, u64)")]
pub struct Identity {
    /// The pid, which the kernel reuses.
    pub pid: Pid,
    /// The start, for comparison only: the time in clock ticks since boot on Linux; on macOS the kernel's
    /// unique id of the process, which is larger for each later process.
    pub start: u64,
}

impl From<Identity> for (i32, u64) {
    fn from(identity: Identity) -> Self {
        (identity.pid.as_raw_nonzero().get(), identity.start)
    }
}

impl TryFrom<(i32, u64)> for Identity {
    type Error = &'static str;

    fn try_from((pid, start): (i32, u64)) -> Result<Self, Self::Error> {
        let pid = if pid > 0 { Pid::from_raw(pid) } else { None };
        Ok(Self { pid: pid.ok_or("a pid that is not positive")?, start })
    }
}

/// A row of the process table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// The pid and the start time.
    pub identity: Identity,
    /// The pid of the parent; 0 for none.
    pub parent: i32,
    /// The start of the process that created this one, even if that has exited and this one has another
    /// parent now; `None` where the kernel does not report it (Linux).
    pub creator: Option<u64>,
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
