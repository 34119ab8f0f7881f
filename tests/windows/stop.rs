//! Commands that are ended: with their trees, however deep.

use std::time::{Duration, Instant};

use agent_bash::job::model::outcome::Cause;
use agent_bash::job::model::plan::{Input, Times};
use agent_bash::job::{JobRequest, close};
use agent_bash::process::registry::Owner;
use agent_bash::process::signal::Signal;

use crate::support::{DEADLINE, Job, line, role, signal};

/// Returns the pids that a tree has printed.
fn pids(stdout: &str) -> Vec<u32> {
    let numbers = stdout.split("<pid ").skip(1);
    numbers.filter_map(|rest| rest.split('>').next()?.parse().ok()).collect()
}

/// Waits until none of these processes runs.
fn assert_gone(pids: &[u32]) {
    let began_at = Instant::now();
    for &pid in pids {
        while agent_bash::process::windows::image::of_pid(pid).is_some() {
            assert!(began_at.elapsed() < DEADLINE, "{pid} still runs");
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_timeout_ends_a_tree_three_deep() {
    let mut plan = role("is_a_tree", &["2"]);
    plan.times = Times { timeout: Some(Duration::from_secs(8)), ..Times::default() };
    let outcome = Job::start(plan).outcome();
    assert_eq!((outcome.end, outcome.cause), (signal(15), Some(Cause::Timeout)));
    let started = pids(&outcome.stdout.text());
    assert!(!started.is_empty(), "{}", outcome.stdout.text());
    assert_gone(&started);
}

#[test]
fn a_stop_by_sigkill_ends_a_tree_three_deep() {
    let job = Job::start(role("is_a_tree", &["2"]));
    let started = pids(&job.wait_for_stdout("<all started>"));
    assert_eq!(started.len(), 3);
    assert!(job.handle.ask(JobRequest::StopAtOnce(Cause::Killed)));
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.cause), (signal(9), Some(Cause::Killed)));
    assert_gone(&started);
}

#[test]
fn a_stop_says_the_signal_that_was_asked_for() {
    let job = Job::start(role("is_a_tree", &["0"]));
    job.wait_for_stdout("<all started>");
    assert!(job.handle.ask(JobRequest::Stop(Cause::Killed, Some(Signal::INT))));
    assert_eq!(job.outcome().end, signal(2));
}

#[test]
fn an_abort_before_the_start_ends_the_job() {
    for _ in 0..20 {
        let job = Job::start(line("set /p x="));
        assert!(job.handle.ask(JobRequest::StopAtOnce(Cause::Aborted)));
        assert_eq!(job.outcome().cause, Some(Cause::Aborted));
    }
}

#[test]
#[ignore = "the server of wine 10 crashes where a job ends while its process is being made"]
fn the_end_of_an_owner_ends_a_job_that_is_being_started() {
    for step in 0..60_u64 {
        let owner = Owner::default();
        let mut plan = line("set /p x=");
        plan.input = Input::Open;
        let job = Job::start_for(plan, &owner);
        let (began_at, moment) = (Instant::now(), Duration::from_micros(step * 200));
        while began_at.elapsed() < moment {
            std::thread::yield_now();
        }
        close(&owner);
        assert_ne!(job.outcome().cause, Some(Cause::Timeout), "{moment:?}");
    }
}

#[test]
fn the_end_of_an_owner_ends_its_jobs_alone() {
    let (owner, other) = (Owner::default(), Owner::default());
    let jobs: Vec<_> = (0..3).map(|_| Job::start_for(role("is_a_tree", &["1"]), &owner)).collect();
    let kept = Job::start_for(role("is_a_tree", &["0"]), &other);
    kept.wait_for_stdout("<all started>");
    let started: Vec<u32> = jobs.iter().flat_map(|job| pids(&job.wait_for_stdout("<all started>"))).collect();
    close(&owner);
    for job in &jobs {
        assert_eq!(job.outcome().end, signal(9));
    }
    assert_gone(&started);
    assert!(kept.handle.ask(JobRequest::StopAtOnce(Cause::Killed)));
    assert_eq!(kept.outcome().end, signal(9));
}
