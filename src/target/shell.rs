//! The shell of a session that runs on a target.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use super::error::TargetError;
use super::remote_command::{CommandLink, RemoteCommand, TargetReport};
use super::{CommandRequest, RemoteStart, StartError, StartedCommand, TargetRequest};
use crate::helper::supervisor::protocol::enums::SignalScope;
use crate::helper::supervisor::protocol::plan::{InShell, RemotePlan, Role, ShellFile};
use crate::helper::supervisor::protocol::shell_scan::ShellScan;
use crate::process::identity::Identity;
use crate::process::signal::Signal;

/// A shell of a target. The job of the shell ends it; this is what the session needs besides.
#[derive(Debug)]
pub struct RemoteShell {
    link: CommandLink,
    pid: i32,
    program: usize,
    directory: String,
    control: Mutex<Option<OwnedFd>>,
    /// The report of the next result about the target.
    report: Mutex<TargetReport>,
}

/// The host's ends of the streams of a command in a shell.
#[derive(Debug)]
pub struct StreamsInShell {
    pub stdin: Option<OwnedFd>,
    pub stdout: Option<OwnedFd>,
    pub stderr: Option<OwnedFd>,
    /// Dropping it drops the rest of the output there, where processes may hold it open.
    pub hold: RemoteCommand,
}

impl RemoteShell {
    pub(super) const fn new(
        link: CommandLink,
        pid: i32,
        program: usize,
        directory: String,
        control: OwnedFd,
        report: TargetReport,
    ) -> Self {
        Self { link, pid, program, directory, control: Mutex::new(Some(control)), report: Mutex::new(report) }
    }

    /// Returns the pid of the shell there.
    #[must_use]
    pub const fn pid(&self) -> i32 {
        self.pid
    }

    /// Returns which of the plan's programs the shell is.
    #[must_use]
    pub const fn program(&self) -> usize {
        self.program
    }

    /// Returns the private directory of the shell there.
    #[must_use]
    pub fn directory(&self) -> &str {
        &self.directory
    }

    /// Takes the pipe with the reports of the shell, once.
    #[must_use]
    pub fn take_control(&self) -> Option<OwnedFd> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns what a result says about the target. Connecting is in the first one only.
    #[must_use]
    pub fn take_report(&self) -> TargetReport {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        let later = TargetReport { connect_time: None, copied: 0, ..report.clone() };
        std::mem::replace(&mut *report, later)
    }

    /// Sends lines to the shell, behind the files of all commands before.
    pub fn send(&self, lines: &str) {
        self.link.ask(CommandRequest::Lines(lines.as_bytes().to_vec()));
    }

    pub fn end_lines(&self) {
        self.link.ask(CommandRequest::EndLines);
    }

    /// Sends a signal to the shell alone.
    pub fn signal(&self, signal: Signal) {
        self.link.ask(CommandRequest::Signal { number: signal.as_raw(), scope: SignalScope::Leader });
    }

    /// Sends a signal to processes below the shell.
    pub fn signal_each(&self, signal: Signal, identities: &[Identity]) {
        let (number, identities) = (signal.as_raw(), identities.to_vec());
        self.link.ask(CommandRequest::SignalEach { number, identities });
    }

    /// Scans the shell. `None` if it is gone, or the connection.
    pub async fn scan(&self, first: u32, named: Vec<u8>) -> Option<ShellScan> {
        if self.link.is_gone() {
            return None;
        }
        let (answer, scan) = oneshot::channel();
        self.link.ask(CommandRequest::ScanShell { first, named, answer });
        scan.await.ok()
    }

    /// Writes the files of a command and makes its streams, if it has any.
    ///
    /// # Errors
    ///
    /// When that fails there, or the connection is lost.
    pub async fn prepare(
        &self,
        files: Vec<ShellFile>,
        streams: Option<WantedInShell>,
    ) -> Result<StreamsInShell, StartError> {
        let wanted = streams.unwrap_or_default();
        let part = InShell { shell: self.link.id, files, has_streams: streams.is_some() };
        let plan = RemotePlan {
            has_input: wanted.has_input,
            is_merged: wanted.is_merged,
            role: Role::InShell(part),
            ..RemotePlan::default()
        };
        let (start, answer) = RemoteStart::without_job(plan, None);
        // A connection that has ended drops the request, or the sender.
        let _ = self.link.requests.send(TargetRequest::Start(Box::new(start)));
        let lost = || StartError::Target(TargetError::closed());
        let StartedCommand { command: hold, stdin, stdout, stderr, .. } =
            answer.await.map_err(|_| lost())??;
        Ok(StreamsInShell { stdin, stdout, stderr, hold })
    }
}

/// The streams that a command in a shell has.
#[derive(Clone, Copy, Debug, Default)]
pub struct WantedInShell {
    pub has_input: bool,
    pub is_merged: bool,
}

/// Where a job puts its shell for the session.
pub type ShellSlot = Arc<tokio::sync::watch::Sender<Option<Arc<RemoteShell>>>>;
