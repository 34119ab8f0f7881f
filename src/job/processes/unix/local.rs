//! The processes of a command on this machine, for the task of its job.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use crate::process::signal::Signal;

use super::{JobProcesses, pids_of};
use crate::engine::Engine;
use crate::engine::leader::Leader;
use crate::engine::scan::{AFTER_SIGNAL, AFTER_START, TrackedJob};
use crate::job::execution::Execution;
use crate::job::life::Step;
use crate::job::model::outcome::{End, Outcome, Usage};
use crate::job::model::plan::Report;
use crate::job::processes::command_processes::{AwaitedEvents, CommandProcesses, ProcessEvent};
use crate::job::sandbox::{RunningSandbox, SandboxPids};
use crate::job::state::{CommandState, described};
use crate::job::waiting::inspection::processes_of;
use crate::process::cgroup::tree::LimitedTree;
use crate::process::memory::command_peak;
use crate::process::pty::WindowSize;
use crate::process::table::row::Process;
use crate::process::wait::{self, ExitWatch};
use crate::sandbox::network::ask::ConnectEvent;

/// The processes of a command on this machine.
pub(in crate::job) struct LocalProcesses {
    engine: &'static Engine,
    processes: JobProcesses,
    watch: ExitWatch,
    /// The processes that were found last.
    found: Vec<Process>,
    directory: Option<String>,
    sandbox: Option<Arc<RunningSandbox>>,
    report: Report,
}

/// The result of a launch on this machine, besides the streams.
pub(in crate::job) struct LocalLaunch {
    pub(in crate::job) leader: Leader,
    pub(in crate::job) pidfd: Option<OwnedFd>,
    pub(in crate::job) tracked: TrackedJob,
    pub(in crate::job) directory: Option<String>,
    pub(in crate::job) sandbox: Option<Arc<RunningSandbox>>,
    pub(in crate::job) tree: Option<Arc<LimitedTree>>,
    pub(in crate::job) report: Report,
}

impl LocalProcesses {
    /// Watches a launched process.
    ///
    /// # Errors
    ///
    /// The system's error when its exit can't be watched. Then it is killed and reaped.
    pub(in crate::job) fn new(engine: &'static Engine, launched: LocalLaunch) -> io::Result<Self> {
        let LocalLaunch { leader, pidfd, tracked, directory, sandbox, tree, report } = launched;
        let watch = ExitWatch::new(leader.identity().pid, pidfd)?;
        engine.tracker().scan_after(AFTER_START);
        let of_sandbox = sandbox.as_ref().map_or_else(SandboxPids::default, |sandbox| sandbox.pids());
        let processes = JobProcesses::new(leader, tracked, of_sandbox, tree);
        Ok(Self { engine, processes, watch, found: Vec::new(), directory, sandbox, report })
    }

    /// Refuses the connections that wait for an answer: the command is being ended.
    fn refuse_questions(&self) {
        if let Some(sandbox) = &self.sandbox {
            sandbox.refuse_questions();
        }
    }
}

/// Waits for an event about a question of the sandbox's network.
async fn connect_event(sandbox: Option<&RunningSandbox>) -> ConnectEvent {
    match sandbox {
        Some(sandbox) => sandbox.connect_event().await,
        None => std::future::pending().await,
    }
}

impl CommandProcesses for LocalProcesses {
    fn pid(&self) -> i32 {
        self.processes.command()
    }

    fn end(&self) -> Option<End> {
        self.processes.leader().exit().map(End::Exit)
    }

    async fn next(&mut self, wanted: AwaitedEvents) -> ProcessEvent {
        tokio::select! {
            biased;
            () = self.watch.exited(), if wanted.exit => ProcessEvent::Exit,
            () = self.processes.members_gone(), if wanted.members_gone => ProcessEvent::MembersGone,
            event = connect_event(self.sandbox.as_deref()) => ProcessEvent::Connect(event),
        }
    }

    async fn left(&mut self, pipes: Vec<u64>) -> Vec<i32> {
        self.found = self.processes.left(pipes).await;
        pids_of(&self.found)
    }

    fn adopt(&mut self) {
        self.processes.adopt(&self.found);
    }

    async fn in_background(&mut self) -> Vec<i32> {
        pids_of(&self.processes.in_background().await)
    }

    async fn survivors(&mut self) -> Vec<i32> {
        self.processes.survivors().await
    }

    async fn forward(&mut self, pipes: Vec<u64>, signal: Signal) {
        self.processes.forward(pipes, signal).await;
    }

    async fn terminate(&mut self, pipes: Vec<u64>, signal: Signal, has_terminal: bool) {
        self.refuse_questions();
        self.processes.terminate(pipes, signal).await;
        if has_terminal {
            self.processes.hang_up(signal);
        }
        self.engine.tracker().scan_after(AFTER_SIGNAL);
    }

    async fn kill_tree(&mut self, waits_for_death: bool) {
        self.refuse_questions();
        self.processes.kill_tree(waits_for_death).await;
    }

    async fn kill_everywhere(&mut self, pipes: Vec<u64>) {
        self.processes.kill_everywhere(pipes).await;
    }

    /// Does nothing: the job's own end of the terminal has changed its size.
    fn resize(&self, _size: WindowSize) {}

    async fn inspect(&mut self, execution: &mut Execution) -> Step {
        if execution.inspections.are_ports_due() {
            let processes = self.processes.pids().await;
            execution.check_ports(self.engine.scanner(), processes).await;
        }
        if !execution.inspections.is_input_due() {
            return Step::Wait;
        }
        let leader = self.processes.pid();
        execution.check_input(self.engine.scanner(), || processes_of(leader)).await
    }

    async fn state(&self) -> CommandState {
        let processes = described(self.engine.scanner(), self.processes.pids().await).await;
        let refused = self.sandbox.as_ref().map_or_else(Vec::new, |sandbox| sandbox.refused_so_far());
        CommandState { processes, refused }
    }

    async fn record_changes(&self) {
        if let Some(sandbox) = &self.sandbox {
            sandbox.record_changes().await;
        }
    }

    fn describe(&mut self, outcome: &mut Outcome) {
        if self.report == Report::Full && matches!(outcome.end, End::Exit(_)) {
            let used = self.processes.leader().usage();
            outcome.usage = used.map(|wait::Usage { user, system, max_rss }| Usage {
                user,
                system,
                peak_memory: command_peak(max_rss),
            });
        }
        outcome.directory.clone_from(&self.directory);
        outcome.limits = self.processes.tree().map(LimitedTree::report);
        outcome.sandbox = self.sandbox.as_ref().map(|sandbox| sandbox.report(&outcome.end));
    }

    async fn sweep(&mut self) {
        self.processes.sweep().await;
    }

    fn finish(self) {
        self.processes.finish();
    }
}
