//! Machines that can do less, made by namespaces around the test.

use std::path::Path;
use std::process::Command;

use agent_bash::sandbox::plan::{Level, SandboxPlan, Tier};
use agent_bash::sandbox::probe::probe;
use agent_bash::sandbox::protocol::report::SandboxStep;

use crate::support::{HELPER, again_as_user, command, plan, run, start};

/// Set in the inner run of a test.
const INSIDE: &str = "AGENT_BASH_TEST_MACHINE";

/// Runs a test of this file again on another machine: `set_up` is a shell script that a user with all rights
/// in new namespaces runs before. Returns whether this is that machine.
fn is_on(test: &str, set_up: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let script = format!("{set_up}; exec \"$0\" machine::limited::{test} --exact --nocapture");
    let output = Command::new("unshare")
        .args([
            "--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c", &script,
        ])
        .arg(std::env::current_exe().expect("a path"))
        .env(INSIDE, "1")
        .current_dir("/")
        .output()
        .expect("unshare runs");
    let shown =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && shown.contains("1 passed"), "{shown}");
    false
}

#[test]
fn root_needs_no_user_namespaces() {
    if !is_on("root_needs_no_user_namespaces", "echo 0 > /proc/sys/user/max_user_namespaces") {
        return;
    }
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let script = "echo x > new && ! echo x > ../agent-bash-new && ! mount -t tmpfs x . && \
                  ! echo 1 > /proc/sys/user/max_user_namespaces && grep -q CapEff:.*00000000000000eb /proc/self/status";
    let outcome = run(&plan(place.path()), place.path(), script);
    assert_eq!(outcome.code(), Some(0), "{outcome:?}");
    assert_eq!(probe(HELPER.as_ref()).tier, Some(Tier::Namespaces));
}

#[test]
fn an_ordinary_user_without_user_namespaces_has_landlock() {
    let set_up = "echo 0 > /proc/sys/user/max_user_namespaces; set -- setpriv --bounding-set=-all --inh-caps=-all; \
                  exec setpriv --bounding-set=-all --inh-caps=-all \"$0\" \
                  machine::limited::an_ordinary_user_without_user_namespaces_has_landlock --exact --nocapture";
    if !is_on("an_ordinary_user_without_user_namespaces_has_landlock", set_up) {
        return;
    }
    let found = probe(HELPER.as_ref());
    assert_eq!(found.tier, Some(Tier::Landlock), "{found:?}");
    assert!(found.reasons[0].contains("user namespaces are switched off"), "{found:?}");
    assert_eq!(found.missing(Level::ReadOnly, false), Some(Vec::new()));
    assert!(!found.missing(Level::WorkspaceWrite, false).expect("a mechanism").is_empty());
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let failure = start(&plan(place.path()), &command(place.path(), "true")).err().expect("no fallback");
    assert_eq!(failure.step, SandboxStep::Namespaces);
}

#[test]
fn a_container_that_masks_proc_has_no_process_table_of_its_own() {
    let set_up = "mount -t tmpfs none /proc/sys";
    if !is_on("a_container_that_masks_proc_has_no_process_table_of_its_own", set_up) {
        return;
    }
    let found = probe(HELPER.as_ref());
    assert_eq!(found.tier, Some(Tier::SharedProcesses), "{found:?}");
    assert!(found.reasons[0].contains("unmask=ALL"), "{found:?}");
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let failure = start(&plan(place.path()), &command(place.path(), "true")).err().expect("no fallback");
    assert_eq!(failure.step, SandboxStep::Proc);
    let weaker = SandboxPlan { tier: Tier::SharedProcesses, ..plan(place.path()) };
    let outcome = run(&weaker, place.path(), "echo x > new && ! echo x > /proc/self/comm; exit 7");
    assert_eq!(outcome.code(), Some(7), "{outcome:?}");
}

#[test]
fn inside_of_a_sandbox_there_is_landlock_alone() {
    if std::env::var_os(INSIDE).is_some() {
        let found = probe(HELPER.as_ref());
        assert_eq!(found.tier, Some(Tier::Landlock), "{found:?}");
        return;
    }
    let place = tempfile::tempdir_in("/var/tmp").expect("a directory");
    let test = std::env::current_exe().expect("a path");
    let script = format!(
        "{INSIDE}=1 exec {} machine::limited::inside_of_a_sandbox_there_is_landlock_alone --exact --nocapture",
        test.display()
    );
    // A private `/tmp` would hide a build that is there.
    let mut plan = plan(place.path());
    plan.places.retain(|place| place.path != Path::new("/tmp"));
    let outcome = run(&plan, place.path(), &script);
    assert!(outcome.code() == Some(0) && outcome.output.contains("1 passed"), "{outcome:?}");
}

#[test]
fn inside_of_a_sandbox_of_a_user_there_is_landlock_alone() {
    again_as_user("machine::limited::inside_of_a_sandbox_there_is_landlock_alone");
}
