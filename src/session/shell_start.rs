//! How a session starts a shell: until it is ready, or has failed to become so.

use std::path::PathBuf;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::handle::SessionMessage;
use super::shell::{LiveShell, new_token};
use super::task::{EXIT_MESSAGES, PID_POLL_INTERVAL, SessionTask};
use crate::job::model::error::LaunchError;
use crate::job::model::outcome::{Captured, End, SessionError};
use crate::job::{Outcome, never};
use crate::process::errno::Errno;

/// The reasons for which no shell was started.
enum StartFailure {
    /// A request to the session came first.
    Control,
    /// The shell did not become ready.
    Failed(Box<Outcome>),
}

impl SessionTask {
    /// Starts a shell for the queued commands. If that fails, the first command reports the error.
    pub(super) async fn start_shell(&mut self) {
        match self.new_shell().await {
            Ok(shell) => {
                self.status.set_shell(shell.pid());
                self.shell = Some(shell);
            }
            Err(StartFailure::Control) => {}
            Err(StartFailure::Failed(outcome)) => {
                if let Some(command) = self.queue.pop_front() {
                    let directory = command.record.session.directory();
                    command.settle(Outcome { directory, ..*outcome });
                }
            }
        }
    }

    async fn new_shell(&mut self) -> Result<LiveShell, StartFailure> {
        self.last_shell += 1;
        let number = self.last_shell;
        let token = new_token();
        let mut plan = self.plan.clone();
        plan.surroundings.directory = self.directory.clone();
        let mut shell =
            LiveShell::start(&plan, number, &self.owner, self.messages.clone(), &token).map_err(|error| {
                let error = LaunchError::system(&plan.surroundings.shell.program, Errno::of(&error));
                StartFailure::Failed(Box::new(Outcome::not_started(error, None, Duration::ZERO)))
            })?;
        let is_here = !plan.is_elsewhere();
        self.status.set_files(is_here.then(|| PathBuf::from(shell.directory())));
        let begun_at = Instant::now();
        // The time of a shell on a target begins with its start: connecting has a limit of its own.
        let limit =
            || plan.start_timeout.and_then(|limit| Instant::now().checked_add(limit)).unwrap_or_else(never);
        let mut deadline = if is_here { limit() } else { never() };
        loop {
            tokio::select! {
                biased;
                Some(message) = self.inbox.recv() => match message {
                    SessionMessage::ShellEnded(ended, outcome) if ended == number => {
                        return Err(not_started(outcome.end, &shell, &token, begun_at.elapsed()));
                    }
                    // Nobody watches what a shell does while it starts.
                    SessionMessage::Connecting(asking, _) if asking == number => {
                        if let Some(sandbox) = shell.handle.sandbox() {
                            sandbox.refuse_questions();
                        }
                    }
                    SessionMessage::Prompted(asking, prompt) if asking == number => {
                        shell.answer(prompt.number, None);
                    }
                    message => self.handle_message(message),
                },
                () = shell.reported() => {
                    if !shell.is_connected() {
                        // After an error, the shell does not report, or has ended.
                        let _ = shell.connect(&plan, &token).await;
                        deadline = limit();
                    } else if shell.report(&token).is_some() {
                        while !shell.identify().await {
                            sleep(PID_POLL_INTERVAL).await;
                        }
                        return Ok(shell);
                    }
                }
                () = sleep_until(deadline) => {
                    shell.kill();
                    self.ended_shells.push(shell.handle.clone());
                    return Err(not_started(End::BrokenOff, &shell, &token, begun_at.elapsed()));
                }
            }
            if self.control.is_some() {
                shell.kill();
                self.ended_shells.push(shell.handle.clone());
                return Err(StartFailure::Control);
            }
        }
    }
}

/// Returns the failure for a shell that was not ready before this end, with the output of its start files.
fn not_started(end: End, shell: &LiveShell, token: &str, duration: Duration) -> StartFailure {
    let is_launched = !matches!(end, End::NotStarted(_));
    let own = shell.take_start_output(token);
    let stderr = EXIT_MESSAGES.iter().find_map(|message| own.stderr.strip_suffix(message));
    StartFailure::Failed(Box::new(Outcome {
        end,
        pid: shell.pid(),
        stdout: Captured::of(&own.stdout),
        stderr: Captured::of(stderr.unwrap_or(&own.stderr)),
        in_session: Some(is_launched.then_some(SessionError::Start).into()),
        ..Outcome::not_started(LaunchError::Stopped, None, duration)
    }))
}
