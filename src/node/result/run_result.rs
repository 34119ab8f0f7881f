//! The result of a command.

use std::borrow::Cow;

use napi_derive::napi;

use super::durable::DurableResult;
use super::limits::LimitsResult;
use super::sandbox::SandboxResult;
use super::target::TargetResult;
use super::view::ViewResult;
use super::{javascript_number, milliseconds};
use crate::job::Outcome;
use crate::job::model::outcome::{self, Spilled, Status};
use crate::node::error::NativeError;
use crate::process::signal;
use crate::session::handle::OwnOutput;
use crate::tools;
use crate::tools::result::format::ResultFormat;

/// The end of a command, in one word.
#[napi(string_enum = "camelCase")]
#[derive(Clone, Copy, Debug)]
pub enum RunStatus {
    Exited,
    Signaled,
    Timeout,
    IdleTimeout,
    Aborted,
    Background,
    Failed,
    Denied,
}

impl From<Status> for RunStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Exited => Self::Exited,
            Status::Signaled => Self::Signaled,
            Status::Timeout => Self::Timeout,
            Status::IdleTimeout => Self::IdleTimeout,
            Status::Aborted => Self::Aborted,
            Status::Background => Self::Background,
            Status::Failed => Self::Failed,
        }
    }
}

/// The result of a command. `index.d.ts` explains each field.
///
/// A value that JavaScript has already does not cross: each property takes half a microsecond, and a text is
/// copied.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct RunResult {
    /// The real path of the working directory, if it is known and not the path that was given.
    pub cwd: Option<String>,
    /// The end of the command, in one word.
    pub status: RunStatus,
    /// The exit code, if the process exited.
    pub exit_code: Option<u32>,
    /// The name of the signal that ended the process.
    pub signal: Option<String>,
    /// The kept part of standard output.
    pub stdout: String,
    /// The kept part of standard error.
    pub stderr: String,
    /// Standard output, then standard error; for the bash tool the answer of `bash()`. Absent if it is the
    /// text of the view or, without a view, that of standard output.
    pub output: Option<String>,
    /// The kind of standard output, if it is binary.
    pub binary_stdout: Option<String>,
    /// The kind of standard error, if it is binary.
    pub binary_stderr: Option<String>,
    /// Whether output was dropped.
    pub truncated: bool,
    /// The length of the whole standard output (bytes).
    pub stdout_bytes: f64,
    /// The length of the whole standard error (bytes).
    pub stderr_bytes: f64,
    /// The time from the call to the end (ms).
    pub duration_ms: f64,
    /// The pid of the process, which is the id of its process group too.
    pub pid: Option<i32>,
    /// The pids of the command's other processes that were still alive, if there are any.
    pub background_pids: Option<Vec<i32>>,
    /// The amount of text that has gone into the job's ring, if it has one (bytes).
    pub cursor: Option<f64>,
    /// The file with the whole output.
    pub spill: Option<SpillResult>,
    /// The view of the output for a model.
    pub view: Option<ViewResult>,
    /// The resources that the command has used.
    pub usage: Option<Usage>,
    /// The failure that kept the command from running, or from reporting its end.
    pub error: Option<NativeError>,
    /// Whether the shell of the session ended with the command.
    pub shell_ended: Option<bool>,
    /// Whether the command was the first of a new shell, after the shell before had ended.
    pub restarted: Option<bool>,
    /// The exit codes of the command's last pipeline.
    pub pipe_status: Option<Vec<i32>>,
    /// The limits of all processes together and what came of them.
    pub limits: Option<LimitsResult>,
    /// The report about the command's sandbox.
    pub sandbox: Option<SandboxResult>,
    /// Where the command ran, if not on this machine.
    pub target: Option<TargetResult>,
    /// The facts of the durable job.
    pub durable: Option<DurableResult>,
}

/// The file with the whole output.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct SpillResult {
    /// The path of the file.
    pub path: String,
    /// The size of the file (bytes).
    pub bytes: f64,
    /// Whether the file has the whole output.
    pub complete: bool,
    /// The error that made the file incomplete.
    pub error: Option<NativeError>,
}

/// The resources that a process has used.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct Usage {
    /// Time in user mode (ms).
    pub user_ms: f64,
    /// Time in the kernel (ms).
    pub system_ms: f64,
    /// Peak memory (bytes).
    pub max_rss_bytes: Option<f64>,
}

impl RunResult {
    /// Converts an outcome for JavaScript. `cwd` is the directory as it was given.
    #[must_use]
    pub fn of(outcome: &Outcome, format: &ResultFormat, cwd: &str) -> Self {
        let (stdout, stderr) = (outcome.stdout.text(), outcome.stderr.text());
        let view = tools::result::view::of(outcome);
        let output = match &view {
            Some(_) => None,
            None => Some(format.output(outcome, &stdout, &stderr)).filter(|output| *output != stdout),
        };
        let output = output.map(Cow::into_owned);
        Self {
            output,
            binary_stdout: outcome.stdout.binary_kind(&stdout),
            binary_stderr: outcome.stderr.binary_kind(&stderr),
            stdout,
            stderr,
            truncated: format.is_truncated(outcome),
            view: view.map(ViewResult::from),
            ..Self::without_text(outcome, format, cwd)
        }
    }

    /// Converts an outcome whose output stays bytes, without the output.
    #[must_use]
    pub fn without_text(outcome: &Outcome, format: &ResultFormat, cwd: &str) -> Self {
        let pids = &outcome.background_pids;
        Self {
            cwd: outcome.directory.clone().filter(|directory| directory != cwd),
            exit_code: outcome.exit_code(),
            signal: outcome.signal().map(signal::name),
            truncated: tools::result::run_text::is_truncated(outcome),
            stdout_bytes: javascript_number(outcome.stdout.total),
            stderr_bytes: javascript_number(outcome.stderr.total),
            duration_ms: milliseconds(outcome.duration),
            pid: outcome.pid,
            background_pids: (!pids.is_empty()).then(|| pids.clone()),
            cursor: outcome.cursor.map(javascript_number),
            spill: outcome.spilled.as_ref().map(SpillResult::from),
            usage: outcome.usage.map(Usage::from),
            error: format.fault(outcome).map(NativeError::from),
            shell_ended: outcome.in_session.as_ref().map(|session| session.shell_ended),
            restarted: outcome.in_session.as_ref().map(|session| session.restarted),
            pipe_status: outcome.in_session.as_ref().and_then(|session| session.pipe_status.clone()),
            limits: outcome.limits.as_ref().map(LimitsResult::from),
            sandbox: outcome.sandbox.as_ref().map(SandboxResult::from),
            target: outcome.target.as_ref().map(TargetResult::from),
            durable: outcome.durable.as_deref().map(DurableResult::from),
            ..Self::nothing(outcome.status().into())
        }
    }

    /// Returns the result with the text that a shell wrote to its own streams.
    #[must_use]
    pub fn of_own_output(own: OwnOutput) -> Self {
        Self { stdout: own.stdout, stderr: own.stderr, ..Self::nothing(RunStatus::Exited) }
    }

    /// Returns an empty result with this status.
    const fn nothing(status: RunStatus) -> Self {
        Self {
            cwd: None,
            status,
            exit_code: None,
            signal: None,
            stdout: String::new(),
            stderr: String::new(),
            output: None,
            binary_stdout: None,
            binary_stderr: None,
            truncated: false,
            stdout_bytes: 0.0,
            stderr_bytes: 0.0,
            duration_ms: 0.0,
            pid: None,
            background_pids: None,
            cursor: None,
            spill: None,
            view: None,
            usage: None,
            error: None,
            shell_ended: None,
            restarted: None,
            pipe_status: None,
            limits: None,
            sandbox: None,
            target: None,
            durable: None,
        }
    }
}

impl From<&Spilled> for SpillResult {
    fn from(spilled: &Spilled) -> Self {
        Self {
            path: spilled.path.clone(),
            bytes: javascript_number(spilled.bytes),
            complete: spilled.is_complete,
            error: spilled.fault().map(NativeError::from),
        }
    }
}

impl From<outcome::Usage> for Usage {
    fn from(usage: outcome::Usage) -> Self {
        Self {
            user_ms: milliseconds(usage.user),
            system_ms: milliseconds(usage.system),
            max_rss_bytes: usage.peak_memory.map(javascript_number),
        }
    }
}
