//! The inspections of a running command, while a caller follows them: whether the command waits for input,
//! and which ports it listens on.

use std::os::fd::AsFd;

use tokio::time::{Instant, sleep_until};

use super::streams::CommandStreams;
use super::{Execution, Step};
use crate::engine::scan::Scanner;
use crate::job::model::outcome::Cause;
use crate::job::model::plan::OnWaiting;
use crate::job::ports::{self, PortScan, PortWatch};
use crate::job::waiting::InputWait;
use crate::job::waiting::inspection::{
    inspect_all, prompt_of_streams, prompt_on_screen, state_of_pipe, state_of_terminal,
};
use crate::job::waiting::rule::InputState;
use crate::job::waiting::schedule::{Findings, WaitSchedule};
use crate::process::identity::Pid;

/// The schedules of a command's inspections, with the findings of the earlier ones.
#[derive(Debug)]
pub(crate) struct Inspections {
    waits: WaitSchedule,
    ports: PortWatch,
    /// Whether the plan acts on a wait for input, so that waits are followed even without a caller.
    acts_on_waits: bool,
    was_given_input: bool,
}

impl Inspections {
    pub(super) fn new(on_waiting: OnWaiting) -> Self {
        let acts_on_waits = on_waiting != OnWaiting::Report;
        let (waits, ports) = (WaitSchedule::default(), PortWatch::default());
        let mut inspections = Self { waits, ports, acts_on_waits, was_given_input: false };
        if acts_on_waits {
            inspections.follow_waits(true);
        }
        inspections
    }

    /// Waits until an inspection is due; forever while no caller follows any.
    pub(crate) async fn due(&self) {
        match self.waits.next().into_iter().chain(self.ports.next()).min() {
            Some(time) => sleep_until(time).await,
            None => std::future::pending().await,
        }
    }

    /// Returns whether the next check for a wait is due.
    pub(crate) fn is_input_due(&self) -> bool {
        self.waits.next().is_some_and(|due| due <= Instant::now())
    }

    /// Returns whether the next check for ports is due.
    pub(crate) fn are_ports_due(&self) -> bool {
        self.ports.next().is_some_and(|due| due <= Instant::now())
    }

    /// Returns whether the next check for ports searches other network namespaces too.
    pub(crate) const fn asks_namespaces(&self) -> bool {
        self.ports.asks_namespaces()
    }

    pub(super) fn record_activity(&mut self) {
        self.waits.activity(Instant::now());
    }

    pub(super) fn record_input(&mut self) {
        self.was_given_input = true;
        self.record_activity();
    }

    /// Starts or stops to report waits.
    pub(super) fn follow_waits(&mut self, is_followed: bool) {
        self.waits.follow(is_followed || self.acts_on_waits, Instant::now());
    }

    /// Requests one answer whether the command waits.
    pub(super) fn ask(&mut self) {
        self.waits.ask(Instant::now());
    }

    /// Starts or stops reporting ports.
    pub(super) fn follow_ports(&mut self, is_followed: bool) {
        self.ports.follow(is_followed, Instant::now());
    }
}

impl Execution {
    /// Checks whether one of the processes that `find` returns waits for input, and reports a wait.
    pub(crate) async fn check_input(&mut self, scanner: &Scanner, find: impl FnOnce() -> Vec<Pid>) -> Step {
        self.check_input_by(scanner, find, CommandStreams::input_state).await
    }

    /// Checks as [`Self::check_input`] does; `state` reads the state of the input.
    pub(crate) async fn check_input_by(
        &mut self,
        scanner: &Scanner,
        find: impl FnOnce() -> Vec<Pid>,
        state: impl FnOnce(&CommandStreams) -> Option<InputState>,
    ) -> Step {
        // Output that is not read yet ends a wait.
        if !self.may_read() || self.read_all() {
            self.inspections.record_activity();
            return self.after_reading();
        }
        let seen = match self.input_state(state) {
            Some((state, prompt)) => inspect_all(scanner, find(), state, prompt).await,
            None => None,
        };
        self.report_wait(seen)
    }

    fn report_wait(&mut self, seen: Option<InputWait>) -> Step {
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

    /// Returns the state of the input, and the prompt; `None` where no process can wait for input: without an
    /// open input, and after the exit of a program in a terminal.
    fn input_state(
        &self,
        state: impl FnOnce(&CommandStreams) -> Option<InputState>,
    ) -> Option<(InputState, String)> {
        let streams = &self.streams;
        if streams.feeder.input().has_work() {
            return None;
        }
        let state = state(streams)?;
        let prompt = match &streams.screen {
            Some(screen) => prompt_on_screen(screen),
            None => prompt_of_streams(streams.ring.as_ref(), [streams.stdout.kept(), streams.stderr.kept()]),
        };
        let was_given_some = self.inspections.was_given_input;
        let has_prompt = !prompt.trim().is_empty();
        Some((InputState { was_given_some, has_prompt, ..state }, prompt))
    }

    /// Records the result of a check for ports, and reports a change.
    pub(crate) fn record_ports(&mut self, found: PortScan) {
        if let Some(ports) = self.inspections.ports.record(found, Instant::now()) {
            self.end.observer().ports(ports);
        }
    }

    /// Checks which ports these processes listen on, and reports a change.
    pub(crate) async fn check_ports(&mut self, scanner: &Scanner, processes: Vec<Pid>) {
        if let Some(ports) = ports::check(&mut self.inspections.ports, scanner, processes).await {
            self.end.observer().ports(ports);
        }
    }
}

impl CommandStreams {
    /// Returns the state of the input, whose writing end is here.
    fn input_state(&self) -> Option<InputState> {
        match (&self.terminal, &self.screen) {
            (Some(peer), _) => state_of_terminal(self.feeder.descriptor()?, peer.as_fd()),
            (None, Some(_)) => None,
            (None, None) => Some(state_of_pipe(self.feeder.descriptor()?)),
        }
    }
}
