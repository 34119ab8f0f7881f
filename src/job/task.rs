//! The task of one job: a loop on the I/O thread, from the launch to the outcome. It carries out what [`Life`] decides.

mod inspect;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, sleep_until};
use tracing::debug;

use self::inspect::due;
use super::handle::Request;
use super::launch::{LaunchResult, Launched};
use super::life::{Event, Life, Phase, Step, Terms};
use super::processes::{JobProcesses, pids_of};
use crate::engine::Engine;
use crate::engine::scan::{AFTER_SIGNAL, AFTER_START, ExpectedJob};
use crate::job::io::backpressure::Backpressure;
use crate::job::io::input::Feeder;
use crate::job::io::observer::StreamName;
use crate::job::io::output::{Output, SharedRing, Sinks};
use crate::job::io::spill::SpillFile;
use crate::job::launch::await_launch::{Started, await_launch};
use crate::job::launch::pending::{Claim, EndOnce, Job};
use crate::job::life::clock::{Clock, Due};
use crate::job::model::error::LaunchError;
use crate::job::model::outcome::{Captured, Cause, End, Outcome};
use crate::job::model::plan::{Leftovers, OnWaiting, Plan};
use crate::job::ports::PortWatch;
use crate::job::processes::leader::Leader;
use crate::job::terminal::LiveScreen;
use crate::job::waiting::schedule::Schedule;
use crate::process::errno::Errno;
use crate::process::pipe::{PipeReader, Read};
use crate::process::pty::set_size;
use crate::process::wait::{Exit, ExitWatch};
use crate::text::view::ViewBuilder;

/// Delays between re-checks of processes that outlive the end of output: a program closes its pipes shortly before it exits.
const EXIT_RECHECK_DELAYS: [Duration; 4] =
    [Duration::from_millis(1), Duration::from_millis(3), Duration::from_millis(6), Duration::from_millis(10)];

/// How much discarded output is read at once (bytes), and the pause after it: a process that was left may write for ever.
const DISCARD_CHUNK: usize = 64 * 1024;
const DISCARD_INTERVAL: Duration = Duration::from_millis(10);

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
                // It may have gone while the process was being started, and then nobody has asked for anything.
                requests.push(Request::StopAtOnce(Cause::OwnerGone));
            }
            let pid = launched.leader.identity().pid;
            job.pid.store(pid.as_raw_nonzero().get(), Ordering::Release);
            match Running::new(engine, job, launched, is_in_background) {
                Ok(running) => running.run(requests).await,
                Err((job, error)) => {
                    let error = LaunchError::system(job.plan.invocation.program(), Errno::of(&error));
                    job.not_started(error, None);
                }
            }
        }
        Err((error, cause)) => job.not_started(error, cause),
    }
}

#[allow(clippy::struct_excessive_bools, reason = "they are facts of one life, and independent")]
struct Running {
    engine: &'static Engine,
    plan: Arc<Plan>,
    flow: Arc<Backpressure>,
    ring: Option<SharedRing>,
    inbox: UnboundedReceiver<Request>,
    end: EndOnce,
    started_at: std::time::Instant,
    directory: Option<String>,
    screen: Option<Arc<LiveScreen>>,
    is_watched: Arc<AtomicBool>,
    input_schedule: Schedule,
    was_given_input: bool,
    ports: PortWatch,
    /// The program's end of its terminal, until the leader has exited: its output does not end before, though it may close
    /// the terminal and open it again.
    terminal: Option<OwnedFd>,
    // Dropped before the leader: the kernel may reuse its pid once it is reaped.
    processes: JobProcesses,
    leader: Leader,
    watch: ExitWatch,
    feeder: Feeder,
    stdout: Output,
    stderr: Output,
    spill: Option<SpillFile>,
    view: Option<ViewBuilder>,
    /// The pids of the processes that were left after the exit.
    left: Vec<i32>,
    /// Whether other processes held the output open after the exit.
    was_held: bool,
    life: Life,
    clock: Clock,
    stop_signal: Signal,
}

/// What woke the loop.
enum Woken {
    Exit,
    Output(StreamName),
    Input,
    Room,
    MembersGone,
    Request(Request),
    Time,
    LookForInput,
    LookForPorts,
}

impl Running {
    fn new(
        engine: &'static Engine,
        job: Job,
        launched: Launched,
        is_in_background: bool,
    ) -> Result<Self, (Job, io::Error)> {
        let Launched {
            tracked,
            leader,
            pidfd,
            stdin,
            terminal,
            stdout,
            stderr,
            spill,
            directory,
            place: _,
            tag,
        } = launched;
        let plan = Arc::clone(&job.plan);
        let watched = Watched::new(&job, leader.identity().pid, pidfd, stdin, [Some(stdout), stderr]);
        let Watched { exit, feeder, stdout, stderr } = match watched {
            Ok(watched) => watched,
            // The leader is dropped, and so disposed of.
            Err(error) => return Err((job, error)),
        };
        let identity = leader.identity();
        let tracked =
            tracked.unwrap_or_else(|| ExpectedJob::announce(engine.scanner()).begin(identity, tag, None));
        engine.tracker().scan_after(AFTER_START);
        let mut clock = Clock::new(&plan, job.started_at);
        if is_in_background {
            clock.move_to_background(plan.times.in_background);
        }
        Ok(Self {
            clock,
            engine,
            flow: job.flow,
            ring: job.ring,
            inbox: job.inbox,
            end: job.end,
            started_at: job.started_at,
            directory,
            screen: job.screen,
            is_watched: job.is_watched,
            input_schedule: Schedule::default(),
            was_given_input: false,
            ports: PortWatch::default(),
            terminal,
            processes: JobProcesses::new(identity, tracked),
            leader,
            watch: exit,
            feeder,
            stdout,
            stderr,
            spill,
            view: plan.output.view.as_ref().map(ViewBuilder::new),
            left: Vec::new(),
            was_held: false,
            life: Life::new(Terms::of(&plan), is_in_background),
            stop_signal: plan.ending.signal,
            plan,
        })
    }

    /// Whether something is to be done when the job waits for input.
    fn acts_on_waits(&self) -> bool {
        self.plan.on_waiting != OnWaiting::Report
    }

    async fn run(mut self, requests: Vec<Request>) {
        if self.acts_on_waits() {
            self.input_schedule.follow(true, Instant::now());
        }
        for request in requests {
            let step = self.take(request).await;
            if self.follow(step).await {
                return self.settle().await;
            }
        }
        if self.clock.is_due_at_once() {
            // At once means before the end of the command, however soon that is.
            let step = self.time_is_up();
            if self.follow(step).await {
                return self.settle().await;
            }
        }
        loop {
            let step = match self.next().await {
                Woken::Output(name) => self.read(name).await,
                Woken::Input => self.feed().await,
                Woken::Room => Step::Wait,
                Woken::Exit => self.leader_exited(),
                Woken::MembersGone => self.life.apply(Event::MembersGone),
                Woken::Request(request) => self.take(request).await,
                Woken::Time => self.time_is_up(),
                Woken::LookForInput => self.look_for_input().await,
                Woken::LookForPorts => {
                    self.look_for_ports().await;
                    Step::Wait
                }
            };
            if self.follow(step).await {
                return self.settle().await;
            }
        }
    }

    /// Carries a step out. Tells whether the job is over.
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
            Step::MoveToBackground => self.move_to_background().await,
            Step::Adopt => {
                let exit = self.leader.exit().unwrap_or(Exit::Unknown);
                self.answer(End::Exit(exit)).await;
            }
            Step::Terminate => self.terminate().await,
            Step::SignalAgain => self.forward(self.stop_signal).await,
            Step::Kill => self.kill().await,
            Step::Settle => return true,
        }
        false
    }

    /// Waits for the next event. What ends a job comes before its output.
    async fn next(&mut self) -> Woken {
        let may_read = self.may_read();
        let (stdout, stderr, feeder) = (&mut self.stdout, &mut self.stderr, &mut self.feeder);
        let has_streams = !(stdout.has_ended() && stderr.has_ended() && feeder.is_done());
        tokio::select! {
            biased;
            Some(request) = self.inbox.recv() => Woken::Request(request),
            () = self.watch.exited(), if !self.life.leader_exited() => Woken::Exit,
            () = self.processes.members_gone(), if self.life.waits_for_members() => Woken::MembersGone,
            () = sleep_until(self.clock.next()) => Woken::Time,
            () = due(self.input_schedule.next()), if self.input_schedule.next().is_some() => Woken::LookForInput,
            () = due(self.ports.next()), if self.ports.next().is_some() => Woken::LookForPorts,
            () = room(&self.flow, self.spill.as_ref(), self.screen.as_deref()), if !may_read => Woken::Room,
            woken = any_stream(stdout, stderr, feeder, may_read), if has_streams => woken,
        }
    }

    /// Tells whether the consumer and the file can take more. A job that is being ended is read whatever the consumer does.
    fn may_read(&self) -> bool {
        (self.life.is_stopping() || self.flow.has_room())
            && self.spill.as_ref().is_none_or(SpillFile::has_room)
            && self.screen.as_ref().is_none_or(|screen| screen.has_room())
    }

    async fn read(&mut self, name: StreamName) -> Step {
        let turn =
            with_sinks(self, |outputs, sinks| outputs[usize::from(name == StreamName::Stderr)].read(sinks));
        if turn.has_read {
            self.has_read();
        }
        if turn.is_full {
            // There is more to read. The other jobs have their turn first.
            yield_now().await;
        }
        self.after_reading()
    }

    /// Reads what is in the pipes, whatever the consumer's pace: one turn empties them. Tells whether there was anything.
    fn read_all(&mut self) -> bool {
        let turns = with_sinks(self, |outputs, sinks| outputs.map(|output| output.read(sinks)));
        let has_read = turns.iter().any(|turn| turn.has_read);
        if has_read {
            self.has_read();
        }
        has_read
    }

    fn has_read(&mut self) {
        self.clock.restart_idle();
        self.input_schedule.activity(Instant::now());
        if self.is_watched.swap(false, Ordering::AcqRel) {
            self.end.observer().changed();
        }
    }

    fn after_reading(&mut self) -> Step {
        if self.output_has_ended() { self.life.apply(Event::OutputEnded) } else { Step::Wait }
    }

    async fn feed(&mut self) -> Step {
        self.stdout.expect_answer();
        self.was_given_input = true;
        self.input_schedule.activity(Instant::now());
        if self.feeder.feed(self.end.observer()) {
            // There is room for more. The other jobs have their turn first.
            yield_now().await;
        }
        Step::Wait
    }

    fn leader_exited(&mut self) -> Step {
        debug!(pid = self.pid(), exit = ?self.leader.exit(), "leader exited");
        self.terminal = None;
        self.read_all();
        if self.output_has_ended() {
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

    fn output_has_ended(&self) -> bool {
        self.stdout.has_ended() && self.stderr.has_ended()
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
            Request::FollowWaits(is_followed) => {
                self.input_schedule.follow(is_followed || self.acts_on_waits(), Instant::now());
                Step::Wait
            }
            Request::LookForInput => {
                self.input_schedule.ask(Instant::now());
                Step::Wait
            }
            Request::FollowPorts(is_followed) => {
                self.ports.follow(is_followed, Instant::now());
                Step::Wait
            }
            Request::Resize(size) => {
                if let Some(terminal) = self.stdout.descriptor() {
                    // Without it, the program goes on with the old size.
                    let _ = set_size(terminal, size);
                }
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
        let pipes = self.open_pipes();
        self.processes.forward(pipes, &self.leader, signal).await;
    }

    fn time_is_up(&mut self) -> Step {
        match self.clock.take_due() {
            Some(Due::Timeout) => self.life.apply(Event::TimeUp),
            Some(Due::Idle) if !self.may_read() => {
                // It may well have something to say.
                self.clock.restart_idle();
                Step::Wait
            }
            // Nobody has read for a while if this process was stopped, or had no time.
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
        let pipes = self.open_pipes();
        let mut found = self.processes.left(pipes).await;
        if self.was_held && self.output_has_ended() {
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

    async fn move_to_background(&mut self) {
        self.left = self.in_background().await;
        self.answer(End::NotYet).await;
    }

    /// Answers whoever waits for the job, which goes on.
    async fn answer(&mut self, end: End) {
        self.clock.move_to_background(self.plan.times.in_background);
        if let Some(spill) = &self.spill {
            spill.flush_soon().await;
        }
        let streams = [self.stdout.captured(), self.stderr.captured()];
        let outcome = self.outcome(end, streams, self.view.clone());
        self.end.observer().moved_to_background(outcome);
    }

    /// Returns the pids of the processes that the command does not wait for.
    async fn in_background(&mut self) -> Vec<i32> {
        pids_of(&if self.life.leader_exited() {
            let pipes = self.open_pipes();
            self.processes.left(pipes).await
        } else {
            self.processes.in_background().await
        })
    }

    async fn terminate(&mut self) {
        self.clock.terminate(self.plan.ending.grace);
        let pipes = self.open_pipes();
        self.processes.terminate(pipes, &self.leader, self.stop_signal).await;
        if self.screen.is_some() {
            self.processes.hang_up(&self.leader, self.stop_signal);
        }
        self.engine.tracker().scan_after(AFTER_SIGNAL);
    }

    async fn kill(&mut self) {
        self.clock.kill();
        if self.life.leader_exited() {
            let pipes = self.open_pipes();
            self.processes.kill_everywhere(pipes, &self.leader).await;
        } else {
            // To wait for the death of the killed, each time anew, is of no use if the leader itself can't be killed.
            let is_first = self.life.phase() == Phase::Killing(0);
            self.processes.kill_tree(&self.leader, is_first).await;
        }
    }

    fn pid(&self) -> i32 {
        self.leader.identity().pid.as_raw_nonzero().get()
    }

    fn open_pipes(&self) -> Vec<u64> {
        [&self.stdout, &self.stderr].into_iter().filter_map(Output::inode).collect()
    }

    /// Ends a job that ran. Every way out of the loop leads here.
    async fn settle(mut self) {
        self.inbox.close();
        self.feeder.close(self.end.observer());
        self.terminal = None;
        let discarded = with_sinks(&mut self, |outputs, sinks| outputs.map(|output| output.abandon(sinks)));
        if let Some(screen) = &self.screen {
            screen.end();
        }
        if let Some(spill) = &self.spill {
            spill.flush().await;
        }
        if self.life.is_stopping() {
            self.left = self.processes.survivors().await;
        } else {
            discarded.into_iter().flatten().for_each(|pipe| drop(tokio::spawn(discard_output(pipe))));
        }
        let end = self.leader.exit().map_or(End::Never, End::Exit);
        if end == End::Never {
            self.left.push(self.pid());
        }
        debug!(pid = self.pid(), ?end, left = ?self.left, after = ?self.started_at.elapsed(), "job over");
        let streams = [self.stdout.take_captured(), self.stderr.take_captured()];
        let view = self.view.take();
        let outcome = self.outcome(end, streams, view);
        if self.life.is_stopping() && !self.life.has_no_survivors() {
            self.end.end(outcome);
            // One more sweep when nobody waits any longer. Until the leader is reaped, its pid names its session.
            self.processes.sweep(&self.leader).await;
            self.processes.release();
            self.leader.finish();
        } else {
            self.processes.release();
            self.leader.finish();
            self.end.end(outcome);
        }
    }

    /// Returns the outcome as it is now. Must be called before the leader is reaped, which forgets its usage.
    fn outcome(&self, end: End, [stdout, stderr]: [Captured; 2], view: Option<ViewBuilder>) -> Outcome {
        Outcome {
            usage: (self.plan.tells_all() && matches!(end, End::Exit(_)))
                .then(|| self.leader.usage())
                .flatten(),
            end,
            cause: self.life.cause(),
            pid: Some(self.pid()),
            background_pids: self.left.clone(),
            directory: self.directory.clone(),
            stdout,
            stderr,
            output_error: self.stdout.error().or(self.stderr.error()),
            cursor: self.ring.as_ref().map(cursor),
            spilled: self.spill.as_ref().map(SpillFile::spilled),
            in_session: None,
            view,
            duration: self.started_at.elapsed(),
        }
    }
}

/// The parts of a process that the runtime watches.
struct Watched {
    exit: ExitWatch,
    feeder: Feeder,
    stdout: Output,
    stderr: Output,
}

impl Watched {
    fn new(
        job: &Job,
        pid: Pid,
        pidfd: Option<OwnedFd>,
        stdin: Option<OwnedFd>,
        [stdout, stderr]: [Option<OwnedFd>; 2],
    ) -> io::Result<Self> {
        let plan = &job.plan.output;
        let output = |name, pipe| Output::new(name, pipe, &plan.keeping, plan.is_plain);
        Ok(Self {
            exit: ExitWatch::new(pid, pidfd)?,
            feeder: Feeder::new(Arc::clone(&job.input), stdin)?,
            stdout: output(StreamName::Stdout, stdout)?,
            stderr: output(StreamName::Stderr, stderr)?,
        })
    }
}

/// Returns how much text has gone into the ring (bytes).
fn cursor(ring: &SharedRing) -> u64 {
    ring.lock().unwrap_or_else(PoisonError::into_inner).cursor()
}

/// Borrows the two streams and where they go, side by side.
fn with_sinks<T>(running: &mut Running, act: impl FnOnce([&mut Output; 2], &mut Sinks<'_>) -> T) -> T {
    let mut sinks = Sinks {
        flow: &running.flow,
        observer: running.end.observer(),
        ring: running.ring.as_ref(),
        spill: running.spill.as_mut(),
        view: running.view.as_mut(),
        screen: running.screen.as_ref(),
    };
    act([&mut running.stdout, &mut running.stderr], &mut sinks)
}

/// Waits until there may be room for more output.
async fn room(flow: &Backpressure, spill: Option<&SpillFile>, screen: Option<&LiveScreen>) {
    match (spill, screen) {
        (Some(spill), _) if !spill.has_room() => spill.room().await,
        (_, Some(screen)) if !screen.has_room() => screen.room().await,
        _ => flow.room().await,
    }
}

/// Waits for any of the streams; none comes before another.
async fn any_stream(stdout: &mut Output, stderr: &mut Output, feeder: &mut Feeder, may_read: bool) -> Woken {
    tokio::select! {
        () = stdout.ready(), if may_read => Woken::Output(StreamName::Stdout),
        () = stderr.ready(), if may_read => Woken::Output(StreamName::Stderr),
        () = feeder.ready() => Woken::Input,
    }
}

/// Reads and discards the output of a process that was left: a closed pipe would kill it.
pub(crate) async fn discard_output(mut pipe: PipeReader) {
    let mut buffer = Vec::with_capacity(DISCARD_CHUNK);
    loop {
        if pipe.ready().await.is_err() {
            return;
        }
        buffer.clear();
        match pipe.read(&mut buffer) {
            Read::End | Read::Failed(_) => return,
            Read::Empty => {}
            Read::Bytes(_) => sleep(DISCARD_INTERVAL).await,
        }
    }
}
