//! Launches on Unix: `local` on this machine, with the `arguments` and `streams` of its process, `remote` on
//! a target, `durable` as a job that outlives the host (Linux). `shell` names the program of a shell.

mod arguments;
#[cfg(target_os = "linux")]
mod durable;
mod local;
mod remote;
mod shell;
mod streams;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tracing::debug;

#[cfg(target_os = "linux")]
pub(in crate::job) use self::durable::DurableLaunch;
pub(in crate::job) use self::local::Launched;
use self::local::launch;
pub(in crate::job) use self::remote::RemoteLaunch;
use self::remote::launch_on_target;
pub use self::shell::shell_program;
use super::await_launch::Launching;
use super::pending::{Claim, PendingLaunch};
use crate::engine::Engine;
use crate::job::handle::SharedJob;
use crate::job::model::plan::{DurablePlan, Plan};
use crate::process::fd::reserve;
use crate::process::registry::{Owner, Registered};
use crate::process::tree::{kill_escaped, kill_tree, stop};

/// The longest time that the end of an owner waits for the death of all its jobs.
const OWNER_END_DEADLINE: Duration = Duration::from_millis(100);

/// A command that runs.
#[derive(Debug)]
pub(in crate::job) enum LaunchedCommand {
    Local(Box<Launched>),
    Remote(Box<RemoteLaunch>),
    #[cfg(target_os = "linux")]
    Durable(Box<DurableLaunch>),
}

/// Carries out a launch, unless it was stopped before.
pub(in crate::job) fn run_launch(engine: &'static Engine, launch: PendingLaunch) {
    let PendingLaunch { plan, owner, called_at, shared, claim, sender } = launch;
    match (&plan.surroundings.target, &plan.durable) {
        (_, Some(durable)) => launch_durable(engine, &plan, &owner, durable, &shared, &claim, sender),
        (Some(elsewhere), _) => {
            let input = Arc::clone(&shared.input);
            launch_on_target(engine, &plan, &owner, elsewhere, input, claim, sender);
        }
        (None, None) => launch_claimed(engine, &plan, &owner, called_at, &claim, sender),
    }
}

/// Kills the jobs of an owner that has closed.
pub(in crate::job) fn end_jobs_of(engine: &Engine, owner: &Owner) {
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
        let launched = durable::launch_durable(engine, plan, owner, durable, shared);
        #[cfg(not(target_os = "linux"))]
        let launched = {
            let _ = (engine, plan, owner, durable, shared);
            Err(crate::job::model::error::LaunchError::Durable(
                crate::durable::error::DurableError::platform(),
            ))
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
