//! The loop that accompanies one command, on the I/O thread, from its spawn to its end.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::process::Signal;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use super::belongings::{Belongings, sweep};
use super::engine::{EndOnce, Engine, Job};
use super::flow::Flow;
use super::handle::Request;
use super::launch::{LaunchResult, Launched, node_error};
use super::life::{Event, Life, Phase, Step};
use super::outcome::{Cause, LaunchError, Outcome};
use super::output::{Output, StreamName};
use super::plan::Plan;
use crate::process::errno::Errno;
use crate::process::identity::Identity;
use crate::process::registry::{Owner, Registration};
use crate::process::wait::{self, ExitWatch};

/// How often to look for survivors of SIGKILL.
const LOOK_AGAIN: Duration = Duration::from_millis(25);

/// When to note which descendants have left the group: soon, and then more and more rarely.
const FIRST_NOTE: Duration = Duration::from_millis(20);
const RAREST_NOTE: Duration = Duration::from_secs(2);

/// Accompanies a command, from its launch on.
pub(super) async fn accompany(
    engine: &'static Engine,
    mut job: Job,
    launching: oneshot::Receiver<LaunchResult>,
) {
    match started(&mut job, launching).await {
        Ok(launched) => {
            job.pid.store(launched.leader.pid.as_raw_nonzero().get(), Ordering::Release);
            let Launched { leader, pidfd, stdout, stderr, registration } = launched;
            match Watched::new(&job.plan, leader, pidfd, [stdout, stderr]) {
                Ok(watched) => Running::new(engine, job, leader, registration, watched).run().await,
                Err(error) => {
                    engine.abandon(leader, registration);
                    let error = node_error(job.plan.invocation.program(), Errno::of(&error));
                    job.finish(Outcome::not_started(error, None));
                }
            }
        }
        Err((error, cause)) => job.finish(Outcome::not_started(error, cause)),
    }
}

/// Waits for the process, or for the end of the job before there is one.
async fn started(
    job: &mut Job,
    mut launching: oneshot::Receiver<LaunchResult>,
) -> Result<Launched, (LaunchError, Option<Cause>)> {
    let program = job.plan.invocation.program();
    let timeout = Clock::timeout(&job.plan, job.started_at);
    loop {
        tokio::select! {
            biased;
            result = &mut launching => {
                // The sender is gone when there was no thread to launch with.
                let result = result.unwrap_or_else(|_| Err(node_error(program, Errno(libc::EAGAIN))));
                return result.map_err(|error| (error, None));
            }
            Some(request) = job.inbox.recv() => match request {
                Request::Stop(cause) | Request::StopAtOnce(cause) => return Err((cancelled(), Some(cause))),
                // There is nobody yet to take the signal.
                Request::Forward(_) => {}
            },
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
        leader: Identity,
        pidfd: Option<OwnedFd>,
        [stdout, stderr]: [OwnedFd; 2],
    ) -> io::Result<Self> {
        Ok(Self {
            exit: ExitWatch::new(leader.pid, pidfd)?,
            stdout: Output::new(StreamName::Stdout, stdout, plan.capture_limit)?,
            stderr: Output::new(StreamName::Stderr, stderr, plan.capture_limit)?,
        })
    }
}

struct Running {
    engine: &'static Engine,
    plan: Arc<Plan>,
    owner: Owner,
    flow: Arc<Flow>,
    inbox: UnboundedReceiver<Request>,
    end: EndOnce,
    started_at: std::time::Instant,
    leader: Identity,
    registration: Registration,
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
    Stdout,
    Stderr,
    Room,
    MembersGone,
    Request(Request),
    Time,
}

impl Running {
    fn new(
        engine: &'static Engine,
        job: Job,
        leader: Identity,
        registration: Registration,
        watched: Watched,
    ) -> Self {
        Self {
            clock: Clock::new(&job.plan, job.started_at),
            engine,
            plan: job.plan,
            owner: job.owner,
            flow: job.flow,
            inbox: job.inbox,
            end: job.end,
            started_at: job.started_at,
            leader,
            registration,
            watch: watched.exit,
            stdout: watched.stdout,
            stderr: watched.stderr,
            belongings: Belongings::new(leader),
            life: Life::default(),
        }
    }

    async fn run(mut self) {
        loop {
            let step = match self.next().await {
                Woken::Stdout | Woken::Stderr if self.output_has_ended() => {
                    self.life.apply(Event::OutputEnded)
                }
                Woken::Stdout | Woken::Stderr | Woken::Room => Step::Wait,
                Woken::Exit => self.leader_exited(),
                Woken::MembersGone => self.life.apply(Event::MembersGone),
                Woken::Request(request) => self.take(request).await,
                Woken::Time => self.time_is_up().await,
            };
            match step {
                Step::Wait => {}
                Step::Terminate => self.terminate().await,
                Step::Kill => self.kill().await,
                Step::Settle => return self.settle().await,
            }
        }
    }

    /// Waits for the next event. Output is read here.
    async fn next(&mut self) -> Woken {
        let may_read = self.life.is_stopping() || self.flow.has_room();
        let observer = self.end.observer();
        tokio::select! {
            biased;
            Some(request) = self.inbox.recv() => Woken::Request(request),
            () = self.stdout.ready(), if may_read && !self.stdout.has_ended() => {
                self.stdout.read(&self.flow, observer);
                Woken::Stdout
            }
            () = self.stderr.ready(), if may_read && !self.stderr.has_ended() => {
                self.stderr.read(&self.flow, observer);
                Woken::Stderr
            }
            () = self.watch.exited(), if !self.life.leader_exited() => Woken::Exit,
            () = self.belongings.members_gone(), if self.life.waits_for_members() => Woken::MembersGone,
            () = self.flow.room(), if !may_read => Woken::Room,
            () = sleep_until(self.clock.next()) => Woken::Time,
        }
    }

    fn leader_exited(&mut self) -> Step {
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
                self.signal_all(signal).await;
                Step::Wait
            }
        }
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
        if self.life.leader_exited() {
            let pipes = self.open_pipes();
            self.belongings.note_holders(self.engine, &self.owner, pipes).await;
        } else {
            self.belongings.note_escaped(self.engine.registry(), &self.owner);
        }
        self.clock.note_later();
    }

    async fn terminate(&mut self) {
        self.clock.grace = Some(Instant::now() + self.plan.kill_grace);
        self.signal_all(Signal::TERM).await;
    }

    async fn kill(&mut self) {
        self.clock.look = Some(Instant::now() + LOOK_AGAIN);
        if self.life.phase() == Phase::Killing(0) && !self.life.leader_exited() {
            self.belongings.signal_tree(Signal::KILL);
        } else {
            let pipes = self.open_pipes();
            self.belongings.signal_everywhere(self.engine, pipes, Signal::KILL).await;
        }
    }

    async fn signal_all(&mut self, signal: Signal) {
        if self.life.leader_exited() {
            let pipes = self.open_pipes();
            self.belongings.signal_everywhere(self.engine, pipes, signal).await;
        } else {
            self.belongings.signal_tree(signal);
        }
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
        let exit = wait::peek(self.leader.pid).unwrap_or(wait::Exit::Unknown);
        let registry = self.engine.registry();
        self.belongings.release(registry);
        registry.release(self.registration, || wait::reap(self.leader.pid));
        self.end.end(Outcome {
            exit: Ok(exit),
            cause: self.life.cause(),
            pid: Some(self.leader.pid.as_raw_nonzero().get()),
            stdout: self.stdout.into_capture(),
            stderr: self.stderr.into_capture(),
            duration: self.started_at.elapsed(),
        });
        if self.life.is_stopping() {
            let leader = self.leader;
            let _ = tokio::task::spawn_blocking(move || sweep(leader, registry)).await;
        }
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

    fn note_soon(&mut self) {
        self.note_pause = FIRST_NOTE;
        self.note = Some(Instant::now() + FIRST_NOTE);
    }

    fn note_later(&mut self) {
        self.note_pause = (self.note_pause * 5).min(RAREST_NOTE);
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
