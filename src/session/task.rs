//! The task of a session, on the I/O thread: its queue, its shells, its end.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::{sleep, timeout};

use super::frame::CommandFrame;
use super::handle::{OnDone, OwnOutput, SessionMessage};
use super::plan::SessionPlan;
use super::session_command::SessionCommand;
use super::shell::LiveShell;
use super::status::SessionFacts;
use crate::job::Outcome;
use crate::job::model::error::LaunchError;
use crate::job::model::outcome::{Cause, InSession, SessionError};
use crate::job::model::plan::Directory;
use crate::job::{JobHandle, JobRequest};
use crate::process::errno::Errno;
use crate::process::registry::Owner;

/// The longest time for EXIT traps when a session is closed.
const EXIT_TRAP_DEADLINE: Duration = Duration::from_secs(2);

/// The longest wait for the end of a shell that was killed.
const DEATH_DEADLINE: Duration = Duration::from_secs(5);

/// The pause between two checks whether the pid of a shell that has reported is known.
pub(super) const PID_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The texts that an interactive bash writes when it ends.
pub(super) const EXIT_MESSAGES: [&str; 2] = ["exit\n", "logout\n"];

pub(super) struct SessionTask {
    pub(super) plan: SessionPlan,
    pub(super) owner: Owner,
    pub(super) inbox: UnboundedReceiver<SessionMessage>,
    pub(super) messages: UnboundedSender<SessionMessage>,
    pub(super) status: Arc<SessionFacts>,
    pub(super) queue: VecDeque<SessionCommand>,
    pub(super) shell: Option<LiveShell>,
    /// The directory in which the next shell starts.
    pub(super) directory: Directory,
    /// The jobs of ended shells whose background processes still run.
    pub(super) ended_shells: Vec<JobHandle>,
    pub(super) last_shell: u64,
    /// Whether the last shell ended by itself, so that its state was lost.
    pub(super) has_lost_shell: bool,
    pub(super) control: Option<SessionControl>,
}

/// A request to the session itself.
pub(super) enum SessionControl {
    Restart(Option<Directory>, OnDone),
    Close(OnDone),
    Abandon,
}

impl SessionTask {
    /// Handles commands and requests in the order of the calls.
    pub(super) async fn run(mut self) {
        loop {
            match self.control.take() {
                Some(SessionControl::Close(on_done)) => return self.close(on_done).await,
                Some(SessionControl::Abandon) => return self.abandon(),
                Some(SessionControl::Restart(directory, on_done)) => self.restart(directory, on_done).await,
                None => {}
            }
            if self.queue.is_empty() {
                let Some(message) = self.inbox.recv().await else { return };
                self.handle_message(message);
            } else if self.shell.is_none() {
                self.start_shell().await;
            } else if let (Some(command), Some(shell)) = (self.queue.pop_front(), self.shell.take()) {
                self.run_command(command, shell).await;
            }
        }
    }

    /// Handles a message that is not for a running command.
    pub(super) fn handle_message(&mut self, message: SessionMessage) {
        match message {
            SessionMessage::Run(command) => self.queue.push_back(*command),
            SessionMessage::Ask(number, request) => self.ask_waiting(number, request),
            SessionMessage::Interrupt(_)
            | SessionMessage::Connecting(..)
            | SessionMessage::PromptOver(..) => {}
            // Nobody watches what a shell does between two commands.
            SessionMessage::Prompted(number, prompt) => {
                if let Some(shell) = self.shell.as_ref().filter(|shell| shell.number == number) {
                    shell.answer(prompt.number, None);
                }
            }
            SessionMessage::Restart(directory, on_done) => {
                // A new restart replaces one that has not begun, whose caller gets its answer now.
                if let Some(SessionControl::Restart(_, earlier)) = self.control.take() {
                    earlier(OwnOutput::default());
                }
                self.control = Some(SessionControl::Restart(directory, on_done));
            }
            SessionMessage::Close(on_done) => self.control = Some(SessionControl::Close(on_done)),
            SessionMessage::Abandon => self.control = Some(SessionControl::Abandon),
            SessionMessage::ShellEnded(number, _) => {
                if self.shell.as_ref().is_some_and(|shell| shell.number == number)
                    && let Some(shell) = self.shell.take()
                {
                    self.has_lost_shell = true;
                    self.release(shell);
                }
            }
        }
    }

    /// Handles a request to a queued command: a stop removes it, and requests for inspections are kept until
    /// it begins. Other requests need a process, and are dropped.
    fn ask_waiting(&mut self, number: u64, request: JobRequest) {
        let Some(index) = self.queue.iter().position(|command| command.record.number == number) else {
            return;
        };
        match request {
            JobRequest::Stop(cause, _) | JobRequest::StopAtOnce(cause) => {
                if let Some(command) = self.queue.remove(index) {
                    not_run(command, LaunchError::Stopped, Some(cause), None);
                }
            }
            JobRequest::ReportSpawn
            | JobRequest::FollowWaits(_)
            | JobRequest::ReportUnfinished
            | JobRequest::CheckInput
            | JobRequest::FollowPorts(_) => {
                self.queue[index].early_requests.push(request);
            }
            JobRequest::Forward(_)
            | JobRequest::ReportState
            | JobRequest::Resize(_)
            | JobRequest::HoldTime(_)
            | JobRequest::AnswerPrompt(..)
            | JobRequest::Detach => {}
        }
    }

    async fn run_command(&mut self, mut command: SessionCommand, mut shell: LiveShell) {
        if shell.lacks_descriptors() {
            return self.lose(command, shell).await;
        }
        let restarted = std::mem::take(&mut self.has_lost_shell);
        let early_requests = std::mem::take(&mut command.early_requests);
        let mut frame = match CommandFrame::begin(&mut shell, command, restarted).await {
            Ok(frame) => frame,
            Err(failed) => {
                let (command, error) = *failed;
                if error.kind() == io::ErrorKind::NotConnected {
                    self.has_lost_shell = restarted;
                    return self.lose(command, shell).await;
                }
                let error = LaunchError::system(&self.plan.surroundings.shell.program, Errno::of(&error));
                self.has_lost_shell = restarted;
                self.shell = Some(shell);
                return not_run(command, error, None, None);
            }
        };
        for request in early_requests {
            frame.ask(request, &mut shell).await;
        }
        let mut has_shell = true;
        while !frame.is_over {
            tokio::select! {
                biased;
                Some(message) = self.inbox.recv() => match message {
                    SessionMessage::Ask(number, request) if number == frame.record.number => {
                        frame.ask(request, &mut shell).await;
                    }
                    SessionMessage::Interrupt(signal) => frame.interrupt(signal, &mut shell).await,
                    SessionMessage::Connecting(number, event) if number == shell.number => {
                        frame.connecting(event);
                    }
                    SessionMessage::Prompted(number, prompt) if number == shell.number => {
                        frame.ask_prompt(prompt, &shell);
                    }
                    SessionMessage::PromptOver(number, prompt) if number == shell.number => {
                        frame.prompt_over(prompt);
                    }
                    SessionMessage::ShellEnded(number, outcome) if number == shell.number => {
                        has_shell = false;
                        frame.shell_ended(outcome, &mut shell).await;
                    }
                    message => {
                        self.handle_message(message);
                        if self.control.is_some() {
                            frame.ask(JobRequest::Stop(Cause::Aborted, None), &mut shell).await;
                        }
                    }
                },
                woken = frame.next(&mut shell) => frame.handle_event(woken, &mut shell).await,
            }
        }
        if has_shell {
            frame.finish(&mut shell).await;
            self.shell = Some(shell);
        } else {
            self.has_lost_shell = true;
            self.status.set_shell(None);
            frame.finish(&mut shell).await;
            self.release(shell);
        }
    }

    /// Ends a shell that can't run a command, which reports that.
    async fn lose(&mut self, command: SessionCommand, shell: LiveShell) {
        shell.kill();
        self.wait_for_end(&shell, DEATH_DEADLINE).await;
        self.release(shell);
        let in_session = InSession {
            error: Some(SessionError::Lost),
            shell_ended: true,
            restarted: std::mem::replace(&mut self.has_lost_shell, true),
            ..InSession::default()
        };
        not_run(command, LaunchError::Stopped, None, in_session);
    }

    /// Releases a shell that has ended. Its background processes keep running in its job until the session is
    /// closed.
    fn release(&mut self, shell: LiveShell) {
        self.status.set_shell(None);
        self.ended_shells.retain(JobHandle::is_live);
        if shell.handle.is_live() {
            self.ended_shells.push(shell.handle);
        }
    }

    async fn restart(&mut self, directory: Option<Directory>, on_done: OnDone) {
        if let Some(shell) = self.shell.take() {
            shell.kill();
            self.wait_for_end(&shell, DEATH_DEADLINE).await;
            self.release(shell);
        }
        self.has_lost_shell = false;
        self.directory = directory.unwrap_or_else(|| self.plan.surroundings.directory.clone());
        on_done(OwnOutput::default());
    }

    /// Waits for the end of a shell, and handles messages meanwhile. Returns whether the shell has ended.
    async fn wait_for_end(&mut self, shell: &LiveShell, limit: Duration) -> bool {
        let number = shell.number;
        let ended = async {
            while let Some(message) = self.inbox.recv().await {
                match message {
                    SessionMessage::ShellEnded(ended, _) if ended == number => break,
                    message => self.handle_message(message),
                }
            }
        };
        timeout(limit, ended).await.is_ok()
    }

    async fn close(mut self, on_done: OnDone) {
        for command in self.queue.drain(..) {
            not_run(command, LaunchError::Stopped, Some(Cause::Aborted), Some(SessionError::Closed));
        }
        let mut own = OwnOutput::default();
        if let Some(shell) = self.shell.take() {
            shell.take_own_output();
            shell.send(shell.flavor.exit_line());
            shell.end_lines();
            if !self.wait_for_end(&shell, EXIT_TRAP_DEADLINE).await {
                shell.kill();
                self.wait_for_end(&shell, DEATH_DEADLINE).await;
            }
            own = shell.take_own_output();
            if let Some(rest) = EXIT_MESSAGES.iter().find_map(|message| own.stderr.strip_prefix(message)) {
                own.stderr = rest.to_owned();
            }
            self.release(shell);
        }
        self.end_remaining().await;
        self.status.set_shell(None);
        // Calls after this one find a closed session, and get their answer at once.
        self.inbox.close();
        while let Some(message) = self.inbox.recv().await {
            self.handle_message(message);
        }
        for command in self.queue.drain(..) {
            not_run(command, LaunchError::Stopped, Some(Cause::Aborted), Some(SessionError::Closed));
        }
        if let Some(SessionControl::Close(again) | SessionControl::Restart(_, again)) = self.control.take() {
            again(OwnOutput::default());
        }
        on_done(own);
    }

    /// Ends the remaining processes of all shells, unless the plan keeps them.
    async fn end_remaining(&mut self) {
        for job in &self.ended_shells {
            // The request fails if the job is over, which is the goal.
            let _ = job.ask(JobRequest::Stop(Cause::Killed, None));
        }
        while self.ended_shells.iter().any(JobHandle::is_live) {
            sleep(PID_POLL_INTERVAL).await;
        }
    }

    /// Ends the session of an owner that has closed: its jobs are killed already.
    fn abandon(self) {
        if let Some(shell) = self.shell {
            shell.kill();
        }
        for command in self.queue {
            not_run(command, LaunchError::OwnerGone, Some(Cause::OwnerGone), None);
        }
    }
}

/// Ends a command that was never begun.
fn not_run(
    command: SessionCommand,
    error: LaunchError,
    cause: Option<Cause>,
    in_session: impl Into<InSession>,
) {
    let directory = command.record.session.directory();
    let outcome = Outcome {
        in_session: Some(in_session.into()),
        directory,
        ..Outcome::not_started(error, cause, Duration::ZERO)
    };
    command.settle(outcome);
}
