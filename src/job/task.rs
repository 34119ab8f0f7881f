//! The loop that accompanies one command, on the I/O thread, from its launch to its end.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, sleep_until};

use super::belongings::Belongings;
use super::engine::{EndOnce, Engine, Job};
use super::flow::Flow;
use super::handle::Request;
use super::launch::{LaunchResult, Launched, node_error};
use super::leader::Leader;
use super::life::{Event, Life, Phase, Step};
use super::outcome::{Cause, LaunchError, Outcome};
use super::output::{Output, StreamName};
use super::plan::Plan;
use crate::process::errno::Errno;
use crate::process::wait::{Exit, ExitWatch};

/// A launch that takes longer holds up those behind it.
const LONG_LAUNCH: Duration = Duration::from_secs(1);

/// How often to look for survivors of SIGKILL.
const LOOK_AGAIN: Duration = Duration::from_millis(25);

/// When to note which descendants have left the group: soon, and then more and more rarely.
const FIRST_NOTE: Duration = Duration::from_millis(4);
const SOON: Duration = Duration::from_millis(2);
const RAREST_NOTE: Duration = Duration::from_millis(500);
const RAREST_LOOK_FOR_HOLDERS: Duration = Duration::from_secs(30);

/// Accompanies a command, from its launch on.
pub(super) async fn accompany(
    engine: &'static Engine,
    mut job: Job,
    launching: oneshot::Receiver<LaunchResult>,
) {
    match started(engine, &mut job, launching).await {
        Ok((Launched { leader, pidfd, stdout, stderr }, signals)) => {
            let pid = leader.identity().pid;
            job.pid.store(pid.as_raw_nonzero().get(), Ordering::Release);
            match Watched::new(&job.plan, pid, pidfd, [stdout, stderr]) {
                Ok(watched) => Running::new(engine, job, leader, watched).run(signals).await,
                Err(error) => {
                    let error = node_error(job.plan.invocation.program(), Errno::of(&error));
                    job.finish(Outcome::not_started(error, None));
                }
            }
        }
        Err((error, cause)) => job.finish(Outcome::not_started(error, cause)),
    }
}

/// Waits for the process, and collects the signals that are meant for it; or for the end of the job before there is
/// a process. One that comes after that is dropped, which ends it.
async fn started(
    engine: &'static Engine,
    job: &mut Job,
    mut launching: oneshot::Receiver<LaunchResult>,
) -> Result<(Launched, Vec<Signal>), (LaunchError, Option<Cause>)> {
    let program = job.plan.invocation.program();
    let mut signals = Vec::new();
    let timeout = Clock::timeout(&job.plan, job.started_at);
    loop {
        tokio::select! {
            biased;
            result = &mut launching => {
                // The sender is gone when there was no thread to launch with.
                let result = result.unwrap_or_else(|_| Err(node_error(program, Errno(libc::EAGAIN))));
                let cause = job.owner.is_gone().then_some(Cause::OwnerGone);
                return result.map(|launched| (launched, signals)).map_err(|error| (error, cause));
            }
            Some(request) = job.inbox.recv() => match request {
                Request::Stop(cause) | Request::StopAtOnce(cause) => return Err((cancelled(), Some(cause))),
                Request::Forward(signal) => signals.push(signal),
            },
            () = sleep(LONG_LAUNCH) => engine.relieve_spawners(),
            () = sleep_until(timeout.unwrap_or_else(never)) => {
                return Err((node_error(program, Errno(libc::ETIMEDOUT)), Some(Cause::Timeout)));
            }
        }
    }
}

fn cancelled() -> LaunchError {
    LaunchError {
        code: "ABORT_ERR".to_owned(),
        message: "the command was stopped before it started".to_owned(),
    }
}

/// What the runtime watches of a process.
struct Watched {
    exit: ExitWatch,
    stdout: Output,
    stderr: Output,
}

impl Watched {
    fn new(
        plan: &Plan,
        pid: Pid,
        pidfd: Option<OwnedFd>,
        [stdout, stderr]: [OwnedFd; 2],
    ) -> io::Result<Self> {
        Ok(Self {
            exit: ExitWatch::new(pid, pidfd)?,
            stdout: Output::new(StreamName::Stdout, stdout, plan.capture_limit)?,
            stderr: Output::new(StreamName::Stderr, stderr, plan.capture_limit)?,
        })
    }
}

struct Running {
    engine: &'static Engine,
    plan: Arc<Plan>,
    flow: Arc<Flow>,
    inbox: UnboundedReceiver<Request>,
    end: EndOnce,
    started_at: std::time::Instant,
    leader: Leader,
    watch: ExitWatch,
    stdout: Output,
    stderr: Output,
    belongings: Belongings,
    life: Life,
    clock: Clock,
}

/// The times at which something is due.
struct Clock {
    timeout: Option<Instant>,
    grace: Option<Instant>,
    look: Option<Instant>,
    note: Option<Instant>,
    note_pause: Duration,
}

/// What woke the loop.
enum Woken {
    Exit,
    Output(StreamName),
    Room,
    MembersGone,
    Request(Request),
    Time,
}

impl Running {
    fn new(engine: &'static Engine, job: Job, leader: Leader, watched: Watched) -> Self {
        Self {
            clock: Clock::new(&job.plan, job.started_at),
            engine,
            plan: job.plan,
            flow: job.flow,
            inbox: job.inbox,
            end: job.end,
            started_at: job.started_at,
            belongings: Belongings::new(leader.identity(), job.owner),
            leader,
            watch: watched.exit,
            stdout: watched.stdout,
            stderr: watched.stderr,
            life: Life::default(),
        }
    }

    async fn run(mut self, signals: Vec<Signal>) {
        for signal in signals {
            self.forward(signal).await;
        }
        loop {
            let step = match self.next().await {
                Woken::Output(name) => self.read(name).await,
                Woken::Room => Step::Wait,
                Woken::Exit => self.leader_exited(),
                Woken::MembersGone => self.life.apply(Event::MembersGone),
                Woken::Request(request) => self.take(request).await,
                Woken::Time => self.time_is_up().await,
            };
            match self.or_kill_survivors(step) {
                Step::Wait => {}
                Step::Terminate => self.terminate().await,
                Step::Kill => self.kill().await,
                Step::Settle => return self.settle().await,
            }
        }
    }

    /// Waits for the next event. What ends a job comes before what it says.
    async fn next(&mut self) -> Woken {
        let may_read = self.life.is_stopping() || self.flow.has_room();
        tokio::select! {
            biased;
            Some(request) = self.inbox.recv() => Woken::Request(request),
            () = self.watch.exited(), if !self.life.leader_exited() => Woken::Exit,
            () = self.belongings.members_gone(), if self.life.waits_for_members() => Woken::MembersGone,
            () = sleep_until(self.clock.next()) => Woken::Time,
            () = self.flow.room(), if !may_read => Woken::Room,
            name = readable(&mut self.stdout, &mut self.stderr), if may_read && !self.output_has_ended() => {
                Woken::Output(name)
            }
        }
    }

    async fn read(&mut self, name: StreamName) -> Step {
        let output = match name {
            StreamName::Stdout => &mut self.stdout,
            StreamName::Stderr => &mut self.stderr,
        };
        let was_full_turn = output.read(&self.flow, self.end.observer());
        if was_full_turn {
            // There is more. The other jobs have their turn first.
            yield_now().await;
        }
        if self.output_has_ended() { self.life.apply(Event::OutputEnded) } else { Step::Wait }
    }

    fn leader_exited(&mut self) -> Step {
        self.leader.exited();
        // What it wrote is in the pipes: whatever the consumer's pace, one turn empties them.
        self.stdout.read(&self.flow, self.end.observer());
        self.stderr.read(&self.flow, self.end.observer());
        if self.output_has_ended() {
            self.life.apply(Event::OutputEnded);
        } else {
            self.clock.note_soon();
        }
        self.life.apply(Event::LeaderExited)
    }

    fn output_has_ended(&self) -> bool {
        self.stdout.has_ended() && self.stderr.has_ended()
    }

    async fn take(&mut self, request: Request) -> Step {
        match request {
            Request::Stop(cause) => self.life.apply(Event::StopGently(cause)),
            Request::StopAtOnce(cause) => self.life.apply(Event::StopAtOnce(cause)),
            Request::Forward(signal) => {
                self.forward(signal).await;
                Step::Wait
            }
        }
    }

    async fn forward(&mut self, signal: Signal) {
        let pipes = self.open_pipes();
        self.belongings.forward(self.engine, pipes, &self.leader, signal).await;
    }

    async fn time_is_up(&mut self) -> Step {
        let now = Instant::now();
        if due(&mut self.clock.timeout, now) {
            return self.life.apply(Event::StopGently(Cause::Timeout));
        }
        if due(&mut self.clock.grace, now) {
            return self.life.apply(Event::GraceOver);
        }
        if due(&mut self.clock.look, now) {
            return self.life.apply(Event::LookAgain);
        }
        if due(&mut self.clock.note, now) {
            self.note_escaped().await;
        }
        Step::Wait
    }

    async fn note_escaped(&mut self) {
        let pipes = self.open_pipes();
        self.belongings.note_escaped(self.engine, pipes, &self.leader).await;
        self.clock.note_later(self.life.leader_exited());
    }

    async fn terminate(&mut self) {
        self.clock.grace = Some(Instant::now() + self.plan.kill_grace);
        self.clock.note_soon();
        let pipes = self.open_pipes();
        self.belongings.terminate(self.engine, pipes, &self.leader, Signal::TERM).await;
    }

    async fn kill(&mut self) {
        self.clock.look = Some(Instant::now() + LOOK_AGAIN);
        if self.life.leader_exited() {
            let pipes = self.open_pipes();
            self.belongings.kill_everywhere(self.engine, pipes, &self.leader).await;
        } else {
            self.belongings.kill_tree(self.engine, &self.leader).await;
        }
    }

    /// A leader that ends when it is asked to may have started others in its last moments.
    fn or_kill_survivors(&mut self, step: Step) -> Step {
        if step == Step::Settle && self.life.phase() == Phase::Terminating && self.belongings.have_escaped() {
            return self.life.apply(Event::Survivors);
        }
        step
    }

    fn open_pipes(&self) -> Vec<u64> {
        [&self.stdout, &self.stderr].into_iter().filter_map(Output::inode).collect()
    }

    /// The one place where a job that ran is over.
    async fn settle(mut self) {
        self.inbox.close();
        let observer = self.end.observer();
        self.stdout.abandon(&self.flow, observer);
        self.stderr.abandon(&self.flow, observer);
        self.belongings.release(self.engine.registry());
        let pid = self.leader.identity().pid.as_raw_nonzero().get();
        let (exit, to_sweep) = if self.life.is_stopping() {
            (self.leader.exit().unwrap_or(Exit::Unknown), Some(self.leader))
        } else {
            (self.leader.finish(), None)
        };
        self.end.end(Outcome {
            exit: Ok(exit),
            cause: self.life.cause(),
            pid: Some(pid),
            stdout: self.stdout.into_capture(),
            stderr: self.stderr.into_capture(),
            duration: self.started_at.elapsed(),
        });
        if let Some(leader) = to_sweep {
            // Once more, when nobody waits for it any longer. Until the leader is reaped its number is its session's.
            self.belongings.sweep(self.engine, &leader).await;
            leader.finish();
        }
    }
}

/// The first of the two streams that can be read; either, if both can.
async fn readable(stdout: &mut Output, stderr: &mut Output) -> StreamName {
    tokio::select! {
        () = stdout.ready() => StreamName::Stdout,
        () = stderr.ready() => StreamName::Stderr,
    }
}

impl Clock {
    fn new(plan: &Plan, started_at: std::time::Instant) -> Self {
        Self {
            timeout: Self::timeout(plan, started_at),
            grace: None,
            look: None,
            note: Some(Instant::now() + FIRST_NOTE),
            note_pause: FIRST_NOTE,
        }
    }

    /// When the time is up, if ever: a timeout may lie beyond all times there are.
    fn timeout(plan: &Plan, started_at: std::time::Instant) -> Option<Instant> {
        Instant::from_std(started_at).checked_add(plan.timeout?)
    }

    fn next(&self) -> Instant {
        [self.timeout, self.grace, self.look, self.note].into_iter().flatten().min().unwrap_or_else(never)
    }

    /// Something has changed: begins anew.
    fn note_soon(&mut self) {
        self.note_pause = SOON;
        self.note = Some(Instant::now() + SOON);
    }

    fn note_later(&mut self, leader_exited: bool) {
        // To look for holders takes the whole process table.
        let rarest = if leader_exited { RAREST_LOOK_FOR_HOLDERS } else { RAREST_NOTE };
        self.note_pause = (self.note_pause * 2).min(rarest);
        self.note = Some(Instant::now() + self.note_pause);
    }
}

fn never() -> Instant {
    const LONG: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    Instant::now() + LONG
}

/// Whether the time has come; it comes once.
fn due(time: &mut Option<Instant>, now: Instant) -> bool {
    time.take_if(|time| *time <= now).is_some()
}
