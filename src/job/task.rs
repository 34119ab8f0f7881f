//! The loop that accompanies one command, on the I/O thread, from its spawn to its end.

use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep_until};

use super::belongings::{Belongings, sweep};
use super::engine::{EndOnce, Engine, Job};
use super::flow::Flow;
use super::handle::Request;
use super::launch::{Launched, node_error};
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

/// Accompanies a command that has just been started.
pub(super) async fn accompany(engine: &'static Engine, job: Job, launched: Launched) {
    match Running::new(engine, job, launched) {
        Ok(running) => running.run().await,
        Err((mut end, error)) => end.end(Outcome::not_started(error, None)),
    }
}

struct Running {
    engine: &'static Engine,
    plan: Plan,
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
    fn new(engine: &'static Engine, job: Job, launched: Launched) -> Result<Self, (EndOnce, LaunchError)> {
        let Launched {
            leader,
            pidfd,
            stdout,
            stderr,
            registration,
        } = launched;
        let parts = (|| {
            let watch = ExitWatch::new(leader.pid, pidfd)?;
            let stdout = Output::new(StreamName::Stdout, stdout, job.plan.capture_limit)?;
            let stderr = Output::new(StreamName::Stderr, stderr, job.plan.capture_limit)?;
            Ok::<_, std::io::Error>((watch, stdout, stderr))
        })();
        match parts {
            Ok((watch, stdout, stderr)) => Ok(Self {
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
                watch,
                stdout,
                stderr,
                belongings: Belongings::new(leader),
                life: Life::default(),
            }),
            Err(error) => {
                // Nobody can accompany it: it must not run on unseen.
                let _ = rustix::process::kill_process_group(leader.pid, Signal::KILL);
                engine
                    .registry()
                    .release(registration, || wait::reap_blocking(leader.pid));
                Err((
                    job.end,
                    node_error(job.plan.invocation.program(), Errno::of(&error)),
                ))
            }
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
            self.belongings
                .note_holders(self.engine, &self.owner, pipes)
                .await;
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
            self.belongings
                .signal_everywhere(self.engine, pipes, Signal::KILL)
                .await;
        }
    }

    async fn signal_all(&mut self, signal: Signal) {
        if self.life.leader_exited() {
            let pipes = self.open_pipes();
            self.belongings
                .signal_everywhere(self.engine, pipes, signal)
                .await;
        } else {
            self.belongings.signal_tree(signal);
        }
    }

    fn open_pipes(&self) -> Vec<u64> {
        [&self.stdout, &self.stderr]
            .into_iter()
            .filter_map(Output::inode)
            .collect()
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
            timeout: plan
                .timeout
                .map(|timeout| Instant::from_std(started_at) + timeout),
            grace: None,
            look: None,
            note: Some(Instant::now() + FIRST_NOTE),
            note_pause: FIRST_NOTE,
        }
    }

    fn next(&self) -> Instant {
        const NEVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);
        [self.timeout, self.grace, self.look, self.note]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or_else(|| Instant::now() + NEVER)
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

/// Whether the time has come; it comes once.
fn due(time: &mut Option<Instant>, now: Instant) -> bool {
    time.take_if(|time| *time <= now).is_some()
}
