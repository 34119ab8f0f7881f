//! The processes that the guardian finds and kills, from the registry of a host that has ended.

mod killed_host;
mod start;

use std::fs::{self, File};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use crate::support::{HELPER, PATH, Tag, Workspace, reap_blocking, text, until};
use agent_bash::helper::guardian;
use agent_bash::process::fd::above_standard_streams;
use agent_bash::process::identity::Identity;
use agent_bash::process::registry::{Owner, Registration, Registry};
use agent_bash::process::spawn::{Attributes, Limits, SpawnRequest, Spawned, StandardStreams, spawn};
use agent_bash::process::tag::Tag as JobTag;
use agent_bash::process::wait::{Exit, peek, reap};
use rustix::process::Signal;

/// Starts a process that leads its session.
pub(crate) fn leader(tag: &Tag, script: &str) -> Spawned {
    tagged_leader(tag, script, None)
}

/// Starts a process that leads its session and carries a tag. A tagged leader is no subreaper.
fn tagged_leader(tag: &Tag, script: &str, job_tag: Option<u64>) -> Spawned {
    leader_with_output(tag, script, job_tag, null().as_fd())
}

fn null() -> OwnedFd {
    let null = File::options().read(true).write(true).open("/dev/null").expect("a file");
    above_standard_streams(null.into()).expect("a descriptor")
}

fn leader_with_output(tag: &Tag, script: &str, job_tag: Option<u64>, stdout: BorrowedFd<'_>) -> Spawned {
    let null = null();
    let root = File::open("/").expect("a directory");
    spawn(&SpawnRequest {
        candidates: &[text("/bin/bash")],
        arguments: &[text("bash"), text("-c"), text(script)],
        environment: &[text(PATH), text(tag.variable())],
        directory: root.as_fd(),
        stdio: StandardStreams { stdin: null.as_fd(), stdout, stderr: null.as_fd() },
        extra_fd: None,
        record: None,
        attributes: Attributes { is_subreaper: job_tag.is_none(), ..Attributes::default() },
        limits: &Limits::default(),
        tag: job_tag,
    })
    .expect("it starts")
}

/// Enters a leader into the registry.
pub(crate) fn register(registry: &Registry, leader: Identity, owner: &Owner) -> Registration {
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
pub(crate) fn close_and_await_guardian(process: &Spawned, socket: OwnedFd) -> Exit {
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

/// Enters an unrelated process's pid into the registry `times` times, with other start times, and checks that
/// the process lives.
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

/// A daemon that shares no group, session, parent or pipe with its leader, which exits at once.
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
    // Each process starts the next one in a new session and exits.
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

pub(crate) fn identity_of(leader: &Spawned) -> Identity {
    Identity::of(leader.pid).expect("the pid is still in use")
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn programs_with_odd_names_are_found() {
    let tag = Tag::new();
    // The name contains every character that could confuse a parser of the process table.
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

#[test]
#[cfg(feature = "emulate-darwin")]
fn a_leader_that_was_being_started_when_the_host_ended_is_found_by_its_output() {
    use agent_bash::process::pipe::{inode, pipe};

    let tag = Tag::new();
    let (reader, writer) = pipe().expect("a pipe");
    let registry = Registry::new().expect("a table");
    let _slot = registry.reserve(&Owner::default(), [inode(&reader), 0], None).expect("a slot");
    let ours = leader_with_output(&tag, "sleep 1000 & setsid sleep 1000 & wait", None, writer.as_fd());
    drop(writer);
    tag.wait_for(2, "sleep");
    let guardian = guardian::start(&registry, Path::new(HELPER)).expect("a guardian");
    assert_eq!(close_and_await_guardian(&guardian.process, guardian.socket), Exit::Code(0));
    reap_blocking(ours.pid);
    tag.assert_gone();
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
