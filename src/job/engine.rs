//! The one engine of a process: an I/O thread for all jobs, the spawners, the table of live jobs, the guardian.
//!
//! It is started by the first command and lives as long as the process. JavaScript's thread only queues commands and
//! requests, so a busy loop there delays no timer and no read, and a spawn never blocks the loop.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle};
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::sync::oneshot;

use super::error::LaunchError;
use super::flow::Flow;
use super::guardian_watch::{GuardianReport, GuardianWatch};
use super::handle::{JobHandle, Observer, Request};
use super::input::Input;
use super::launch::{LaunchResult, launch};
use super::outcome::{Cause, Outcome};
use super::output::SharedRing;
use super::plan::Plan;
use super::processes::{Scanner, Tracker};
use super::spawners::Spawners;
use super::spill::SpillWriter;
use super::task;
use super::unattended::{LONG, Unattended, WaitingRoom};
use super::warm::WarmShells;
use super::warm::keeper::{end_all_of, launch_warm, warm_up};
use super::warm::key::Key;
use crate::process::errno::Errno;
use crate::process::registry::{Known, Owner, Registry};
use crate::process::signal::leave_signals_to_others;
use crate::process::spare;
use crate::process::thread::named;
use crate::process::tree::{kill_escaped, kill_tree, stop};
use crate::text::Ring;

/// How long the end of an owner waits for its jobs, all in all.
const OWNERS_END: Duration = Duration::from_millis(100);

/// The engine.
#[derive(Debug)]
pub struct Engine {
    runtime: Handle,
    spawners: Spawners,
    waiting_room: Arc<WaitingRoom>,
    registry: &'static Registry,
    scanner: Arc<Scanner>,
    tracker: Tracker,
    spill_writer: SpillWriter,
    warm_shells: WarmShells,
    guardian_watch: &'static GuardianWatch,
}

/// Starts a command. Its life goes to `observer`; a failure to start is an outcome like any other.
pub fn start(mut plan: Plan, owner: &Owner, flow: Arc<Flow>, observer: Arc<dyn Observer>) -> JobHandle {
    let (requests, inbox) = mpsc::unbounded_channel();
    let handle = JobHandle {
        requests,
        flow,
        pid: Arc::default(),
        input: Arc::new(Input::new(&mut plan.input)),
        ring: plan.output.ring.map(|limit| Arc::new(Mutex::new(Ring::new(limit)))),
        beginning: Arc::default(),
        kill_signal: plan.ending.signal,
        outlives_host: plan.outlives_host,
    };
    let job = Job {
        plan: Arc::new(plan),
        owner: owner.clone(),
        flow: Arc::clone(&handle.flow),
        pid: Arc::clone(&handle.pid),
        input: Arc::clone(&handle.input),
        ring: handle.ring.clone(),
        inbox,
        end: EndOnce::new(observer),
        started_at: Instant::now(),
    };
    match engine() {
        Ok(engine) => engine.submit(job, &handle.beginning),
        Err(error) => {
            let error = LaunchError::system(job.plan.invocation.program(), Errno::of(&error));
            job.not_started(error, None);
        }
    }
    handle
}

/// The owner goes, and its jobs are killed with SIGKILL. It waits for 100 ms at most, and mostly for much less, so it may
/// run on any thread, also while the process exits.
pub fn close(owner: &Owner) {
    owner.go();
    if let Some(engine) = ENGINE.get() {
        let until = Instant::now() + OWNERS_END;
        // All of them first: each takes its time to stop.
        engine.registry.each_of(owner, |known| {
            if let Known::Leader(leader) = known {
                stop(leader);
            }
        });
        engine.registry.each_of(owner, |known| match known {
            Known::Leader(leader) => kill_tree(leader, until),
            Known::Escaped(escaped) => kill_escaped(escaped),
        });
        end_all_of(engine, owner);
    }
}

/// Starts shells ahead, so that `wanted` of them wait for a command like this one. False where no shell can wait for it.
#[must_use]
pub fn prewarm(plan: &Plan, owner: &Owner, wanted: usize) -> bool {
    let Some(key) = Key::of(plan, owner) else { return false };
    // Without an engine, the first command says why.
    if let Ok(engine) = engine() {
        warm_up(engine, &key, wanted);
    }
    true
}

/// Returns what is known of the guardian of this process.
#[must_use]
pub fn guardian_report() -> GuardianReport {
    ENGINE.get().map_or_else(GuardianReport::before_start, |engine| engine.guardian_watch.report())
}

pub(super) static ENGINE: OnceLock<Engine> = OnceLock::new();

fn engine() -> io::Result<&'static Engine> {
    // `OnceLock::get_or_try_init` is not stable yet.
    static STARTING: Mutex<()> = Mutex::new(());
    if let Some(engine) = ENGINE.get() {
        return Ok(engine);
    }
    let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(engine) = ENGINE.get() {
        return Ok(engine);
    }
    let guardian_watch = guardian_watch()?;
    // While the engine starts, and the first command is prepared, which waits for the guardian before it executes.
    guardian_watch.start();
    let engine = Engine::new(guardian_watch)?;
    let engine = ENGINE.get_or_init(|| engine);
    engine.runtime.spawn(engine.tracker.run(Arc::clone(&engine.scanner)));
    Ok(engine)
}

/// Returns the one guardian's watch of this process, with the table of live jobs.
fn guardian_watch() -> io::Result<&'static GuardianWatch> {
    static WATCH: OnceLock<GuardianWatch> = OnceLock::new();
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    if let Some(watch) = WATCH.get() {
        return Ok(watch);
    }
    let registry = Registry::new()?;
    Ok(WATCH.get_or_init(|| GuardianWatch::new(REGISTRY.get_or_init(|| registry))))
}

impl Engine {
    fn new(guardian_watch: &'static GuardianWatch) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let handle = runtime.handle().clone();
        spare::hold();
        let waiting_room = Arc::new(runtime.block_on(async { WaitingRoom::new() })?);
        let kept = Arc::clone(&waiting_room);
        named("agent-bash-io").spawn(move || {
            leave_signals_to_others();
            runtime.block_on(kept.keep());
        })?;
        Ok(Self {
            runtime: handle,
            spawners: Spawners::default(),
            waiting_room,
            scanner: Arc::new(Scanner::new(guardian_watch.registry())),
            tracker: Tracker::default(),
            registry: guardian_watch.registry(),
            spill_writer: SpillWriter::default(),
            warm_shells: WarmShells::default(),
            guardian_watch,
        })
    }

    /// The table of live jobs.
    #[must_use]
    pub const fn registry(&self) -> &'static Registry {
        self.registry
    }

    /// Finds the processes of all jobs.
    pub(super) const fn scanner(&self) -> &Arc<Scanner> {
        &self.scanner
    }

    /// Says when new processes are inspected.
    pub(super) const fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    /// Writes the output files of all jobs.
    #[must_use]
    pub const fn spill_writer(&self) -> &SpillWriter {
        &self.spill_writer
    }

    /// The shells that were started ahead.
    pub(super) const fn warm_shells(&self) -> &WarmShells {
        &self.warm_shells
    }

    /// The threads that may block.
    pub(super) const fn spawners(&self) -> &Spawners {
        &self.spawners
    }

    /// The I/O thread.
    pub(super) const fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Queues the launch for a spawner. The job's loop begins when that is over, or earlier where it takes long: a launch
    /// can take for ever, where the program or the directory is on a network that has gone.
    fn submit(&'static self, job: Job, beginning: &Arc<Unattended>) {
        let (sender, launching) = oneshot::channel();
        let (plan, owner, called_at) = (Arc::clone(&job.plan), job.owner.clone(), job.started_at);
        let claim = Arc::new(Claim::default());
        let claimed = Arc::clone(&claim);
        beginning.set(move || drop(self.runtime.spawn(task::accompany(self, job, claim, launching))));
        if plan.times.timeout.is_some_and(|timeout| timeout <= LONG) {
            beginning.attend();
        } else {
            self.waiting_room.add(Arc::clone(beginning));
        }
        let launched = Arc::clone(beginning);
        let work = move || {
            self.launch(&plan, &owner, called_at, &claimed, sender);
            launched.attend();
        };
        // If no thread can be had, the work is dropped with the sender, and the loop says so.
        if self.spawners.run(Box::new(work)).is_err() {
            beginning.attend();
        }
    }

    /// On a spawner thread.
    fn launch(
        &'static self,
        plan: &Plan,
        owner: &Owner,
        called_at: Instant,
        claim: &Claim,
        sender: oneshot::Sender<LaunchResult>,
    ) {
        spare::hold();
        // A job that has ended meanwhile needs no process.
        if claim.take() {
            let cold = || launch(self, plan, owner, called_at);
            // One that ends just now drops what it is sent, and so ends it.
            let _ = sender.send(if plan.is_warm { launch_warm(self, plan, owner, cold) } else { cold() });
        }
    }

    /// A launch takes long: sees to it that others don't wait for it.
    pub(super) fn relieve_spawners(&self) {
        self.spawners.relieve();
    }

    /// Waits until there is a guardian: if the host dies, it must find all that the command has started. Whether there is
    /// one.
    pub(super) fn guard(&self) -> bool {
        self.guardian_watch.guard()
    }
}

/// Who has the say about a launch: the spawner, once it has taken it, or whoever stops the job before that.
#[derive(Debug, Default)]
pub(super) struct Claim(AtomicBool);

impl Claim {
    /// The spawner takes the launch. False when it was cancelled.
    fn take(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }

    /// Nothing is to be launched. False when it is too late.
    pub(super) fn cancel(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

/// A command on its way to a process.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) plan: Arc<Plan>,
    pub(super) owner: Owner,
    pub(super) flow: Arc<Flow>,
    pub(super) pid: Arc<AtomicI32>,
    pub(super) input: Arc<Input>,
    pub(super) ring: Option<SharedRing>,
    pub(super) inbox: UnboundedReceiver<Request>,
    pub(super) end: EndOnce,
    pub(super) started_at: Instant,
}

impl Job {
    /// Nothing was run. From here on the job hears nothing, and says one last thing.
    pub(super) fn not_started(mut self, error: LaunchError, cause: Option<Cause>) {
        self.inbox.close();
        self.input.close(self.end.observer());
        self.end.end(Outcome::not_started(error, cause, self.started_at.elapsed()));
    }
}

/// The single place where a job ends: once, whatever happens, also when its task panics.
pub(super) struct EndOnce {
    observer: Arc<dyn Observer>,
    has_ended: bool,
}

impl std::fmt::Debug for EndOnce {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("EndOnce").field("has_ended", &self.has_ended).finish_non_exhaustive()
    }
}

impl EndOnce {
    fn new(observer: Arc<dyn Observer>) -> Self {
        Self { observer, has_ended: false }
    }

    pub(super) fn observer(&self) -> &dyn Observer {
        &*self.observer
    }

    pub(super) fn end(&mut self, outcome: Outcome) {
        if !std::mem::replace(&mut self.has_ended, true) {
            self.observer.ended(outcome);
        }
    }
}

impl Drop for EndOnce {
    fn drop(&mut self) {
        self.end(Outcome::not_started(LaunchError::Internal, None, Duration::ZERO));
    }
}
