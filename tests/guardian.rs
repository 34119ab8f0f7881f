//! What is left of a host's jobs when the host is gone, however it went.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

use agent_bash::process::guardian;
use agent_bash::process::identity::Identity;
use agent_bash::process::pipe::{above_standard_streams, pipe};
use agent_bash::process::registry::{Owner, Registration, Registry};
use agent_bash::process::spawn::{Limits, Request, Script, Spawned, spawn};
use agent_bash::process::tag::Tag as Mark;
use agent_bash::process::tree::{self, pid_number};
use agent_bash::process::wait::{Exit, peek, reap};
use rustix::process::{Pid, Signal};
use support::{Command, PATH, Place, Tag, eventually, reap_blocking, text, until};

// ------------------------------------------------------------------------------------------------- whole hosts

/// A process with an engine of its own.
struct Host {
    child: std::process::Child,
    tag: Tag,
}

impl Host {
    /// Runs the script as a job. `ending` says how the host ends when it is told to.
    fn new(script: &str, ending: &str, place: &Place) -> Self {
        let tag = Tag::new();
        let child = std::process::Command::new(std::env::current_exe().expect("our own path"))
            .args(["--exact", "host", "--nocapture", "--test-threads=1"])
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

    /// Its guardian, once that sleeps in its `read`.
    fn guardian(&self) -> Identity {
        eventually("a guardian", || {
            let is_guardian = |process: &&tree::Process| {
                let line = fs::read(format!("/proc/{}/cmdline", pid_number(process))).unwrap_or_default();
                process.parent == self.pid() && line.ends_with(b"\0agent-bash-guardian\0")
            };
            tree::snapshot().iter().find(is_guardian).map(|process| process.identity)
        })
    }

    fn kill(&mut self) {
        self.child.kill().expect("SIGKILL");
        self.child.wait().expect("reaped");
    }

    /// Tells it to end by itself.
    fn let_go(mut self) -> Tag {
        drop(self.child.stdin.take());
        self.child.wait().expect("it has ended");
        self.tag
    }
}

/// Not a test of its own: the host process of the tests below.
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
    let place = Place::new();
    let mut host = Host::new(TREE, "returns", &place);
    host.guardian();
    host.tag.wait_for(5, "sleep");
    // By now it has been noted who has left the group: that is looked at 20 ms after the start, and then more rarely.
    std::thread::sleep(std::time::Duration::from_secs(3));
    host.kill();
    host.tag.wait_until_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_group_does_not_survive_a_host_that_is_killed_whatever_it_ignores() {
    let place = Place::new();
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
fn a_session_that_has_just_been_made_does_not_survive_a_host_that_is_killed() {
    // Between two looks for processes that have left the group, which become rare with time.
    let place = Place::new();
    let script = "read -r _ <gate; setsid sleep 1000 & wait";
    let mut host = Host::new(script, "returns", &place);
    host.guardian();
    std::thread::sleep(std::time::Duration::from_millis(3200));
    place.open_gate();
    host.tag.wait_for(1, "sleep");
    host.kill();
    host.tag.wait_until_gone_or_fail_after(std::time::Duration::from_secs(5));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn silent_daemons_of_jobs_that_flood_do_not_survive_a_host_that_is_killed_at_once() {
    for milliseconds in [10, 20, 40, 80] {
        let place = Place::new();
        let script =
            "exec 3>&1 >/dev/null 2>&1; (setsid sh -c 'sleep 1000 3>&- & exit' 3>&- &); exec yes >&3";
        let mut host = Host::new(script, "floods", &place);
        until("the first command runs", || !host.tag.processes().is_empty());
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        host.kill();
        host.tag.wait_until_gone_or_fail_after(std::time::Duration::from_secs(10));
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_leader_that_could_not_execute_before_its_host_was_killed_does_not_keep_the_guardian_asleep() {
    let place = Place::new();
    let program = place.program("program", "#!/bin/sh\n", 0o700);
    // Whoever executes the file has to wait for the holder of its lease.
    let lease = "$SIG{IO} = sub { print \"asked\\n\" }; $| = 1; open F, '+<', shift; fcntl(F, 1024, 1) or die; \
                 print \"held\\n\"; my $p = getppid; sleep 1 while getppid == $p";
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
    let is_leader = |process: &&tree::Process| {
        process.parent == host.pid() && process.session == pid_number(process) && process.identity != guardian
    };
    let leader = tree::snapshot().iter().find(is_leader).expect("it waits").identity;
    host.kill();
    until("the guardian has ended", || !guardian.is_alive());
    assert!(!leader.is_alive());
    holder.kill().expect("killed");
    holder.wait().expect("reaped");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn what_holds_the_output_after_the_exit_does_not_survive_a_host_that_is_killed() {
    let place = Place::new();
    let mut host = Host::new("setsid --fork sleep 1000; exit 0", "returns", &place);
    host.guardian();
    host.tag.wait_for(1, "sleep");
    std::thread::sleep(std::time::Duration::from_secs(3));
    host.kill();
    host.tag.wait_until_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn the_process_of_a_command_dies_with_its_host_before_there_is_a_guardian() {
    for _ in 0..10 {
        let place = Place::new();
        let mut host = Host::new("exec sleep 1000", "returns", &place);
        until("the command runs", || !host.tag.processes().is_empty());
        host.kill();
        host.tag.wait_until_gone();
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn nothing_survives_a_host_that_aborts() {
    let place = Place::new();
    let host = Host::new(TREE, "aborts", &place);
    host.guardian();
    host.tag.wait_for(5, "sleep");
    std::thread::sleep(std::time::Duration::from_secs(3));
    host.let_go().wait_until_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn nothing_survives_a_host_that_returns_while_a_command_runs() {
    let place = Place::new();
    let host = Host::new(TREE, "returns", &place);
    host.guardian();
    host.tag.wait_for(5, "sleep");
    std::thread::sleep(std::time::Duration::from_secs(3));
    host.let_go().wait_until_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn the_guardian_ends_with_its_host() {
    let place = Place::new();
    let host = Host::new("exit 0", "waits", &place);
    let guardian = host.guardian();
    host.let_go();
    until("the guardian has ended", || !guardian.is_alive());
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_guardian_that_was_killed_comes_back() {
    let place = Place::new();
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
    let place = Place::new();
    let mut host = Host::new("sleep 1000", "returns", &place);
    let guardian = host.guardian();
    let row = tree::inspect(guardian.pid).expect("a row");
    assert_eq!((row.session, row.group), (pid_number(&row), pid_number(&row)));
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

// -------------------------------------------------------------------------------------------- the table's lines

/// A process that leads its session, and its identity.
fn leader(tag: &Tag, script: &str) -> Spawned {
    marked_leader(tag, script, None)
}

/// As [`leader`], with a mark that all below it carry. It adopts no orphans then.
fn marked_leader(tag: &Tag, script: &str, mark: Option<u64>) -> Spawned {
    let null = File::options().read(true).write(true).open("/dev/null").expect("a file");
    let null = above_standard_streams(null.into()).expect("a descriptor");
    let root = File::open("/").expect("a directory");
    spawn(&Request {
        candidates: &[text("/bin/bash")],
        arguments: &[text("bash"), text("-c"), text(script)],
        environment: &[text(PATH), text(tag.variable())],
        directory: root.as_fd(),
        stdin: null.as_fd(),
        stdout: null.as_fd(),
        stderr: null.as_fd(),
        script: None,
        record: None,
        inherits_descriptors: false,
        at_thread_end: None,
        adopts_orphans: mark.is_none(),
        standby: None,
        limits: &Limits::default(),
        tag: mark,
    })
    .expect("it starts")
}

/// Enters a leader into the table.
fn enter(registry: &Registry, leader: Identity, owner: &Owner) -> Registration {
    enter_marked(registry, leader, owner, None)
}

fn enter_marked(registry: &Registry, leader: Identity, owner: &Owner, mark: Option<Mark>) -> Registration {
    let place = registry.reserve(owner, [0, 0], mark).expect("a place");
    assert!(registry.fill(&place, leader));
    place
}

/// Ends the guardian's host, as far as it can tell, and waits for what it does then.
fn let_guardian_act(process: &Spawned, leash: OwnedFd) -> Exit {
    drop(leash);
    until("the guardian has ended", || peek(process.pid).is_some());
    let exit = peek(process.pid).expect("it has ended");
    reap(process.pid);
    exit
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_stranger_with_a_number_of_the_table_is_left_alone() {
    leaves_a_stranger_alone(1);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_stranger_with_a_number_that_is_in_the_table_twice_is_left_alone() {
    leaves_a_stranger_alone(2);
}

/// `times` is how often its number is in the table, each time with another's start time.
fn leaves_a_stranger_alone(times: u64) {
    let (tag, stranger_tag) = (Tag::new(), Tag::new());
    let ours = leader(&tag, "sleep 1000 & setsid sleep 1000 & wait");
    let stranger = leader(&stranger_tag, "sleep 1000 & setsid sleep 1000 & wait");
    tag.wait_for(2, "sleep");
    stranger_tag.wait_for(2, "sleep");
    let registry = Registry::new().expect("a table");
    let owner = Owner::default();
    let identities = (0..times)
        .map(|start| Identity { start: start + 1, pid: stranger.pid })
        .chain([Identity::of(ours.pid).expect("it lives")]);
    let _places: Vec<_> = identities.map(|identity| enter(&registry, identity, &owner)).collect();
    let guardian = guardian::start(&registry, &AtomicBool::default()).expect("a guardian");
    let_guardian_act(&guardian.process, guardian.leash);
    tag.wait_until_gone();
    reap_blocking(ours.pid);
    assert_eq!(peek(stranger.pid), None);
    assert_eq!(stranger_tag.processes().len(), 3);
    rustix::process::kill_process_group(stranger.pid, Signal::KILL).expect("killed");
    reap_blocking(stranger.pid);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_job_that_was_released_is_left_alone() {
    let tag = Tag::new();
    let ours = leader(&tag, "exec sleep 1000");
    let registry = Registry::new().expect("a table");
    let owner = Owner::default();
    let place = enter(&registry, Identity::of(ours.pid).expect("it lives"), &owner);
    registry.release(place, || {});
    let guardian = guardian::start(&registry, &AtomicBool::default()).expect("a guardian");
    assert_eq!(let_guardian_act(&guardian.process, guardian.leash), Exit::Code(0));
    assert_eq!(peek(ours.pid), None);
    rustix::process::kill_process_group(ours.pid, Signal::KILL).expect("killed");
    reap_blocking(ours.pid);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_job_whose_leader_is_gone_is_found_by_its_session() {
    let tag = Tag::new();
    let ours = leader(&tag, "sleep 1000 & (set -m; sleep 1000 & wait) & wait");
    tag.wait_for(2, "sleep");
    let registry = Registry::new().expect("a table");
    let _place = enter(&registry, Identity::of(ours.pid).expect("it lives"), &Owner::default());
    rustix::process::kill_process(ours.pid, Signal::KILL).expect("killed");
    reap_blocking(ours.pid);
    let guardian = guardian::start(&registry, &AtomicBool::default()).expect("a guardian");
    let_guardian_act(&guardian.process, guardian.leash);
    tag.wait_until_gone();
}

/// Starts a daemon that has neither group, session, parent nor pipe in common with its leader, and ends.
const DAEMON: &str = "(setsid sh -c 'sleep 1000 & exit' &)";

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_silent_daemon_whose_leader_has_exited_is_found_by_its_tag() {
    let (tag, other_tag) = (Tag::new(), Tag::new());
    let (mark, other_mark) = (Mark::new().expect("a tag"), Mark::new().expect("a tag"));
    let ours = marked_leader(&tag, DAEMON, Some(mark.number()));
    let other = marked_leader(&other_tag, DAEMON, Some(other_mark.number()));
    let registry = Registry::new().expect("a table");
    let _place = enter_marked(&registry, identity_of(&ours), &Owner::default(), Some(mark));
    for (leader, tag) in [(&ours, &tag), (&other, &other_tag)] {
        until("the leader has exited", || peek(leader.pid).is_some());
        let daemon = tag.wait_for(1, "sleep")[0];
        assert!(![daemon.parent, daemon.group, daemon.session].contains(&leader.pid.as_raw_nonzero().get()));
    }
    let guardian = guardian::start(&registry, &AtomicBool::default()).expect("a guardian");
    assert_eq!(let_guardian_act(&guardian.process, guardian.leash), Exit::Code(0));
    tag.assert_gone();
    assert_eq!(other_tag.processes().len(), 1, "whose tag is not in the table");
    reap(ours.pid);
    reap(other.pid);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn tagged_processes_that_never_stop_starting_others_are_all_found() {
    let tag = Tag::new();
    let mark = Mark::new().expect("a tag");
    // Each one starts the next, in a session of its own, and ends.
    let script = r#"hop() { (setsid bash -c "$(declare -f hop); sleep 0.05; hop" &); }; hop"#;
    let ours = marked_leader(&tag, script, Some(mark.number()));
    let registry = Registry::new().expect("a table");
    let _place = enter_marked(&registry, identity_of(&ours), &Owner::default(), Some(mark));
    until("the leader has exited", || peek(ours.pid).is_some());
    let guardian = guardian::start(&registry, &AtomicBool::default()).expect("a guardian");
    assert_eq!(let_guardian_act(&guardian.process, guardian.leash), Exit::Code(0));
    tag.assert_gone();
    reap(ours.pid);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_leader_that_is_to_be_left_alone_is() {
    let tag = Tag::new();
    let mark = Mark::new().expect("a tag");
    let ours = marked_leader(&tag, "exec sleep 1000", Some(mark.number()));
    let registry = Registry::new().expect("a table");
    let place = registry.reserve_unguarded(&Owner::default(), [0, 0], Some(mark));
    assert!(registry.fill(&place, identity_of(&ours)));
    let guardian = guardian::start(&registry, &AtomicBool::default()).expect("a guardian");
    assert_eq!(let_guardian_act(&guardian.process, guardian.leash), Exit::Code(0));
    assert_eq!(peek(ours.pid), None);
    rustix::process::kill_process_group(ours.pid, Signal::KILL).expect("killed");
    reap_blocking(ours.pid);
}

fn identity_of(leader: &Spawned) -> Identity {
    Identity::of(leader.pid).expect("its number is taken")
}

#[test]
fn a_guardian_says_that_it_lives() {
    let registry = Registry::new().expect("a table");
    let lives = AtomicBool::default();
    let guardian = guardian::start(&registry, &lives).expect("a guardian");
    assert!(lives.load(Ordering::Acquire));
    assert_eq!(let_guardian_act(&guardian.process, guardian.leash), Exit::Code(0));
}

// ---------------------------------------------------------------------------------------------------- its shells

const SCRIPT: &str = include_str!("../src/process/guardian.sh");
const PROGRAM: &str = concat!("PROGRAM=", include_str!("../src/process/guardian.awk"));

/// The script under a shell that may not be there.
fn works_under(shell: &str, words: &[&str]) {
    works_with(PATH, shell, words, Found::All);
}

/// Whom the script finds.
#[derive(Clone, Copy, PartialEq)]
enum Found {
    All,
    Groups,
}

/// The script under a shell that may not be there, with the programs of a path.
fn works_with(path: &str, shell: &str, words: &[&str], found: Found) {
    if !Path::new(shell).exists() {
        return;
    }
    let (daemon_tag, mark) = (Tag::new(), Mark::new().expect("a tag"));
    let daemon = marked_leader(&daemon_tag, DAEMON, Some(mark.number()));
    daemon_tag.wait_for(1, "sleep");
    let tag = Tag::new();
    // A name with all that could confuse a reader of the table.
    let place = Place::new();
    let odd = place.file("a) S 1 (\n *");
    fs::copy("/usr/bin/sleep", &odd).expect("copied");
    let script =
        "\"$0\" 1000 & setsid \"$0\" 1000 & (setsid sh -c '\"$0\" 1000 & sleep 1000' \"$0\" &); wait";
    let ours = leader(&tag, &script.replace("$0", odd.to_str().unwrap()));
    let bystander = leader(&tag, "exec sleep 2000");
    tag.wait_for(3, "a) S 1 (\n *");
    tag.wait_for(2, "sleep");
    let mut table = File::from(agent_bash::process::nameless_file::nameless_file().expect("a file"));
    let identity = Identity::of(ours.pid).expect("it lives");
    let empty = " ".repeat(95);
    writeln!(
        table,
        "{empty}\n{:<95}\n{empty}\n{:<95}\n{:<95}",
        "1 7 leader 0 0 0",
        format!("{} {} leader 0 0 0", identity.pid.as_raw_nonzero(), identity.start),
        // Its leader is no more.
        format!("{} 7 leader 0 0 {}", identity.pid.as_raw_nonzero(), mark.number())
    )
    .expect("written");
    rustix::fs::seek(&table, rustix::fs::SeekFrom::Start(0)).expect("rewound");
    let (stdin, leash) = pipe().expect("a pipe");
    rustix::io::ioctl_fionbio(&stdin, false).expect("blocking");
    let (errors, stderr) = pipe().expect("a pipe");
    rustix::io::ioctl_fionbio(&errors, false).expect("blocking");
    let root = File::open("/").expect("a directory");
    let arguments: Vec<_> = words.iter().chain(&["-c", SCRIPT, "guardian"]).map(|word| text(word)).collect();
    let process = spawn(&Request {
        candidates: &[text(shell)],
        arguments: &arguments,
        environment: &[text(path), text(PROGRAM)],
        directory: root.as_fd(),
        stdin: stdin.as_fd(),
        stdout: stderr.as_fd(),
        stderr: stderr.as_fd(),
        script: Some(Script::new(table.as_fd())),
        record: None,
        inherits_descriptors: false,
        at_thread_end: None,
        adopts_orphans: false,
        standby: None,
        limits: &Limits::default(),
        tag: None,
    })
    .expect("it starts");
    drop((stdin, stderr));
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert_eq!(peek(process.pid), None, "it waits for the end of its host");
    let exit = let_guardian_act(&process, leash);
    let mut said = String::new();
    for line in BufReader::new(File::from(errors)).lines() {
        said += &line.expect("text");
    }
    assert_eq!((exit, said.as_str()), (Exit::Code(0), ""));
    reap_blocking(ours.pid);
    reap_blocking(daemon.pid);
    if found == Found::All {
        until("all but the bystander are gone", || tag.processes().len() == 1);
        daemon_tag.assert_gone();
    } else {
        let number = ours.pid.as_raw_nonzero().get();
        until("the group is gone", || tag.processes().iter().all(|process| process.group != number));
    }
    assert_eq!(peek(bystander.pid), None);
    rustix::process::kill_process_group(bystander.pid, Signal::KILL).expect("killed");
    reap_blocking(bystander.pid);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn the_guardian_works_under_dash() {
    works_under("/bin/dash", &["sh"]);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn the_guardian_works_under_bash() {
    works_under("/bin/bash", &["bash", "--posix"]);
    works_under("/bin/bash", &["sh"]);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn the_guardian_works_under_busybox() {
    works_under("/bin/busybox", &["sh"]);
    works_under("/usr/bin/busybox", &["sh"]);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn the_guardian_works_without_a_program() {
    // The groups of the jobs are found then, and nobody else.
    works_with("PATH=/nonexistent", "/bin/dash", &["sh"], Found::Groups);
    works_with("PATH=/nonexistent", "/bin/bash", &["sh"], Found::Groups);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn the_guardian_begins_again_when_its_program_gives_up() {
    // As mawk does when a process ends between the opening of its file and the reading.
    for shell in ["/bin/dash", "/bin/bash"] {
        let place = Place::new();
        let awk = place.file("awk");
        let script = r#"#!/bin/sh
case $1 in *end_all*) [ -e "$0-gave-up" ] || { : >"$0-gave-up"; exit 2; } ;; esac
exec /usr/bin/awk "$@"
"#;
        fs::write(&awk, script).expect("written");
        fs::set_permissions(&awk, fs::Permissions::from_mode(0o755)).expect("executable");
        let path = format!("PATH={}:/usr/bin:/bin", place.path().display());
        works_with(&path, shell, &["sh"], Found::All);
        assert!(place.file("awk-gave-up").exists());
    }
}
