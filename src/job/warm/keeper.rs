//! Starts shells ahead, replaces those that were used, and ends those that nobody needs.
//!
//! A shell that waits is no job yet: neither the guardian nor its owner's end kills it. When the other end of its socket
//! is closed, by whatever means, it ends by itself; one that is still in its start files goes through them first, since
//! to be killed there could leave behind what they have made, such as a lock.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::flavor::Flavor;
use super::key::Key;
use super::shells::{WarmShell, warm_shells};
use crate::engine::Engine;
use crate::job::launch::{LaunchResult, Launched, create_spill, launch_waiting};
use crate::job::model::plan::Plan;
use crate::process::fd::reserve;
use crate::process::registry::Owner;
use crate::process::tree::descendants;
use crate::process::wait::ExitWatch;

/// How long a shell waits for a command before it is let go.
pub const LONGEST_WAIT: Duration = Duration::from_secs(5 * 60);

/// How often that is looked at.
const LOOK_AT_AGE: Duration = Duration::from_secs(5);

/// A shell that was used is replaced when its command has had this time for itself.
const REPLACEMENT_DELAY: Duration = Duration::from_millis(10);

/// Shells of one kind start one after another: start files may take locks. How often it is looked whether the one before
/// is ready, and how long it is waited for.
const LOOK: Duration = Duration::from_millis(20);
const LONGEST_START: Duration = Duration::from_secs(60);

/// How long one that was let go may take to end.
const LONGEST_END: Duration = Duration::from_secs(60);

/// Runs a plan in a shell that waits for it, or as `cold` does it. Sees to it that one waits for the next.
pub(in crate::job) fn launch_warm(
    engine: &'static Engine,
    plan: &Plan,
    owner: &Owner,
    cold: impl FnOnce() -> LaunchResult,
) -> LaunchResult {
    let Some(key) = Key::of(plan, owner) else { return cold() };
    let warm = match warm_shells().take(plan, &key, engine.scanner()) {
        Some(Ok(launched)) => Some(Launched { spill: create_spill(plan), ..launched }),
        Some(Err(unfit)) => {
            end(engine, *unfit);
            None
        }
        None => None,
    };
    // At once, so that others who find none don't plan one more.
    let planned = match warm {
        Some(_) => warm_shells().plan_replacement(&key),
        None => warm_shells().plan_for(&key, 1),
    };
    let launched = warm.map_or_else(cold, Ok);
    if planned > 0 {
        engine.runtime().spawn(async move {
            sleep(REPLACEMENT_DELAY).await;
            start_some(engine, &key, planned);
        });
    }
    launched
}

/// Sees to it that so many shells wait for commands of this kind.
pub(in crate::job) fn warm_up(engine: &'static Engine, key: &Key, wanted: usize) {
    let count = warm_shells().plan_for(key, wanted);
    if count > 0 {
        start_some(engine, key, count);
    }
}

/// So many that were planned, one after another.
fn start_some(engine: &'static Engine, key: &Key, count: usize) {
    let planned = key.clone();
    if engine.spawners().run(Box::new(move || start_one(engine, planned, count))).is_err() {
        warm_shells().give_up(key, count);
    }
}

/// On a spawner thread. `count` are still to be started.
fn start_one(engine: &'static Engine, key: Key, count: usize) {
    reserve::fill();
    let plan = key.plan();
    let launched = Flavor::of(&plan.invocation)
        .filter(|_| !key.owner().is_closed() && key.is_of_now())
        .and_then(|flavor| launch_waiting(engine, &plan, flavor.waiting(), key.owner()).ok());
    let Some((launched, commands)) = launched else {
        // The command that comes will say why.
        return warm_shells().give_up(&key, count);
    };
    let (number, unneeded) = warm_shells().add(key.clone(), launched, commands);
    if let Some(unneeded) = unneeded {
        end(engine, unneeded);
    }
    engine.runtime().spawn(async move {
        let settles = async {
            while !warm_shells().is_settled(number) {
                sleep(LOOK).await;
            }
        };
        let is_settled = timeout(LONGEST_START, settles).await.is_ok();
        if is_settled {
            see_what_it_has_left(engine, number).await;
        }
        match count - 1 {
            0 => {}
            left if is_settled => start_some(engine, &key, left),
            left => warm_shells().give_up(&key, left),
        }
        let began_at = Instant::now();
        while warm_shells().leader_of(number).is_some() {
            if began_at.elapsed() > LONGEST_WAIT
                && let Some(unused) = warm_shells().remove(number)
            {
                end(engine, unused);
            }
            sleep(LOOK_AT_AGE).await;
        }
    });
}

/// What start files leave behind belongs to each command that a cold shell runs. A warm one could not tell it from others.
async fn see_what_it_has_left(engine: &'static Engine, number: u64) {
    let Some(leader) = warm_shells().leader_of(number) else { return };
    // The shell adopts its orphans, so all that its start files have left is below it.
    let left = engine.scanner().run_blocking(move || descendants(leader.pid)).await;
    if left.is_some_and(|left| left.is_empty()) {
        warm_shells().use_from_now_on(number);
    } else if let Some(unfit) = warm_shells().give_up_on(number) {
        end(engine, unfit);
    }
}

/// The owner goes.
pub(in crate::job) fn end_all_of(engine: &'static Engine, owner: &Owner) {
    for shell in warm_shells().remove_all_of(owner) {
        end(engine, shell);
    }
}

/// Lets a shell go, and reaps it.
fn end(engine: &'static Engine, shell: WarmShell) {
    let Launched { leader, pidfd, stdout, stderr, .. } = shell.let_go();
    engine.runtime().spawn(async move {
        // What it says is heard by nobody, but it must not die of that.
        let _streams = (stdout, stderr);
        let Ok(mut watch) = ExitWatch::new(leader.identity().pid, pidfd) else { return };
        if timeout(LONGEST_END, watch.exited()).await.is_ok() {
            leader.finish();
        }
    });
}
