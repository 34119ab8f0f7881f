//! What a job says, as JavaScript sees it.

use std::time::Duration;

use napi_derive::napi;

use crate::job::Outcome;
use crate::job::model::error::LaunchError;
use crate::job::model::outcome::{self, Cause, End, Spilled};
use crate::job::model::plan::Plan;
use crate::process::signal;
use crate::process::wait::Exit;
use crate::tools::{run, voice};

/// One thing that a job says.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct Event {
    /// Which job.
    pub id: u32,
    /// What it says: `answer`, `stdout`, `stderr`, `drain`, `background` or `end`.
    pub kind: &'static str,
    /// The answer, or text of the stream.
    pub text: Option<String>,
    /// What is left at the end, or what there is so far.
    pub result: Option<RunResult>,
}

/// What is left of a command at its end. `index.d.ts` explains each field.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct RunResult {
    /// Where it ran, by real path; or else as it was given.
    pub cwd: String,
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
    /// Both, one behind the other; of the voice tool what `bash()` answers.
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
    /// The number of its process group.
    pub process_group: Option<i32>,
    /// The numbers of its other processes that were still there.
    pub background_pids: Vec<i32>,
    /// How much text there is for `read()`, of a job that can be read (bytes).
    pub cursor: Option<f64>,
    /// The file with the whole output.
    pub spill: Option<SpillResult>,
    /// What it has used.
    pub usage: Option<Usage>,
    /// Why nothing was run.
    pub error: Option<RunError>,
}

/// What became of the file with the whole output.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct SpillResult {
    /// Its path.
    pub path: String,
    /// How much is in it (bytes).
    pub bytes: f64,
    /// Whether that is all.
    pub complete: bool,
    /// Why it is not.
    pub error: Option<RunError>,
}

/// What a process has used.
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

/// What went wrong.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct RunError {
    /// A stable name.
    pub code: String,
    /// The same in words.
    pub message: String,
}

/// How to tell a command's end: what was to be run, and in whose words.
#[derive(Debug)]
pub struct Telling {
    program: String,
    cwd: String,
    manner: Manner,
}

/// In whose words.
#[derive(Clone, Copy, Debug)]
pub enum Manner {
    /// The voice tool's, with its limit of time.
    Voice(Option<Duration>),
    /// `run()`'s.
    Run,
}

impl Telling {
    /// Of a plan.
    #[must_use]
    pub fn new(plan: &Plan, manner: Manner) -> Self {
        Self { program: plan.invocation.program().to_owned(), cwd: plan.directory.path.clone(), manner }
    }

    /// What `bash()` answers.
    #[must_use]
    pub fn answer(&self, outcome: &Outcome) -> String {
        let Manner::Voice(timeout) = self.manner else { return String::new() };
        voice::result::text(outcome, &self.program, timeout)
    }

    fn output_from(&self, outcome: &Outcome, stdout: &str, stderr: &str) -> String {
        match self.manner {
            Manner::Voice(_) => self.answer(outcome),
            Manner::Run => run::output(stdout, stderr),
        }
    }

    fn is_truncated(&self, outcome: &Outcome) -> bool {
        match self.manner {
            Manner::Voice(_) => voice::result::is_truncated(outcome),
            Manner::Run => run::is_truncated(outcome),
        }
    }

    fn error(&self, outcome: &Outcome) -> Option<RunError> {
        match &outcome.end {
            End::NotYet | End::Exit(Exit::Code(_) | Exit::Signal(_)) => {
                outcome.output_error.map(|errno| RunError {
                    code: "OUTPUT_LOST".to_owned(),
                    message: format!("the output could not be read to its end: {}", errno.name()),
                })
            }
            End::Never => Some(RunError {
                code: "NOT_ENDED".to_owned(),
                message: "the process could not be ended".to_owned(),
            }),
            End::Exit(Exit::Unknown) => Some(RunError {
                code: "ECHILD".to_owned(),
                message: "something else in this process has taken the exit status".to_owned(),
            }),
            End::NotStarted(error) => Some(match self.manner {
                Manner::Voice(_) => error.as_node(&self.program).into(),
                Manner::Run => error.clone().into(),
            }),
        }
    }
}

impl RunResult {
    /// What there is to tell of a command.
    #[must_use]
    pub fn of(outcome: &Outcome, telling: &Telling) -> Self {
        let (exit_code, signal) = match outcome.end {
            End::Exit(Exit::Code(code)) => (Some(code), None),
            End::Exit(Exit::Signal(number)) => (None, Some(signal::name(number))),
            End::Exit(Exit::Unknown) | End::NotStarted(_) | End::NotYet | End::Never => (None, None),
        };
        let (stdout, stderr) = (outcome.stdout.text(), outcome.stderr.text());
        Self {
            cwd: outcome.directory.clone().unwrap_or_else(|| telling.cwd.clone()),
            status: status(outcome),
            exit_code,
            signal,
            output: telling.output_from(outcome, &stdout, &stderr),
            stdout,
            stderr,
            truncated: telling.is_truncated(outcome),
            stdout_bytes: javascript_number(outcome.stdout.total),
            stderr_bytes: javascript_number(outcome.stderr.total),
            duration_ms: milliseconds(outcome.duration),
            pid: outcome.pid,
            process_group: outcome.pid,
            background_pids: outcome.background_pids.clone(),
            cursor: outcome.cursor.map(javascript_number),
            spill: outcome.spilled.clone().map(SpillResult::from),
            usage: outcome.usage.map(Usage::from),
            error: telling.error(outcome),
        }
    }

    /// The end of a command that was refused.
    #[must_use]
    pub fn refused(refusal: voice::Refusal) -> Self {
        Self {
            cwd: String::new(),
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
            process_group: None,
            background_pids: Vec::new(),
            cursor: None,
            spill: None,
            usage: None,
            error: Some(RunError { code: refusal.code().to_owned(), message: refusal.to_string() }),
        }
    }
}

impl From<LaunchError> for RunError {
    fn from(error: LaunchError) -> Self {
        Self { code: error.code(), message: error.to_string() }
    }
}

impl From<Spilled> for SpillResult {
    fn from(spilled: Spilled) -> Self {
        let error = spilled.errno.map(|errno| RunError {
            code: errno.name(),
            message: format!("the output could not be written to its file: {}", errno.name()),
        });
        Self {
            path: spilled.path,
            bytes: javascript_number(spilled.bytes),
            complete: spilled.is_complete,
            error,
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

fn status(outcome: &Outcome) -> &'static str {
    match (outcome.cause, &outcome.end) {
        (Some(Cause::Timeout), _) => "timeout",
        (Some(Cause::IdleTimeout), _) => "idleTimeout",
        (Some(Cause::Aborted | Cause::OwnerGone), _) | (Some(Cause::Killed), End::NotStarted(_)) => "aborted",
        (_, End::Exit(Exit::Code(_))) => "exited",
        (_, End::Exit(Exit::Signal(_))) => "signaled",
        (_, End::Exit(Exit::Unknown) | End::NotStarted(_) | End::Never) => "failed",
        (_, End::NotYet) => "background",
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// JavaScript's numbers are exact up to 2^53: that many bytes take years.
#[allow(clippy::cast_precision_loss, reason = "see above")]
#[must_use]
pub fn javascript_number(bytes: u64) -> f64 {
    bytes as f64
}
