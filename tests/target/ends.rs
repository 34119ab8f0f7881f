//! Timeouts, stops, lost connections: nothing is left there.

use std::time::Duration;

use agent_bash::job::JobRequest;
use agent_bash::job::model::outcome::{Cause, End, Status};
use agent_bash::process::identity::Identity;
use agent_bash::process::registry::Owner;
use agent_bash::process::table;
use agent_bash::process::wait::Exit;
use rustix::process::Signal;

use crate::place::Place;
use crate::support::{pid, until};

const TREE: &str = "(setsid sh -c 'sleep 1000 & sleep 1000' >/dev/null 2>&1 &); echo up; sleep 1000";

#[test]
fn a_timeout_ends_the_whole_tree_before_the_result() {
    let job = Place::new().command(TREE).timeout(Duration::from_millis(500)).start();
    let outcome = job.outcome();
    assert_eq!((outcome.cause, outcome.status()), (Some(Cause::Timeout), Status::Timeout));
    assert_eq!(outcome.stdout.text(), "up\n");
    job.tag.assert_gone();
}

#[test]
fn a_command_that_ignores_the_signal_is_killed_after_the_grace() {
    let job = Place::new()
        .command("trap '' TERM; echo up; while :; do sleep 0.1; done")
        .grace(Duration::from_millis(200))
        .start();
    job.wait_for_stdout("up");
    assert!(job.handle.ask(JobRequest::Stop(Cause::Aborted, None)));
    assert_eq!(job.outcome().end, End::Exit(Exit::Signal(9)));
    job.tag.assert_gone();
}

#[test]
fn a_signal_without_an_end_reaches_the_tree() {
    let line = "trap 'echo caught; exit 3' USR1; echo up; while :; do sleep 0.01; done";
    let job = Place::new().command(line).start();
    job.wait_for_stdout("up");
    assert!(job.handle.signal(Signal::USR1));
    assert_eq!(job.outcome().end, End::Exit(Exit::Code(3)));
}

/// Returns the supervisor of a leader: the parent of its reaper.
fn supervisor_of(leader: i32) -> Identity {
    let parent = |of| table::inspect(pid(of)).expect("it runs").parent;
    Identity::of(pid(parent(parent(leader)))).expect("it runs")
}

#[test]
fn a_lost_connection_fails_the_command_and_the_next_one_connects_again() {
    let place = Place::new();
    let job = place.command(TREE).start();
    job.wait_for_stdout("up");
    supervisor_of(job.handle.pid().expect("a pid")).send(Signal::KILL);
    let outcome = job.outcome();
    assert_eq!(outcome.status(), Status::Failed);
    let fault = outcome.fault().expect("a fault");
    assert_eq!(fault.code, "TARGET_LOST");
    assert!(fault.message.contains("its exit code is unknown"), "{}", fault.message);
    assert_eq!(outcome.stdout.text(), "up\n");
    job.tag.wait_until_gone();
    assert_eq!(place.command("echo again").start().outcome().stdout.text(), "again\n");
}

#[test]
fn a_killed_reaper_fails_its_command_alone() {
    let place = Place::new();
    let other = place.command("echo up; sleep 1000").start();
    let job = place.command(TREE).start();
    job.wait_for_stdout("up");
    other.wait_for_stdout("up");
    let leader = job.handle.pid().expect("a pid");
    let reaper = table::inspect(pid(leader)).expect("it runs").parent;
    Identity::of(pid(reaper)).expect("it runs").send(Signal::KILL);
    assert_eq!(job.outcome().fault().expect("a fault").code, "TARGET_LOST");
    job.tag.wait_until_gone();
    assert!(!other.is_over());
    assert!(other.handle.ask(JobRequest::StopAtOnce(Cause::Killed)));
    assert_eq!(other.outcome().end, End::Exit(Exit::Signal(9)));
}

#[test]
fn a_command_that_kills_its_reaper_is_lost_even_if_its_start_was_not_told() {
    let place = Place::new();
    for _ in 0..20 {
        let outcome = place.command("kill -9 $PPID; sleep 1000").start().outcome();
        assert_eq!(outcome.fault().expect("a fault").code, "TARGET_LOST");
    }
}

#[test]
fn a_target_that_is_disposed_ends_its_commands() {
    let place = Place::new();
    let job = place.command(TREE).start();
    job.wait_for_stdout("up");
    drop(place.target.dispose());
    assert_eq!(job.outcome().fault().expect("a fault").code, "TARGET_CLOSED");
    job.tag.assert_gone();
    let late = place.command("echo late").start().outcome();
    assert_eq!(late.fault().expect("a fault").code, "TARGET_CLOSED");
}

#[test]
fn an_owner_that_closes_ends_its_commands_there() {
    let (place, owner) = (Place::new(), Owner::default());
    let job = place.command(TREE).start_for(&owner);
    job.wait_for_stdout("up");
    agent_bash::job::close(&owner);
    job.tag.wait_until_gone();
    until("the job is over", || job.is_over());
}

#[test]
fn a_silent_connection_is_given_up() {
    let place = Place::with_start_file("", r#","heartbeat":{"interval":200,"deadline":3000}"#);
    let job = place.command(TREE).start();
    job.wait_for_stdout("up");
    let supervisor = supervisor_of(job.handle.pid().expect("a pid"));
    supervisor.send(Signal::STOP);
    let fault = job.outcome().fault().expect("a fault");
    assert_eq!(fault.code, "TARGET_LOST");
    assert!(fault.message.contains("no sign of life for 3 s"), "{}", fault.message);
    job.tag.wait_until_gone();
}
