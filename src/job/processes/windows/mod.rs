//! The processes of a command on this machine: those of its job object, which no process can leave.

use std::sync::Arc;

use crate::engine::leader::Leader;
use crate::job::execution::Execution;
use crate::job::launch::TemporaryScript;
use crate::job::life::Step;
use crate::job::model::outcome::{End, Outcome, Usage};
use crate::job::model::plan::Report;
use crate::job::processes::command_processes::{AwaitedEvents, CommandProcesses, ProcessEvent};
use crate::job::state::{CommandState, described};
use crate::process::cgroup::tree::LimitedTree;
use crate::process::identity::Pid;
use crate::process::pty::WindowSize;
use crate::process::signal::Signal;

/// The processes of a command on this machine. All of them are members.
#[derive(Debug)]
pub struct LocalProcesses {
    pub(in crate::job) leader: Leader,
    pub(in crate::job) report: Report,
    pub(in crate::job) directory: Option<String>,
    pub(in crate::job) tree: Option<Arc<LimitedTree>>,
    /// The file from which the shell reads a long command.
    pub(in crate::job) _script: Option<TemporaryScript>,
}

impl LocalProcesses {
    fn left_pids(&self) -> Vec<i32> {
        let left = self.leader.job().processes_besides(self.leader.child().pid());
        left.into_iter().map(u32::cast_signed).collect()
    }

    /// Returns the pids of all processes, the leader first.
    fn pids(&self) -> Vec<Pid> {
        let pids = std::iter::once(self.pid()).chain(self.left_pids());
        pids.filter_map(Pid::from_raw).collect()
    }

    fn kill(&self) {
        self.leader.job().end(Signal::KILL);
    }

    /// Sends Ctrl-C, or ends all processes where that is not possible.
    async fn ask_to_end(&self, signal: Signal) {
        if self.leader.exit().is_some() || !self.leader.interrupt(signal).await {
            self.leader.job().end(signal);
        }
    }
}

impl CommandProcesses for LocalProcesses {
    fn pid(&self) -> i32 {
        self.leader.child().pid().cast_signed()
    }

    fn end(&self) -> Option<End> {
        self.leader.exit().map(End::Exit)
    }

    async fn next(&mut self, wanted: AwaitedEvents) -> ProcessEvent {
        let leader = &self.leader;
        tokio::select! {
            biased;
            () = leader.exited(), if wanted.exit => ProcessEvent::Exit,
            () = leader.emptied(), if wanted.members_gone => ProcessEvent::MembersGone,
            else => std::future::pending().await,
        }
    }

    async fn left(&mut self, _pipes: Vec<u64>) -> Vec<i32> {
        self.left_pids()
    }

    fn adopt(&mut self) {}

    /// Returns all processes: none shows whether another one waits for it.
    async fn in_background(&mut self) -> Vec<i32> {
        self.left_pids()
    }

    async fn survivors(&mut self) -> Vec<i32> {
        self.left_pids()
    }

    /// Sends Ctrl-C for a signal that asks programs to end; only programs of MSYS2 and Cygwin get any other.
    async fn forward(&mut self, _pipes: Vec<u64>, signal: Signal) {
        if [Signal::INT, Signal::QUIT, Signal::HUP, Signal::TERM].contains(&signal) {
            self.ask_to_end(signal).await;
        } else if signal == Signal::KILL {
            self.kill();
        } else {
            self.leader.signal_runtime(signal).await;
        }
    }

    async fn terminate(&mut self, _pipes: Vec<u64>, signal: Signal, _has_terminal: bool) {
        self.ask_to_end(signal).await;
    }

    async fn kill_tree(&mut self, _waits_for_death: bool) {
        self.kill();
    }

    async fn kill_everywhere(&mut self, _pipes: Vec<u64>) {
        self.kill();
    }

    /// Does nothing: no command has a terminal.
    fn resize(&self, _size: WindowSize) {}

    async fn inspect(&mut self, execution: &mut Execution) -> Step {
        execution.inspect_processes(|| self.pids())
    }

    async fn state(&self) -> CommandState {
        CommandState { processes: described(self.pids()), refused: Vec::new() }
    }

    async fn record_changes(&self) {}

    fn describe(&mut self, outcome: &mut Outcome) {
        if self.report == Report::Full && matches!(outcome.end, End::Exit(_)) {
            let used = self.leader.job().object().usage().ok();
            outcome.usage = used.map(|(user, system, peak)| Usage {
                user,
                system,
                peak_memory: Some(peak).filter(|&peak| peak > 0),
            });
        }
        outcome.directory.clone_from(&self.directory);
        outcome.limits = self.tree.as_deref().map(LimitedTree::report);
    }

    async fn sweep(&mut self) {
        self.kill();
    }

    fn finish(self) {
        self.leader.finish();
    }
}
