//! Attempts to leave a sandbox. Each is first shown to succeed without one.
//!
//! A script ends with 0 if, and only if, it has achieved what it tries. Besides, nothing outside may have changed.

mod hidden;
mod kernel;
mod metadata;
mod network;
mod outside;
mod privilege;
mod processes;
mod protected;
pub(crate) mod world;

use agent_bash::sandbox::plan::SandboxPlan;

use crate::support::again_as_user;
use world::{Servers, World};

/// Who can do it without a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// Everyone.
    Anyone,
    /// Root alone.
    Root,
}

/// How it is shown to succeed without a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Free {
    /// As it is.
    Same,
    /// In a mount namespace of its own, since it changes mounts.
    OwnMounts,
    /// It is not: it would harm this machine, or there is nothing to leave. The text says which.
    Not(&'static str),
}

/// An attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt(pub(crate) &'static str, pub(crate) Who, pub(crate) Free, pub(crate) &'static str);

/// Runs a table: first free, then in a sandbox.
fn run_table(attempts: &[Attempt], plan_of: impl Fn(&World) -> SandboxPlan) {
    let servers = Servers::start();
    let is_root = rustix::process::geteuid().is_root();
    let mut count = 0;
    let mut wrong = Vec::new();
    for &Attempt(name, who, free, script) in attempts {
        if who == Who::Root && !is_root {
            continue;
        }
        count += 1;
        if !matches!(free, Free::Not(_)) {
            let world = World::new();
            let outcome = world.run_free(&servers, script, free == Free::OwnMounts);
            if !outcome.0 {
                wrong.push(format!("{name}: fails without a sandbox: {}", outcome.1));
            }
        }
        let world = World::new();
        let before = world.snapshot();
        let outcome = world.run_inside(&servers, script, &plan_of(&world));
        if outcome.code() == Some(0) {
            wrong.push(format!("{name}: SUCCEEDS in a sandbox: {}", outcome.output));
        }
        let after = world.snapshot();
        if before != after {
            wrong.push(format!("{name}: CHANGES the host: {before:#?} {after:#?}"));
        }
        if !world.victim_lives() {
            wrong.push(format!("{name}: KILLS a process of the host"));
        }
    }
    println!("{count} attempts as {}", if is_root { "root" } else { "a user" });
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

macro_rules! table {
    ($($module:ident $root:ident $user:ident;)*) => {
        $(
            #[test]
            fn $root() {
                run_table($module::ATTEMPTS, World::plan);
            }

            #[test]
            fn $user() {
                again_as_user(concat!("attempts::", stringify!($root)));
            }
        )*
    };
}

table! {
    outside nothing_is_written_outside nothing_is_written_outside_by_a_user;
    metadata no_metadata_is_changed_outside no_metadata_is_changed_outside_by_a_user;
    protected protected_paths_stay protected_paths_stay_for_a_user;
    hidden hidden_paths_are_not_read hidden_paths_are_not_read_by_a_user;
    network nothing_is_reached nothing_is_reached_by_a_user;
    processes no_process_is_touched no_process_is_touched_by_a_user;
    kernel the_kernel_is_not_asked the_kernel_is_not_asked_by_a_user;
    privilege no_privilege_is_gained no_privilege_is_gained_by_a_user;
}
