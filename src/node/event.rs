//! What a job says, as JavaScript sees it.

use std::time::Duration;

use napi_derive::napi;

use crate::job::Outcome;
use crate::job::outcome::Cause;
use crate::process::signal;
use crate::process::wait::Exit;
use crate::tools::voice;

/// One thing that a job says.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct Event {
    /// Which job.
    pub id: u32,
    /// What it says: `answer`, `stdout`, `stderr` or `end`.
    pub kind: &'static str,
    /// The answer, or text of the stream.
    pub text: Option<String>,
    /// What is left at the end.
    pub result: Option<RunResult>,
}

/// What is left of a command at its end. `index.d.ts` explains each field.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct RunResult {
    /// How it ended.
    pub status: &'static str,
    /// The exit code, if it exited.
    pub exit_code: Option<i32>,
    /// The name of the signal that ended it.
    pub signal: Option<String>,
    /// What was kept of standard output.
    pub stdout: String,
    /// What was kept of standard error.
    pub stderr: String,
    /// What `bash()` answers.
    pub output: String,
    /// Whether something was dropped.
    pub truncated: bool,
    /// How long standard output was (bytes).
    pub stdout_bytes: f64,
    /// How long standard error was (bytes).
    pub stderr_bytes: f64,
    /// From the call to the end (ms).
    pub duration_ms: f64,
    /// The process number.
    pub pid: Option<i32>,
    /// Why nothing was run.
    pub error: Option<RunError>,
}

/// Why nothing was run.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct RunError {
    /// A stable name.
    pub code: String,
    /// The same in words.
    pub message: String,
}

impl RunResult {
    /// The end of a command that was to be run.
    #[must_use]
    pub fn of(outcome: &Outcome, timeout: Option<Duration>) -> Self {
        let (exit_code, signal) = match outcome.exit {
            Ok(Exit::Code(code)) => (Some(code), None),
            Ok(Exit::Signal(number)) => (None, Some(signal::name(number))),
            Ok(Exit::Unknown) | Err(_) => (None, None),
        };
        Self {
            status: status(outcome),
            exit_code,
            signal,
            stdout: outcome.stdout.text(),
            stderr: outcome.stderr.text(),
            output: voice::result::text(outcome, timeout),
            truncated: voice::result::is_truncated(outcome),
            stdout_bytes: javascript_number(outcome.stdout.total()),
            stderr_bytes: javascript_number(outcome.stderr.total()),
            duration_ms: outcome.duration.as_secs_f64() * 1000.0,
            pid: outcome.pid,
            error: error(outcome),
        }
    }

    /// The end of a command that was refused.
    #[must_use]
    pub fn refused(refusal: voice::Refusal) -> Self {
        Self {
            status: if refusal == voice::Refusal::NotAllowed { "denied" } else { "failed" },
            exit_code: None,
            signal: None,
            stdout: String::new(),
            stderr: String::new(),
            output: refusal.text(),
            truncated: false,
            stdout_bytes: 0.0,
            stderr_bytes: 0.0,
            duration_ms: 0.0,
            pid: None,
            error: Some(RunError { code: refusal.code().to_owned(), message: refusal.to_string() }),
        }
    }
}

fn error(outcome: &Outcome) -> Option<RunError> {
    match &outcome.exit {
        Ok(Exit::Code(_) | Exit::Signal(_)) => None,
        Ok(Exit::Unknown) => Some(RunError {
            code: "ECHILD".to_owned(),
            message: "something else in this process has taken the exit status".to_owned(),
        }),
        Err(error) => Some(RunError { code: error.code.clone(), message: error.message.clone() }),
    }
}

fn status(outcome: &Outcome) -> &'static str {
    match (outcome.cause, &outcome.exit) {
        (Some(Cause::Timeout), _) => "timeout",
        (Some(Cause::Aborted | Cause::OwnerGone), _) | (Some(Cause::Killed), Err(_)) => "aborted",
        (_, Ok(Exit::Code(_))) => "exited",
        (_, Ok(Exit::Signal(_))) => "signaled",
        (_, Ok(Exit::Unknown) | Err(_)) => "failed",
    }
}

/// JavaScript's numbers are exact up to 2^53: that many bytes take years.
#[allow(clippy::cast_precision_loss, reason = "see above")]
fn javascript_number(bytes: u64) -> f64 {
    bytes as f64
}
