//! The handle by which callers reach a session, and the messages that they send to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::mpsc::UnboundedSender;

use super::session_command::{CommandRecord, SessionCommand};
pub use super::shell::own_output::{OnDone, OwnOutput};
use super::status::{SessionFacts, SessionState};
use crate::job::EndOnce;
use crate::job::Outcome;
use crate::job::io::backpressure::Backpressure;
use crate::job::io::observer::Observer;
use crate::job::model::plan::{Directory, Plan};
use crate::job::prompts::Prompt;
use crate::job::{FramedCommand, JobHandle, JobRequest};
use crate::process::directory::remove::remove_tree;
use crate::process::signal::Signal;
use crate::sandbox::network::ask::ConnectEvent;

/// A request to a session, or a report of one of its shells.
pub(super) enum SessionMessage {
    /// Runs a command after the queued ones.
    Run(Box<SessionCommand>),
    /// Sends a request to a command.
    Ask(u64, JobRequest),
    /// Sends a signal to the running command, and to the shell.
    Interrupt(Signal),
    /// Ends the shell; the next one begins in this directory.
    Restart(Option<Directory>, OnDone),
    /// Ends the session.
    Close(OnDone),
    /// Ends the session at once, because its owner has closed.
    Abandon,
    /// Reports what happens to the questions about hosts that the sandbox of a shell does not list.
    Connecting(u64, ConnectEvent),
    /// Reports that a program in a shell asks a question.
    Prompted(u64, Prompt),
    /// Reports that a question in a shell needs no answer any more.
    PromptOver(u64, u32),
    /// Reports that a shell has ended. Processes that it has left may live on in its job.
    ShellEnded(u64, Box<Outcome>),
}

/// A handle to a session. Dropping it does not affect the session.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    pub(super) messages: UnboundedSender<SessionMessage>,
    pub(super) status: Arc<SessionFacts>,
    pub(super) last_number: Arc<AtomicU64>,
    /// Whether the shell runs on a target.
    pub(super) is_elsewhere: bool,
}

impl SessionHandle {
    /// Queues a command, and reports its output and end to `observer`. Uses only the text of the plan's
    /// invocation: shell, directory, environment and limits are the session's.
    #[must_use]
    pub fn run(
        &self,
        mut plan: Plan,
        asks_pipe_status: bool,
        flow: Arc<Backpressure>,
        observer: Arc<dyn Observer>,
    ) -> JobHandle {
        let number = self.last_number.fetch_add(1, Ordering::Relaxed) + 1;
        let is_live = Arc::new(AtomicBool::new(true));
        let requests =
            CommandRequests { number, messages: self.messages.clone(), is_live: Arc::clone(&is_live) };
        // Input bytes that are known from the beginning go into a file, so nothing has to feed them. On a
        // target, they have their own credit.
        let bytes = if self.is_elsewhere { None } else { SessionCommand::take_bytes(&mut plan) };
        let handle = JobHandle::framed(&mut plan, flow, Arc::new(requests));
        self.status.queue_command();
        let session = Arc::clone(&self.status);
        let command = SessionCommand {
            record: CommandRecord {
                number,
                shared: Arc::clone(handle.shared()),
                is_live,
                session,
                is_running: false,
            },
            plan: Arc::new(plan),
            bytes,
            asks_pipe_status,
            end: EndOnce::new(observer),
            early_requests: Vec::new(),
        };
        // If the session has ended, the command is dropped, which reports its end.
        let _ = self.messages.send(SessionMessage::Run(Box::new(command)));
        handle
    }

    /// Sends a signal to the running command and to the shell. Returns whether a command runs.
    #[must_use]
    pub fn interrupt(&self, signal: Signal) -> bool {
        let is_busy = self.status.state() == SessionState::Busy;
        is_busy && self.messages.send(SessionMessage::Interrupt(signal)).is_ok()
    }

    /// Ends the shell, with the running command. The next shell begins in `directory`, or in the first
    /// directory of the session.
    pub fn restart(&self, directory: Option<Directory>, on_done: OnDone) {
        self.send_or_drop(SessionMessage::Restart(directory, on_done));
    }

    /// Ends the session.
    pub fn close(&self, on_done: OnDone) {
        self.status.close();
        self.send_or_drop(SessionMessage::Close(on_done));
    }

    /// Ends the session at once, without waiting for its processes.
    pub fn abandon(&self) {
        self.status.close();
        let _ = self.messages.send(SessionMessage::Abandon);
    }

    /// Returns whether both are the same session.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.status, &other.status)
    }

    /// Removes the files of the shell, on any thread: the process may be about to exit.
    pub fn remove_files(&self) {
        // A command may have removed them already.
        let _ = self.status.take_files().map(|path| remove_tree(&path));
    }

    /// Returns the state of the session.
    #[must_use]
    pub const fn status(&self) -> &Arc<SessionFacts> {
        &self.status
    }

    fn send_or_drop(&self, message: SessionMessage) {
        if let Err(error) = self.messages.send(message)
            && let SessionMessage::Restart(_, on_done) | SessionMessage::Close(on_done) = error.0
        {
            // The session is over.
            on_done(OwnOutput::default());
        }
    }
}

/// The receiver of the requests to one command, until the command is over.
#[derive(Debug)]
struct CommandRequests {
    number: u64,
    messages: UnboundedSender<SessionMessage>,
    is_live: Arc<AtomicBool>,
}

impl FramedCommand for CommandRequests {
    fn ask(&self, request: JobRequest) -> bool {
        self.is_live() && self.messages.send(SessionMessage::Ask(self.number, request)).is_ok()
    }

    fn is_live(&self) -> bool {
        self.is_live.load(Ordering::Acquire)
    }
}
