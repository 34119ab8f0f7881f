//! How the outside reaches a session.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::Signal;
use tokio::sync::mpsc::UnboundedSender;

use super::command::Command;
use crate::job::EndOnce;
use crate::job::Outcome;
use crate::job::io::backpressure::Backpressure;
use crate::job::io::observer::Observer;
use crate::job::model::plan::{Directory, Plan};
use crate::job::{FramedCommand, JobHandle, Request};

/// What a session is asked, and what its shells say.
pub(super) enum Message {
    /// Run this after those before it.
    Run(Box<Command>),
    /// Asks something of a command.
    Ask(u64, Request),
    /// Sends a signal to the running command, and to the shell.
    Interrupt(Signal),
    /// Ends the shell; the next one begins in this directory.
    Restart(Option<Directory>, OnDone),
    /// Ends the session.
    Close(OnDone),
    /// Ends the session at once: its owner has gone.
    Abandon,
    /// A shell has ended. Others that it has left may live on as its job.
    ShellEnded(u64, Box<Outcome>),
}

/// Is called when something is done, with what the shell has written to its own streams since it was asked.
pub type OnDone = Box<dyn FnOnce(OwnOutput) + Send>;

/// What a shell wrote to its own streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnOutput {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// What a session does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Idle,
    /// Its shell starts.
    Starting,
    /// A command runs.
    Busy,
    /// Nothing ever again.
    Closed,
}

/// What is known of a session, on any thread.
#[derive(Debug, Default)]
pub struct Status {
    /// Commands that wait, and the one that runs.
    outstanding: AtomicUsize,
    is_running: AtomicBool,
    is_closed: AtomicBool,
    pid: AtomicI32,
    directory: Mutex<Option<String>>,
    /// Where the files of the shell are.
    files: Mutex<Option<PathBuf>>,
}

impl Status {
    /// What the session does.
    #[must_use]
    pub fn state(&self) -> State {
        if self.is_closed.load(Ordering::Acquire) {
            State::Closed
        } else if self.outstanding.load(Ordering::Acquire) == 0 {
            State::Idle
        } else if self.pid().is_none() {
            State::Starting
        } else {
            State::Busy
        }
    }

    /// How many commands wait.
    #[must_use]
    pub fn pending(&self) -> usize {
        let running = usize::from(self.is_running.load(Ordering::Acquire));
        self.outstanding.load(Ordering::Acquire).saturating_sub(running)
    }

    /// The pid of the shell, while there is one.
    #[must_use]
    pub fn pid(&self) -> Option<i32> {
        Some(self.pid.load(Ordering::Acquire)).filter(|&pid| pid > 0)
    }

    /// Where the shell was after the last command.
    #[must_use]
    pub fn directory(&self) -> Option<String> {
        self.lock().clone()
    }

    pub(super) fn has_shell(&self, pid: Option<i32>) {
        self.pid.store(pid.unwrap_or(0), Ordering::Release);
    }

    pub(super) fn has_begun(&self) {
        self.is_running.store(true, Ordering::Release);
    }

    /// A command is over: one that was running, or one that waited.
    pub(super) fn is_over(&self, was_running: bool) {
        if was_running {
            self.is_running.store(false, Ordering::Release);
        }
        self.outstanding.fetch_sub(1, Ordering::AcqRel);
    }

    pub(super) fn is_in(&self, directory: &str) {
        let mut known = self.lock();
        if known.as_deref() != Some(directory) {
            *known = Some(directory.to_owned());
        }
    }

    /// The files of the shell are here from now on, or nowhere.
    pub(super) fn has_files(&self, path: Option<PathBuf>) {
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = path;
    }

    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.directory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session, from the outside. Dropping it changes nothing.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    pub(super) messages: UnboundedSender<Message>,
    pub(super) status: Arc<Status>,
    pub(super) last_number: Arc<AtomicU64>,
}

impl SessionHandle {
    /// Queues a command: the text of the plan's shell; its program, directory, environment and limits are those of the
    /// session. Its life goes to `observer`.
    #[must_use]
    pub fn run(
        &self,
        mut plan: Plan,
        asks_pipe_status: bool,
        flow: Arc<Backpressure>,
        observer: Arc<dyn Observer>,
    ) -> JobHandle {
        let number = self.last_number.fetch_add(1, Ordering::Relaxed) + 1;
        let requests = Arc::new(CommandRequests {
            number,
            messages: self.messages.clone(),
            is_live: AtomicBool::new(true),
        });
        let pid = Arc::new(AtomicI32::new(0));
        let framed = Arc::clone(&requests) as Arc<dyn FramedCommand>;
        // The bytes of an input are written to a file, and not fed.
        let bytes = Command::take_bytes(&mut plan);
        let handle = JobHandle::framed(&mut plan, Arc::clone(&flow), Arc::clone(&pid), framed);
        self.status.outstanding.fetch_add(1, Ordering::AcqRel);
        let command = Command {
            number,
            plan,
            bytes,
            asks_pipe_status,
            flow,
            pid,
            input: Arc::clone(handle.input()),
            requests,
            end: EndOnce::new(observer),
            status: Arc::clone(&self.status),
            is_running: false,
            early_requests: Vec::new(),
        };
        // Without a session it is dropped, and so ends.
        let _ = self.messages.send(Message::Run(Box::new(command)));
        handle
    }

    /// Sends a signal to the running command, and to the shell. Whether one runs.
    #[must_use]
    pub fn interrupt(&self, signal: Signal) -> bool {
        let is_busy = self.status.state() == State::Busy;
        is_busy && self.messages.send(Message::Interrupt(signal)).is_ok()
    }

    /// Ends the shell, with the running command. The next one begins in `directory`, or where the first one did.
    pub fn restart(&self, directory: Option<Directory>, on_done: OnDone) {
        self.send_or_drop(Message::Restart(directory, on_done));
    }

    /// Ends the session.
    pub fn close(&self, on_done: OnDone) {
        self.status.close();
        self.send_or_drop(Message::Close(on_done));
    }

    /// Ends the session at once, and waits for nothing.
    pub fn abandon(&self) {
        self.status.close();
        let _ = self.messages.send(Message::Abandon);
    }

    /// Whether both are the same session.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.status, &other.status)
    }

    /// Removes the files of the shell, on any thread: the process may be about to exit.
    pub fn remove_files(&self) {
        let files = self.status.files.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A command may have removed them already.
        let _ = files.map(std::fs::remove_dir_all);
    }

    /// What is known of it.
    #[must_use]
    pub const fn status(&self) -> &Arc<Status> {
        &self.status
    }

    fn send_or_drop(&self, message: Message) {
        if let Err(error) = self.messages.send(message)
            && let Message::Restart(_, on_done) | Message::Close(on_done) = error.0
        {
            // The session is over.
            on_done(OwnOutput::default());
        }
    }
}

/// How a command of a session is reached.
#[derive(Debug)]
pub(super) struct CommandRequests {
    number: u64,
    messages: UnboundedSender<Message>,
    is_live: AtomicBool,
}

impl CommandRequests {
    pub(super) fn end(&self) {
        self.is_live.store(false, Ordering::Release);
    }
}

impl FramedCommand for CommandRequests {
    fn ask(&self, request: Request) -> bool {
        self.is_live() && self.messages.send(Message::Ask(self.number, request)).is_ok()
    }

    fn is_live(&self) -> bool {
        self.is_live.load(Ordering::Acquire)
    }
}
