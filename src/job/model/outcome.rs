//! What is left of a command at its end, or when it moves to the background.

use std::time::Duration;

use crate::job::model::error::LaunchError;
use crate::process::errno::Errno;
use crate::process::wait::Exit;
use crate::text::{Keeping, Kept};

/// Why a job was ended from outside. The first one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It took longer than its timeout.
    Timeout,
    /// It was silent for longer than its idle timeout.
    IdleTimeout,
    /// Its `AbortSignal` fired.
    Aborted,
    /// `kill()` was called.
    Killed,
    /// The Node environment that owned it has ended.
    OwnerGone,
}

/// How a command's process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It has ended.
    Exit(Exit),
    /// There was none.
    NotStarted(LaunchError),
    /// It has not: the job goes on in the background.
    NotYet,
    /// It could not be ended: it is another user's, or in the kernel's hands.
    Never,
}

/// What was kept of a stream.
#[derive(Clone, Debug)]
pub struct Captured {
    /// The part that was kept.
    pub kept: Kept,
    /// How long the whole stream was (bytes).
    pub total: u64,
}

impl Captured {
    /// Of a stream that there was not.
    #[must_use]
    pub fn nothing() -> Self {
        Self { kept: Kept::new(&Keeping::Prefix { limit: 0 }), total: 0 }
    }

    /// As text.
    #[must_use]
    pub fn text(&self) -> String {
        self.kept.text()
    }
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spilled {
    /// Its path.
    pub path: String,
    /// How much is in it (bytes).
    pub bytes: u64,
    /// Whether that is all that the command has written so far.
    pub is_complete: bool,
    /// Why it is not, if it is not the quota.
    pub errno: Option<Errno>,
}

/// What a command's process and those that it has waited for have used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Processor time in programs.
    pub user: Duration,
    /// Processor time in the kernel.
    pub system: Duration,
    /// The most memory that one process has had at a time (bytes); see [`crate::process::memory`].
    pub peak_memory: Option<u64>,
}

/// A command's end.
#[derive(Debug)]
pub struct Outcome {
    /// How the process ended.
    pub end: End,
    /// Why it was ended, if it was.
    pub cause: Option<Cause>,
    /// The process number; also that of its group and session.
    pub pid: Option<i32>,
    /// The numbers of its other processes that were still there.
    pub background_pids: Vec<i32>,
    /// Where it ran, by real path.
    pub directory: Option<String>,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// Why a stream was not read to its end, if one was not.
    pub output_error: Option<Errno>,
    /// How much text has gone into the ring, of a job that has one (bytes).
    pub cursor: Option<u64>,
    /// The file with the whole output.
    pub spilled: Option<Spilled>,
    /// What the process and those that it has waited for have used.
    pub usage: Option<Usage>,
    /// From the call to the end.
    pub duration: Duration,
}

impl Outcome {
    /// Nothing was run.
    #[must_use]
    pub fn not_started(error: LaunchError, cause: Option<Cause>, duration: Duration) -> Self {
        Self {
            end: End::NotStarted(error),
            cause,
            pid: None,
            background_pids: Vec::new(),
            directory: None,
            stdout: Captured::nothing(),
            stderr: Captured::nothing(),
            output_error: None,
            cursor: None,
            spilled: None,
            usage: None,
            duration,
        }
    }
}
