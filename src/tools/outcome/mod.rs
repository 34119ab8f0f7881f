//! The outcome of a call, as `lib/tools/perform/` reports it. [`command`] is what the outcomes of commands
//! and of jobs share.

pub mod command;
#[cfg(test)]
pub mod testing;

use std::borrow::Cow;

use serde::Deserialize;

use self::command::{CommandOutcome, CommandStatus};

/// The outcome of a call: that of its action, or of a call that was refused before.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "of", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CallOutcome {
    /// A command has run.
    Run(Box<RunOutcome>),
    /// Several commands have run, in their order.
    Batch {
        /// The outcomes of the commands.
        #[serde(default)]
        items: Vec<RunOutcome>,
    },
    /// The output of a job was read.
    Read {
        #[allow(missing_docs, reason = "the type says it")]
        #[serde(flatten)]
        job: Box<JobOutcome>,
        /// Whether the call has waited for the job.
        #[serde(default)]
        has_waited: bool,
    },
    /// Input was written to a job.
    Write {
        #[allow(missing_docs, reason = "the type says it")]
        #[serde(flatten)]
        job: Box<JobOutcome>,
        /// Whether all of the input was taken.
        #[serde(default)]
        took_input: bool,
        /// Whether the job was over before the call.
        #[serde(default)]
        was_over: bool,
    },
    /// A job was ended.
    Kill(Box<KillOutcome>),
    /// A part of earlier output was read, in a job or in a file.
    Output {
        #[allow(missing_docs, reason = "the type says it")]
        #[serde(flatten)]
        job: Box<JobOutcome>,
        /// The lines that are shown, if the request was for lines.
        excerpt: Option<LineExcerpt>,
    },
    /// All jobs were listed.
    List {
        /// The jobs, without their output.
        #[serde(default)]
        items: Vec<JobOutcome>,
    },
    /// Jobs were awaited and ended.
    Manage {
        /// The jobs that were polled, or all jobs.
        #[serde(default)]
        items: Vec<JobOutcome>,
        /// The jobs that the call ended.
        #[serde(default)]
        cancelled: Vec<KillOutcome>,
    },
    /// The session was restarted.
    Restart {
        /// The outcome of the command in the new session.
        command: Option<Box<RunOutcome>>,
    },
    /// The call did nothing.
    Refused(Refusal),
}

/// The reason of a call that did nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Refusal {
    /// The end of the call: denied, failed or aborted.
    pub status: CommandStatus,
    /// The message.
    pub error: String,
    /// The stable code of the reason.
    pub error_code: Option<String>,
}

/// The outcome of a command that a call has started.
#[allow(clippy::struct_excessive_bools, reason = "they are independent facts")]
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunOutcome {
    #[serde(flatten)]
    pub command: CommandOutcome,
    /// The rights beyond its sandbox that the command was granted, if they are less than the request.
    pub granted: Option<String>,
    /// The working directory.
    pub cwd: String,
    /// The working directory that was removed, where the command ran in the nearest one above it.
    pub gone: Option<String>,
    /// Whether the command ran in a new container, because the one of the calls before was lost.
    pub has_new_container: bool,
    /// The reset of the session's directory.
    pub reset: Option<DirectoryReset>,
    /// Whether the session has a new shell since the last call.
    pub restarted: bool,
    /// Whether the session's shell has ended with the command.
    pub shell_ended: bool,
    /// Whether a new shell of the session has the state before the command.
    pub has_state: bool,
    /// Whether standard output has both streams.
    pub is_merged: bool,
    /// Whether the command did not run, because the session's shell had ended before and needs a restart.
    pub needs_restart: bool,
    /// Whether the command was a job from its start.
    pub started_as_job: bool,
}

/// A reset of the directory that a session keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DirectoryReset {
    /// The new directory.
    pub to: String,
    /// The directory that the command has left, if it is known.
    pub outside_of: Option<String>,
}

/// The state of a job, with the output that a call has read of it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobOutcome {
    /// The command of the job.
    #[serde(flatten)]
    pub command: CommandOutcome,
    /// The end of the output that was read (bytes from the job's start).
    pub cursor: Option<f64>,
    /// Whether the job has no process yet.
    pub is_starting: bool,
    /// Whether a call has killed the job.
    pub killed: bool,
}

/// The outcome of the end of a job.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KillOutcome {
    #[serde(flatten)]
    pub job: JobOutcome,
    /// Whether the job was over before the call.
    pub was_over: bool,
}

/// Requested lines of earlier output.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LineExcerpt {
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

impl CallOutcome {
    /// Creates the outcome of a call with invalid arguments.
    #[must_use]
    pub fn invalid(error: &str) -> Self {
        Self::Refused(Refusal { status: CommandStatus::Failed, error: error.to_owned(), error_code: None })
    }

    /// Returns the reason of a call that did nothing.
    #[must_use]
    pub const fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }

    /// Returns the outcome of the one command that the call has started, or that of a refused call.
    #[must_use]
    pub fn run(&self) -> Cow<'_, RunOutcome> {
        match self {
            Self::Run(run) | Self::Restart { command: Some(run) } => Cow::Borrowed(run),
            other => {
                Cow::Owned(RunOutcome { command: other.command().into_owned(), ..RunOutcome::default() })
            }
        }
    }

    /// Returns the one job of the call, or that of a call that was refused.
    #[must_use]
    pub fn job(&self) -> Cow<'_, JobOutcome> {
        match self {
            Self::Read { job, .. } | Self::Write { job, .. } | Self::Output { job, .. } => Cow::Borrowed(job),
            Self::Kill(kill) => Cow::Borrowed(&kill.job),
            other => {
                Cow::Owned(JobOutcome { command: other.command().into_owned(), ..JobOutcome::default() })
            }
        }
    }

    /// Returns the one command of the call, or that of a call that was refused.
    #[must_use]
    pub fn command(&self) -> Cow<'_, CommandOutcome> {
        match self {
            Self::Run(run) | Self::Restart { command: Some(run) } => Cow::Borrowed(&run.command),
            Self::Read { job, .. } | Self::Write { job, .. } | Self::Output { job, .. } => {
                Cow::Borrowed(&job.command)
            }
            Self::Kill(kill) => Cow::Borrowed(&kill.job.command),
            Self::Refused(refusal) => Cow::Owned(refusal.into()),
            _ => Cow::default(),
        }
    }

    /// Returns the listed or polled jobs; none for any other call.
    #[must_use]
    pub fn jobs(&self) -> &[JobOutcome] {
        match self {
            Self::List { items } | Self::Manage { items, .. } => items,
            _ => &[],
        }
    }

    /// Returns whether the job was over before a call that writes to it or ends it.
    #[must_use]
    pub const fn was_over(&self) -> bool {
        match self {
            Self::Write { was_over, .. } => *was_over,
            Self::Kill(kill) => kill.was_over,
            _ => false,
        }
    }

    /// Returns the one command of the call.
    pub fn command_mut(&mut self) -> Option<&mut CommandOutcome> {
        match self {
            Self::Run(run) | Self::Restart { command: Some(run) } => Some(&mut run.command),
            Self::Read { job, .. } | Self::Write { job, .. } | Self::Output { job, .. } => {
                Some(&mut job.command)
            }
            Self::Kill(kill) => Some(&mut kill.job.command),
            _ => None,
        }
    }

    /// Returns the commands that the call has started.
    pub fn runs_mut(&mut self) -> &mut [RunOutcome] {
        match self {
            Self::Run(run) | Self::Restart { command: Some(run) } => std::slice::from_mut(run),
            Self::Batch { items } => items,
            _ => &mut [],
        }
    }

    /// Returns all commands of the call.
    pub fn commands_mut(&mut self) -> Vec<&mut CommandOutcome> {
        match self {
            Self::Batch { items } => items.iter_mut().map(|item| &mut item.command).collect(),
            Self::List { items } => items.iter_mut().map(|item| &mut item.command).collect(),
            Self::Manage { items, cancelled } => {
                let cancelled = cancelled.iter_mut().map(|kill| &mut kill.job.command);
                items.iter_mut().map(|item| &mut item.command).chain(cancelled).collect()
            }
            one => one.command_mut().into_iter().collect(),
        }
    }
}

impl From<JobOutcome> for CallOutcome {
    /// Returns the outcome of the command of a job, as of one that was no job.
    fn from(job: JobOutcome) -> Self {
        Self::Run(Box::new(RunOutcome { command: job.command, ..RunOutcome::default() }))
    }
}

impl From<&Refusal> for CommandOutcome {
    fn from(Refusal { status, error, error_code }: &Refusal) -> Self {
        let (status, error, error_code) = (*status, Some(error.clone()), error_code.clone());
        Self { status, error, error_code, ..Self::default() }
    }
}
