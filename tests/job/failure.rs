//! Failed launches, consumers that panic, and reused pids.

use std::fs;
use std::os::unix::process::CommandExt;
use std::sync::Arc;
use std::time::Duration;

use crate::support::{Command, PATH, TEST_DEADLINE, Tag, Workspace, eventually, is_alone, until, zombies};
use crate::{SHORT_TIMEOUT, launch_error};
use agent_bash::job::io::backpressure::{Backpressure, Demand};
use agent_bash::job::io::observer::Observer;
use agent_bash::job::io::observer::StreamName;
use agent_bash::job::model::plan::{Environment, Invocation, Shell, Surroundings};
use agent_bash::job::{self, Outcome, Plan};
use agent_bash::process::registry::Owner;
use agent_bash::process::table;
use agent_bash::text::Chunk;

#[test]
fn a_failed_launch_ends_once_with_its_error() {
    let job = Command::program("no-such-program", &[]).start();
    let outcome = job.outcome();
    let error = launch_error(&outcome);
    assert_eq!(
        (error.code().as_str(), error.to_string().as_str()),
        ("ENOENT", "spawn no-such-program ENOENT")
    );
    assert_eq!((outcome.cause, outcome.pid), (None, None));
    assert!(!job.handle.is_live());
    std::thread::sleep(SHORT_TIMEOUT);
    assert_eq!(job.ends(), 1);
}

#[test]
fn a_null_byte_ends_the_job_with_an_error() {
    let outcome = Command::script("echo a\0b").start().outcome();
    assert_eq!(launch_error(&outcome).code(), "ERR_INVALID_ARG_VALUE");
}

/// A consumer that panics.
struct Panicking(std::sync::mpsc::Sender<()>);

impl Observer for Panicking {
    fn output(&self, _: StreamName, _: Chunk) {
        panic!("on purpose");
    }

    fn ended(&self, _: Outcome) {
        let _ = self.0.send(());
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there is no program setsid")]
fn a_consumer_that_panics_gets_an_outcome_and_its_command_is_killed() {
    if !is_alone("failure::a_consumer_that_panics_gets_an_outcome_and_its_command_is_killed") {
        return;
    }
    let tag = Tag::new();
    let (sender, ended) = std::sync::mpsc::channel();
    let invocation = Invocation::Line("echo hi; sleep 1000 & setsid sleep 1000".to_owned());
    let environment = Environment(format!("{PATH}\0{}", tag.variable()));
    let surroundings =
        Surroundings { environment, shell: Shell::new("/bin/bash", "-c"), ..Surroundings::default() };
    let plan = Plan::new(invocation, surroundings);
    let _job = job::start(
        plan,
        &Owner::default(),
        Arc::new(Backpressure::new(Demand::Wanted)),
        Arc::new(Panicking(sender)),
    );
    ended.recv_timeout(TEST_DEADLINE).expect("the end");
    tag.assert_gone_within(Duration::from_secs(5));
    assert_eq!(zombies(), [0; 0]);
}

/// Starts a process with exactly this pid. Returns `None` without the privileges, or if another process was
/// faster.
fn stranger_with_pid(number: i32, tag: &Tag) -> Option<std::process::Child> {
    let (name, value) = tag.variable().split_once('=').expect("a variable");
    for _ in 0..300 {
        fs::write("/proc/sys/kernel/ns_last_pid", (number - 1).to_string()).ok()?;
        let mut child = std::process::Command::new("sleep")
            .arg("1000")
            .env(name, value)
            .process_group(0)
            .spawn()
            .expect("it starts");
        if i32::try_from(child.id()) == Ok(number) {
            return Some(child);
        }
        child.kill().expect("killed");
        child.wait().expect("reaped");
    }
    None
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there is no program setsid")]
fn a_stranger_with_the_pid_of_an_escaped_process_is_not_killed() {
    let (place, owner, tag) = (Workspace::new(), Owner::default(), Tag::new());
    let script = "setsid sh -c 'echo $$ >pid; read -r _ <gate' >/dev/null 2>&1 & wait; sleep 1000";
    let job = Command::script(script).within(&place).start_for(&owner);
    let number: i32 =
        eventually("its number", || fs::read_to_string(place.file("pid")).ok()?.trim().parse().ok());
    // Long enough for a scan to enter the process into the registry as escaped.
    std::thread::sleep(Duration::from_millis(1500));
    place.open_gate();
    until("it is gone", || table::inspect(crate::support::pid(number)).is_none());
    let Some(mut stranger) = stranger_with_pid(number, &tag) else { return };
    job::close(&owner);
    job.outcome();
    std::thread::sleep(SHORT_TIMEOUT);
    assert_eq!(stranger.try_wait().expect("a look"), None, "the stranger lives");
    stranger.kill().expect("killed");
    stranger.wait().expect("reaped");
}
