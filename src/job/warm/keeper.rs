//! Starts shells ahead, replaces used ones, and ends unneeded ones.
//!
//! A warm shell is no job yet: neither the guardian nor the end of its owner kills it. It exits by itself
//! when the other end of its socket is closed, for whatever reason. A shell that is still in its start files
//! finishes them first: a kill there could leave a lock behind that they hold.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::flavor::WarmFlavor;
use super::key::WarmKey;
use super::shells::{WarmShell, warm_shells};
use crate::engine::Engine;
use crate::job::launch::{HostEnds, LaunchResult, Launched, create_spill, launch_waiting};
use crate::job::model::plan::Plan;
use crate::process::fd::reserve;
use crate::process::registry::Owner;
use crate::process::tree::descendants;
use crate::process::wait::ExitWatch;

/// The time that a shell waits for a command before the keeper ends it.
pub const IDLE_LIMIT: Duration = Duration::from_secs(5 * 60);

/// The time between two checks for shells over [`IDLE_LIMIT`].
const IDLE_CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// The time from the use of a shell to the start of its replacement: until then the command has the
/// processors for itself.
const REPLACEMENT_DELAY: Duration = Duration::from_millis(10);

/// The time between two checks whether a starting shell is ready, and the longest wait for it. Shells with
/// one key start one after another, because start files may take locks.
const READY_POLL_INTERVAL: Duration = Duration::from_millis(20);
const START_DEADLINE: Duration = Duration::from_secs(60);

/// The longest time that a shell may take to exit after its socket was closed.
const EXIT_DEADLINE: Duration = Duration::from_secs(60);

/// Runs a plan in a warm shell, or by `cold` where none is ready. Starts another warm shell for the next
/// command.
pub(in crate::job) fn launch_warm(
    engine: &'static Engine,
    plan: &Plan,
    owner: &Owner,
    cold: impl FnOnce() -> LaunchResult,
) -> LaunchResult {
    let Some(key) = WarmKey::of(plan, owner).and_then(WarmKey::with_sandbox) else { return cold() };
    let warm = match warm_shells().take(plan, &key, engine.scanner()) {
        Some(Ok(launched)) => Some(Launched { spill: create_spill(plan), ..launched }),
        Some(Err(unfit)) => {
            end(engine, *unfit);
            None
        }
        None => None,
    };
    // Planned before the launch, so that other spawners don't plan the same shell again.
    let planned = match warm {
        Some(_) => warm_shells().plan_replacement(&key),
        None => warm_shells().plan_for(&key, 1),
    };
    let launched = warm.map_or_else(cold, Ok);
    if planned > 0 {
        engine.runtime().spawn(async move {
            sleep(REPLACEMENT_DELAY).await;
            start_planned(engine, &key, planned);
        });
    }
    launched
}

/// Starts shells until `wanted` of them wait for commands with this key.
pub(in crate::job) fn warm_up(engine: &'static Engine, key: WarmKey, wanted: usize) {
    let start = move |key: WarmKey| {
        let count = warm_shells().plan_for(&key, wanted);
        if count > 0 {
            start_planned(engine, &key, count);
        }
    };
    if key.has_sandbox() {
        // If no thread can be started, the next command reports that.
        let _ = engine.spawners().run(Box::new(move || {
            if let Some(key) = key.with_sandbox() {
                start(key);
            }
        }));
    } else {
        start(key);
    }
}

/// Starts `count` planned shells, one after another.
fn start_planned(engine: &'static Engine, key: &WarmKey, count: usize) {
    let planned = key.clone();
    if engine.spawners().run(Box::new(move || start_one(engine, planned, count))).is_err() {
        warm_shells().cancel_planned(key, count);
    }
}

/// Starts one of `count` planned shells, on a spawner thread.
fn start_one(engine: &'static Engine, key: WarmKey, count: usize) {
    reserve::fill();
    let plan = key.plan();
    let launched = WarmFlavor::of(&plan.surroundings.shell)
        .filter(|_| !key.owner().is_closed() && key.is_of_now())
        .and_then(|flavor| launch_waiting(engine, &plan, flavor.waiting(), key.owner()).ok());
    let launched = launched.filter(|(launched, _)| key.is_of(launched));
    let Some((launched, commands)) = launched else {
        // The next command reports the error.
        return warm_shells().cancel_planned(&key, count);
    };
    let (number, unneeded) = warm_shells().add(key.clone(), launched, commands);
    if let Some(unneeded) = unneeded {
        end(engine, unneeded);
    }
    engine.runtime().spawn(async move {
        let settles = async {
            while !warm_shells().is_settled(number) {
                sleep(READY_POLL_INTERVAL).await;
            }
        };
        let is_settled = timeout(START_DEADLINE, settles).await.is_ok();
        if is_settled {
            check_leftovers(engine, number).await;
        }
        match count - 1 {
            0 => {}
            left if is_settled => start_planned(engine, &key, left),
            left => warm_shells().cancel_planned(&key, left),
        }
        let began_at = Instant::now();
        while warm_shells().pid_of(number).is_some() {
            if began_at.elapsed() > IDLE_LIMIT
                && let Some(unused) = warm_shells().remove(number)
            {
                end(engine, unused);
            }
            sleep(IDLE_CHECK_INTERVAL).await;
        }
    });
}

/// Makes a shell usable, unless its start files have left processes behind: those belong to each command of a
/// cold shell, and a warm shell could not tell them apart.
async fn check_leftovers(engine: &'static Engine, number: u64) {
    let Some(shell) = warm_shells().pid_of(number) else { return };
    // The shell is a subreaper, so that everything that its start files have left is below it.
    let left = engine.scanner().run_blocking(move || descendants(shell)).await;
    if left.is_some_and(|left| left.is_empty()) {
        warm_shells().mark_usable(number);
    } else if let Some(unfit) = warm_shells().remove_failed(number) {
        end(engine, unfit);
    }
}

/// Ends the warm shells of an owner that closes.
pub(in crate::job) fn end_all(engine: &'static Engine, owner: &Owner) {
    for shell in warm_shells().remove_all_of(owner) {
        end(engine, shell);
    }
}

/// Closes the socket of a shell, waits for its exit and reaps it.
fn end(engine: &'static Engine, shell: WarmShell) {
    let Launched { leader, pidfd, ends, .. } = shell.into_launched();
    let HostEnds { stdout, stderr, .. } = ends;
    engine.runtime().spawn(async move {
        // The shell's output is discarded, but a closed pipe would kill the shell.
        let _streams = (stdout, stderr);
        let Ok(mut watch) = ExitWatch::new(leader.identity().pid, pidfd) else { return };
        if timeout(EXIT_DEADLINE, watch.exited()).await.is_ok() {
            leader.finish();
        }
    });
}
