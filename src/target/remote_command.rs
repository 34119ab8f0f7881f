//! A running command of a target, as its job sees it.

pub mod report;

use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

pub use self::report::TargetReport;
use super::error::TargetError;
use super::{CommandRequest, TargetRequest};
use crate::helper::supervisor::protocol::enums::{ProcessSelection, SignalScope};
use crate::helper::supervisor::protocol::message::RemoteExit;
use crate::helper::supervisor::protocol::ports::RemotePort;
use crate::process::pty::WindowSize;

/// The longest wait for a list of ports, in which the task of a job does nothing else.
const PORTS_DEADLINE: Duration = Duration::from_secs(1);

/// The state of a command, as far as the supervisor has reported it.
#[derive(Clone, Debug, Default)]
pub(super) struct RemoteState {
    pub(super) end: Option<RemoteEnd>,
    /// Whether no process is left.
    pub(super) is_gone: bool,
}

/// How a command has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteEnd {
    Exit(RemoteExit),
    /// The exit code, as a shell has reported it: 128 and more may be a signal.
    Status(i32),
    /// The connection, or the command's reaper, has ended first.
    Lost(TargetError),
}

/// The way to a command of a connection, for requests about it.
#[derive(Clone, Debug)]
pub(super) struct CommandLink {
    pub(super) id: u32,
    pub(super) requests: UnboundedSender<TargetRequest>,
    pub(super) state: watch::Receiver<RemoteState>,
}

impl CommandLink {
    pub(super) fn is_gone(&self) -> bool {
        self.state.borrow().is_gone
    }

    pub(super) fn ask(&self, request: CommandRequest) {
        // A connection that has ended has ended the command.
        let _ = self.requests.send(TargetRequest::Command(self.id, request));
    }
}

/// A command that runs on a target. Dropping it kills its processes, unless it was released.
#[derive(Debug)]
pub struct RemoteCommand {
    pub(super) link: CommandLink,
    pub(super) pid: i32,
    pub(super) directory: Option<String>,
    pub(super) report: TargetReport,
    pub(super) is_released: bool,
}

impl RemoteCommand {
    /// Returns the pid of the leader on the target.
    #[must_use]
    pub const fn pid(&self) -> i32 {
        self.pid
    }

    /// Returns the real path of the working directory on the target.
    #[must_use]
    pub fn directory(&self) -> Option<&str> {
        self.directory.as_deref()
    }

    #[must_use]
    pub const fn report(&self) -> &TargetReport {
        &self.report
    }

    /// Returns how the command ended; `None` while it runs.
    #[must_use]
    pub fn end(&self) -> Option<RemoteEnd> {
        self.link.state.borrow().end.clone()
    }

    /// Waits for the end of the command, or until none of its processes is left. Cancel-safe.
    pub async fn changed(&mut self, waits_for_all: bool) {
        let is_due = |state: &RemoteState| if waits_for_all { state.is_gone } else { state.end.is_some() };
        // Before a connection ends, it reports to each command that it is lost.
        let _ = self.link.state.wait_for(is_due).await;
    }

    /// Sends a signal.
    pub fn signal(&self, number: i32, scope: SignalScope) {
        self.link.ask(CommandRequest::Signal { number, scope });
    }

    /// Kills all processes.
    pub fn kill(&self) {
        self.link.ask(CommandRequest::Kill);
    }

    /// Changes the size of the command's terminal.
    pub fn resize(&self, size: WindowSize) {
        self.link.ask(CommandRequest::Resize(size));
    }

    /// Returns the pids of the processes besides the leader.
    pub async fn list(&self, listed: ProcessSelection) -> Vec<i32> {
        if self.link.is_gone() {
            return Vec::new();
        }
        let (sender, answer) = oneshot::channel();
        self.link.ask(CommandRequest::List(listed, sender));
        // A lost connection drops the sender.
        answer.await.unwrap_or_default()
    }

    /// Returns the ports on which the processes listen; none if there is no answer in time.
    pub async fn ports(&self, asks_namespaces: bool) -> Vec<RemotePort> {
        if self.link.is_gone() {
            return Vec::new();
        }
        let (sender, answer) = oneshot::channel();
        self.link.ask(CommandRequest::ListPorts { asks_namespaces, answer: sender });
        // A later answer is dropped. A lost connection drops the sender.
        timeout(PORTS_DEADLINE, answer).await.ok().and_then(Result::ok).unwrap_or_default()
    }

    /// Lets the remaining processes run until the end of the connection.
    pub fn release(mut self) {
        self.is_released = true;
        self.link.ask(CommandRequest::Release);
    }
}

impl Drop for RemoteCommand {
    fn drop(&mut self) {
        if !self.is_released {
            self.kill();
            self.link.ask(CommandRequest::Release);
        }
    }
}
