//! The task of one job: a loop on the I/O thread, from the launch to the outcome. It reports events to the
//! [`Execution`], and carries out the steps that follow.

mod answers;

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::process::Signal;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::time::{sleep, sleep_until};
use tracing::debug;

use super::execution::Execution;
use super::execution::streams::{CommandStreams, Ready};
use super::handle::JobRequest;
use super::launch::{LaunchResult, Launched, RunningSandbox};
use super::life::{Event, Life, Phase, Step, Terms};
use super::processes::{JobProcesses, SandboxPids, pids_of};
use crate::engine::Engine;
use crate::engine::scan::{AFTER_SIGNAL, AFTER_START, ExpectedJob};
use crate::job::launch::await_launch::{Started, await_launch};
use crate::job::launch::pending::{Claim, Job};
use crate::job::model::error::LaunchError;
use crate::job::model::outcome::{Cause, End};
use crate::job::model::plan::Leftovers;
use crate::job::waiting::inspection::processes_of;
use crate::process::errno::Errno;
use crate::process::wait::{Exit, ExitWatch};

/// Runs the task of a job, from its launch on.
pub(super) async fn accompany(
    engine: &'static Engine,
    mut job: Job,
    claim: Arc<Claim>,
    launching: oneshot::Receiver<LaunchResult>,
) {
    match await_launch(engine, &mut job, &claim, launching).await {
        Ok(Started { launched, mut requests, is_in_background }) => {
            if job.owner.is_closed() && !job.plan.outlives_host {
                // An owner that closed during the spawn did not find the new process, so the job is stopped
                // here.
                requests.push(JobRequest::StopAtOnce(Cause::OwnerGone));
            }
            job.pid.store(launched.command(), Ordering::Release);
            match Running::new(engine, job, launched, is_in_background) {
                Ok(running) => running.run(requests).await,
                Err(failed) => {
                    let (job, error) = *failed;
                    let error = LaunchError::system(job.plan.program(), Errno::of(&error));
                    job.not_started(error, None);
                }
            }
        }
        Err((error, cause)) => job.not_started(error, cause),
    }
}

struct Running {
    engine: &'static Engine,
    execution: Execution,
    inbox: UnboundedReceiver<JobRequest>,
    directory: Option<String>,
    processes: JobProcesses,
    watch: ExitWatch,
    /// The pids of the processes that were left after the exit.
    left: Vec<i32>,
    sandbox: Option<Arc<RunningSandbox>>,
}

/// The event that woke the loop.
enum Woken {
    Exit,
    Stream(Ready),
    MembersGone,
    JobRequest(JobRequest),
    Time,
    Inspection,
}

impl Running {
    fn new(
        engine: &'static Engine,
        job: Job,
        launched: Launched,
        is_in_background: bool,
    ) -> Result<Box<Self>, Box<(Job, io::Error)>> {
        let Launched { tracked, leader, pidfd, ends, spill, directory, device_and_inode: _, tag, sandbox } =
            launched;
        let identity = leader.identity();
        let connected = ExitWatch::new(identity.pid, pidfd)
            .and_then(|exit| Ok((exit, CommandStreams::of_job(&job, ends, spill)?)));
        let (watch, streams) = match connected {
            Ok(connected) => connected,
            // The leader is dropped here, which kills and reaps it.
            Err(error) => return Err(Box::new((job, error))),
        };
        let sandbox = sandbox.map(Arc::<RunningSandbox>::from);
        if let Some(sandbox) = &sandbox {
            let _ = job.sandbox.set(Arc::clone(sandbox));
        }
        let tracked =
            tracked.unwrap_or_else(|| ExpectedJob::announce(engine.scanner()).begin(identity, tag, None));
        engine.tracker().scan_after(AFTER_START);
        let life = Life::new(Terms::of(&job.plan), is_in_background);
        let mut execution = Execution::new(job.plan, job.end, job.started_at, streams, life);
        if is_in_background {
            execution.clock.move_to_background(execution.plan.times.in_background);
        }
        Ok(Box::new(Self {
            engine,
            execution,
            inbox: job.inbox,
            directory,
            processes: JobProcesses::new(
                leader,
                tracked,
                sandbox.as_ref().map_or_else(SandboxPids::default, |sandbox| sandbox.pids()),
            ),
            sandbox,
            watch,
            left: Vec::new(),
        }))
    }

    async fn run(mut self: Box<Self>, requests: Vec<JobRequest>) {
        for request in requests {
            let step = Box::pin(self.take(request)).await;
            if self.follow(step).await {
                return self.settle().await;
            }
        }
        if self.execution.clock.is_due_at_once() {
            // A timeout of 0 acts before the command's exit, however early that is.
            let step = self.execution.time_is_up();
            if self.follow(step).await {
                return self.settle().await;
            }
        }
        loop {
            let step = match self.next().await {
                Woken::Stream(Ready::Output(name)) => self.execution.read(name).await,
                Woken::Stream(Ready::Input) => self.execution.feed().await,
                Woken::Stream(Ready::Room) => Step::Wait,
                Woken::Exit => self.leader_exited(),
                Woken::MembersGone => self.execution.life.apply(Event::MembersGone),
                Woken::JobRequest(request) => Box::pin(self.take(request)).await,
                Woken::Time if self.has_unnoticed_exit() => self.leader_exited(),
                Woken::Time => self.execution.time_is_up(),
                Woken::Inspection => Box::pin(self.inspect()).await,
            };
            if self.follow(step).await {
                return self.settle().await;
            }
        }
    }

    /// Carries out a step. Returns whether the job has ended.
    ///
    /// Futures that few jobs need are boxed, so that the task of the other jobs is half as large.
    async fn follow(&mut self, mut step: Step) -> bool {
        if step != Step::Wait {
            let life = &self.execution.life;
            debug!(pid = self.pid(), phase = ?life.phase(), ?step, cause = ?life.cause(), "next step");
        }
        match step {
            Step::Count => step = self.count().await,
            Step::CountSurvivors => step = self.count_survivors().await,
            _ => {}
        }
        match step {
            Step::Wait | Step::Count | Step::CountSurvivors => {}
            Step::MoveToBackground => Box::pin(self.move_to_background()).await,
            Step::Adopt => {
                let exit = self.processes.leader().exit().unwrap_or(Exit::Unknown);
                self.answer(End::Exit(exit)).await;
            }
            Step::Terminate => Box::pin(self.terminate()).await,
            Step::SignalAgain => Box::pin(self.forward(self.execution.stop_signal)).await,
            Step::Kill => Box::pin(self.kill()).await,
            Step::Settle => return true,
        }
        false
    }

    /// Waits for the next event. An event that ends the job comes before its output.
    async fn next(&mut self) -> Woken {
        let execution = &mut self.execution;
        let may_read = execution.may_read();
        tokio::select! {
            biased;
            Some(request) = self.inbox.recv() => Woken::JobRequest(request),
            () = self.watch.exited(), if !execution.life.leader_exited() => Woken::Exit,
            () = self.processes.members_gone(), if execution.life.waits_for_members() => Woken::MembersGone,
            () = sleep_until(execution.clock.next()) => Woken::Time,
            () = execution.inspections.due() => Woken::Inspection,
            ready = execution.streams.ready(may_read) => Woken::Stream(ready),
        }
    }

    /// Returns whether the leader has exited without a wake-up: SIGCONT interrupts the wait for events, and
    /// only the times have been checked then.
    fn has_unnoticed_exit(&self) -> bool {
        !self.execution.life.leader_exited() && self.processes.leader().exit().is_some()
    }

    fn leader_exited(&mut self) -> Step {
        debug!(pid = self.pid(), exit = ?self.processes.leader().exit(), "leader exited");
        if self.execution.streams.terminal.is_some() {
            self.execution.read_all();
            self.execution.streams.terminal = None;
        }
        self.execution.leader_exited()
    }

    async fn take(&mut self, request: JobRequest) -> Step {
        debug!(pid = self.pid(), ?request, "request");
        match request {
            JobRequest::ReportSpawn => self.execution.end.observer().spawned(self.pid()),
            JobRequest::Resize(size) => self.execution.streams.resize(size),
            JobRequest::Forward(signal) => self.forward(signal).await,
            request => return self.execution.take(request),
        }
        Step::Wait
    }

    /// Runs the inspections that are due.
    async fn inspect(&mut self) -> Step {
        if self.execution.inspections.are_ports_due() {
            let processes = self.processes.pids().await;
            self.execution.check_ports(self.engine.scanner(), processes).await;
        }
        if !self.execution.inspections.is_input_due() {
            return Step::Wait;
        }
        let leader = self.processes.pid();
        self.execution.check_input(self.engine.scanner(), || processes_of(leader)).await
    }

    async fn forward(&mut self, signal: Signal) {
        self.processes.forward(self.held_pipes(), signal).await;
    }

    /// Returns the pipes whose holders belong to the job: none while the leader lives, which holds them itself.
    fn held_pipes(&self) -> Vec<u64> {
        if self.execution.life.leader_exited() { self.execution.streams.pipes() } else { Vec::new() }
    }

    /// Counts the processes that are left after the exit.
    async fn count(&mut self) -> Step {
        self.execution.clock.drained();
        let mut found = self.processes.left(self.execution.streams.pipes()).await;
        for &delay in self.execution.recheck_delays() {
            if found.is_empty() {
                break;
            }
            sleep(delay).await;
            found = self.processes.left(Vec::new()).await;
        }
        self.left = pids_of(&found);
        if self.execution.plan.leftovers == Some(Leftovers::Adopt) {
            self.processes.adopt(&found);
        }
        self.execution.life.apply(Event::Left(!found.is_empty()))
    }

    async fn count_survivors(&mut self) -> Step {
        let has_survivors = !self.processes.left(Vec::new()).await.is_empty();
        self.execution.life.apply(Event::Survivors(has_survivors))
    }

    async fn terminate(&mut self) {
        let pipes = self.held_pipes();
        let Execution { clock, plan, streams, stop_signal, .. } = &mut self.execution;
        clock.terminate(plan.ending.grace);
        self.processes.terminate(pipes, *stop_signal).await;
        if streams.screen.is_some() {
            self.processes.hang_up(*stop_signal);
        }
        self.engine.tracker().scan_after(AFTER_SIGNAL);
    }

    async fn kill(&mut self) {
        self.execution.clock.kill();
        if self.execution.life.leader_exited() {
            self.processes.kill_everywhere(self.execution.streams.pipes()).await;
        } else {
            // Only the first round waits for the death of the descendants: if the leader itself can't be
            // killed, waiting again is of no use.
            let is_first = self.execution.life.phase() == Phase::Killing(0);
            self.processes.kill_tree(is_first).await;
        }
    }

    fn pid(&self) -> i32 {
        self.processes.command()
    }
}
