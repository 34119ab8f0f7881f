//! Inspections of a running job, while a caller follows them: whether the job waits for input, and which ports it
//! listens on.

use std::os::fd::AsFd;

use tokio::time::{Instant, sleep_until};

use super::{Running, Step};
use crate::job::model::outcome::Cause;
use crate::job::model::plan::OnWaiting;
use crate::job::ports::{self, PortWatch};
use crate::job::waiting::InputWait;
use crate::job::waiting::inspection::{
    inspect_all, processes_of, prompt_of_streams, prompt_on_screen, state_of_pipe, state_of_terminal,
};
use crate::job::waiting::rule::InputState;
use crate::job::waiting::schedule::{Findings, Schedule};

/// Sleeps until `time`; for ever if it is `None`.
pub(super) async fn due(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// The inspections of a running job, and their schedules.
pub(super) struct Inspections {
    waits: Schedule,
    /// Whether the plan acts on a wait for input, so that waits are followed even without a caller.
    acts_on_waits: bool,
    was_given_input: bool,
    ports: PortWatch,
}

impl Inspections {
    pub(super) fn new(on_waiting: OnWaiting) -> Self {
        let acts_on_waits = on_waiting != OnWaiting::Report;
        let mut waits = Schedule::default();
        if acts_on_waits {
            waits.follow(true, Instant::now());
        }
        Self { waits, acts_on_waits, was_given_input: false, ports: PortWatch::default() }
    }

    /// Returns the time of the next check for a wait.
    pub(super) fn next_input(&self) -> Option<Instant> {
        self.waits.next()
    }

    /// Returns the time of the next check for ports.
    pub(super) fn next_ports(&self) -> Option<Instant> {
        self.ports.next()
    }

    /// Notes that the job has read or written.
    pub(super) fn note_activity(&mut self) {
        self.waits.activity(Instant::now());
    }

    /// Notes that the job was given input.
    pub(super) fn note_input(&mut self) {
        self.was_given_input = true;
        self.note_activity();
    }

    /// Starts or stops to report waits.
    pub(super) fn follow_waits(&mut self, is_followed: bool) {
        self.waits.follow(is_followed || self.acts_on_waits, Instant::now());
    }

    /// Requests one answer whether the job waits.
    pub(super) fn ask(&mut self) {
        self.waits.ask(Instant::now());
    }

    /// Starts or stops to report ports.
    pub(super) fn follow_ports(&mut self, is_followed: bool) {
        self.ports.follow(is_followed, Instant::now());
    }
}

impl Running {
    /// Checks whether the job waits for input, and reports a wait.
    pub(super) async fn check_input(&mut self) -> Step {
        // Output that is not read yet ends a wait.
        if !self.may_read() || self.read_all() {
            self.inspections.note_activity();
            return self.after_reading();
        }
        let seen = self.input_wait().await;
        let Findings { begun, answer } = self.inspections.waits.record(seen, Instant::now());
        if let Some((wait, count)) = answer {
            (0..count).for_each(|_| self.end.observer().input_checked(wait.clone()));
        }
        let Some(wait) = begun else { return self.after_reading() };
        self.end.observer().waiting(wait);
        match self.plan.on_waiting {
            OnWaiting::Report => self.after_reading(),
            OnWaiting::End => {
                self.streams.feeder.input().end_again();
                self.after_reading()
            }
            OnWaiting::Kill => self.stop(Cause::WaitingForInput),
        }
    }

    async fn input_wait(&self) -> Option<InputWait> {
        let state = self.input_state()?;
        let prompt = match &self.streams.screen {
            Some(screen) => prompt_on_screen(screen),
            None => prompt_of_streams(
                self.streams.ring.as_ref(),
                [self.streams.stdout.kept(), self.streams.stderr.kept()],
            ),
        };
        let state = InputState {
            was_given_some: self.inspections.was_given_input,
            has_prompt: !prompt.trim().is_empty(),
            ..state
        };
        let processes = processes_of(self.processes.pid());
        inspect_all(self.engine.scanner(), processes, state, prompt).await
    }

    /// Returns the state of the input; `None` where no process can wait for it: without an open input, and after the
    /// leader's exit.
    fn input_state(&self) -> Option<InputState> {
        if self.streams.feeder.input().has_work() {
            return None;
        }
        match (&self.streams.terminal, &self.streams.screen) {
            (Some(peer), _) => state_of_terminal(self.streams.feeder.descriptor()?, peer.as_fd()),
            (None, Some(_)) => None,
            (None, None) => self.streams.feeder.descriptor().map(state_of_pipe),
        }
    }

    /// Checks which ports the job listens on, and reports a change.
    pub(super) async fn check_ports(&mut self) {
        let processes = self.processes.pids().await;
        if let Some(ports) = ports::check(&mut self.inspections.ports, self.engine.scanner(), processes).await
        {
            self.end.observer().ports(ports);
        }
    }
}
