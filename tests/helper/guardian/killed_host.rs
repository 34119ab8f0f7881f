//! The processes that jobs leave when their host was killed, aborted or returned.

use std::fs::{self};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use crate::support::{Command, Tag, Workspace, eventually, until};
use agent_bash::process::helper_program::GUARDIAN;
use agent_bash::process::identity::Identity;
use agent_bash::process::table;
use agent_bash::process::table::row::Process;
use rustix::process::{Pid, Signal};

/// A process with its own engine, which can be killed.
struct Host {
    child: std::process::Child,
    tag: Tag,
}

impl Host {
    /// Starts a host that runs the script as a job. `ending` selects how the host ends.
    fn new(script: &str, ending: &str, place: &Workspace) -> Self {
        let tag = Tag::new();
        let child = std::process::Command::new(std::env::current_exe().expect("our own path"))
            .args(["--exact", "guardian::killed_host::host", "--nocapture", "--test-threads=1"])
            .env("AGENT_BASH_TEST_HOST", ending)
            .env("AGENT_BASH_TEST_SCRIPT", script)
            .env("AGENT_BASH_TEST_JOB", tag.variable())
            .current_dir(place.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the host starts");
        Self { child, tag }
    }

    fn pid(&self) -> i32 {
        Pid::from_child(&self.child).as_raw_nonzero().get()
    }

    /// Waits until the host has a guardian, and returns it.
    fn guardian(&self) -> Identity {
        eventually("a guardian", || {
            let is_guardian = |process: &&Process| {
                let line = fs::read(format!("/proc/{}/cmdline", process.pid())).unwrap_or_default();
                process.parent == self.pid() && line == format!("{GUARDIAN}\0").into_bytes()
            };
            table::snapshot().iter().find(is_guardian).map(|process| process.identity)
        })
    }

    fn kill(&mut self) {
        self.child.kill().expect("SIGKILL");
        self.child.wait().expect("reaped");
    }

    /// Lets the host end by itself.
    fn let_go(mut self) -> Tag {
        drop(self.child.stdin.take());
        self.child.wait().expect("it has ended");
        self.tag
    }
}

/// No test by itself: the host process of the tests below.
#[test]
fn host() {
    let Ok(ending) = std::env::var("AGENT_BASH_TEST_HOST") else { return };
    let job = std::env::var("AGENT_BASH_TEST_JOB").expect("a tag");
    let script = std::env::var("AGENT_BASH_TEST_SCRIPT").expect("a script");
    let count = if ending == "floods" { 12 } else { 1 };
    let start = || {
        let command = match script.strip_prefix("exec ").filter(|_| ending == "executes") {
            Some(program) => Command::program(program, &[]),
            None => Command::script(&script),
        };
        let mut command = command.tagged(Tag::of(&job)).directory("");
        command.plan.is_tagged = ending == "floods";
        command.start()
    };
    let jobs: Vec<_> = (0..count).map(|_| start()).collect();
    let mut told = String::new();
    let _ = std::io::stdin().read_to_string(&mut told);
    match ending.as_str() {
        "returns" | "floods" | "executes" => {}
        "aborts" => std::process::abort(),
        "waits" => jobs.iter().for_each(|job| drop(job.outcome())),
        _ => unreachable!("{ending}"),
    }
}

const TREE: &str = "sleep 1000 & setsid sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000' &); sleep 1000";

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn nothing_survives_a_host_that_is_killed() {
    let place = Workspace::new();
    let mut host = Host::new(TREE, "returns", &place);
    host.guardian();
    host.tag.wait_for(5, "sleep");
    // Long enough for a scan to enter the escaped processes into the registry: the first scan is 10 ms after
    // the start.
    std::thread::sleep(std::time::Duration::from_secs(3));
    host.kill();
    host.tag.wait_until_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_group_does_not_survive_a_host_that_is_killed_whatever_it_ignores() {
    let place = Workspace::new();
    let script =
        "trap '' HUP INT TERM QUIT; sleep 1000 & (sleep 1000; :) & echo ready >ready; sleep 1000 & wait";
    let mut host = Host::new(script, "returns", &place);
    host.guardian();
    host.tag.wait_for(3, "sleep");
    host.kill();
    host.tag.wait_until_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_new_session_does_not_survive_a_host_that_is_killed() {
    // Scans become rare with time, so the session starts between two of them.
    let place = Workspace::new();
    let script = "read -r _ <gate; setsid sleep 1000 & wait";
    let mut host = Host::new(script, "returns", &place);
    host.guardian();
    std::thread::sleep(std::time::Duration::from_millis(3200));
    place.open_gate();
    host.tag.wait_for(1, "sleep");
    host.kill();
    host.tag.assert_gone_within(std::time::Duration::from_secs(5));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn silent_daemons_of_jobs_that_flood_do_not_survive_a_host_that_is_killed_at_once() {
    for milliseconds in [10, 20, 40, 80] {
        let place = Workspace::new();
        let script =
            "exec 3>&1 >/dev/null 2>&1; (setsid sh -c 'sleep 1000 3>&- & exit' 3>&- &); exec yes >&3";
        let mut host = Host::new(script, "floods", &place);
        until("the first command runs", || !host.tag.processes().is_empty());
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        host.kill();
        host.tag.assert_gone_within(std::time::Duration::from_secs(10));
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_leader_that_has_not_executed_when_its_host_is_killed_does_not_keep_the_guardian_waiting() {
    let place = Workspace::new();
    let program = place.program("program", "#!/bin/sh\n", 0o700);
    // A process that executes the file waits until the holder of the file's lease releases it.
    let lease = "$SIG{IO} = sub { print \"asked\\n\" }; $| = 1; open F, '+<', shift; \
                 fcntl(F, 1024, 1) or die; print \"held\\n\"; my $p = getppid; sleep 1 while getppid == $p";
    let mut holder = std::process::Command::new("perl")
        .args(["-e", lease])
        .arg(&program)
        .stdout(Stdio::piped())
        .spawn()
        .expect("perl starts");
    let mut said = BufReader::new(holder.stdout.take().expect("a pipe")).lines();
    assert_eq!(said.next().expect("a line").expect("text"), "held");
    let mut host = Host::new(&format!("exec {}", program.display()), "executes", &place);
    let guardian = host.guardian();
    assert_eq!(said.next().expect("a line").expect("text"), "asked");
    let is_leader = |process: &&Process| {
        process.parent == host.pid() && process.session == process.pid() && process.identity != guardian
    };
    let leader = table::snapshot().iter().find(is_leader).expect("it waits").identity;
    host.kill();
    until("the guardian has ended", || !guardian.is_alive());
    assert!(!leader.is_alive());
    holder.kill().expect("killed");
    holder.wait().expect("reaped");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_holder_of_the_output_does_not_survive_a_host_that_is_killed() {
    let place = Workspace::new();
    let mut host = Host::new("setsid --fork sleep 1000; exit 0", "returns", &place);
    host.guardian();
    host.tag.wait_for(1, "sleep");
    std::thread::sleep(std::time::Duration::from_secs(3));
    host.kill();
    host.tag.wait_until_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn the_process_of_a_command_ends_with_its_host_before_there_is_a_guardian() {
    for _ in 0..10 {
        let place = Workspace::new();
        let mut host = Host::new("exec sleep 1000", "returns", &place);
        until("the command runs", || !host.tag.processes().is_empty());
        host.kill();
        host.tag.wait_until_gone();
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn nothing_survives_a_host_that_aborts() {
    let place = Workspace::new();
    let host = Host::new(TREE, "aborts", &place);
    host.guardian();
    host.tag.wait_for(5, "sleep");
    std::thread::sleep(std::time::Duration::from_secs(3));
    host.let_go().wait_until_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn nothing_survives_a_host_that_returns_while_a_command_runs() {
    let place = Workspace::new();
    let host = Host::new(TREE, "returns", &place);
    host.guardian();
    host.tag.wait_for(5, "sleep");
    std::thread::sleep(std::time::Duration::from_secs(3));
    host.let_go().wait_until_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn the_guardian_ends_with_its_host() {
    let place = Workspace::new();
    let host = Host::new("exit 0", "waits", &place);
    let guardian = host.guardian();
    host.let_go();
    until("the guardian has ended", || !guardian.is_alive());
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_killed_guardian_is_restarted() {
    let place = Workspace::new();
    let mut host = Host::new(TREE, "returns", &place);
    let first = host.guardian();
    assert!(first.send(Signal::KILL));
    until("another guardian", || host.guardian() != first);
    host.tag.wait_for(5, "sleep");
    std::thread::sleep(std::time::Duration::from_secs(3));
    host.kill();
    host.tag.wait_until_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn the_guardian_leads_a_session_of_its_own_and_holds_three_streams_and_the_table() {
    let place = Workspace::new();
    let mut host = Host::new("sleep 1000", "returns", &place);
    let guardian = host.guardian();
    let row = table::inspect(guardian.pid).expect("a row");
    assert_eq!((row.session, row.group), (row.pid(), row.pid()));
    let names = || -> Vec<String> {
        let entries = fs::read_dir(format!("/proc/{}/fd", guardian.pid.as_raw_nonzero())).expect("a list");
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    until("it has loaded", || names() == ["0", "1", "2", "3"]);
    host.kill();
    until("the guardian has ended", || !guardian.is_alive());
}
