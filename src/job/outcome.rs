//! What is left of a command at its end.

use std::time::Duration;

use crate::process::wait::Exit;
use crate::text::Capture;

/// Why a job was ended from outside. The first one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It took longer than its timeout.
    Timeout,
    /// Its `AbortSignal` fired.
    Aborted,
    /// `kill()` was called.
    Killed,
    /// The Node environment that owned it has ended.
    OwnerGone,
}

/// Why nothing was run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LaunchError {
    /// The error's name, such as `ENOENT`.
    pub code: String,
    /// Node's words, such as `spawn /bin/zsh ENOENT`.
    pub message: String,
}

/// A command's end.
#[derive(Debug)]
pub struct Outcome {
    /// How the process ended; an error when none was started.
    pub exit: Result<Exit, LaunchError>,
    /// Why it was ended, if it was.
    pub cause: Option<Cause>,
    /// The process number.
    pub pid: Option<i32>,
    /// Standard output.
    pub stdout: Capture,
    /// Standard error.
    pub stderr: Capture,
    /// From the call to the end.
    pub duration: Duration,
}

impl Outcome {
    /// Nothing was run.
    #[must_use]
    pub fn not_started(error: LaunchError, cause: Option<Cause>) -> Self {
        Self {
            exit: Err(error),
            cause,
            pid: None,
            stdout: Capture::new(0),
            stderr: Capture::new(0),
            duration: Duration::ZERO,
        }
    }
}
