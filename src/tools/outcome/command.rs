//! The end of a command, or its state while it runs.

use std::path::PathBuf;

use serde::{Deserialize, Deserializer};

use crate::process::signal;
use crate::sandbox::protocol::report::{NoNetwork, RefusalReason, SandboxRefusal};
use crate::tools::result::run_text;

/// The end of a command, or its state while it runs.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CommandOutcome {
    pub command: String,
    /// The end of the command.
    pub status: CommandStatus,
    /// The exit code, if it exited: 0 to 255, and up to 32 bits without a sign on Windows.
    pub exit_code: Option<i64>,
    /// The name of the signal that ended it.
    pub signal: Option<String>,
    /// The message of the failure.
    pub error: Option<String>,
    /// The stable code of the failure.
    pub error_code: Option<String>,
    /// The duration of the command (ms).
    pub duration_ms: f64,
    pub pid: Option<i64>,
    /// The id of the process group, if a member of it still lives.
    pub process_group: Option<i64>,
    /// The pids of processes that the command has left, and that still run.
    pub background_pids: Vec<i64>,
    /// The exit codes of the parts of the pipeline in which the command ended; empty if they are not known.
    pub pipe_status: Vec<i32>,
    /// The id of the job, as the dialect writes it.
    pub job: Option<String>,
    /// The name of the job for people.
    pub label: Option<String>,
    /// Whether the job is the processes that the command has left.
    pub is_adopted: bool,
    /// The id of the client's terminal in which it ran.
    pub terminal_id: Option<String>,
    /// Whether the job has a terminal.
    pub is_terminal: bool,
    #[serde(flatten)]
    pub output: CommandOutput,
    pub file: Option<OutputFile>,
    /// The sentences about the limits that all processes together have reached.
    pub limits: Vec<String>,
    /// The refusals of the command's sandbox.
    #[serde(deserialize_with = "refusals")]
    pub refused: Vec<SandboxRefusal>,
}

/// The form of a refusal that JavaScript has.
#[derive(Deserialize)]
#[serde(remote = "SandboxRefusal", tag = "kind", rename_all = "lowercase")]
enum RefusalForm {
    Network {
        host: String,
        port: u16,
        reason: RefusalReason,
    },
    Name {
        host: String,
    },
    Socket {
        path: PathBuf,
    },
    #[serde(rename = "no-network")]
    NoNetwork {
        reason: NoNetwork,
    },
}

fn refusals<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<SandboxRefusal>, D::Error> {
    #[derive(Deserialize)]
    struct Entry(#[serde(with = "RefusalForm")] SandboxRefusal);
    Ok(Vec::deserialize(from)?.into_iter().map(|Entry(refusal)| refusal).collect())
}

/// The output of a command that an answer shows.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CommandOutput {
    /// Standard output, or all of the output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The length of standard output (bytes).
    pub stdout_bytes: f64,
    /// The length of standard error (bytes).
    pub stderr_bytes: f64,
    /// The kind of standard output, or of all output, if it is binary.
    pub binary_stdout: Option<String>,
    /// The kind of standard error, if it is binary.
    pub binary_stderr: Option<String>,
    /// Whether the engine left output out.
    pub truncated: bool,
    /// Whether the output is a view, which names the parts that it leaves out.
    pub has_view: bool,
    /// The length of unread output that is no longer kept (bytes).
    pub dropped: f64,
    /// A random id (hexadecimal), where the dialect has one for each piece of output.
    pub chunk_id: String,
    /// The time at which it was read, as ISO 8601, where the dialect names it.
    pub time: String,
}

impl CommandOutput {
    /// Returns the note about output that the job no longer has, without brackets.
    #[must_use]
    pub fn dropped_note(&self) -> Option<String> {
        let count = self.dropped.to_string();
        let words = if count == "1" { "byte is" } else { "bytes are" };
        (self.dropped > 0.0).then(|| format!("{count} earlier {words} no longer kept"))
    }
}

/// A file with the output of a command.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OutputFile {
    pub path: String,
    /// The size (bytes).
    pub bytes: f64,
    /// Whether the file has only the beginning of the output: the disk was full, or a limit was reached.
    pub is_part: bool,
}

/// The end of a command, with the names of `run()`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CommandStatus {
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

impl CommandOutcome {
    /// Returns the exit code that a shell would report: the command's own, or 128 plus the signal's number.
    #[must_use]
    pub fn shell_code(&self) -> Option<i64> {
        self.exit_code.or_else(|| Some(128 + i64::from(self.signal_number()?)))
    }

    /// Returns the number of the signal that ended the command, on this system.
    #[must_use]
    pub fn signal_number(&self) -> Option<i32> {
        signal::number(self.signal.as_deref()?)
    }

    /// Returns whether the command exited with 0.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status == CommandStatus::Exited && self.exit_code == Some(0)
    }

    /// Returns whether the command was never started.
    #[must_use]
    pub fn has_not_run(&self) -> bool {
        matches!(self.status, CommandStatus::Denied | CommandStatus::Failed | CommandStatus::Unknown)
            || self.is_aborted_before_start()
    }

    /// Returns whether the command was aborted before it had a process, here or in a terminal of the client.
    #[must_use]
    pub fn is_aborted_before_start(&self) -> bool {
        self.status == CommandStatus::Aborted && self.pid.is_none() && self.terminal_id.is_none()
    }

    /// Returns whether the connection to the command's target was lost while the command ran.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self.error_code.as_deref(), Some("TARGET_LOST" | "SESSION_LOST"))
    }

    /// Returns the note on a command that goes on after its call has answered, for dialects without words for
    /// that.
    #[must_use]
    pub fn still_running(&self) -> String {
        let pid = self.pid.map_or_else(String::new, |pid| format!(" (pid {pid})"));
        format!("still running in the background{pid}")
    }

    /// Returns the path of the file with the output.
    #[must_use]
    pub fn file_path(&self) -> Option<&str> {
        self.file.as_ref().map(|file| file.path.as_str())
    }

    /// Returns whether the arguments could not be read at all.
    #[must_use]
    pub fn has_invalid_arguments(&self) -> bool {
        self.error_code.as_deref() == Some("NOT_JSON")
    }

    /// Returns the words of the error.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.error.as_deref().unwrap_or("the reason is not known")
    }
}

impl CommandOutput {
    /// Joins standard output and standard error, which begins on a line of its own.
    #[must_use]
    pub fn joined(&self) -> String {
        run_text::output(&self.stdout, &self.stderr).into_owned()
    }
}
