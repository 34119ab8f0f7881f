//! What is left of a host's jobs when the host is gone, however it went.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "nobody changes the environment of a test")]

mod support;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use agent_bash::process::errno::Errno;
use agent_bash::process::fd::above_standard_streams;
use agent_bash::process::guardian;
use agent_bash::process::helper::{GUARDIAN, HelperError};
use agent_bash::process::identity::Identity;
use agent_bash::process::registry::{Owner, Registration, Registry};
use agent_bash::process::spawn::{Attributes, Limits, Request, Spawned, StandardStreams, spawn};
use agent_bash::process::table;
use agent_bash::process::table::row::Process;
use agent_bash::process::tag::Tag as JobTag;
use agent_bash::process::wait::{Exit, peek, reap};
use rustix::process::{Pid, Signal};
use support::{Command, HELPER, PATH, Tag, Workspace, eventually, reap_blocking, text, until};

// ------------------------------------------------------------------------------------------------- whole hosts

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
    let place = Workspace::new();
    let mut host = Host::new(TREE, "returns", &place);
    host.guardian();
    host.tag.wait_for(5, "sleep");
    // Long enough for a scan to enter the escaped processes into the registry: the first one is 10 ms after the
    // start.
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
    // Scans become rare with time: the session starts between two of them.
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
    // A process that executes the file waits until the holder of its lease releases it.
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
fn the_process_of_a_command_dies_with_its_host_before_there_is_a_guardian() {
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

// -------------------------------------------------------------------------------------------- the table's lines

/// Starts a process that leads its session.
fn leader(tag: &Tag, script: &str) -> Spawned {
    tagged_leader(tag, script, None)
}

/// Starts a process that leads its session and carries a tag. A tagged leader is no subreaper.
fn tagged_leader(tag: &Tag, script: &str, job_tag: Option<u64>) -> Spawned {
    let null = File::options().read(true).write(true).open("/dev/null").expect("a file");
    let null = above_standard_streams(null.into()).expect("a descriptor");
    let root = File::open("/").expect("a directory");
    spawn(&Request {
        candidates: &[text("/bin/bash")],
        arguments: &[text("bash"), text("-c"), text(script)],
        environment: &[text(PATH), text(tag.variable())],
        directory: root.as_fd(),
        stdio: StandardStreams { stdin: null.as_fd(), stdout: null.as_fd(), stderr: null.as_fd() },
        extra_fd: None,
        record: None,
        attributes: Attributes { is_subreaper: job_tag.is_none(), ..Attributes::default() },
        limits: &Limits::default(),
        tag: job_tag,
    })
    .expect("it starts")
}

/// Enters a leader into the registry.
fn register(registry: &Registry, leader: Identity, owner: &Owner) -> Registration {
    register_tagged(registry, leader, owner, None)
}

fn register_tagged(
    registry: &Registry,
    leader: Identity,
    owner: &Owner,
    job_tag: Option<JobTag>,
) -> Registration {
    let slot = registry.reserve(owner, [0, 0], job_tag).expect("a slot");
    assert!(registry.set_leader(&slot, leader));
    slot
}

/// Closes the guardian's socket, as the end of the host does, and waits for the guardian's exit.
fn close_and_await_guardian(process: &Spawned, socket: OwnedFd) -> Exit {
    drop(socket);
    until("the guardian has ended", || peek(process.pid).is_some());
    let exit = peek(process.pid).expect("it has ended");
    reap(process.pid);
    exit
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_stranger_with_a_pid_of_the_registry_is_left_alone() {
    leaves_a_stranger_alone(1);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_stranger_with_a_pid_that_the_registry_has_twice_is_left_alone() {
    leaves_a_stranger_alone(2);
}

/// Enters the pid of a stranger into the registry `times` times, with other start times, and checks that the stranger
/// lives.
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
    let _slots: Vec<_> = identities.map(|identity| register(&registry, identity, &owner)).collect();
    let guardian = guardian::start(&registry, Path::new(HELPER)).expect("a guardian");
    close_and_await_guardian(&guardian.process, guardian.socket);
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
    let slot = register(&registry, Identity::of(ours.pid).expect("it lives"), &owner);
    registry.release(slot, || {});
    let guardian = guardian::start(&registry, Path::new(HELPER)).expect("a guardian");
    assert_eq!(close_and_await_guardian(&guardian.process, guardian.socket), Exit::Code(0));
    assert_eq!(peek(ours.pid), None);
    rustix::process::kill_process_group(ours.pid, Signal::KILL).expect("killed");
    reap_blocking(ours.pid);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_job_whose_leader_has_exited_is_found_by_its_session() {
    let tag = Tag::new();
    let ours = leader(&tag, "sleep 1000 & (set -m; sleep 1000 & wait) & wait");
    tag.wait_for(2, "sleep");
    let registry = Registry::new().expect("a table");
    let _slot = register(&registry, Identity::of(ours.pid).expect("it lives"), &Owner::default());
    rustix::process::kill_process(ours.pid, Signal::KILL).expect("killed");
    reap_blocking(ours.pid);
    let guardian = guardian::start(&registry, Path::new(HELPER)).expect("a guardian");
    close_and_await_guardian(&guardian.process, guardian.socket);
    tag.wait_until_gone();
}

/// A daemon that shares neither group, session, parent nor pipe with its leader, which exits at once.
const DAEMON: &str = "(setsid sh -c 'sleep 1000 & exit' &)";

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_silent_daemon_whose_leader_has_exited_is_found_by_its_tag() {
    let (tag, other_tag) = (Tag::new(), Tag::new());
    let (job_tag, other_job_tag) = (JobTag::new().expect("a tag"), JobTag::new().expect("a tag"));
    let ours = tagged_leader(&tag, DAEMON, Some(job_tag.value()));
    let other = tagged_leader(&other_tag, DAEMON, Some(other_job_tag.value()));
    let registry = Registry::new().expect("a table");
    let _slot = register_tagged(&registry, identity_of(&ours), &Owner::default(), Some(job_tag));
    for (leader, tag) in [(&ours, &tag), (&other, &other_tag)] {
        until("the leader has exited", || peek(leader.pid).is_some());
        let daemon = tag.wait_for(1, "sleep")[0];
        assert!(![daemon.parent, daemon.group, daemon.session].contains(&leader.pid.as_raw_nonzero().get()));
    }
    let guardian = guardian::start(&registry, Path::new(HELPER)).expect("a guardian");
    assert_eq!(close_and_await_guardian(&guardian.process, guardian.socket), Exit::Code(0));
    tag.assert_gone();
    assert_eq!(other_tag.processes().len(), 1, "whose tag is not in the table");
    reap(ours.pid);
    reap(other.pid);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn tagged_processes_that_never_stop_starting_others_are_all_found() {
    let tag = Tag::new();
    let job_tag = JobTag::new().expect("a tag");
    // Each process starts the next one in a session of its own and exits.
    let script = r#"hop() { (setsid bash -c "$(declare -f hop); sleep 0.05; hop" &); }; hop"#;
    let ours = tagged_leader(&tag, script, Some(job_tag.value()));
    let registry = Registry::new().expect("a table");
    let _slot = register_tagged(&registry, identity_of(&ours), &Owner::default(), Some(job_tag));
    until("the leader has exited", || peek(ours.pid).is_some());
    let guardian = guardian::start(&registry, Path::new(HELPER)).expect("a guardian");
    assert_eq!(close_and_await_guardian(&guardian.process, guardian.socket), Exit::Code(0));
    tag.assert_gone();
    reap(ours.pid);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn an_unguarded_leader_is_left_alone() {
    let tag = Tag::new();
    let job_tag = JobTag::new().expect("a tag");
    let ours = tagged_leader(&tag, "exec sleep 1000", Some(job_tag.value()));
    let registry = Registry::new().expect("a table");
    let slot = registry.reserve_unguarded(&Owner::default(), [0, 0], Some(job_tag));
    assert!(registry.set_leader(&slot, identity_of(&ours)));
    let guardian = guardian::start(&registry, Path::new(HELPER)).expect("a guardian");
    assert_eq!(close_and_await_guardian(&guardian.process, guardian.socket), Exit::Code(0));
    assert_eq!(peek(ours.pid), None);
    rustix::process::kill_process_group(ours.pid, Signal::KILL).expect("killed");
    reap_blocking(ours.pid);
}

fn identity_of(leader: &Spawned) -> Identity {
    Identity::of(leader.pid).expect("the pid is still in use")
}

// --------------------------------------------------------------------------------------------- the helper program

/// Returns the error of a guardian that can't be started from this program.
fn error_of(helper: &Path) -> HelperError {
    let registry = Registry::new().expect("a table");
    guardian::start(&registry, helper).map(|_| ()).expect_err("it is no guardian")
}

#[test]
fn the_error_of_a_missing_helper_has_its_path() {
    let error = error_of(Path::new("/nowhere/agent-bash-helper"));
    assert_eq!(error, HelperError::Missing("/nowhere/agent-bash-helper".into()));
    assert_eq!(error.code(), "HELPER_MISSING");
}

#[test]
fn a_helper_without_execute_permission_is_an_error() {
    let place = Workspace::new();
    let helper = place.file("helper");
    fs::copy(HELPER, &helper).expect("copied");
    fs::set_permissions(&helper, fs::Permissions::from_mode(0o644)).expect("permissions");
    let error = error_of(&helper);
    assert_eq!(error, HelperError::NotExecutable { path: helper, errno: Errno(libc::EACCES) });
    assert_eq!(error.code(), "HELPER_MISSING");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "it mounts a file system")]
fn a_helper_on_a_noexec_file_system_is_an_error() {
    let place = Workspace::new();
    let disk = place.file("disk");
    fs::create_dir(&disk).expect("a directory");
    let mount = |words: &[&str]| std::process::Command::new(words[0]).args(&words[1..]).arg(&disk).status();
    if !mount(&["mount", "-t", "tmpfs", "-o", "noexec,mode=755", "none"]).is_ok_and(|status| status.success())
    {
        // Only root may.
        return;
    }
    let helper = disk.join("helper");
    fs::copy(HELPER, &helper).expect("copied");
    let error = error_of(&helper);
    let is_unmounted = mount(&["umount"]);
    assert_eq!(error, HelperError::NotExecutable { path: helper, errno: Errno(libc::EACCES) });
    assert!(is_unmounted.expect("it runs").success());
}

#[test]
fn a_helper_of_another_version_is_refused_and_does_not_act() {
    let tag = Tag::new();
    let ours = leader(&tag, "exec sleep 1000");
    let registry = Registry::new().expect("a table");
    let _slot = register(&registry, identity_of(&ours), &Owner::default());
    let place = Workspace::new();
    // A guardian would kill the leader when its host ends.
    let script = "#!/bin/sh\necho agent-bash-helper 0.0.1 >&0\nread -r _\n\
                  while read -r pid _; do kill -KILL \"$pid\"; done <&3\n";
    let helper = place.program("helper", script, 0o755);
    let error = guardian::start(&registry, &helper).map(|_| ()).expect_err("it is another version");
    assert_eq!(error, HelperError::OtherVersion { path: helper, version: "0.0.1".to_owned() });
    assert_eq!(error.code(), "HELPER_VERSION");
    assert_eq!(peek(ours.pid), None);
    rustix::process::kill_process_group(ours.pid, Signal::KILL).expect("killed");
    reap_blocking(ours.pid);
}

#[test]
fn a_program_that_is_no_helper_is_refused() {
    let place = Workspace::new();
    for script in ["#!/bin/sh\nexit 3\n", "#!/bin/sh\necho hello >&0\nread -r _\n"] {
        let helper = place.program("helper", script, 0o755);
        assert_eq!(error_of(&helper), HelperError::Silent(helper));
    }
}

#[test]
fn the_helper_prints_its_version_and_does_nothing_else_by_hand() {
    let run = |words: &[&str]| {
        let output = std::process::Command::new(HELPER).args(words).output().expect("it starts");
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    let version = format!("agent-bash-helper {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(run(&["--version"]), (Some(0), version));
    assert_eq!(run(&[]), (Some(2), String::new()));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn the_guardian_ignores_the_termination_signals() {
    let registry = Registry::new().expect("a table");
    let guardian = guardian::start(&registry, Path::new(HELPER)).expect("a guardian");
    for signal in [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM] {
        rustix::process::kill_process(guardian.process.pid, signal).expect("sent");
    }
    let status = fs::read_to_string(format!("/proc/{}/status", guardian.process.pid.as_raw_nonzero()));
    let status = status.expect("it lives");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:\t")).expect("a line");
    let ignored = u64::from_str_radix(ignored, 16).expect("a mask");
    // SIGHUP, SIGINT, SIGQUIT and SIGTERM: 1, 2, 3 and 15.
    assert_eq!(ignored & 0x4007, 0x4007, "{ignored:x}");
    assert_eq!(close_and_await_guardian(&guardian.process, guardian.socket), Exit::Code(0));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn programs_with_odd_names_are_found() {
    let tag = Tag::new();
    // The name contains everything that could confuse a parser of the process table.
    let place = Workspace::new();
    let odd = place.file("a) S 1 (\n *");
    fs::copy("/usr/bin/sleep", &odd).expect("copied");
    let script =
        "\"$0\" 1000 & setsid \"$0\" 1000 & (setsid sh -c '\"$0\" 1000 & sleep 1000' \"$0\" &); wait";
    let ours = leader(&tag, &script.replace("$0", odd.to_str().unwrap()));
    tag.wait_for(3, "a) S 1 (\n *");
    tag.wait_for(1, "sleep");
    let registry = Registry::new().expect("a table");
    let _slot = register(&registry, identity_of(&ours), &Owner::default());
    let guardian = guardian::start(&registry, Path::new(HELPER)).expect("a guardian");
    assert_eq!(close_and_await_guardian(&guardian.process, guardian.socket), Exit::Code(0));
    reap_blocking(ours.pid);
    tag.assert_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn a_leader_that_has_only_written_its_own_line_is_found() {
    let tag = Tag::new();
    let ours = leader(&tag, "sleep 1000 & setsid sleep 1000 & wait");
    tag.wait_for(2, "sleep");
    let registry = Registry::new().expect("a table");
    let _slot = register(&registry, Identity { pid: ours.pid, start: 0 }, &Owner::default());
    let guardian = guardian::start(&registry, Path::new(HELPER)).expect("a guardian");
    assert_eq!(close_and_await_guardian(&guardian.process, guardian.socket), Exit::Code(0));
    reap_blocking(ours.pid);
    tag.assert_gone();
}
