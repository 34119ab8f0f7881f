//! The entry points of this folder: start a command, close an owner.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};
use tracing::debug;

use super::handle::{JobHandle, Requests, SharedJob};
use super::io::backpressure::Backpressure;
use super::io::observer::Observer;
use super::io::output::SharedRing;
use super::launch::await_launch::Launching;
use super::launch::pending::{Claim, EndOnce, Job};
use super::launch::remote::launch_on_target;
use super::launch::{LaunchedCommand, launch};
use super::model::error::LaunchError;
use super::model::plan::{DurablePlan, Form, Output, Plan};
use super::sandbox::forget_sandboxes;
use super::task::run_task;
use crate::engine::deferred_start::{DeferredStart, LAUNCH_DEADLINE};
use crate::engine::{Engine, engine, running_engine};
use crate::process::errno::Errno;
use crate::process::fd::reserve;
use crate::process::registry::{Owner, Registered};
use crate::process::tree::{kill_escaped, kill_tree, stop};
use crate::target::ports::remove_paths;
use crate::text::Ring;

/// The longest time that the end of an owner waits for the death of all its jobs.
const OWNER_END_DEADLINE: Duration = Duration::from_millis(100);

/// Starts a command. Reports its output and end to `observer`; a failure to start is an outcome like any
/// other.
pub fn start(
    mut plan: Plan,
    owner: &Owner,
    flow: Arc<Backpressure>,
    observer: Arc<dyn Observer>,
) -> JobHandle {
    let (requests, inbox) = mpsc::unbounded_channel();
    let ring = ring_of(&plan.output);
    let terminal = plan.terminal;
    let shared = Arc::new(SharedJob::new(&mut plan, flow, ring, terminal));
    let handle =
        JobHandle { requests: Requests::Job(requests), shared: Arc::clone(&shared), task: Arc::default() };
    let job = Job {
        plan: Arc::new(plan),
        owner: owner.clone(),
        shared,
        inbox,
        end: EndOnce::new(observer),
        started_at: Instant::now(),
    };
    match engine() {
        Ok(engine) => submit(engine, job, &handle.task),
        Err(error) => {
            let error = LaunchError::system(job.plan.program(), Errno::of(&error));
            job.not_started(error, None);
        }
    }
    handle
}

/// Returns the ring of the latest output, if the plan wants one.
fn ring_of(output: &Output) -> Option<SharedRing> {
    let limit = output.ring?;
    let ring = if output.form == Form::Bytes { Ring::of_bytes(limit) } else { Ring::new(limit) };
    Some(Arc::new(Mutex::new(ring)))
}

/// Closes an owner: kills its jobs by SIGKILL. Blocks for 100 ms at most, so that any thread may call it,
/// also while the process exits.
pub fn close(owner: &Owner) {
    owner.close();
    if let Some(engine) = running_engine() {
        let until = Instant::now() + OWNER_END_DEADLINE;
        // Stop all leaders first: each takes some time to stop.
        engine.registry().for_each_of(owner, |process| {
            if let Registered::Leader(leader) = process {
                stop(leader);
            }
        });
        engine.registry().for_each_of(owner, |process| match process {
            Registered::Leader(leader) => kill_tree(leader, until),
            Registered::Escaped(escaped) => kill_escaped(escaped),
        });
        forget_sandboxes(owner);
        remove_paths(owner);
    }
}

/// Queues the launch for a spawner. The job's task starts after the launch, or earlier where the launch takes
/// long: it may never return where the program or the directory is on a network file system that does not
/// answer.
fn submit(engine: &'static Engine, job: Job, task: &Arc<DeferredStart>) {
    let (sender, launching) = oneshot::channel();
    let (plan, owner, called_at) = (Arc::clone(&job.plan), job.owner.clone(), job.started_at);
    let shared = Arc::clone(&job.shared);
    let is_remote = plan.surroundings.target.is_some();
    let claim = Arc::new(Claim::default());
    let claimed = Arc::clone(&claim);
    task.set(move || drop(engine.runtime().spawn(run_task(engine, job, claim, launching))));
    if is_remote
        || plan.durable.is_some()
        || plan.times.timeout.is_some_and(|timeout| timeout <= LAUNCH_DEADLINE)
    {
        task.start();
    } else {
        engine.launch_watchdog().add(Arc::clone(task));
    }
    let launched = Arc::clone(task);
    let work = move || {
        match (&plan.surroundings.target, &plan.durable) {
            (_, Some(durable)) => launch_durable(engine, &plan, &owner, durable, &shared, &claimed, sender),
            (Some(elsewhere), _) => {
                launch_on_target(
                    engine,
                    &plan,
                    &owner,
                    elsewhere,
                    Arc::clone(&shared.input),
                    claimed,
                    sender,
                );
            }
            (None, None) => launch_claimed(engine, &plan, &owner, called_at, &claimed, sender),
        }
        launched.start();
    };
    // If no thread can be started, the work is dropped with the sender, and the task reports it.
    if engine.spawners().run(Box::new(work)).is_err() {
        task.start();
    }
}

/// Starts a durable job, or attaches to one, unless it was stopped before.
fn launch_durable(
    engine: &'static Engine,
    plan: &Plan,
    owner: &Owner,
    durable: &DurablePlan,
    shared: &SharedJob,
    claim: &Claim,
    sender: oneshot::Sender<Launching>,
) {
    if claim.take() {
        #[cfg(target_os = "linux")]
        let launched = super::launch::durable::launch_durable(engine, plan, owner, durable, shared);
        #[cfg(not(target_os = "linux"))]
        let launched = {
            let _ = (engine, plan, owner, durable, shared);
            Err(LaunchError::Durable(crate::durable::error::DurableError::platform()))
        };
        // If the job has ended meanwhile, the send fails and drops the command, which kills a job that was
        // started here.
        let _ = sender.send(launched);
    }
}

/// Launches a job on a spawner thread, unless it was stopped before.
fn launch_claimed(
    engine: &'static Engine,
    plan: &Plan,
    owner: &Owner,
    called_at: Instant,
    claim: &Claim,
    sender: oneshot::Sender<Launching>,
) {
    reserve::fill();
    if claim.take() {
        debug!(program = &*plan.shown_program(), queued = ?called_at.elapsed(), "launching");
        let launched = launch(engine, plan, owner, called_at);
        // If the job has ended meanwhile, the send fails and drops the process, which kills it.
        let _ = sender.send(launched.map(|launched| LaunchedCommand::Local(Box::new(launched))));
    }
}
