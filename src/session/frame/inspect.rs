//! Inspections of a running command, while a caller follows them: whether the command waits for its input, and which
//! ports it listens on.

use rustix::process::Pid;
use tokio::time::{Instant, sleep_until};

use super::{Frame, Phase};
use crate::engine::engine;
use crate::job::model::outcome::Cause;
use crate::job::model::plan::OnWaiting;
use crate::job::never;
use crate::job::ports::{self, PortWatch};
use crate::job::waiting::InputWait;
use crate::job::waiting::inspection::{inspect_all, prompt_of_streams, state_of_pipe};
use crate::job::waiting::rule::InputState;
use crate::job::waiting::schedule::{Findings, Schedule};
use crate::session::shell::Shell;

/// The schedules of a command's inspections, with the findings of the earlier ones.
#[derive(Debug)]
pub(super) struct Inspection {
    input: Schedule,
    ports: PortWatch,
    was_given_input: bool,
    on_waiting: OnWaiting,
}

impl Inspection {
    /// Returns the inspection of a command that is about to begin. Nothing is due unless the command acts on its waits.
    pub(super) fn new(on_waiting: OnWaiting) -> Self {
        let mut inspection = Self {
            input: Schedule::default(),
            ports: PortWatch::default(),
            was_given_input: false,
            on_waiting,
        };
        if on_waiting != OnWaiting::Report {
            inspection.follow_waits(true);
        }
        inspection
    }

    /// Starts or stops to report waits.
    pub(super) fn follow_waits(&mut self, is_followed: bool) {
        self.input.follow(is_followed || self.on_waiting != OnWaiting::Report, Instant::now());
    }

    /// Requests one answer whether the command waits.
    pub(super) fn ask(&mut self) {
        self.input.ask(Instant::now());
    }

    /// Starts or stops to report ports.
    pub(super) fn follow_ports(&mut self, is_followed: bool) {
        self.ports.follow(is_followed, Instant::now());
    }

    /// Records output of the command.
    pub(super) fn activity(&mut self) {
        self.input.activity(Instant::now());
    }

    /// Records input to the command.
    pub(super) fn fed(&mut self) {
        self.was_given_input = true;
        self.activity();
    }

    /// Waits until an inspection is due; for ever while no caller follows any.
    pub(super) async fn due(&self) {
        let due = self.input.next().into_iter().chain(self.ports.next()).min();
        sleep_until(due.unwrap_or_else(never)).await;
    }
}

impl Frame {
    /// Runs the inspections that are due, and reports changes.
    pub(super) async fn inspect(&mut self, shell: &mut Shell) {
        let now = Instant::now();
        if self.inspection.ports.next().is_some_and(|due| due <= now) {
            self.check_ports(shell).await;
        }
        if self.inspection.input.next().is_some_and(|due| due <= now) {
            self.check_input(shell).await;
        }
    }

    async fn check_ports(&mut self, shell: &Shell) {
        let Ok(engine) = engine() else { return };
        let processes = processes_of(shell);
        if let Some(ports) = ports::check(&mut self.inspection.ports, engine.scanner(), processes).await {
            self.command.end.observer().ports(ports);
        }
    }

    async fn check_input(&mut self, shell: &mut Shell) {
        // Output that has been written and not read yet ends a wait.
        if !self.may_read() || self.read_all() {
            return self.inspection.activity();
        }
        let wait = self.input_wait(shell).await;
        let Findings { begun, answer } = self.inspection.input.record(wait, Instant::now());
        if let Some((wait, count)) = answer {
            (0..count).for_each(|_| self.command.end.observer().input_checked(wait.clone()));
        }
        let Some(wait) = begun else { return };
        self.command.end.observer().waiting(wait);
        match self.inspection.on_waiting {
            OnWaiting::Report => {}
            OnWaiting::End => self.command.input.end_again(),
            OnWaiting::Kill => self.stop_because(Cause::WaitingForInput, None, shell),
        }
    }

    /// Returns the command's wait for its input; `None` without an open input, and during a stop.
    async fn input_wait(&self, shell: &Shell) -> Option<InputWait> {
        if self.phase != Phase::Running || self.stop.is_some() || self.command.input.has_work() {
            return None;
        }
        let prompt = prompt_of_streams(None, [self.stdout.kept(), self.stderr.kept()]);
        let state = InputState {
            was_given_some: self.inspection.was_given_input,
            has_prompt: !prompt.trim().is_empty(),
            ..state_of_pipe(self.feeder.descriptor()?)
        };
        inspect_all(engine().ok()?.scanner(), processes_of(shell), state, prompt).await
    }
}

/// Returns the pids of the shell, which may read by itself, and of the command's processes.
fn processes_of(shell: &Shell) -> Vec<Pid> {
    let shell_itself = shell.pid().and_then(Pid::from_raw);
    shell_itself.into_iter().chain(shell.processes().iter().map(|process| process.identity.pid)).collect()
}
