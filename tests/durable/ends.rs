//! How durable jobs end: stops, time limits, and what they leave.

use std::time::Duration;

use agent_bash::durable::find;
use agent_bash::durable::info::DurableInfo;
use agent_bash::durable::options::{JobFilter, StartOptions};
use agent_bash::helper::durable::record::end::{EndCause, LeaderExit};
use agent_bash::job::JobRequest;
use agent_bash::job::model::outcome::Status;
use agent_bash::process::table::children_of;
use rustix::process::{Signal, kill_process};

use crate::jobs::Jobs;
use crate::support::pid;

const SHORT: Duration = Duration::from_millis(300);

#[test]
fn a_kill_reaches_the_whole_tree_and_every_host_hears_of_it() {
    let jobs = Jobs::new();
    let (job, id) = jobs.start("setsid sleep 1000 & (sleep 1000 & sleep 1000) & sleep 1000");
    jobs.tag.wait_for(4, "sleep");
    let second = jobs.attach(&id, None);
    second.pid();
    assert!(second.handle.signal(Signal::TERM));
    for host in [&job, &second] {
        let outcome = host.outcome();
        assert_eq!((outcome.status(), outcome.signal()), (Status::Signaled, Some(15)));
    }
    jobs.tag.assert_gone();
    assert_eq!(jobs.ended(&id).end.expect("an end").cause, EndCause::Kill);
}

#[test]
fn a_kill_goes_on_when_its_caller_is_gone() {
    let jobs = Jobs::new();
    let script = "trap '' TERM; sleep 1000 & while true; do sleep 1; done";
    let (job, id) = jobs.start(script);
    jobs.tag.wait_for(1, "sleep");
    assert!(job.handle.ask(JobRequest::Detach));
    job.outcome();
    find::stop(&jobs.path(), &id, libc::SIGTERM, Some(SHORT)).expect("it is stopped");
    let end = jobs.ended(&id).end.expect("an end");
    assert_eq!((end.cause, end.exit), (EndCause::Kill, Some(LeaderExit::Signal(9))));
    jobs.tag.assert_gone();
    find::stop(&jobs.path(), &id, libc::SIGTERM, None).expect("an ended job is left alone");
}

#[test]
fn a_log_out_that_signals_every_process_is_stored_as_a_kill_by_the_system() {
    let jobs = Jobs::new();
    let (job, id) = jobs.start("setsid sleep 1000 & sleep 1000");
    jobs.tag.wait_for(2, "sleep");
    let supervisor = job.handle.durable().expect("it runs").facts.supervisor;
    let supervisor = pid(supervisor.cast_signed());
    // The reaper is signalled first, which is the order that could lose the exit.
    let reaper = children_of(supervisor).expect("a list");
    for process in reaper.into_iter().chain([supervisor]) {
        kill_process(process, Signal::TERM).expect("it runs");
    }
    assert_eq!(job.outcome().status(), Status::Signaled);
    let end = jobs.ended(&id).end.expect("an end");
    let reason = end.reason.as_deref();
    assert_eq!((end.cause, end.exit, reason), (EndCause::Kill, Some(LeaderExit::Signal(15)), Some("system")));
    jobs.tag.assert_gone();
}

#[test]
fn time_limits_hold_without_a_host() {
    let jobs = Jobs::new();
    let limit = |options: StartOptions, idle: Option<Duration>, timeout: Option<Duration>| {
        let (job, id) = jobs.start_with("echo; sleep 1000", options, |mut command| {
            command.plan.times.timeout = timeout;
            command.plan.times.idle = idle;
            command
        });
        assert!(job.handle.ask(JobRequest::Detach));
        // The job of this host is kept, because dropping it kills what it has started.
        (job, id)
    };
    let of_time = [
        (limit(StartOptions { deadline: SHORT, ..jobs.options() }, None, None), EndCause::Deadline),
        (limit(StartOptions { unattended: SHORT, ..jobs.options() }, None, None), EndCause::Unattended),
        (limit(jobs.options(), Some(SHORT), None), EndCause::Idle),
        (limit(jobs.options(), None, Some(SHORT)), EndCause::Timeout),
    ];
    for ((_job, id), cause) in &of_time {
        assert_eq!(jobs.ended(id).end.expect("an end").cause, *cause);
    }
    jobs.tag.assert_gone();
}

#[test]
fn an_attached_host_keeps_a_job_that_nobody_else_attends() {
    let jobs = Jobs::new();
    let (job, id) =
        jobs.start_with("sleep 1000", StartOptions { unattended: SHORT, ..jobs.options() }, |command| {
            command
        });
    let second = jobs.attach(&id, None);
    second.pid();
    assert!(job.handle.ask(JobRequest::Detach));
    job.outcome();
    // Longer than the limit: the host that is still there counts.
    std::thread::sleep(SHORT * 3);
    assert!(jobs.info(&id).expect("it is there").end.is_none());
    assert!(second.handle.ask(JobRequest::Detach));
    assert_eq!(jobs.ended(&id).end.expect("an end").cause, EndCause::Unattended);
}

#[test]
fn the_result_of_a_host_has_the_limit_that_ended_the_job() {
    let jobs = Jobs::new();
    let (job, _) = jobs.start_with("sleep 1000", jobs.options(), |command| command.timeout(SHORT));
    let outcome = job.outcome();
    assert_eq!(outcome.status(), Status::Timeout);
    let (job, _) = jobs.start_with("sleep 1000", jobs.options(), |mut command| {
        command.plan.times.idle = Some(SHORT);
        command
    });
    assert_eq!(job.outcome().status(), Status::IdleTimeout);
}

#[test]
fn the_time_that_is_left_can_be_set() {
    let jobs = Jobs::new();
    let (_job, id) = jobs.start("sleep 1000");
    let before = jobs.info(&id).expect("it is there").ends_at;
    let after = find::extend(&jobs.path(), &id, 300).expect("it is set");
    assert!(after < before);
    assert_eq!(jobs.ended(&id).end.expect("an end").cause, EndCause::Deadline);
    assert_eq!(find::extend(&jobs.path(), &id, 300).expect_err("it has ended").code, "DURABLE_NOT_FOUND");
}

#[test]
fn a_hundred_jobs_are_found_and_leave_nothing() {
    let jobs = Jobs::new();
    let all: Vec<_> = (0..100).map(|_| jobs.start("exec sleep 1000")).collect();
    let found = jobs.find(&JobFilter::default());
    assert_eq!(found.iter().filter(|info| info.end.is_none()).count(), 100);
    assert_eq!(found.iter().filter(|info| info.attached == 1).count(), 100);
    for (job, _) in &all {
        assert!(job.handle.signal(Signal::KILL));
    }
    for (job, id) in &all {
        job.outcome();
        jobs.ended(id);
    }
    jobs.tag.assert_gone();
}

#[test]
fn a_stopped_supervisor_hides_nothing_of_other_jobs() {
    let jobs = Jobs::new();
    let all = [jobs.start("exec sleep 1000"), jobs.start("exec sleep 1000")];
    // Each is stopped once, as the jobs are asked in the order of their directory.
    for (job, stopped) in &all {
        let supervisor = pid(job.handle.durable().expect("it runs").facts.supervisor.cast_signed());
        kill_process(supervisor, Signal::STOP).expect("it runs");
        let found = jobs.find(&JobFilter::default());
        kill_process(supervisor, Signal::CONT).expect("it is there");
        let attached = |info: &DurableInfo| (info.facts.id == *stopped, info.attached);
        let mut attached: Vec<_> = found.iter().map(attached).collect();
        attached.sort_unstable();
        assert_eq!(attached, [(false, 1), (true, 0)]);
    }
}

#[test]
fn the_mask_of_new_files_and_the_limits_are_those_of_the_host() {
    let jobs = Jobs::new();
    let own = std::process::Command::new("bash").args(["-c", "umask; ulimit -n"]).output().expect("it runs");
    let (job, _) = jobs.start("umask; ulimit -n");
    job.outcome();
    assert_eq!(job.stdout(), String::from_utf8_lossy(&own.stdout));
}
