//! What the task asks the kernel while the job runs, for those who want to know: whether the job waits for input, and
//! which ports it listens on.

use std::os::fd::AsFd;

use tokio::time::{Instant, sleep_until};

use super::{Running, Step};
use crate::job::model::outcome::Cause;
use crate::job::model::plan::OnWaiting;
use crate::job::ports;
use crate::job::waiting::InputWait;
use crate::job::waiting::inspection::{
    inspect_all, processes_of, prompt_of_streams, prompt_on_screen, state_of_pipe, state_of_terminal,
};
use crate::job::waiting::rule::InputState;
use crate::job::waiting::schedule::Findings;

/// Sleeps until a time; for ever without one.
pub(super) async fn due(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

impl Running {
    /// Looks whether the job waits for input, and tells.
    pub(super) async fn look_for_input(&mut self) -> Step {
        // What has been written, and not read yet, ends a wait.
        if !self.may_read() || self.read_all() {
            self.input_schedule.activity(Instant::now());
            return self.after_reading();
        }
        let seen = self.input_wait().await;
        let Findings { begun, answer } = self.input_schedule.looked(seen, Instant::now());
        if let Some((wait, count)) = answer {
            (0..count).for_each(|_| self.end.observer().looked(wait.clone()));
        }
        let Some(wait) = begun else { return self.after_reading() };
        self.end.observer().waiting(wait);
        match self.plan.on_waiting {
            OnWaiting::Report => self.after_reading(),
            OnWaiting::End => {
                self.feeder.input().end_again();
                self.after_reading()
            }
            OnWaiting::Kill => self.stop(Cause::WaitingForInput),
        }
    }

    async fn input_wait(&self) -> Option<InputWait> {
        let state = self.input_state()?;
        let prompt = match &self.screen {
            Some(screen) => prompt_on_screen(screen),
            None => prompt_of_streams(self.ring.as_ref(), [self.stdout.kept(), self.stderr.kept()]),
        };
        let state = InputState {
            was_given_some: self.was_given_input,
            has_prompt: !prompt.trim().is_empty(),
            ..state
        };
        let processes = processes_of(self.leader.identity().pid);
        inspect_all(self.engine.scanner(), processes, state, prompt).await
    }

    /// `None` where nobody can wait: without an open input, and after the leader's exit.
    fn input_state(&self) -> Option<InputState> {
        if self.feeder.input().has_work() {
            return None;
        }
        match (&self.terminal, &self.screen) {
            (Some(peer), _) => state_of_terminal(self.feeder.descriptor()?, peer.as_fd()),
            (None, Some(_)) => None,
            (None, None) => self.feeder.descriptor().map(state_of_pipe),
        }
    }

    /// Looks for the ports that the job listens on, and tells of new ones.
    pub(super) async fn look_for_ports(&mut self) {
        let processes = self.processes.pids().await;
        if let Some(ports) = ports::look(&mut self.ports, self.engine.scanner(), processes).await {
            self.end.observer().ports(ports);
        }
    }
}
