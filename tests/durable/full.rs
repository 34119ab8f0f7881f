//! A full disk: a file system of 1 MiB, in a mount namespace of its own.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use agent_bash::durable::options::StartOptions;
use agent_bash::helper::durable::record::end::{EndCause, LeaderExit};
use tempfile::TempDir;

use crate::jobs::{Jobs, lines};
use crate::support::Tag;

const DIRECTORY: &str = "AGENT_BASH_TEST_FULL";

/// Runs a test of this file on a file system of 1 MiB.
fn run_inside(test: &str) {
    let place = TempDir::new().expect("a directory");
    let script = "mount -t tmpfs -o size=1m,mode=0700 tmpfs \"$1\" && exec \"$2\" --exact \"$3\" --ignored";
    let ran = Command::new("unshare")
        .args(["--mount", "--propagation", "private", "sh", "-c", script, "sh"])
        .arg(place.path())
        .arg(std::env::current_exe().expect("our own path"))
        .arg(test)
        .env(DIRECTORY, place.path())
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
}

/// Returns jobs on the small file system; `None` outside of [`run_inside`].
fn jobs() -> Option<Jobs> {
    let directory = PathBuf::from(std::env::var_os(DIRECTORY)?);
    let place = TempDir::new_in(directory).expect("a directory");
    Some(Jobs { place, tag: Tag::new() })
}

/// Without a cache: the copy of the helper has no room there.
fn options(jobs: &Jobs) -> StartOptions {
    StartOptions { cache: None, ..jobs.options() }
}

#[test]
#[ignore = "needs root"]
fn a_job_on_a_full_disk_ends_with_its_exit_and_counts_what_is_missing() {
    run_inside("full::write_more_than_fits");
}

#[test]
#[ignore = "a part of the tests above"]
fn write_more_than_fits() {
    let Some(jobs) = jobs() else { return };
    let (job, id) = jobs.start_with("seq 1 600000; exit 3", options(&jobs), |command| command);
    job.outcome();
    let info = jobs.ended(&id);
    let end = info.end.clone().expect("an end");
    assert_eq!((end.cause, end.exit), (EndCause::Exit, Some(LeaderExit::Code(3))));
    let all = lines("", 1..=600_000);
    assert_eq!(info.total, all.len() as u64);
    assert!(info.dropped > 0);
    let again = jobs.attach(&id, Some(0));
    again.outcome();
    assert_eq!(again.stdout().len() as u64 + info.dropped, info.total);
    assert!(again.stdout().starts_with("1\n2\n"));
}

#[test]
#[ignore = "needs root"]
fn output_that_waits_for_the_disk_is_written_when_there_is_room() {
    run_inside("full::make_room_later");
}

#[test]
#[ignore = "a part of the tests above"]
fn make_room_later() {
    let Some(jobs) = jobs() else { return };
    let (job, id) =
        jobs.start_with("seq 1 100; read x; seq 101 60000; read x", options(&jobs), |mut command| {
            command.plan.input = agent_bash::job::model::plan::Input::Open;
            command
        });
    job.wait_for_stdout("\n100\n");
    let filler = jobs.place.path().join("filler");
    while fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(&filler)
        .and_then(|mut file| std::io::Write::write_all(&mut file, &[0; 4096]))
        .is_ok()
    {}
    assert!(job.handle.input().write(b"x\n".to_vec()));
    crate::support::until("all was written by the command", || {
        // 340 KiB wait in memory, and are no part of the log.
        jobs.tag.processes().len() == 1
    });
    fs::remove_file(&filler).expect("it goes");
    job.wait_for_stdout("\n60000\n");
    assert!(job.handle.input().write(b"x\n".to_vec()));
    job.outcome();
    let all = lines("", 1..=60_000);
    assert_eq!(job.stdout(), all);
    assert_eq!(jobs.ended(&id).dropped, 0);
}

#[test]
#[ignore = "needs root"]
fn a_start_without_room_is_the_error_of_the_system() {
    run_inside("full::start_without_room");
}

#[test]
#[ignore = "a part of the tests above"]
fn start_without_room() {
    let Some(jobs) = jobs() else { return };
    let (first, _) = jobs.start_with("true", options(&jobs), |command| command);
    first.outcome();
    let _ = fs::write(jobs.place.path().join("filler"), vec![0; 2 << 20]);
    let (job, id) = jobs.start_with("true", options(&jobs), |command| command);
    assert_eq!(job.outcome().fault().expect("a fault").code, "ENOSPC");
    assert!(!jobs.path().join(id).exists());
}
