//! Hosts that are killed: a job runs once and is found, or has never run.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use agent_bash::durable::options::{JobFilter, StartOptions};
use agent_bash::helper::durable::record::end::EndCause;
use agent_bash::job::model::plan::Input;
use rustix::process::Signal;

use crate::jobs::{Jobs, lines, start_in};
use crate::support::{NEVER, Tag, until};

const DIRECTORY: &str = "AGENT_BASH_TEST_JOBS";
const SCRIPT: &str = "AGENT_BASH_TEST_SCRIPT";
const TAG: &str = "AGENT_BASH_TEST_OF";

/// Not a test, but the host that tests kill: starts a job, and does what its standard input says.
#[test]
#[ignore = "a host for the tests below"]
fn host() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    let variable = |name| std::env::var(name).expect("text");
    let directory = Path::new(&directory);
    let options = StartOptions {
        cache: Some(directory.with_file_name("cache")),
        deadline: NEVER,
        unattended: NEVER,
        max_log: 1 << 20,
        ..StartOptions::default()
    };
    let tag = Tag::of(&variable(TAG));
    let job = start_in(directory, "djob", &variable(SCRIPT), options, &tag, |mut command| {
        command.plan.input = Input::Open;
        command
    });
    say_done("begun");
    for line in std::io::stdin().lines() {
        match line.expect("a line").as_str() {
            "kill" => drop(job.handle.signal(Signal::TERM)),
            "write" => drop(job.handle.input().write(vec![b'x'; 100_000])),
            _ => until("the job runs", || job.handle.durable().is_some()),
        }
        say_done("done");
    }
}

/// Writes a line for the test that has started this host.
fn say_done(word: &str) {
    writeln!(std::io::stdout(), "{word}").expect("somebody listens");
}

fn spawn_host(jobs: &Jobs, script: &str) -> Child {
    Command::new(std::env::current_exe().expect("our own path"))
        .args(["--exact", "hosts::host", "--ignored", "--nocapture", "--test-threads=1"])
        .env(DIRECTORY, jobs.path())
        .env(SCRIPT, script)
        .env(TAG, jobs.tag.variable())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

/// Waits for a line of a host.
fn await_line(host: &mut Child, line: &str) {
    let lines = BufReader::new(host.stdout.as_mut().expect("a pipe")).lines();
    assert!(lines.map_while(Result::ok).any(|other| other.ends_with(line)), "{line}");
}

fn say(host: &mut Child, word: &str) {
    let stdin = host.stdin.as_mut().expect("a pipe");
    writeln!(stdin, "{word}").expect("it listens");
}

fn kill(host: &mut Child) {
    host.kill().expect("it is killed");
    host.wait().expect("it is reaped");
}

/// Returns how often the script of [`once`] ran.
fn runs(jobs: &Jobs) -> usize {
    fs::read_to_string(jobs.place.path().join("ran")).map_or(0, |text| text.lines().count())
}

/// Returns a script that notes that it runs.
fn once(jobs: &Jobs, rest: &str) -> String {
    format!("echo ran >> '{}'; {rest}", jobs.place.path().join("ran").display())
}

#[test]
fn a_host_killed_around_the_start_leaves_a_job_that_is_found_or_nothing() {
    let (mut found, mut nothing) = (0, 0);
    for round in 0..40_u32 {
        let jobs = Jobs::new();
        let mut host = spawn_host(&jobs, &once(&jobs, "sleep 1000"));
        await_line(&mut host, "begun");
        // The start takes some milliseconds, so the kills spread over all of its steps.
        std::thread::sleep(Duration::from_micros(u64::from(round) * 1250));
        kill(&mut host);
        // A supervisor that has not begun removes its directory, and one that has begun starts the command.
        until("the start is decided", || {
            let entries = fs::read_dir(jobs.path()).map_or(0, Iterator::count);
            let is_new = jobs.path().join(".new-djob").exists();
            !is_new && (entries < 2 || runs(&jobs) == 1)
        });
        let info = jobs.info("djob");
        assert_eq!(usize::from(info.is_some()), runs(&jobs), "in round {round}");
        if info.is_some() {
            found += 1;
            let job = jobs.attach("djob", Some(0));
            job.pid();
            assert!(job.handle.signal(Signal::KILL));
            job.outcome();
            jobs.tag.assert_gone();
            assert_eq!(runs(&jobs), 1);
        } else {
            nothing += 1;
        }
    }
    // Most machines show both cases; each round is one of them.
    assert_eq!(found + nothing, 40);
}

#[test]
fn a_host_killed_while_it_reads_loses_no_byte_of_the_job() {
    for round in 0..8_u64 {
        let jobs = Jobs::new();
        let script =
            once(&jobs, "for i in $(seq 1 60); do seq $((i * 1000)) $((i * 1000 + 999)); done; read x");
        let mut host = spawn_host(&jobs, &script);
        say(&mut host, "await");
        await_line(&mut host, "done");
        std::thread::sleep(Duration::from_millis(round * 5));
        kill(&mut host);
        let job = jobs.attach("djob", Some(0));
        job.wait_for_stdout("\n60999\n");
        assert_eq!(job.stdout(), lines("", 1000..=60_999));
        assert!(job.handle.input().write(b"x\n".to_vec()));
        job.outcome();
        assert_eq!(runs(&jobs), 1);
    }
}

#[test]
fn a_host_killed_at_a_change_of_segments_loses_no_byte_of_the_job() {
    for segment in 1..=4 {
        let jobs = Jobs::new();
        let script = "for i in $(seq 100 199); do seq $((i * 1000)) $((i * 1000 + 999)); done; read x";
        let mut host = spawn_host(&jobs, script);
        until("the next segment begins", || jobs.file("djob", &format!("log.{segment}")).exists());
        kill(&mut host);
        let job = jobs.attach("djob", Some(0));
        job.wait_for_stdout("\n199999\n");
        assert_eq!(job.stdout(), lines("", 100_000..=199_999));
        assert!(job.handle.input().write(b"x\n".to_vec()));
        assert_eq!(job.outcome().durable.expect("a durable job").dropped, 0);
    }
}

#[test]
fn a_host_killed_while_it_writes_leaves_the_input_open() {
    for round in 0..6_u64 {
        let jobs = Jobs::new();
        let mut host = spawn_host(&jobs, "tr -d x; echo over");
        say(&mut host, "write");
        await_line(&mut host, "done");
        std::thread::sleep(Duration::from_millis(round * 3));
        kill(&mut host);
        until("the job is decided", || !jobs.path().join(".new-djob").exists());
        let Some(info) = jobs.info("djob") else { continue };
        assert!(info.end.is_none());
        let job = jobs.attach("djob", Some(0));
        job.pid();
        assert!(job.handle.input().write(b"rest".to_vec()));
        job.handle.input().end();
        job.outcome();
        assert_eq!(job.stdout(), "restover\n");
    }
}

#[test]
fn a_host_killed_after_its_kill_has_ended_the_job() {
    for _ in 0..6 {
        let jobs = Jobs::new();
        let mut host = spawn_host(&jobs, "sleep 1000 & sleep 1000");
        say(&mut host, "await");
        await_line(&mut host, "done");
        jobs.tag.wait_for(2, "sleep");
        say(&mut host, "kill");
        until("the stop has arrived", || jobs.tag.processes().len() < 3);
        kill(&mut host);
        assert_eq!(jobs.ended("djob").end.expect("an end").cause, EndCause::Kill);
        jobs.tag.assert_gone();
    }
}

#[test]
fn another_process_finds_reads_and_ends_the_job_of_a_dead_host() {
    let jobs = Jobs::new();
    let mut host = spawn_host(&jobs, "while read x; do echo \"got $x\"; done");
    say(&mut host, "await");
    await_line(&mut host, "done");
    kill(&mut host);
    let found = jobs.find(&JobFilter { is_running: Some(true), ..JobFilter::default() });
    assert_eq!(found.len(), 1);
    until("nobody is attached", || jobs.info("djob").is_some_and(|info| info.attached == 0));
    let job = jobs.attach("djob", Some(0));
    job.pid();
    assert!(job.handle.input().write(b"this\n".to_vec()));
    job.wait_for_stdout("got this\n");
    assert!(job.handle.signal(Signal::TERM));
    job.outcome();
    assert_eq!(jobs.ended("djob").end.expect("an end").cause, EndCause::Kill);
}
