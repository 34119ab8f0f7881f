//! The entry points of this folder: start a command, close an owner.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::sync::{mpsc, oneshot};

use super::handle::{JobHandle, Requests, SharedJob};
use super::io::backpressure::Backpressure;
use super::io::observer::Observer;
use super::io::output::SharedRing;
use super::launch::pending::{Claim, EndOnce, Job, PendingLaunch};
use super::launch::{end_jobs_of, run_launch};
use super::model::error::LaunchError;
use super::model::plan::{Form, Output, Plan};
use super::sandbox::forget_sandboxes;
use super::task::run_task;
use crate::engine::deferred_start::{DeferredStart, LAUNCH_DEADLINE};
use crate::engine::{Engine, engine, running_engine};
use crate::process::errno::Errno;
use crate::process::registry::Owner;
use crate::target::ports::remove_paths;
use crate::text::Ring;

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
        end_jobs_of(engine, owner);
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
        let launch = PendingLaunch { plan, owner, called_at, shared, claim: claimed, sender };
        run_launch(engine, launch);
        launched.start();
    };
    // If no thread can be started, the work is dropped with the sender, and the task reports it.
    if engine.spawners().run(Box::new(work)).is_err() {
        task.start();
    }
}
