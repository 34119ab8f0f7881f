//! The actions of a call. `lib/tools/perform/` carries them out.

use serde::Serialize;

use super::request::EscalationRequest;

/// The action of a call.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "do", rename_all = "camelCase")]
pub enum Action {
    /// Runs a command.
    Run(Box<RunAction>),
    /// Runs several commands concurrently.
    #[serde(rename_all = "camelCase")]
    Batch {
        /// The commands.
        runs: Vec<RunAction>,
        /// The most that run at the same time.
        concurrency: u32,
    },
    /// Reads the output of a job.
    Read(ReadAction),
    /// Writes to the input of a job.
    Write(WriteAction),
    /// Ends a job.
    #[serde(rename_all = "camelCase")]
    Kill {
        /// The job's id, as the dialect writes it.
        id: String,
    },
    /// Shows a part of earlier output.
    Output(PartAction),
    /// Lists the jobs.
    List,
    /// Waits for jobs, and ends jobs.
    #[serde(rename_all = "camelCase")]
    Manage {
        /// The ids of the jobs to wait for; if empty and `is_polling`, all running jobs.
        poll: Vec<String>,
        /// The ids of the jobs to end.
        cancel: Vec<String>,
        /// Whether the call waits for jobs.
        is_polling: bool,
        /// The longest wait (ms).
        wait_ms: f64,
    },
    /// Replaces the session by a new one.
    Restart {
        /// The command to run in the new session.
        then: Option<Box<RunAction>>,
    },
}

/// A command, with the option names of `run()` where `run()` has the option. An absent field leaves the
/// host's option or the engine's default.
#[allow(clippy::struct_excessive_bools, reason = "they are options of run(), which are independent")]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunAction {
    /// A command for a shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Words, without a shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argv: Option<Vec<String>>,
    /// The default shell of the dialect; the host's option overrides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell: Option<Vec<&'static str>>,
    /// The shell that the model asks for; overrides the host's option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_shell: Option<Vec<String>>,
    /// Whether the command starts in the host's directory also in a session, where the last command may have
    /// left it.
    pub starts_afresh: bool,
    /// Whether the command gets a shell of its own while the session's is busy.
    pub overlaps: bool,
    /// The directory that the model asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Whether the directory must lie in the host's `root`, or in its `cwd` where it has none.
    pub is_contained: bool,
    /// Variables of this call, which override the host's.
    pub env: Vec<(String, String)>,
    /// The schemes of internal URLs in the command, the directory and the variables, for which the host may
    /// have paths.
    pub url_schemes: Vec<String>,
    /// The user that the model asks for; any other than the current one is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_user: Option<String>,
    /// Variables of the dialect, which the host's override.
    pub dialect_env: &'static [(&'static str, &'static str)],
    /// Whether the command gets the variables that keep programs from asking; the host's option overrides it.
    pub non_interactive: bool,
    /// The timeout (ms); absent for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<f64>,
    /// The longest time without output (ms); absent for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_timeout_ms: Option<f64>,
    /// The time after which the call answers and the command goes on as a job (ms); 0 for at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yield_ms: Option<f64>,
    /// The grace between SIGTERM and SIGKILL (ms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kill_after_ms: Option<f64>,
    /// The whole input; its end follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Whether the input stays open for later writes.
    pub is_open: bool,
    /// The terminal that the command gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pty: Option<TerminalSize>,
    /// Whether the call waits until no process holds the output open.
    pub waits_for_output: bool,
    /// Whether the command is a job from its start, so that calls read the output of the job.
    pub is_job: bool,
    /// Whether the answer to a job's start is only its id, even if the job is over by then: all output is
    /// left to be read.
    pub is_detached: bool,
    /// Whether the answer to a job's start names the file that all of its output goes to.
    pub names_file: bool,
    /// Whether a session that has timed out, or whose shell has ended, runs nothing until it is restarted.
    pub needs_restart: bool,
    /// Whether a new shell of the session gets the state that the one before it had before it ended.
    pub saves_state: bool,
    /// The name of the command for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The request for more than the sandbox gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<EscalationRequest>,
    /// The kept part of the output.
    pub output: OutputOptions,
}

/// The size of a terminal (characters).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TerminalSize {
    cols: u16,
    rows: u16,
}

impl TerminalSize {
    /// As in the original of `oh-my-pi`, and wide enough for logs.
    pub const USUAL: Self = Self { cols: 120, rows: 40 };
}

/// The kept part of a command's output, with the option names of `run()`.
#[allow(clippy::struct_excessive_bools, reason = "they are options of run(), which are independent")]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputOptions {
    /// The most bytes kept of each stream.
    pub max_bytes: u64,
    /// The part that is kept.
    pub keep: Keep,
    /// The bytes for the beginning, with [`Keep::Both`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_bytes: Option<u64>,
    /// Whether cuts fall between lines.
    pub by_line: bool,
    /// Whether both streams share one pipe.
    pub merge: bool,
    /// Whether escape sequences are removed.
    pub strip_ansi: bool,
    /// The marker of omitted text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marker: Option<String>,
    /// Whether a file gets the whole output.
    pub spill: bool,
    /// The length of output up to which no file is needed (bytes), because the model reads all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spill_above: Option<u64>,
    /// Whether the file is there from the start of the command, because an answer may name it before it is
    /// needed.
    pub spill_at_once: bool,
    /// Whether the model reads a view of the output; the host's option overrides it.
    pub view: bool,
    /// The budget of the view (bytes), where `max_bytes` is more than the model reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_bytes: Option<u64>,
}

/// The part of longer output that is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Keep {
    /// The beginning.
    Head,
    /// The end.
    Tail,
    /// The beginning and the end, with a marker in between.
    #[default]
    Both,
}

/// A read of a job's output.
#[allow(clippy::struct_excessive_bools, reason = "they are options of a read, which are independent")]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadAction {
    /// The job's id, as the dialect writes it.
    pub id: String,
    /// The first byte, counted from the job's start; absent for the first unread one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<f64>,
    /// Whether to read from the job's start, including what was read before.
    pub from_start: bool,
    /// Whether the output still counts as unread afterwards.
    pub peeks: bool,
    /// Whether to return all of the text and no view, because the dialect filters its lines.
    pub is_whole: bool,
    /// The budget of the view (bytes), if the model gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_bytes: Option<u64>,
    /// The longest wait (ms): for the job's end with `until_end`, else for output or the end.
    pub wait_ms: f64,
    /// Whether to wait for the job's end.
    pub until_end: bool,
}

/// A part of earlier output: of a job, or of a file that an earlier answer has named.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartAction {
    /// The job's id, as the dialect writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The path of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The first line, from 1. Without lines and text, a view of all output is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// The last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u64>,
    /// The text that the lines contain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub find: Option<String>,
    /// The most that is shown (bytes).
    pub max_bytes: u64,
}

/// A write to a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WriteAction {
    /// The job's id, as the dialect writes it.
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether the end of input follows.
    pub end: bool,
    /// A key such as Ctrl-C, which a terminal gets instead of the signal or the end of input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// A signal to send.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// The budget of the view (bytes), if the model gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_bytes: Option<u64>,
    /// The longest wait afterwards (ms): for the job's end with `until_end`, else until it has written
    /// something and pauses.
    pub wait_ms: f64,
    /// Whether to wait for the job's end.
    pub until_end: bool,
}

impl RunAction {
    /// Returns an action that passes a command to a shell.
    #[must_use]
    pub fn of_shell(command: &str, shell: &[&'static str], output: OutputOptions) -> Self {
        Self {
            command: Some(command.to_owned()),
            shell: Some(shell.to_vec()),
            non_interactive: true,
            output,
            ..Self::default()
        }
    }
}

impl From<RunAction> for Action {
    fn from(run: RunAction) -> Self {
        Self::Run(Box::new(run))
    }
}
