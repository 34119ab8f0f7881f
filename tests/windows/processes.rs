//! Processes that outlive their command.

use std::time::Duration;

use agent_bash::job::JobRequest;
use agent_bash::job::model::outcome::Cause;
use agent_bash::job::model::plan::{Input, Leftovers, Times};

use crate::support::{Job, code, role, signal};

#[test]
fn a_process_that_is_left_is_reported_and_lives_on() {
    let outcome = Job::start(role("leaves_one", &[])).outcome();
    assert_eq!(outcome.end, code(3));
    let [left] = outcome.background_pids[..] else { panic!("{:?}", outcome.background_pids) };
    assert!(outcome.stdout.text().contains(&format!("<left {left}>")), "{}", outcome.stdout.text());
    assert!(agent_bash::process::windows::image::of_pid(left.cast_unsigned()).is_some(), "it runs");
}

#[test]
fn a_process_that_is_left_can_be_ended() {
    let mut plan = role("leaves_one", &[]);
    plan.leftovers = Some(Leftovers::Kill);
    let outcome = Job::start(plan).outcome();
    assert_eq!(outcome.end, code(3));
    assert!(outcome.background_pids.is_empty(), "{:?}", outcome.background_pids);
}

#[test]
fn a_command_goes_on_in_the_background_at_its_timeout() {
    let mut plan = role("is_a_tree", &["1"]);
    plan.times =
        Times { timeout: Some(Duration::from_millis(100)), moves_to_background: true, ..Times::default() };
    let job = Job::start(plan);
    job.interim();
    job.wait_for_stdout("<all started>");
    assert!(job.handle.ask(JobRequest::StopAtOnce(Cause::Killed)));
    assert_eq!(job.outcome().end, signal(9));
}

#[test]
fn a_command_in_the_background_names_its_processes() {
    // On a busy machine, the tree may start after a short timeout.
    for seconds in [2, 10, 50] {
        let mut plan = role("is_a_tree", &["1"]);
        let timeout = Some(Duration::from_secs(seconds));
        plan.times = Times { timeout, moves_to_background: true, ..Times::default() };
        let job = Job::start(plan);
        let interim = job.interim();
        assert!(job.handle.ask(JobRequest::StopAtOnce(Cause::Killed)));
        assert_eq!(job.outcome().end, signal(9));
        let stdout = interim.stdout.text();
        if stdout.contains("<all started>") {
            let [below] = interim.background_pids[..] else { panic!("{:?}", interim.background_pids) };
            assert!(stdout.contains(&format!("<pid {below}>")), "{stdout} {below}");
            return;
        }
    }
    panic!("the tree did not start in time");
}

#[test]
fn the_ports_of_a_command_are_reported_while_it_listens() {
    let mut plan = role("listens", &[]);
    plan.input = Input::Open;
    let job = Job::start(plan);
    assert!(job.handle.ask(JobRequest::FollowPorts(true)));
    let stdout = job.wait_for_stdout("<port ");
    let found = job.wait_for_ports(1);
    assert!(stdout.contains(&format!("<port {}>", found[0].port)), "{stdout} {found:?}");
    assert!(job.handle.input().write(b"\n".to_vec()));
    job.wait_for_ports(0);
    job.handle.input().end();
    assert_eq!(job.outcome().end, code(0));
}
