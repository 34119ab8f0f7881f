//! The outcome of an action, as `lib/tools/perform/` reports it.

use serde::Deserialize;

/// The end of a command, with the names of `run()`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// The command exited.
    #[default]
    Exited,
    /// A signal killed the command.
    Signaled,
    /// The timeout ended the command.
    Timeout,
    /// The idle timeout ended the command.
    IdleTimeout,
    /// The command goes on as a job.
    Background,
    /// The `AbortSignal` of the call ended the command.
    Aborted,
    /// The policy or the host denied the command.
    Denied,
    /// The command could not be started.
    Failed,
    /// No job has the id.
    Unknown,
}

/// The outcome of an action. Absent fields have their defaults.
#[allow(clippy::struct_excessive_bools, reason = "they are independent facts")]
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Outcome {
    /// The end of the command.
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
    /// The kind of standard output, or of all output, if it is binary.
    pub binary_stdout: Option<String>,
    /// The kind of standard error, if it is binary.
    pub binary_stderr: Option<String>,
    /// Whether the engine left output out.
    pub truncated: bool,
    /// The length of standard output (bytes).
    pub stdout_bytes: f64,
    /// The length of standard error (bytes).
    pub stderr_bytes: f64,
    /// The duration of the command (ms).
    pub duration_ms: f64,
    /// The working directory.
    pub cwd: String,
    /// The pid.
    pub pid: Option<i64>,
    /// The id of the process group, if a member of it still lives.
    pub process_group: Option<i64>,
    /// The pids of processes that the command has left, and that still run.
    pub background_pids: Vec<i64>,
    /// Whether these processes are a job.
    pub is_adopted: bool,
    /// The exit codes of the parts of the pipeline in which the command ended; empty if they are not known.
    pub pipe_status: Vec<i32>,
    /// The working directory that was removed, where the command ran in the nearest one above it.
    pub gone: Option<String>,
    /// The id of the job, as the dialect writes it.
    pub job: Option<String>,
    /// The end of the output that was read (bytes from the job's start).
    pub cursor: Option<f64>,
    /// The length of unread output that is no longer kept (bytes).
    pub dropped: f64,
    /// The file with the output.
    pub spill_path: Option<String>,
    /// The size of that file (bytes).
    pub spill_bytes: f64,
    /// Whether the file has only the beginning of the output: the disk was full, or a limit was reached.
    pub spill_is_part: bool,
    /// The stable code of the failure.
    pub error_code: Option<String>,
    /// The message of the failure.
    pub error: Option<String>,
    /// The command of a job.
    pub command: String,
    /// The name of a job for people.
    pub label: Option<String>,
    /// Whether the job has no process yet.
    pub is_starting: bool,
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
    /// Whether the session has a new shell since the last call.
    pub restarted: bool,
    /// Whether the session's shell has ended with the command.
    pub shell_ended: bool,
    /// Whether the call has replaced the session's shell.
    pub did_restart: bool,
    /// The directory to which the session was reset.
    pub reset_to: Option<String>,
    /// What the command left when its directory was reset; absent for a dialect with words of its own for that.
    pub outside_of: Option<String>,
    /// Whether the output is a view, which names the parts that it leaves out.
    pub has_view: bool,
    /// The lines of earlier output that are shown.
    pub excerpt: Option<Excerpt>,
    /// The jobs, or the commands of a batch, or the jobs that were polled.
    pub items: Vec<Outcome>,
    /// The outcomes of the jobs that the call ended.
    pub cancelled: Vec<Outcome>,
}

/// Requested lines of earlier output.
#[allow(clippy::struct_excessive_bools, reason = "they are facts about the lines, which are independent")]
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Excerpt {
    /// The first line of the request.
    pub from: u64,
    /// The last line that is shown; less than `from` if none is.
    pub to: u64,
    /// Whether the output has no line after it.
    pub is_last: bool,
    /// Whether the last shown line is cut.
    pub is_cut: bool,
    /// The number of lines with the text of a search; absent without a search.
    pub found: Option<u64>,
    /// The number of those lines that are shown.
    pub shown: u64,
}

impl Outcome {
    /// Returns the exit code that a shell would report: the command's own, or 128 plus the signal's number.
    #[must_use]
    pub fn shell_code(&self) -> Option<i32> {
        self.exit_code.or_else(|| Some(128 + self.signal_number?))
    }

    /// Returns whether the command exited with 0.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status == Status::Exited && self.exit_code == Some(0)
    }

    /// Returns whether the command was never started.
    #[must_use]
    pub fn has_not_run(&self) -> bool {
        matches!(self.status, Status::Denied | Status::Failed | Status::Unknown)
            || (self.status == Status::Aborted && self.pid.is_none())
    }

    /// Returns the note on a command that goes on after its call has answered, for dialects without words for that.
    #[must_use]
    pub fn still_running(&self) -> String {
        let pid = self.pid.map_or_else(String::new, |pid| format!(" (pid {pid})"));
        format!("still running in the background{pid}")
    }

    /// Joins standard output and standard error, which begins on a line of its own.
    #[must_use]
    pub fn joined(&self) -> String {
        super::run::output(&self.stdout, &self.stderr).into_owned()
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
