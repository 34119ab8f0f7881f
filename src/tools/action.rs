//! What a call does. `lib/tools/perform/` carries it out.

use serde::Serialize;

/// What a call does.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "do", rename_all = "camelCase")]
pub enum Action {
    /// Runs a command.
    Run(Box<Run>),
    /// Runs several commands beside each other.
    #[serde(rename_all = "camelCase")]
    Batch {
        /// The commands.
        runs: Vec<Run>,
    },
    /// Reads the output of a job.
    Read(Read),
    /// Writes to the input of a job.
    Write(Write),
    /// Ends a job.
    #[serde(rename_all = "camelCase")]
    Kill {
        /// The job's id, as the dialect writes it.
        id: String,
    },
    /// Shows output again.
    Output(Part),
    /// Lists the jobs.
    List,
    /// Waits for jobs, ends jobs.
    #[serde(rename_all = "camelCase")]
    Manage {
        /// Those to wait for; with none and `is_polling`, all that run.
        poll: Vec<String>,
        /// Those to end.
        cancel: Vec<String>,
        /// Whether to wait at all.
        is_polling: bool,
        /// How long to wait (ms).
        wait_ms: f64,
    },
    /// Replaces the session by a new one.
    Restart {
        /// What to run in it.
        then: Option<Box<Run>>,
    },
    /// Does nothing: the answer is known.
    Nothing,
}

/// A command, in the words of `run()` where it has one. What is absent is the host's or the engine's.
#[allow(clippy::struct_excessive_bools, reason = "they are options of run(), which are independent")]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// A command for a shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Words, without a shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argv: Option<Vec<String>>,
    /// The shell of this dialect; the host's option comes before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell: Option<Vec<&'static str>>,
    /// The shell that the model asks for; comes before the host's option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_shell: Option<Vec<String>>,
    /// The directory that the model asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Whether the directory must lie in the host's `root`, or in its `cwd` where it has none.
    #[serde(skip_serializing_if = "is_false")]
    pub is_contained: bool,
    /// Variables of this call, above those of the host.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<(String, String)>,
    /// The user that the model asks for; only the current one can be had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_user: Option<String>,
    /// Variables of the dialect, below those of the host.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub dialect_env: &'static [(&'static str, &'static str)],
    /// Whether the variables that keep programs from asking are there, unless the host says otherwise.
    pub non_interactive: bool,
    /// How long it may take (ms); absent for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<f64>,
    /// How long it may be silent (ms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_timeout_ms: Option<f64>,
    /// After how long the call answers and the command goes on as a job (ms), 0 for at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yield_ms: Option<f64>,
    /// How long SIGKILL follows SIGTERM (ms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kill_after_ms: Option<f64>,
    /// Input, then its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Whether input can be written later.
    #[serde(skip_serializing_if = "is_false")]
    pub is_open: bool,
    /// Whether the command gets a terminal.
    #[serde(skip_serializing_if = "is_false")]
    pub pty: bool,
    /// Whether output is waited for until nobody holds it any longer.
    #[serde(skip_serializing_if = "is_false")]
    pub waits_for_output: bool,
    /// Whether it is a job from its start, whose output is read from the job.
    #[serde(skip_serializing_if = "is_false")]
    pub is_job: bool,
    /// Whether the answer to a job's start is only its id, even if the job is over by then: all output is left to be read.
    #[serde(skip_serializing_if = "is_false")]
    pub is_detached: bool,
    /// Whether a session that has timed out, or whose shell has ended, runs nothing until it is restarted.
    #[serde(skip_serializing_if = "is_false")]
    pub needs_restart: bool,
    /// What people call the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// How output is kept.
    pub output: Output,
}

/// How output is kept, in the words of `run()`.
#[allow(clippy::struct_excessive_bools, reason = "they are options of run(), which are independent")]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// How much of each stream (bytes).
    pub max_bytes: u64,
    /// Which part of it.
    pub keep: Keep,
    /// How much of it is for the beginning (bytes).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_bytes: Option<u64>,
    /// Whether it is cut at lines.
    pub by_line: bool,
    /// Whether both streams are one.
    pub merge: bool,
    /// Whether escape sequences are removed.
    pub strip_ansi: bool,
    /// What stands for what is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marker: Option<String>,
    /// Whether all of it goes to a file too.
    #[serde(skip_serializing_if = "is_false")]
    pub spill: bool,
    /// Up to which length of output that file is not needed (bytes), as the model reads all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spill_above: Option<u64>,
    /// Whether the model reads a view of it, unless the host says otherwise.
    #[serde(skip_serializing_if = "is_false")]
    pub view: bool,
    /// How much a view has (bytes), where more than the model reads is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_bytes: Option<u64>,
}

/// Which part of longer output is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Keep {
    /// The beginning.
    Head,
    /// The end.
    Tail,
    /// Both, with a marker in between.
    #[default]
    Both,
}

/// How the output of a job is read.
#[allow(clippy::struct_excessive_bools, reason = "they are options of a read, which are independent")]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Read {
    /// The job's id, as the dialect writes it.
    pub id: String,
    /// From where on; absent for what was not read yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<f64>,
    /// Whether it is read from the job's start, whatever was read before.
    pub from_start: bool,
    /// Whether the output can be read again.
    pub peeks: bool,
    /// Whether all of it is wanted, and no view: the dialect chooses lines of it.
    #[serde(skip_serializing_if = "is_false")]
    pub is_whole: bool,
    /// How much a view has at most (bytes), where the model says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_bytes: Option<u64>,
    /// How long to wait (ms)...
    pub wait_ms: f64,
    /// ...for the job's end; otherwise for output, or its end.
    pub until_end: bool,
}

/// Which part of some output is shown: that of a job, or of a file that an answer has named.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
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
    /// The text that the lines have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub find: Option<String>,
    /// How much is shown (bytes).
    pub max_bytes: u64,
}

/// What is written to a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Write {
    /// The job's id, as the dialect writes it.
    pub id: String,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether the end of input follows.
    pub end: bool,
    /// A key such as Ctrl-C, which a terminal gets in place of the signal or the end of input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// A signal to send.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// How much a view has at most (bytes), where the model says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_bytes: Option<u64>,
    /// How long to wait afterwards (ms)...
    pub wait_ms: f64,
    /// ...for the job's end; otherwise until it has written something and pauses.
    pub until_end: bool,
}

impl Run {
    /// A command for a shell.
    #[must_use]
    pub fn of_shell(command: &str, shell: &[&'static str], output: Output) -> Self {
        Self {
            command: Some(command.to_owned()),
            shell: Some(shell.to_vec()),
            non_interactive: true,
            output,
            ..Self::default()
        }
    }
}

impl From<Run> for Action {
    fn from(run: Run) -> Self {
        Self::Run(Box::new(run))
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}
