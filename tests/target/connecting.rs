//! The bootstrap: start files, directories, damaged caches, shells that are none.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use agent_bash::job::JobRequest;
use agent_bash::job::model::outcome::{Cause, Outcome, Status};
use agent_bash::job::model::shell::Shell;

use crate::place::Place;
use crate::support::Command;

fn works(place: &Place) -> Outcome {
    let outcome = place.command("umask; echo here").start().outcome();
    assert_eq!(outcome.fault(), None);
    assert!(outcome.stdout.text().ends_with("\nhere\n"), "{}", outcome.stdout.text());
    outcome
}

fn code(place: &Place) -> String {
    let outcome = place.command("echo here").start().outcome();
    assert_eq!((outcome.status(), outcome.stdout.text().as_str()), (Status::Failed, ""));
    outcome.fault().expect("a fault").code
}

#[test]
fn the_helper_is_copied_once_and_cached() {
    let place = Place::new();
    assert!(works(&place).target.expect("a report").copied > 0);
    assert_eq!(works(&place).target.expect("a report").connect_time, None);
    let [helper] = place.cached().try_into().expect("one file");
    assert_eq!(fs::metadata(&helper).expect("a file").permissions().mode() & 0o777, 0o700);
    drop(place.target.dispose().blocking_recv());
}

#[test]
fn a_damaged_cache_is_replaced() {
    let place = Place::with_start_file("", r#","idle":1"#);
    works(&place);
    let [helper] = place.cached().try_into().expect("one file");
    let whole = fs::read(&helper).expect("read");
    let mut changed = whole.clone();
    let last = changed.len() - 1;
    changed[last] ^= 1;
    for content in [&b""[..], &whole[..1000], &changed, b"#!/bin/sh\necho no\n"] {
        // A helper that still runs keeps its file; the new one has another inode.
        fs::remove_file(&helper).expect("removed");
        fs::write(&helper, content).expect("written");
        fs::set_permissions(&helper, fs::Permissions::from_mode(0o700)).expect("set");
        let outcome = works(&place);
        if outcome.target.expect("a report").connect_time.is_some() {
            assert_eq!(fs::read(&helper).expect("read"), whole);
        }
    }
}

#[test]
fn without_a_home_the_copy_is_removed_at_once() {
    let place = Place::with_start_file("unset HOME XDG_CACHE_HOME", "");
    works(&place);
    assert_eq!(place.cached().len(), 0);
    assert_eq!(fs::read_dir(place.home().join("tmp")).expect("listed").count(), 0);
}

#[test]
fn start_files_may_print_and_set_and_leave_processes() {
    for start_file in [
        "echo welcome; printf 'no newline'",
        "head -c 60000 /dev/zero | tr '\\0' x",
        "set -x",
        "umask 027; sleep 1 &",
    ] {
        works(&Place::with_start_file(start_file, ""));
    }
}

#[test]
fn the_umask_there_stays() {
    let place = Place::with_start_file("umask 027", "");
    assert_eq!(works(&place).stdout.text(), "0027\nhere\n");
}

#[test]
fn too_much_noise_is_a_banner() {
    assert_eq!(code(&Place::with_start_file("head -c 100000 /dev/zero | tr '\\0' x", "")), "TARGET_BANNER");
}

#[test]
fn a_shell_that_exits_is_reported_with_what_it_said() {
    let place = Place::with_start_file("echo 'This account is not available' >&2; exit 1", "");
    let fault = place.command("echo here").start().outcome().fault().expect("a fault");
    assert_eq!(fault.code, "TARGET_SHELL");
    assert!(fault.message.contains("This account is not available"), "{}", fault.message);
}

#[test]
fn a_start_file_that_reads_input_takes_the_script() {
    let place = Place::with_start_file("while read x; do :; done", r#","connectTimeout":500"#);
    assert_eq!(code(&place), "TARGET_TIMEOUT");
}

#[test]
fn a_transport_that_does_not_exist_is_named() {
    let json = r#"{"exec":["/nowhere/transport"]}"#;
    let options = agent_bash::target::options::TargetOptions::parse(json).expect("options");
    let target = std::sync::Arc::new(agent_bash::target::Target::new(options, Vec::new(), Vec::new()));
    let mut command = Command::script("true");
    command.plan.surroundings.target = Some(agent_bash::job::model::surroundings::OnTarget {
        target,
        has_empty_environment: false,
        shells: Shell::usual_ones(),
        session_shell: None,
    });
    let fault = command.start().outcome().fault().expect("a fault");
    assert_eq!(fault.code, "TARGET_START");
    assert_eq!(fault.message, "'/nowhere/transport' can't be started: ENOENT.");
}

#[test]
fn an_abort_while_connecting_ends_the_command_at_once() {
    let place = Place::with_start_file("sleep 1000", "");
    let job = place.command("echo here").start();
    std::thread::sleep(Duration::from_millis(100));
    assert!(job.handle.ask(JobRequest::Stop(Cause::Aborted, None)));
    assert_eq!(job.outcome().status(), Status::Aborted);
    drop(place.target.dispose().blocking_recv());
}

#[test]
fn another_program_behind_the_marker_is_no_supervisor() {
    // An account whose shell is hostile: it says that the helper runs, and sends what is no frame.
    let script = r#"read -r x; n=${x#*n=}; n=${n%%;*}; echo; echo "agent-bash $n have"; echo nonsense that is longer than a header; cat >/dev/null; exit"#;
    assert_eq!(code(&Place::with_start_file(script, "")), "TARGET_PROTOCOL");
}
