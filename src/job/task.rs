//! The task of one job: a loop on the I/O thread, from the launch to the outcome. It carries out what [`Life`] decides.

mod answers;
mod inspect;
mod streams;

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::process::Signal;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::{sleep, sleep_until};
use tracing::debug;

use self::inspect::{Inspections, due};
use self::streams::{Ready, Streams};
use super::handle::Request;
use super::launch::{LaunchResult, Launched};
use super::life::{Event, Life, Phase, Step, Terms};
use super::processes::{JobProcesses, pids_of};
use crate::engine::Engine;
use crate::engine::scan::{AFTER_SIGNAL, AFTER_START, ExpectedJob};
use crate::job::io::observer::StreamName;
use crate::job::launch::await_launch::{Started, await_launch};
use crate::job::launch::pending::{Claim, EndOnce, Job};
use crate::job::life::clock::{Clock, Due};
use crate::job::model::error::LaunchError;
use crate::job::model::outcome::{Cause, End};
use crate::job::model::plan::{Leftovers, Plan};
use crate::process::errno::Errno;
use crate::process::wait::{Exit, ExitWatch};

/// Delays between re-checks of processes that outlive the end of output: a program closes its pipes shortly before it exits.
const EXIT_RECHECK_DELAYS: [Duration; 4] =
    [Duration::from_millis(1), Duration::from_millis(3), Duration::from_millis(6), Duration::from_millis(10)];

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
                // An owner that closed during the spawn did not find the new process, so the job is stopped here.
                requests.push(Request::StopAtOnce(Cause::OwnerGone));
            }
            let pid = launched.leader.identity().pid;
            job.pid.store(pid.as_raw_nonzero().get(), Ordering::Release);
            match Running::new(engine, job, launched, is_in_background) {
                Ok(running) => running.run(requests).await,
                Err((job, error)) => {
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
    plan: Arc<Plan>,
    inbox: UnboundedReceiver<Request>,
    end: EndOnce,
    started_at: std::time::Instant,
    directory: Option<String>,
    processes: JobProcesses,
    watch: ExitWatch,
    streams: Streams,
    inspections: Inspections,
    /// The pids of the processes that were left after the exit.
    left: Vec<i32>,
    /// Whether other processes held the output open after the exit.
    was_held: bool,
    life: Life,
    clock: Clock,
    stop_signal: Signal,
}

/// The event that woke the loop.
enum Woken {
    Exit,
    Stream(Ready),
    MembersGone,
    Request(Request),
    Time,
    CheckInput,
    CheckPorts,
}

impl Running {
    fn new(
        engine: &'static Engine,
        job: Job,
        launched: Launched,
        is_in_background: bool,
    ) -> Result<Box<Self>, (Job, io::Error)> {
        let Launched { tracked, leader, pidfd, ends, spill, directory, device_and_inode: _, tag } = launched;
        let identity = leader.identity();
        let connected =
            ExitWatch::new(identity.pid, pidfd).and_then(|exit| Ok((exit, Streams::new(&job, ends, spill)?)));
        let (watch, streams) = match connected {
            Ok(connected) => connected,
            // The leader is dropped here, which kills and reaps it.
            Err(error) => return Err((job, error)),
        };
        let tracked =
            tracked.unwrap_or_else(|| ExpectedJob::announce(engine.scanner()).begin(identity, tag, None));
        engine.tracker().scan_after(AFTER_START);
        let plan = job.plan;
        let mut clock = Clock::new(&plan, job.started_at);
        if is_in_background {
            clock.move_to_background(plan.times.in_background);
        }
        Ok(Box::new(Self {
            engine,
            inbox: job.inbox,
            end: job.end,
            started_at: job.started_at,
            directory,
            processes: JobProcesses::new(leader, tracked),
            watch,
            streams,
            inspections: Inspections::new(plan.on_waiting),
            left: Vec::new(),
            was_held: false,
            life: Life::new(Terms::of(&plan), is_in_background),
            clock,
            stop_signal: plan.ending.signal,
            plan,
        }))
    }

    async fn run(mut self: Box<Self>, requests: Vec<Request>) {
        for request in requests {
            let step = Box::pin(self.take(request)).await;
            if self.follow(step).await {
                return self.settle().await;
            }
        }
        if self.clock.is_due_at_once() {
            // A timeout of 0 acts before the command's exit, however early that is.
            let step = self.time_is_up();
            if self.follow(step).await {
                return self.settle().await;
            }
        }
        loop {
            let step = match self.next().await {
                Woken::Stream(Ready::Output(name)) => self.read(name).await,
                Woken::Stream(Ready::Input) => self.feed().await,
                Woken::Stream(Ready::Room) => Step::Wait,
                Woken::Exit => self.leader_exited(),
                Woken::MembersGone => self.life.apply(Event::MembersGone),
                Woken::Request(request) => Box::pin(self.take(request)).await,
                Woken::Time if self.has_unnoticed_exit() => self.leader_exited(),
                Woken::Time => self.time_is_up(),
                Woken::CheckInput => Box::pin(self.check_input()).await,
                Woken::CheckPorts => {
                    Box::pin(self.check_ports()).await;
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
            debug!(pid = self.pid(), phase = ?self.life.phase(), ?step, cause = ?self.life.cause(), "next step");
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
            Step::SignalAgain => Box::pin(self.forward(self.stop_signal)).await,
            Step::Kill => Box::pin(self.kill()).await,
            Step::Settle => return true,
        }
        false
    }

    /// Waits for the next event. An event that ends the job comes before its output.
    async fn next(&mut self) -> Woken {
        let may_read = self.may_read();
        tokio::select! {
            biased;
            Some(request) = self.inbox.recv() => Woken::Request(request),
            () = self.watch.exited(), if !self.life.leader_exited() => Woken::Exit,
            () = self.processes.members_gone(), if self.life.waits_for_members() => Woken::MembersGone,
            () = sleep_until(self.clock.next()) => Woken::Time,
            () = due(self.inspections.next_input()) => Woken::CheckInput,
            () = due(self.inspections.next_ports()) => Woken::CheckPorts,
            ready = self.streams.ready(may_read) => Woken::Stream(ready),
        }
    }

    /// Returns whether the output may be read now. The output of a job that is being ended is read in any case.
    fn may_read(&self) -> bool {
        (self.life.is_stopping() || self.streams.is_wanted()) && self.streams.has_room()
    }

    async fn read(&mut self, name: StreamName) -> Step {
        let turn = self.streams.read(name, self.end.observer());
        if turn.has_read {
            self.note_activity();
        }
        if turn.is_full {
            // The pipe may hold more, but the other jobs have their turn first.
            yield_now().await;
        }
        self.after_reading()
    }

    /// Reads the data in the pipes, also when the consumer is slow. Returns whether there was any.
    fn read_all(&mut self) -> bool {
        let has_read = self.streams.read_all(self.end.observer());
        if has_read {
            self.note_activity();
        }
        has_read
    }

    fn note_activity(&mut self) {
        self.clock.restart_idle();
        self.inspections.note_activity();
    }

    fn after_reading(&mut self) -> Step {
        if self.streams.has_ended() { self.life.apply(Event::OutputEnded) } else { Step::Wait }
    }

    async fn feed(&mut self) -> Step {
        self.streams.stdout.expect_answer();
        self.inspections.note_input();
        if self.streams.feeder.feed(self.end.observer()) {
            // The pipe may have room for more, but the other jobs have their turn first.
            yield_now().await;
        }
        Step::Wait
    }

    /// Returns whether the leader has exited without a wake-up: SIGCONT interrupts the wait for events, and only the times have been
    /// checked then.
    fn has_unnoticed_exit(&self) -> bool {
        !self.life.leader_exited() && self.processes.leader().exit().is_some()
    }

    fn leader_exited(&mut self) -> Step {
        debug!(pid = self.pid(), exit = ?self.processes.leader().exit(), "leader exited");
        self.streams.terminal = None;
        self.read_all();
        if self.streams.has_ended() {
            self.life.apply(Event::OutputEnded);
        } else {
            self.was_held = true;
            if let Some(drain) = self.plan.drain
                && self.life.phase() == Phase::Running
            {
                self.clock.drain(drain, self.life.is_in_background());
            }
        }
        self.life.apply(Event::LeaderExited)
    }

    async fn take(&mut self, request: Request) -> Step {
        debug!(pid = self.pid(), ?request, "request");
        match request {
            Request::Stop(cause, None) => self.stop(cause),
            Request::Stop(cause, Some(signal)) => {
                self.stop_signal = signal;
                self.life.apply(Event::StopBySignal(cause))
            }
            Request::StopAtOnce(cause) => self.life.apply(Event::StopAtOnce(cause)),
            Request::ReportSpawn => {
                self.end.observer().spawned(self.pid());
                Step::Wait
            }
            Request::FollowWaits(is_followed) => {
                self.inspections.follow_waits(is_followed);
                Step::Wait
            }
            Request::CheckInput => {
                self.inspections.ask();
                Step::Wait
            }
            Request::FollowPorts(is_followed) => {
                self.inspections.follow_ports(is_followed);
                Step::Wait
            }
            Request::Resize(size) => {
                self.streams.resize(size);
                Step::Wait
            }
            Request::Forward(signal) => {
                self.forward(signal).await;
                Step::Wait
            }
        }
    }

    fn stop(&mut self, cause: Cause) -> Step {
        let is_at_once = self.plan.ending.is_at_once();
        self.life.apply(if is_at_once { Event::StopAtOnce(cause) } else { Event::StopGently(cause) })
    }

    async fn forward(&mut self, signal: Signal) {
        self.processes.forward(self.streams.pipes(), signal).await;
    }

    fn time_is_up(&mut self) -> Step {
        match self.clock.take_due() {
            Some(Due::Timeout) => self.life.apply(Event::TimeUp),
            Some(Due::Idle) if !self.may_read() => {
                // The command may have written, but the consumer keeps its output from being read.
                self.clock.restart_idle();
                Step::Wait
            }
            // Output may be unread if this process was stopped, or did not run for a while.
            Some(Due::Idle | Due::DrainIdle) if self.read_all() => self.after_reading(),
            Some(Due::Idle) => self.stop(Cause::IdleTimeout),
            Some(Due::DrainIdle | Due::DrainEnd) => {
                self.clock.drained();
                self.read_all();
                self.life.apply(Event::DrainOver)
            }
            Some(Due::Grace) => self.life.apply(Event::GraceOver),
            Some(Due::Recheck) => self.life.apply(Event::RecheckDue),
            None => Step::Wait,
        }
    }

    /// Counts the processes that are left after the exit.
    async fn count(&mut self) -> Step {
        self.clock.drained();
        let mut found = self.processes.left(self.streams.pipes()).await;
        if self.was_held && self.streams.has_ended() {
            for moment in EXIT_RECHECK_DELAYS {
                if found.is_empty() {
                    break;
                }
                sleep(moment).await;
                found = self.processes.left(Vec::new()).await;
            }
        }
        self.left = pids_of(&found);
        if self.plan.leftovers == Some(Leftovers::Adopt) {
            self.processes.adopt(&found);
        }
        self.life.apply(Event::Left(!found.is_empty()))
    }

    async fn count_survivors(&mut self) -> Step {
        let has_survivors = !self.processes.left(Vec::new()).await.is_empty();
        self.life.apply(Event::Survivors(has_survivors))
    }

    async fn terminate(&mut self) {
        self.clock.terminate(self.plan.ending.grace);
        self.processes.terminate(self.streams.pipes(), self.stop_signal).await;
        if self.streams.screen.is_some() {
            self.processes.hang_up(self.stop_signal);
        }
        self.engine.tracker().scan_after(AFTER_SIGNAL);
    }

    async fn kill(&mut self) {
        self.clock.kill();
        if self.life.leader_exited() {
            self.processes.kill_everywhere(self.streams.pipes()).await;
        } else {
            // Only the first round waits for the death of the descendants: if the leader itself can't be killed,
            // waiting again is of no use.
            let is_first = self.life.phase() == Phase::Killing(0);
            self.processes.kill_tree(is_first).await;
        }
    }

    fn pid(&self) -> i32 {
        self.processes.pid().as_raw_nonzero().get()
    }
}
