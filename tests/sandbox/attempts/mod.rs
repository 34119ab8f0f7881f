//! Attempts to leave a sandbox. Each is first shown to succeed without one.
//!
//! A script ends with 0 if, and only if, it has achieved what it tries. Besides, nothing outside may have
//! changed.

/// Defines a table of attempts.
macro_rules! attempts {
    ($($attempts:tt)*) => {
        pub(super) const ATTEMPTS: &[super::Attempt] = {
            #[allow(unused_imports, reason = "not each table has all")]
            use super::{
                Attempt,
                Free::{Not, OwnDevices, OwnMounts, Same},
                Who::{Anyone, Root},
            };
            &[$($attempts)*]
        };
    };
}

mod calls;
mod hidden;
mod kernel;
mod loopback;
mod metadata;
mod network;
mod outside;
mod privilege;
mod processes;
mod protected;
pub(crate) mod world;

use std::path::PathBuf;

use agent_bash::sandbox::plan::{Level, NetworkMode, SandboxPlan, Tier};

use crate::support::again_as_user;
use world::{Servers, World};

/// The user who succeeds without a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// Everyone.
    Anyone,
    /// Root alone.
    Root,
}

/// The proof that the attempt succeeds without a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Free {
    /// As it is.
    Same,
    /// In a mount namespace of its own, since it changes mounts.
    OwnMounts,
    /// With devices of its own, since it changes them.
    OwnDevices,
    /// No proof: the attempt would harm this machine, or there is nothing to leave. The text says which.
    Not(&'static str),
}

/// An attempt: its name, its user, its proof without a sandbox, and its script.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt(pub(crate) &'static str, pub(crate) Who, pub(crate) Free, pub(crate) &'static str);

/// Runs a table: first free, then in a sandbox.
fn run_table(attempts: &[Attempt], plan_of: impl Fn(&World) -> SandboxPlan) {
    let servers = Servers::start();
    let mut wrong = Vec::new();
    for &Attempt(name, who, free, script) in attempts {
        if is_able(who) && !matches!(free, Free::Not(_)) {
            let (is_successful, output) = World::new().run_free(&servers, script, free);
            if !is_successful {
                wrong.push(format!("{name}: fails without a sandbox: {output}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    run_inside(attempts, plan_of, &[]);
}

/// Runs a table in a sandbox alone, but for some attempts.
fn run_inside(attempts: &[Attempt], plan_of: impl Fn(&World) -> SandboxPlan, but: &[&str]) {
    let servers = Servers::start();
    let mut count = 0;
    let mut wrong = Vec::new();
    for &Attempt(name, who, _, script) in attempts {
        if !is_able(who) || but.contains(&name) {
            continue;
        }
        count += 1;
        let world = World::new();
        let before = world.snapshot();
        let outcome = world.run_inside(&servers, script, &plan_of(&world));
        if outcome.code() == Some(0) {
            wrong.push(format!("{name}: SUCCEEDS in a sandbox: {}", outcome.output));
        }
        let after = world.snapshot();
        let changed: Vec<_> = after.iter().filter(|row| !before.contains(row)).collect();
        if before != after {
            wrong.push(format!("{name}: CHANGES the host: {changed:#?}"));
        }
        if !world.victim_lives() {
            wrong.push(format!("{name}: KILLS a process of the host"));
        }
    }
    let who = if is_able(Who::Root) { "root" } else { "a user" };
    println!("{count} attempts as {who}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

fn is_able(who: Who) -> bool {
    who == Who::Anyone || rustix::process::geteuid().is_root()
}

/// A plan that reads system directories, what is outside, and the workspace.
fn isolated(world: &World) -> SandboxPlan {
    let system = ["/bin", "/etc", "/lib", "/lib64", "/sbin", "/usr"].map(PathBuf::from);
    let readable = system.into_iter().chain([world.outside()]).collect();
    SandboxPlan { level: Level::Isolated, readable: Some(readable), ..world.plan() }
}

#[test]
fn an_isolated_sandbox_is_not_left() {
    for table in
        [outside::ATTEMPTS, metadata::ATTEMPTS, protected::ATTEMPTS, hidden::ATTEMPTS, processes::ATTEMPTS]
    {
        run_inside(table, isolated, &[]);
    }
}

#[test]
fn an_isolated_sandbox_is_not_left_by_a_user() {
    again_as_user("attempts::an_isolated_sandbox_is_not_left");
}

#[test]
fn a_sandbox_with_the_processes_of_the_host_is_not_left() {
    let plan = |world: &World| SandboxPlan { tier: Tier::SharedProcesses, ..world.plan() };
    for table in
        [outside::ATTEMPTS, metadata::ATTEMPTS, protected::ATTEMPTS, hidden::ATTEMPTS, network::ATTEMPTS]
    {
        run_inside(table, plan, &[]);
    }
    let seen = [
        "find it by name", // one that was started later
        "pin it",
        "kill all",
        "its processors",
        "a signal to the first process",
        "a signal to the parent",
    ];
    run_inside(processes::ATTEMPTS, plan, &seen);
}

#[test]
fn a_sandbox_with_the_processes_of_the_host_is_not_left_by_a_user() {
    again_as_user("attempts::a_sandbox_with_the_processes_of_the_host_is_not_left");
}

#[test]
fn landlock_alone_keeps_writes_inside() {
    let plan = |world: &World| {
        let mut plan = SandboxPlan { tier: Tier::Landlock, ..world.plan() };
        plan.places.retain(|place| place.path == world.root());
        plan
    };
    // Times and modes are not covered: `tar` sets those of the directory.
    run_inside(outside::ATTEMPTS, plan, &["shared memory of the host", "unpack over it"]);
    run_inside(network::ATTEMPTS, plan, &["the host's interfaces"]);
}

#[test]
fn landlock_alone_keeps_writes_of_a_user_inside() {
    again_as_user("attempts::landlock_alone_keeps_writes_inside");
}

#[test]
fn loopback_is_not_left() {
    run_table(loopback::ATTEMPTS, |world| SandboxPlan { network: NetworkMode::Loopback, ..world.plan() });
}

#[test]
fn loopback_is_not_left_by_a_user() {
    again_as_user("attempts::loopback_is_not_left");
}

#[test]
fn with_the_network_on_sockets_of_the_host_are_not_reached() {
    let is_of_unix = |attempt: &&Attempt| attempt.0.contains("UNIX") || attempt.0.contains("abstract");
    let plan = |world: &World| SandboxPlan { network: NetworkMode::On, ..world.plan() };
    let of_unix: Vec<Attempt> = network::ATTEMPTS.iter().filter(is_of_unix).copied().collect();
    run_inside(&of_unix, plan, &[]);
    let names = [
        "a server on an abstract name",
        "a server on the kernel's own name",
        "a server on an exchanged name",
    ];
    let of_names: Vec<Attempt> =
        loopback::ATTEMPTS.iter().filter(|attempt| names.contains(&attempt.0)).copied().collect();
    assert_eq!(of_names.len(), names.len());
    run_inside(&of_names, plan, &[]);
}

#[test]
fn with_the_network_on_sockets_of_the_host_are_not_reached_by_a_user() {
    again_as_user("attempts::with_the_network_on_sockets_of_the_host_are_not_reached");
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
    calls rare_calls_are_no_way_out rare_calls_are_no_way_out_by_a_user;
    kernel the_kernel_is_not_asked the_kernel_is_not_asked_by_a_user;
    privilege no_privilege_is_gained no_privilege_is_gained_by_a_user;
}
