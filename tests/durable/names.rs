//! Names of durable jobs: one running job has a name, also between processes.

use agent_bash::durable::options::{JobFilter, StartOptions, new_id};

use crate::jobs::Jobs;

fn named(jobs: &Jobs, name: &str) -> StartOptions {
    StartOptions {
        name: Some(name.to_owned()),
        owner: "o".to_owned(),
        root: "/r".to_owned(),
        ..jobs.options()
    }
}

#[test]
fn one_of_many_starts_at_the_same_time_has_the_name() {
    let jobs = Jobs::new();
    let all: Vec<_> = (0..8)
        .map(|_| jobs.begin(&new_id(), "echo ran; sleep 1000", named(&jobs, "a b\n/c"), |command| command))
        .collect();
    let is_decided = |job: &crate::support::Job| job.is_over() || job.handle.durable().is_some();
    crate::support::until("all are decided", || all.iter().all(is_decided));
    let (over, running): (Vec<_>, Vec<_>) = all.iter().partition(|job| job.is_over());
    assert_eq!((over.len(), running.len()), (7, 1));
    for job in over {
        assert_eq!(job.outcome().fault().expect("a fault").code, "DURABLE_TAKEN");
    }
    let filter =
        JobFilter { name: Some("a b\n/c".to_owned()), is_running: Some(true), ..JobFilter::default() };
    assert_eq!(jobs.find(&filter).len(), 1);
    jobs.tag.wait_for(1, "sleep");
}

#[test]
fn a_name_is_free_again_after_the_end_and_in_another_scope() {
    let jobs = Jobs::new();
    let (job, first) = jobs.start_with("true", named(&jobs, "dev"), |command| command);
    job.outcome();
    jobs.ended(&first);
    let (_second, second) = jobs.start_with("sleep 1000", named(&jobs, "dev"), |command| command);
    let other = StartOptions { root: "/other".to_owned(), ..named(&jobs, "dev") };
    let (_third, third) = jobs.start_with("sleep 1000", other, |command| command);
    let running = JobFilter { is_running: Some(true), ..JobFilter::default() };
    let ids: Vec<_> = jobs.find(&running).into_iter().map(|info| info.facts.id).collect();
    assert!(ids.contains(&second) && ids.contains(&third) && ids.len() == 2, "{ids:?}");
    let here = JobFilter { root: Some("/r".to_owned()), name: Some("dev".to_owned()), ..running };
    assert_eq!(jobs.find(&here).len(), 1);
}

#[test]
fn a_command_that_can_not_start_leaves_no_job() {
    let jobs = Jobs::new();
    let (job, _) = jobs.start_with("true", named(&jobs, "dev"), |command| command.directory("/nowhere"));
    assert_eq!(job.outcome().fault().expect("a fault").code, "CWD_MISSING");
    assert_eq!(jobs.find(&JobFilter::default()), []);
    let (job, _) = jobs.start_with("true", named(&jobs, "dev"), |mut command| {
        command.plan.surroundings.shell.program = "/nowhere/sh".to_owned();
        command
    });
    assert_eq!(job.outcome().fault().expect("a fault").code, "ENOENT");
    assert_eq!(std::fs::read_dir(jobs.path()).expect("it is there").count(), 1, "the lock alone is left");
}
