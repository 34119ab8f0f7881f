//! Stops and signals: they end the processes of the job, and no others.

use std::fs;
use std::time::Duration;

use crate::support::{Command, NEVER, Workspace, until};
use crate::{IGNORE_SIGTERM, SHORT_TIMEOUT};
use agent_bash::job::JobRequest;
use agent_bash::job::model::outcome::{Cause, End};
use agent_bash::process::wait::Exit;
use rustix::process::Signal;

#[test]
fn an_immediate_stop_sends_no_sigterm() {
    let job = Command::script("trap 'echo bye' TERM; echo hi; while :; do sleep 0.1; done").start();
    job.wait_for_stdout("hi");
    assert!(job.handle.ask(JobRequest::StopAtOnce(Cause::Killed)));
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.cause), (End::Exit(Exit::Signal(9)), Some(Cause::Killed)));
    assert_eq!(outcome.stdout.text(), "hi\n");
    job.tag.assert_gone();
}

#[test]
fn an_immediate_stop_ends_the_grace_and_the_first_cause_counts() {
    let job = Command::script(&format!("{IGNORE_SIGTERM}; echo hi; while :; do sleep 1000; done"))
        .grace(NEVER)
        .start();
    job.wait_for_stdout("hi");
    assert!(job.handle.ask(JobRequest::Stop(Cause::Aborted, None)));
    assert!(job.handle.ask(JobRequest::StopAtOnce(Cause::OwnerGone)));
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.cause), (End::Exit(Exit::Signal(9)), Some(Cause::Aborted)));
    job.tag.assert_gone();
}

#[test]
fn a_stop_before_the_process_is_spawned_ends_the_job() {
    for _ in 0..30 {
        let job = Command::script("sleep 1000").start();
        assert!(job.handle.ask(JobRequest::StopAtOnce(Cause::Aborted)));
        let outcome = job.outcome();
        assert_eq!(outcome.cause, Some(Cause::Aborted));
        match outcome.end {
            End::NotStarted(error) => assert_eq!(error.code(), "ABORT_ERR"),
            end => assert_eq!(end, End::Exit(Exit::Signal(9))),
        }
        job.tag.wait_until_gone();
    }
}

#[test]
fn a_signal_sent_before_the_process_is_spawned_reaches_it() {
    for _ in 0..20 {
        let job = Command::program("sleep", &["1000"]).start();
        assert!(job.handle.signal(Signal::INT));
        let was_hit = (0..2000).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            job.is_over()
        });
        assert!(job.handle.signal(Signal::KILL) || was_hit);
        let outcome = job.outcome();
        assert_eq!(
            outcome.end,
            End::Exit(Exit::Signal(libc::SIGINT)),
            "sent and taken as sent, but it never came"
        );
    }
}

#[test]
fn another_signal_is_forwarded_to_the_group_and_ends_nothing() {
    let script =
        "trap 'echo got it' USR1; echo ready; n=0; while [ $n -lt 600 ]; do sleep 0.05; n=$((n + 1)); done";
    let job = Command::script(script).start();
    job.wait_for_stdout("ready");
    // The signal kills the `sleep` that runs in the group, and the shell starts the next one.
    assert!(job.handle.signal(Signal::USR1));
    job.wait_for_stdout("got it");
    assert!(!job.is_over());
    assert!(job.handle.signal(Signal::KILL));
    let outcome = job.outcome();
    assert_eq!((outcome.end, outcome.cause), (End::Exit(Exit::Signal(9)), Some(Cause::Killed)));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn a_command_stopped_by_sigstop_takes_sigterm() {
    let job = Command::script("trap 'exit 8' TERM; echo ready; while :; do sleep 0.05; done").start();
    job.wait_for_stdout("ready");
    assert!(job.handle.signal(Signal::STOP));
    let path = format!("/proc/{}/stat", job.pid().as_raw_nonzero());
    until("it is stopped", || fs::read_to_string(&path).unwrap().contains(") T "));
    assert!(job.handle.signal(Signal::TERM));
    assert_eq!(job.outcome().end, End::Exit(Exit::Code(8)));
    job.tag.assert_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_stop_ends_the_group_other_sessions_and_orphans() {
    let script = "sleep 1000 & setsid sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000' &) ; sleep 1000";
    for request in [JobRequest::Stop(Cause::Killed, None), JobRequest::StopAtOnce(Cause::Killed)] {
        let job = Command::script(script).start();
        job.tag.wait_for(5, "sleep");
        assert!(job.handle.ask(request));
        assert_eq!(job.outcome().cause, Some(Cause::Killed));
        job.tag.assert_gone();
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_stop_ends_orphans_of_other_sessions_that_hold_no_output() {
    let script = "exec 3>&1 >/dev/null 2>&1; \
                  setsid sh -c 'setsid sleep 1000 3>&- & setsid sleep 1000 3>&- &' 3>&-; \
                  exec sleep 1000";
    for request in [JobRequest::Stop(Cause::Killed, None), JobRequest::StopAtOnce(Cause::Killed)] {
        let job = Command::script(script).start();
        job.tag.wait_for(3, "sleep");
        assert!(job.handle.ask(request));
        job.outcome();
        job.tag.assert_gone();
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_fresh_session_that_ignores_sigterm_does_not_outlive_its_leader() {
    // Scans become rare with time, so the session starts between two of them.
    let place = Workspace::new();
    let stubborn = "trap \"\" TERM; echo >made; exec sleep 1000";
    let script = format!("read -r _ <gate; setsid sh -c '{stubborn}' >/dev/null 2>&1 & wait");
    let job = Command::script(&script).within(&place).grace(SHORT_TIMEOUT).start();
    std::thread::sleep(Duration::from_millis(3200));
    place.open_gate();
    until("the session is there", || place.file("made").exists());
    job.tag.wait_for(1, "sleep");
    assert!(job.handle.ask(JobRequest::Stop(Cause::Killed, None)));
    job.outcome();
    job.tag.assert_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_signal_during_the_grace_does_not_make_the_job_forget_its_members() {
    let place = Workspace::new();
    let stubborn = "trap \"\" TERM USR1; echo >made; exec sleep 1000";
    let script = format!("read -r _ <gate; setsid sh -c '{stubborn}' >/dev/null 2>&1 & wait");
    let job = Command::script(&script).within(&place).grace(Duration::from_secs(2)).start();
    std::thread::sleep(Duration::from_millis(3200));
    place.open_gate();
    until("the session is there", || place.file("made").exists());
    job.tag.wait_for(1, "sleep");
    assert!(job.handle.ask(JobRequest::Stop(Cause::Killed, None)));
    job.wait_for_exit();
    let _ = job.handle.signal(Signal::USR1);
    job.outcome();
    job.tag.assert_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_command_that_keeps_starting_sessions_leaves_no_process() {
    let script = "while :; do setsid sleep 1000 >/dev/null 2>&1 & done";
    let job = Command::script(&format!("ulimit -u unlimited; {script}")).start();
    until("there are some", || job.tag.processes().len() > 30);
    assert!(job.handle.ask(JobRequest::StopAtOnce(Cause::Killed)));
    job.outcome();
    job.tag.assert_gone_within(Duration::from_secs(3));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there is no program setsid")]
fn a_command_that_starts_sessions_on_sigterm_leaves_no_process() {
    // The shell lives long enough for a scan to see it with its child: a shell that exits at once leaves its
    // child to init unseen.
    let trap = "trap 'setsid sleep 1000 >/dev/null 2>&1 & sleep 1; exit 0' TERM";
    let job = Command::script(&format!("{trap}; echo ready; while :; do sleep 0.05; done")).start();
    job.wait_for_stdout("ready");
    assert!(job.handle.ask(JobRequest::Stop(Cause::Killed, None)));
    job.outcome();
    job.tag.assert_gone_within(Duration::from_secs(3));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn stopping_one_job_leaves_the_others_alone() {
    let (first, second) = (
        Command::script("sleep 1000").start(),
        Command::script("setsid sleep 1000 & sleep 1000 & wait").start(),
    );
    first.tag.wait_for(1, "sleep");
    second.tag.wait_for(2, "sleep");
    assert!(first.handle.ask(JobRequest::StopAtOnce(Cause::Killed)));
    first.outcome();
    assert_eq!(second.tag.wait_for(2, "sleep").len(), 2);
    assert!(second.handle.ask(JobRequest::StopAtOnce(Cause::Killed)));
    second.outcome();
    second.tag.assert_gone();
}
