//! The processes of a durable job, for the task of its job in this host. The supervisor and its reaper find,
//! signal and kill them, also when this host is gone.

use crate::process::identity::Pid;
use crate::process::signal::Signal;

use crate::durable::command::{DurableCommand, while_it_passes};
use crate::durable::error::DurableError;
use crate::engine::Engine;
use crate::helper::durable::record::end::{EndCause, JobEnd, LeaderExit};
use crate::helper::supervisor::protocol::enums::ProcessSelection;
use crate::job::execution::Execution;
use crate::job::life::Step;
use crate::job::model::outcome::{Cause, End, Fault, Outcome};
use crate::job::model::plan::Termination;
use crate::job::processes::command_processes::{AwaitedEvents, CommandProcesses, ProcessEvent};
use crate::job::state::{CommandState, described};
use crate::job::waiting::leader_input::state_of_leader;
use crate::process::pty::WindowSize;
use crate::process::wait::Exit;

/// The processes of a durable job. All of them are members.
pub(in crate::job) struct DurableProcesses {
    engine: &'static Engine,
    command: DurableCommand,
    ending: Termination,
    is_detached: bool,
}

impl DurableProcesses {
    pub(in crate::job) const fn new(
        engine: &'static Engine,
        command: DurableCommand,
        ending: Termination,
    ) -> Self {
        Self { engine, command, ending, is_detached: false }
    }

    /// Returns the pids of the leader and the other processes, where they can be inspected.
    async fn pids(&self) -> Vec<Pid> {
        if !self.command.has_same_pids() || self.command.exit().is_some() {
            return Vec::new();
        }
        let others = self.command.list(ProcessSelection::All).await;
        [self.pid()].into_iter().chain(others).filter_map(Pid::from_raw).collect()
    }
}

impl CommandProcesses for DurableProcesses {
    fn pid(&self) -> i32 {
        self.command.pid()
    }

    fn end(&self) -> Option<End> {
        if self.is_detached {
            return Some(End::NotYet);
        }
        Some(match self.command.exit()? {
            Ok(JobEnd { exit: Some(LeaderExit::Code(code)), .. }) => End::Exit(Exit::Code(code)),
            Ok(JobEnd { exit: Some(LeaderExit::Signal(signal)), .. }) => End::Exit(Exit::Signal(signal)),
            Ok(JobEnd { exit: None, .. }) => End::Exit(Exit::Unknown),
            Err(DurableError { code, message }) => End::Lost(Fault { code: code.to_owned(), message }),
        })
    }

    async fn next(&mut self, wanted: AwaitedEvents) -> ProcessEvent {
        wanted.of_reaper(async |waits_for_all| self.command.changed(waits_for_all).await).await
    }

    async fn left(&mut self, _pipes: Vec<u64>) -> Vec<i32> {
        self.command.list(ProcessSelection::All).await
    }

    fn adopt(&mut self) {}

    async fn in_background(&mut self) -> Vec<i32> {
        self.command.list(ProcessSelection::Background).await
    }

    async fn survivors(&mut self) -> Vec<i32> {
        if self.is_detached { Vec::new() } else { self.command.list(ProcessSelection::All).await }
    }

    async fn forward(&mut self, _pipes: Vec<u64>, signal: Signal) {
        self.command.signal(signal.as_raw());
    }

    async fn terminate(&mut self, _pipes: Vec<u64>, signal: Signal, _has_terminal: bool) {
        self.command.stop(signal.as_raw(), self.ending.grace);
    }

    async fn kill_tree(&mut self, _waits_for_death: bool) {
        self.command.stop(libc::SIGKILL, None);
    }

    async fn kill_everywhere(&mut self, _pipes: Vec<u64>) {
        self.command.stop(libc::SIGKILL, None);
    }

    fn owns_life(&self) -> bool {
        true
    }

    async fn detach(&mut self, last_input: impl Future<Output = bool>) -> bool {
        self.command.leave();
        let handed_over = async {
            let is_ended = last_input.await;
            // The supervisor has what was written before, once it has answered a later question.
            self.command.list(ProcessSelection::All).await;
            is_ended
        };
        // Without an answer the input stays open: nobody knows how much of it has arrived.
        let is_ended = while_it_passes(self.command.passed(), handed_over).await.unwrap_or(false);
        self.is_detached = true;
        self.command.detach(is_ended);
        true
    }

    fn resize(&self, size: WindowSize) {
        self.command.resize(size);
    }

    async fn inspect(&mut self, execution: &mut Execution) -> Step {
        if execution.inspections.are_ports_due() {
            let processes = self.pids().await;
            execution.check_ports(self.engine.scanner(), processes).await;
        }
        if !execution.inspections.is_input_due() {
            return Step::Wait;
        }
        let pids = self.pids().await;
        let leader = pids.first().copied();
        execution.check_input_by(self.engine.scanner(), || pids, |_| state_of_leader(leader?)).await
    }

    async fn state(&self) -> CommandState {
        let processes = described(self.engine.scanner(), self.pids().await).await;
        let refused = self.command.sandbox().map_or_else(Vec::new, |sandbox| sandbox.refused);
        CommandState { processes, refused }
    }

    async fn record_changes(&self) {}

    fn describe(&mut self, outcome: &mut Outcome) {
        outcome.directory = self.command.directory().map(str::to_owned);
        outcome.sandbox = self.command.sandbox();
        outcome.limits = self.command.limits();
        outcome.durable = Some(Box::new(self.command.info().get()));
        if self.is_detached {
            return;
        }
        let Some(Ok(end)) = self.command.exit() else { return };
        if let Some(used) = end.usage {
            outcome.add_measured(used.user, used.system, used.peak_memory, used.wall);
        }
        outcome.cause = match end.cause {
            EndCause::Timeout | EndCause::Deadline | EndCause::Unattended => Some(Cause::Timeout),
            EndCause::Idle => Some(Cause::IdleTimeout),
            EndCause::Kill => outcome.cause.or(Some(Cause::Killed)),
            // A stop of this host came too late.
            EndCause::Exit | EndCause::Lost => outcome.cause,
        };
    }

    /// Does nothing: the supervisor has seen all processes end.
    async fn sweep(&mut self) {}

    fn finish(self) {}
}
