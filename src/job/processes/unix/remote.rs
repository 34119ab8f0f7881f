//! The processes of a command on a target, for the task of its job. The reaper there finds and signals them.

use tokio::time::Instant;

use crate::process::signal::Signal;

use crate::engine::Engine;
use crate::helper::supervisor::protocol::enums::{ProcessSelection, SignalScope};
use crate::helper::supervisor::protocol::message::RemoteExit;
use crate::job::execution::Execution;
use crate::job::life::Step;
use crate::job::model::outcome::{End, Outcome};
use crate::job::ports::PortScan;
use crate::job::processes::command_processes::{AwaitedEvents, CommandProcesses, ProcessEvent};
use crate::job::state::CommandState;
use crate::process::pty::WindowSize;
use crate::process::wait::Exit;
use crate::target::remote_command::{RemoteCommand, RemoteEnd};

/// The processes of a command on a target. All of them are members.
pub(in crate::job) struct RemoteProcesses {
    pub(in crate::job) engine: &'static Engine,
    pub(in crate::job) command: RemoteCommand,
}

impl CommandProcesses for RemoteProcesses {
    fn pid(&self) -> i32 {
        self.command.pid()
    }

    fn end(&self) -> Option<End> {
        Some(match self.command.end()? {
            RemoteEnd::Exit(RemoteExit { value, is_signal: false, .. }) => {
                End::Exit(Exit::Code(value.cast_signed()))
            }
            RemoteEnd::Exit(RemoteExit { value, .. }) => End::Exit(Exit::Signal(value.cast_signed())),
            RemoteEnd::Status(code) => End::Exit(Exit::Code(code)),
            RemoteEnd::Lost(error) => End::Lost(error.into()),
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
        self.command.list(ProcessSelection::All).await
    }

    async fn forward(&mut self, _pipes: Vec<u64>, signal: Signal) {
        self.command.signal(signal.as_raw(), SignalScope::Tree);
    }

    async fn terminate(&mut self, _pipes: Vec<u64>, signal: Signal, _has_terminal: bool) {
        self.command.signal(signal.as_raw(), SignalScope::End);
    }

    async fn kill_tree(&mut self, _waits_for_death: bool) {
        self.command.kill();
    }

    async fn kill_everywhere(&mut self, _pipes: Vec<u64>) {
        self.command.kill();
    }

    fn resize(&self, size: WindowSize) {
        self.command.resize(size);
    }

    /// Finds ports, and no wait for input: the system calls of processes there are not read.
    async fn inspect(&mut self, execution: &mut Execution) -> Step {
        if execution.inspections.are_ports_due() {
            let ports = self.command.ports(execution.inspections.asks_namespaces()).await;
            // The time was that of the connection.
            execution.record_ports(PortScan::of_target(ports), Instant::now());
        }
        if !execution.inspections.is_input_due() {
            return Step::Wait;
        }
        execution.check_input(self.engine.scanner(), Vec::new).await
    }

    async fn state(&self) -> CommandState {
        CommandState::default()
    }

    async fn record_changes(&self) {}

    fn describe(&mut self, outcome: &mut Outcome) {
        if let Some(RemoteEnd::Exit(exit)) = self.command.end() {
            let RemoteExit { user, system, peak_memory, wall, .. } = exit;
            outcome.add_measured(user, system, peak_memory, wall);
        }
        outcome.directory = self.command.directory().map(str::to_owned);
        let mut report = self.command.report().clone();
        report.is_out_of_memory =
            matches!(self.command.end(), Some(RemoteEnd::Exit(RemoteExit { is_out_of_memory: true, .. })));
        outcome.target = Some(report);
    }

    async fn sweep(&mut self) {
        self.command.kill();
    }

    fn finish(self) {
        self.command.release();
    }
}
