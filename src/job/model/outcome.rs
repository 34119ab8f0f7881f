//! The outcome of a command at its end, or when it moves to the background.

use std::time::Duration;

use crate::durable::info::DurableInfo;
use crate::job::model::error::LaunchError;
use crate::process::cgroup::report::TreeReport;
use crate::process::errno::Errno;
use crate::process::wait::Exit;
use crate::sandbox::outcome::SandboxReport;
use crate::target::error::TargetError;
use crate::target::remote_command::TargetReport;
use crate::text::view::ViewBuilder;
use crate::text::{Keeping, Kept, binary};

/// The reasons for which the engine ends a job. The first one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The command took longer than its timeout.
    Timeout,
    /// The command was silent for longer than its idle timeout.
    IdleTimeout,
    /// The command waited for input, and its plan ends it for that.
    WaitingForInput,
    /// The command's `AbortSignal` fired.
    Aborted,
    /// `kill()` was called.
    Killed,
    /// The owner of the job, a Node environment, has ended.
    OwnerGone,
}

/// The end of a command's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The process has ended.
    Exit(Exit),
    /// The launch failed: there was no process.
    NotStarted(LaunchError),
    /// The process has not ended: the job goes on in the background.
    NotYet,
    /// The session ended the command's processes, or never began the command, and the shell of the session
    /// keeps running.
    BrokenOff,
    /// The connection to the target, or the supervisor of a durable job, has ended before the command. Its
    /// processes are ended.
    Lost(Fault),
    /// The process could not be ended: it is another user's, or in an uninterruptible sleep.
    Never,
}

/// The kept part of a stream.
#[derive(Clone, Debug)]
pub struct Captured {
    /// The part that was kept.
    pub kept: Kept,
    /// The length of the whole stream (bytes).
    pub total: u64,
    /// The first bytes of the stream, at most [`binary::START`].
    pub start: Vec<u8>,
}

impl Captured {
    /// Returns the empty part of a stream that does not exist.
    #[must_use]
    pub fn nothing() -> Self {
        Self { kept: Kept::new(&Keeping::Prefix { limit: 0 }), total: 0, start: Vec::new() }
    }

    /// Returns a text as a stream that was kept as a whole.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut kept = Kept::new(&Keeping::Prefix { limit: text.len() });
        kept.push(text.as_bytes());
        Self { kept, total: text.len() as u64, start: text.bytes().take(binary::START).collect() }
    }

    /// Returns the part as text.
    #[must_use]
    pub fn text(&self) -> String {
        self.kept.text()
    }

    /// Describes the kind of a binary stream, whose part as text is this one. Returns `None` for other
    /// streams.
    #[must_use]
    pub fn binary_kind(&self, text: &str) -> Option<String> {
        binary::is_binary(text).then(|| binary::kind_of(&self.start))
    }
}

/// The file with the whole output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spilled {
    /// The path of the file.
    pub path: String,
    /// The size of the file (bytes).
    pub bytes: u64,
    /// Whether the file has all that the command has written so far.
    pub is_complete: bool,
    /// The error that made the file incomplete; none if the quota did.
    pub errno: Option<Errno>,
}

/// The resources that a command's process and its waited-for children have used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Processor time in programs.
    pub user: Duration,
    /// Processor time in the kernel.
    pub system: Duration,
    /// The most memory that one process has had at a time (bytes); see [`crate::process::memory`].
    pub peak_memory: Option<u64>,
}

/// A command's end.
#[derive(Debug)]
pub struct Outcome {
    /// The end of the process.
    pub end: End,
    /// The reason why the engine ended the process, if it did.
    pub cause: Option<Cause>,
    /// The pid of the process, which is also the id of its group and session.
    pub pid: Option<i32>,
    /// The pids of the command's other processes that were still alive.
    pub background_pids: Vec<i32>,
    /// The working directory, by real path.
    pub directory: Option<String>,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// The error that kept the engine from reading a stream to its end.
    pub output_error: Option<Errno>,
    /// The amount of text that has gone into the job's ring, if it has one (bytes).
    pub cursor: Option<u64>,
    /// The file with the whole output.
    pub spilled: Option<Spilled>,
    /// The builder of a model's view, if the plan wants one.
    pub view: Option<ViewBuilder>,
    /// The resources that the process and its waited-for children have used.
    pub usage: Option<Usage>,
    /// The report of the session that the command ran in, if it ran in one.
    pub in_session: Option<InSession>,
    /// The limits of all processes together and what came of them, if the command had any.
    pub limits: Option<TreeReport>,
    /// The report of the command's sandbox, if it had one.
    pub sandbox: Option<SandboxReport>,
    /// The report about the command's target, if it ran on one.
    pub target: Option<TargetReport>,
    /// The facts of the durable job.
    pub durable: Option<Box<DurableInfo>>,
    /// The time from the call to the end.
    pub duration: Duration,
}

/// The report of a session about one command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InSession {
    /// Whether the shell ended with the command.
    pub shell_ended: bool,
    /// Whether the command was the first of a new shell, because the previous shell had ended.
    pub restarted: bool,
    /// The exit codes of the command's last pipeline, if they were requested and are known.
    pub pipe_status: Option<Vec<i32>>,
    /// The failure of the session itself, rather than of the command.
    pub error: Option<SessionError>,
}

impl From<Option<SessionError>> for InSession {
    fn from(error: Option<SessionError>) -> Self {
        Self { error, ..Self::default() }
    }
}

/// A failure of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The shell did not get ready.
    #[error("the shell of the session did not get ready in time")]
    Start,
    /// The shell would not answer, and was ended.
    #[error("the shell of the session did not answer and was ended")]
    Lost,
    /// The session was closed.
    #[error("the session was closed")]
    Closed,
}

impl SessionError {
    /// Returns a stable name.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Start => "SESSION_START",
            Self::Lost => "SESSION_LOST",
            Self::Closed => "SESSION_CLOSED",
        }
    }
}

/// The end of a command, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The process exited with a code.
    Exited,
    /// A signal ended the process that the engine did not send.
    Signaled,
    /// The timeout ended it.
    Timeout,
    /// The idle timeout ended it.
    IdleTimeout,
    /// The command was ended from outside: by an `AbortSignal`, by the end of its owner, or by `kill()`
    /// before it started.
    Aborted,
    /// The command goes on in the background.
    Background,
    /// No process was started, or its end is unknown.
    Failed,
}

/// A failure apart from the command's own exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A stable code.
    pub code: String,
    /// A sentence for people.
    pub message: String,
}

impl From<TargetError> for Fault {
    fn from(TargetError { code, message }: TargetError) -> Self {
        Self { code: code.to_owned(), message }
    }
}

impl From<&LaunchError> for Fault {
    fn from(error: &LaunchError) -> Self {
        Self { code: error.code(), message: error.to_string() }
    }
}

impl Spilled {
    /// Returns why the file does not have all of the output, if it is not the quota.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        let name = self.errno?.name();
        let message = format!("the output could not be written to its file: {name}");
        Some(Fault { code: name, message })
    }
}

impl Outcome {
    /// Takes over what the reaper of the command has measured: its processor time, the most memory of one
    /// process (KiB), and the time from its start, of which the job hears later than it happens.
    pub(in crate::job) fn add_measured(
        &mut self,
        user: Duration,
        system: Duration,
        peak: u64,
        wall: Duration,
    ) {
        self.duration = self.duration.max(wall);
        self.usage = Some(Usage { user, system, peak_memory: Some(peak * 1024) });
    }

    /// Returns how the command ended, in one word. The cause that ended it first counts.
    #[must_use]
    pub const fn status(&self) -> Status {
        if let Some(InSession { error: Some(SessionError::Start), .. }) = self.in_session {
            // The end is that of the shell, not of the command.
            return Status::Failed;
        }
        match (self.cause, &self.end) {
            (Some(Cause::Timeout | Cause::WaitingForInput), _) => Status::Timeout,
            (Some(Cause::IdleTimeout), _) => Status::IdleTimeout,
            (Some(Cause::Aborted | Cause::OwnerGone), _)
            | (Some(Cause::Killed), End::NotStarted(_) | End::BrokenOff) => Status::Aborted,
            (_, End::Exit(Exit::Code(_))) => Status::Exited,
            (_, End::Exit(Exit::Signal(_))) => Status::Signaled,
            (
                _,
                End::Exit(Exit::Unknown) | End::NotStarted(_) | End::BrokenOff | End::Lost(_) | End::Never,
            ) => Status::Failed,
            (_, End::NotYet) => Status::Background,
        }
    }

    /// Returns the error of the job. An exit code of the command is none.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        let fault = |code: &str, message: String| Some(Fault { code: code.to_owned(), message });
        if let Some(error) = self.in_session.as_ref().and_then(|session| session.error) {
            let message = match (error, &self.end) {
                (SessionError::Start, End::Exit(Exit::Code(code))) => {
                    format!("the shell of the session ended with exit code {code} before it was ready")
                }
                (SessionError::Start, End::Exit(Exit::Signal(_))) => {
                    "a signal ended the shell of the session before it was ready".to_owned()
                }
                _ => error.to_string(),
            };
            return fault(error.code(), message);
        }
        if self.cause == Some(Cause::WaitingForInput) {
            return fault("WAITING_FOR_INPUT", "the command waited for input, and was ended".to_owned());
        }
        let in_tree = self.limits.as_ref().and_then(TreeReport::out_of_memory);
        let is_out_of_memory = self.target.as_ref().is_some_and(|target| target.is_out_of_memory);
        match &self.end {
            End::Exit(_) if is_out_of_memory || in_tree.is_some() => {
                let message = "the kernel killed a process of the command: the container has no more memory";
                fault("OUT_OF_MEMORY", in_tree.unwrap_or_else(|| message.to_owned()))
            }
            End::NotYet | End::BrokenOff | End::Exit(Exit::Code(_) | Exit::Signal(_)) => {
                let name = self.output_error?.name();
                fault("OUTPUT_LOST", format!("the output could not be read to its end: {name}"))
            }
            End::Never => fault("NOT_ENDED", "the process could not be ended".to_owned()),
            End::Exit(Exit::Unknown) => {
                fault("ECHILD", "something else in this process has taken the exit status".to_owned())
            }
            End::NotStarted(error) => Some(error.into()),
            End::Lost(lost) => Some(lost.clone()),
        }
    }

    /// Returns the exit code of the process, if it exited.
    #[must_use]
    pub const fn exit_code(&self) -> Option<u32> {
        match self.end {
            End::Exit(exit) => exit.code(),
            _ => None,
        }
    }

    /// Returns the number of the signal that ended the process.
    #[must_use]
    pub const fn signal(&self) -> Option<i32> {
        match self.end {
            End::Exit(Exit::Signal(number)) => Some(number),
            _ => None,
        }
    }

    /// Returns the outcome of a command of which no process was started.
    #[must_use]
    pub fn not_started(error: LaunchError, cause: Option<Cause>, duration: Duration) -> Self {
        Self {
            end: End::NotStarted(error),
            cause,
            pid: None,
            background_pids: Vec::new(),
            directory: None,
            stdout: Captured::nothing(),
            stderr: Captured::nothing(),
            output_error: None,
            cursor: None,
            spilled: None,
            view: None,
            usage: None,
            in_session: None,
            limits: None,
            sandbox: None,
            target: None,
            durable: None,
            duration,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Cause, End, Exit, LaunchError, Outcome, Spilled, Status};
    use crate::process::errno::Errno;

    fn outcome(end: End, cause: Option<Cause>) -> Outcome {
        Outcome { end, ..Outcome::not_started(LaunchError::Internal, cause, Duration::ZERO) }
    }

    fn status(end: End, cause: Option<Cause>) -> Status {
        outcome(end, cause).status()
    }

    #[test]
    fn a_command_that_was_not_ended_has_the_status_of_its_process() {
        assert_eq!(status(End::Exit(Exit::Code(3)), None), Status::Exited);
        assert_eq!(status(End::Exit(Exit::Signal(9)), None), Status::Signaled);
        assert_eq!(status(End::Exit(Exit::Unknown), None), Status::Failed);
        assert_eq!(status(End::NotYet, None), Status::Background);
    }

    #[test]
    fn the_cause_comes_before_the_exit() {
        for (cause, expected) in [
            (Cause::Timeout, Status::Timeout),
            (Cause::WaitingForInput, Status::Timeout),
            (Cause::IdleTimeout, Status::IdleTimeout),
            (Cause::Aborted, Status::Aborted),
            (Cause::OwnerGone, Status::Aborted),
        ] {
            assert_eq!(status(End::Exit(Exit::Signal(15)), Some(cause)), expected);
        }
    }

    #[test]
    fn a_killed_command_has_the_status_of_its_process_if_it_had_a_process() {
        assert_eq!(status(End::Exit(Exit::Signal(15)), Some(Cause::Killed)), Status::Signaled);
        assert_eq!(status(End::NotStarted(LaunchError::Stopped), Some(Cause::Killed)), Status::Aborted);
    }

    #[test]
    fn a_lost_output_is_a_fault_of_a_command_that_ran() {
        let ran = Outcome { output_error: Some(Errno(libc::EIO)), ..outcome(End::Exit(Exit::Code(0)), None) };
        let fault = ran.fault().expect("a fault");
        assert_eq!(fault.code, "OUTPUT_LOST");
        assert_eq!(fault.message, "the output could not be read to its end: EIO");
        assert_eq!(outcome(End::Exit(Exit::Code(0)), None).fault(), None);
    }

    #[test]
    fn an_unobserved_exit_is_a_fault() {
        assert_eq!(outcome(End::Never, None).fault().map(|fault| fault.code), Some("NOT_ENDED".to_owned()));
        let unknown = outcome(End::Exit(Exit::Unknown), None).fault();
        assert_eq!(unknown.map(|fault| fault.code), Some("ECHILD".to_owned()));
    }

    #[test]
    fn a_file_over_its_quota_is_no_fault() {
        let spilled = |errno| Spilled { path: "/f".to_owned(), bytes: 1, is_complete: false, errno };
        assert_eq!(spilled(None).fault(), None);
        let fault = spilled(Some(Errno(libc::ENOSPC))).fault().expect("a fault");
        assert_eq!(fault.message, "the output could not be written to its file: ENOSPC");
    }
}
