//! Owners of jobs: closing one kills its jobs.

use std::time::Duration;

use crate::launch_error;
use crate::support::Command;
use agent_bash::job::model::outcome::{Cause, End};
use agent_bash::job::{self};
use agent_bash::process::registry::Owner;
use agent_bash::process::wait::Exit;
use rustix::process::Signal;

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn closing_an_owner_kills_its_jobs_and_no_others() {
    let (owner, other) = (Owner::default(), Owner::default());
    let script = "trap '' TERM; setsid sleep 1000 & sleep 1000";
    let jobs: Vec<_> = (0..3).map(|_| Command::script(script).start_for(&owner)).collect();
    let survivor = Command::script("exec sleep 1000").start_for(&other);
    survivor.tag.wait_for(1, "sleep");
    for job in &jobs {
        job.tag.wait_for(2, "sleep");
    }
    job::close(&owner);
    for job in &jobs {
        assert_eq!(job.outcome().end, End::Exit(Exit::Signal(9)));
        job.tag.wait_until_gone();
    }
    assert!(!survivor.is_over());
    assert!(survivor.handle.signal(Signal::KILL));
    survivor.outcome();
}

#[test]
fn a_closed_owner_starts_nothing() {
    let owner = Owner::default();
    Command::script("true").start_for(&owner).outcome();
    job::close(&owner);
    let job = Command::script("sleep 1000").start_for(&owner);
    let outcome = job.outcome();
    assert_eq!(launch_error(&outcome).code(), "ABORT_ERR");
    assert_eq!(outcome.cause, Some(Cause::OwnerGone));
    job.tag.assert_gone();
}

#[test]
fn an_owner_closed_before_the_first_command_starts_nothing() {
    let owner = Owner::default();
    job::close(&owner);
    let job = Command::script("sleep 1000").timeout(Duration::from_secs(5)).start_for(&owner);
    assert_eq!(job.outcome().cause, Some(Cause::OwnerGone));
}

#[test]
fn closing_an_owner_while_its_commands_are_being_started_leaves_none() {
    for _ in 0..10 {
        let owner = Owner::default();
        let jobs: Vec<_> = (0..8).map(|_| Command::script("exec sleep 1000").start_for(&owner)).collect();
        job::close(&owner);
        for job in &jobs {
            job.outcome();
            job.tag.wait_until_gone();
        }
    }
}
