//! The task of one job: a loop on the I/O thread, from the launch to the outcome. It reports events to the
//! [`Execution`], and carries out the steps that follow.

mod answers;
#[cfg_attr(unix, path = "task/unix.rs")]
#[cfg_attr(windows, path = "task/windows.rs")]
mod platform;

use std::io;
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::time::{sleep, sleep_until};
use tracing::debug;

use self::platform::run_launched;
use super::execution::Execution;
use super::execution::streams::{CommandStreams, Ready};
use super::handle::JobRequest;
use super::io::spill::SpillFile;
use super::launch::HostEnds;
use super::life::{Event, Life, Phase, Step, Terms};
use super::processes::command_processes::{AwaitedEvents, CommandProcesses, ProcessEvent};
use super::prompts::{OpenPrompts, PromptServer, Question};
use crate::engine::Engine;
use crate::job::launch::await_launch::{LaunchedJob, Launching, await_launch};
use crate::job::launch::pending::{Claim, Job};
use crate::job::model::outcome::{Cause, End};
use crate::job::model::plan::Leftovers;
use crate::process::signal::Signal;
use crate::process::wait::Exit;

/// Runs the task of a job, from its launch on.
pub(super) async fn run_task(
    engine: &'static Engine,
    mut job: Job,
    claim: Arc<Claim>,
    launching: oneshot::Receiver<Launching>,
) {
    match await_launch(engine, &mut job, &claim, launching).await {
        Ok(LaunchedJob { launched, mut requests, is_in_background }) => {
            if job.owner.is_closed() && !job.plan.outlives_host {
                // An owner that closed during the spawn did not find the new process, so the job is stopped
                // here.
                requests.push(JobRequest::StopAtOnce(Cause::OwnerGone));
            }
            run_launched(engine, job, launched, WhileLaunched { is_in_background, requests }).await;
        }
        Err((error, cause)) => job.not_started(error, cause),
    }
}

/// The events while a command was launched.
struct WhileLaunched {
    is_in_background: bool,
    /// The requests that arrived before the process ran.
    requests: Vec<JobRequest>,
}

/// The parts that a job's loop starts with, besides the job and its processes.
struct LoopStart {
    ends: HostEnds,
    spill: Option<SpillFile>,
    prompts: Option<PromptServer>,
    is_in_background: bool,
    /// The requests that arrived before the process ran.
    requests: Vec<JobRequest>,
}

/// Runs the task of a job whose command runs.
async fn run<P: CommandProcesses>(job: Job, processes: P, mut start: LoopStart) {
    let requests = std::mem::take(&mut start.requests);
    match JobLoop::new(job, processes, start) {
        Ok(running) => running.run(requests).await,
        // The processes are dropped, which kills them.
        Err(failed) => {
            let (job, error) = *failed;
            job.not_connected(&error);
        }
    }
}

struct JobLoop<P> {
    execution: Execution,
    inbox: UnboundedReceiver<JobRequest>,
    processes: P,
    /// Where the command's programs ask; boxed, since few commands have it.
    prompts: Option<Box<PromptServer>>,
    /// The pids of the processes that were left after the exit.
    left: Vec<i32>,
}

/// The event that woke the loop.
enum JobWake {
    Process(ProcessEvent),
    Stream(Ready),
    JobRequest(JobRequest),
    Time,
    Inspection,
    Question(Box<Question>),
    PromptOver(u32),
}

impl<P: CommandProcesses> JobLoop<P> {
    fn new(job: Job, processes: P, start: LoopStart) -> Result<Box<Self>, Box<(Job, io::Error)>> {
        let LoopStart { ends, spill, prompts, is_in_background, .. } = start;
        let streams = match CommandStreams::of_job(&job, ends, spill) {
            Ok(streams) => streams,
            Err(error) => return Err(Box::new((job, error))),
        };
        let life = Life::new(Terms::of(&job.plan), is_in_background);
        let mut execution = Execution::new(job.plan, job.end, job.started_at, streams, life);
        if is_in_background {
            execution.clock.move_to_background(execution.plan.times.in_background);
        }
        let prompts = prompts.map(Box::new);
        Ok(Box::new(Self { execution, inbox: job.inbox, processes, prompts, left: Vec::new() }))
    }

    async fn run(mut self: Box<Self>, requests: Vec<JobRequest>) {
        for request in requests {
            let step = Box::pin(self.handle_request(request)).await;
            if self.follow(step).await {
                return self.settle().await;
            }
        }
        if self.execution.clock.is_due_at_once() {
            // A timeout of 0 acts before the command's exit, however early that is.
            let step = self.execution.handle_deadline();
            if self.follow(step).await {
                return self.settle().await;
            }
        }
        loop {
            let step = match self.next().await {
                JobWake::Stream(Ready::Output(name)) => self.execution.read(name).await,
                JobWake::Stream(Ready::Input) => self.execution.feed().await,
                JobWake::Stream(Ready::Room) => Step::Wait,
                JobWake::Process(ProcessEvent::Exit) => self.leader_exited(),
                JobWake::Process(ProcessEvent::MembersGone) => self.execution.life.apply(Event::MembersGone),
                JobWake::Process(ProcessEvent::Connect(event)) => {
                    self.execution.end.observer().connecting(event);
                    Step::Wait
                }
                JobWake::JobRequest(request) => Box::pin(self.handle_request(request)).await,
                JobWake::Time if self.has_unnoticed_exit() => self.leader_exited(),
                JobWake::Time => self.execution.handle_deadline(),
                JobWake::Inspection => Box::pin(self.processes.inspect(&mut self.execution)).await,
                JobWake::Question(question) => {
                    self.execution.ask(*question);
                    Step::Wait
                }
                JobWake::PromptOver(number) => {
                    self.execution.prompt_over(number);
                    Step::Wait
                }
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
                self.answer(self.processes.end().unwrap_or(End::Exit(Exit::Unknown))).await;
            }
            Step::Terminate => Box::pin(self.terminate()).await,
            Step::SignalAgain => Box::pin(self.forward(self.execution.stop_signal)).await,
            Step::Kill => Box::pin(self.kill()).await,
            Step::Settle => return true,
        }
        if self.execution.life.is_stopping() {
            // After the signals: a shell whose program gets no answer would go on with its list.
            self.execution.refuse_prompts();
        }
        false
    }

    /// Waits for the next event. An event that ends the job comes before its output.
    async fn next(&mut self) -> JobWake {
        let execution = &mut self.execution;
        let may_read = execution.may_read();
        let life = &execution.life;
        let wanted = AwaitedEvents { exit: !life.leader_exited(), members_gone: life.waits_for_members() };
        tokio::select! {
            biased;
            Some(request) = self.inbox.recv() => JobWake::JobRequest(request),
            event = self.processes.next(wanted) => JobWake::Process(event),
            () = sleep_until(execution.clock.next()) => JobWake::Time,
            () = execution.inspections.due() => JobWake::Inspection,
            wake = prompt_event(self.prompts.as_deref_mut(), &mut execution.prompts) => wake,
            ready = execution.streams.ready(may_read) => JobWake::Stream(ready),
        }
    }

    /// Returns whether the leader has exited without a wake-up: SIGCONT interrupts the wait for events, and
    /// only the times have been checked then.
    fn has_unnoticed_exit(&self) -> bool {
        !self.execution.life.leader_exited() && self.processes.end().is_some()
    }

    fn leader_exited(&mut self) -> Step {
        debug!(pid = self.pid(), end = ?self.processes.end(), "leader exited");
        if self.execution.streams.terminal.is_some() {
            self.execution.read_all();
            self.execution.streams.terminal = None;
        }
        self.execution.leader_exited()
    }

    async fn handle_request(&mut self, request: JobRequest) -> Step {
        debug!(pid = self.pid(), ?request, "request");
        match request {
            JobRequest::ReportSpawn => self.execution.end.observer().spawned(self.pid()),
            JobRequest::Resize(size) => {
                self.execution.streams.resize(size);
                self.processes.resize(size);
            }
            JobRequest::ReportState => {
                let state = self.processes.state().await;
                self.execution.end.observer().state(state);
            }
            JobRequest::Forward(signal) => self.forward(signal).await,
            JobRequest::Detach => {
                let Execution { streams, end, .. } = &mut self.execution;
                if self.processes.detach(streams.feeder.drain(end.observer())).await {
                    return Step::Settle;
                }
            }
            request => return self.execution.handle_request(request),
        }
        Step::Wait
    }

    async fn forward(&mut self, signal: Signal) {
        self.processes.forward(self.held_pipes(), signal).await;
    }

    /// Returns the pipes whose holders belong to the job: none while the leader lives, which holds them
    /// itself.
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
        if self.execution.plan.leftovers == Some(Leftovers::Adopt) {
            self.processes.adopt();
        }
        self.left = found;
        self.execution.life.apply(Event::Left(!self.left.is_empty()))
    }

    async fn count_survivors(&mut self) -> Step {
        let has_survivors = !self.processes.left(Vec::new()).await.is_empty();
        self.execution.life.apply(Event::Survivors(has_survivors))
    }

    async fn terminate(&mut self) {
        let pipes = self.held_pipes();
        let Execution { clock, plan, streams, stop_signal, .. } = &mut self.execution;
        if self.processes.owns_life() {
            clock.stop();
        } else {
            clock.terminate(plan.ending.grace);
        }
        self.processes.terminate(pipes, *stop_signal, streams.screen.is_some()).await;
    }

    async fn kill(&mut self) {
        if self.processes.owns_life() {
            self.execution.clock.stop();
        } else {
            self.execution.clock.kill();
        }
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
        self.processes.pid()
    }
}

/// Waits for a question of the command's programs, or for the end of one.
async fn prompt_event(server: Option<&mut PromptServer>, open: &mut OpenPrompts) -> JobWake {
    // Without a server, which most commands have not, there are no prompts.
    let Some(server) = server else { return std::future::pending().await };
    tokio::select! {
        question = server.next() => JobWake::Question(Box::new(question)),
        number = open.over() => JobWake::PromptOver(number),
    }
}
