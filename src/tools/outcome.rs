//! What came of an action, as `lib/tools/perform/` tells it.

use serde::Deserialize;

/// How a command ended, in the words of `run()`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// It exited.
    #[default]
    Exited,
    /// It died by a signal.
    Signaled,
    /// It was ended as it took too long.
    Timeout,
    /// It was ended as it was silent for too long.
    IdleTimeout,
    /// It goes on as a job.
    Background,
    /// It was ended by its signal.
    Aborted,
    /// It may not run.
    Denied,
    /// It could not be started.
    Failed,
    /// There is no such job.
    Unknown,
}

/// What came of an action. What is absent has its default.
#[allow(clippy::struct_excessive_bools, reason = "they are independent facts")]
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// The exit code, if it exited.
    pub exit_code: Option<i32>,
    /// The name of the signal that ended it.
    pub signal: Option<String>,
    /// The number of that signal.
    pub signal_number: Option<i32>,
    /// Standard output, or all of the output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Whether something was left out by the engine.
    pub truncated: bool,
    /// How long standard output was (bytes).
    pub stdout_bytes: f64,
    /// How long standard error was (bytes).
    pub stderr_bytes: f64,
    /// How long it took (ms).
    pub duration_ms: f64,
    /// Where it ran.
    pub cwd: String,
    /// The process number.
    pub pid: Option<i64>,
    /// The number of its process group, where a member of it still lives.
    pub process_group: Option<i64>,
    /// Processes that it has left.
    pub background_pids: Vec<i64>,
    /// The id of the job, as the dialect writes it.
    pub job: Option<String>,
    /// Where the output read ends (bytes from the job's start).
    pub cursor: Option<f64>,
    /// How much before it is no longer kept (bytes).
    pub dropped: f64,
    /// The file with all output.
    pub spill_path: Option<String>,
    /// How long that file is (bytes).
    pub spill_bytes: f64,
    /// What went wrong: a stable name, and words.
    pub error_code: Option<String>,
    /// See there.
    pub error: Option<String>,
    /// The command, of a job.
    pub command: String,
    /// What people call it, of a job.
    pub label: Option<String>,
    /// Whether the command was a job from its start.
    pub started_as_job: bool,
    /// Whether the call has waited for the job.
    pub has_waited: bool,
    /// Whether a call has killed the job.
    pub killed: bool,
    /// Whether the job was over before the call.
    pub was_over: bool,
    /// Whether all of the input was taken.
    pub took_input: bool,
    /// Whether the input of the job can be written to.
    pub is_open: bool,
    /// Whether the job has a terminal.
    pub is_terminal: bool,
    /// The answer's random id (hexadecimal), where the dialect has one.
    pub chunk_id: String,
    /// The time of the answer, as ISO 8601.
    pub time: String,
    /// Whether the session's shell is another one than before.
    pub restarted: bool,
    /// Whether the call has replaced the session's shell.
    pub did_restart: bool,
    /// The directory to which the session was set back.
    pub reset_to: Option<String>,
    /// Whether the output is a view, which tells itself what it leaves out.
    pub has_view: bool,
    /// Which lines of some output are shown.
    pub excerpt: Option<Excerpt>,
    /// The jobs, or the commands of a batch, or the jobs that were polled.
    pub items: Vec<Outcome>,
    /// What came of jobs that were to be ended.
    pub cancelled: Vec<Outcome>,
}

/// Lines of some output, as they were asked for.
#[allow(clippy::struct_excessive_bools, reason = "they are facts about the lines, which are independent")]
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Excerpt {
    /// The first line that was asked for.
    pub from: u64,
    /// The last line that is shown; less than `from` if none is.
    pub to: u64,
    /// Whether the output has no line after it.
    pub is_last: bool,
    /// Whether only the beginning of that line is shown.
    pub is_cut: bool,
    /// How many lines have the text that was looked for, if one was.
    pub found: Option<u64>,
    /// How many of them are shown.
    pub shown: u64,
}

impl Outcome {
    /// What a shell would say: the exit code, or 128 plus the signal's number.
    #[must_use]
    pub fn shell_code(&self) -> Option<i32> {
        self.exit_code.or_else(|| Some(128 + self.signal_number?))
    }

    /// Whether it exited with 0.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status == Status::Exited && self.exit_code == Some(0)
    }

    /// Whether the command was never started.
    #[must_use]
    pub fn has_not_run(&self) -> bool {
        matches!(self.status, Status::Denied | Status::Failed | Status::Unknown)
            || (self.status == Status::Aborted && self.pid.is_none())
    }

    /// Standard output, then standard error on a line of its own.
    #[must_use]
    pub fn joined(&self) -> String {
        super::run::output(&self.stdout, &self.stderr)
    }

    /// Whether the arguments could not be read at all.
    #[must_use]
    pub fn has_invalid_arguments(&self) -> bool {
        self.error_code.as_deref() == Some("NOT_JSON")
    }

    /// The words of the error.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.error.as_deref().unwrap_or("the reason is not known")
    }
}
