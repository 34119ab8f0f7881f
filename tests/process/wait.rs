//! Waiting for the exit of a child, without reaping it.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use crate::support::{PATH, TEST_DEADLINE, Tag, reap_blocking, text, until};
use agent_bash::process::fd::above_standard_streams;
use agent_bash::process::pipe::pipe;
use agent_bash::process::spawn::{
    Attributes, Limits, SpawnRequest, Spawned, StandardStreams, candidates, spawn,
};
use agent_bash::process::table;
use agent_bash::process::wait::{Exit, ExitWatch, Usage, peek, reap, usage};
use rustix::process::{Signal, kill_process};

/// A shell that runs a script after its standard input has ended.
struct Child {
    spawned: Spawned,
    stdin_writer: OwnedFd,
    _tag: Tag,
}

fn start(script: &str) -> Child {
    let tag = Tag::new();
    let (stdin, stdin_writer) = pipe().expect("a pipe");
    rustix::io::ioctl_fionbio(&stdin, false).expect("blocking");
    let null = File::options().write(true).open("/dev/null").expect("a file");
    let null = above_standard_streams(null.into()).expect("a descriptor");
    let root = File::open("/").expect("a directory");
    let script = format!("while read -r _; do :; done; {script}");
    let spawned = spawn(&SpawnRequest {
        candidates: &candidates("/bin/sh", None).expect("no NUL"),
        arguments: &[text("sh"), text("-c"), text(&script)],
        environment: &[text(PATH), text(tag.variable())],
        directory: root.as_fd(),
        stdio: StandardStreams { stdin: stdin.as_fd(), stdout: null.as_fd(), stderr: null.as_fd() },
        extra_fd: None,
        record: None,
        attributes: Attributes::default(),
        limits: &Limits::default(),
        tag: None,
    })
    .expect("it starts");
    Child { spawned, stdin_writer, _tag: tag }
}

/// Ends the standard input of a child and waits for its exit. Returns how it ended.
fn end_of(child: Child) -> Exit {
    let Child { spawned, stdin_writer, _tag } = child;
    drop(stdin_writer);
    until("it has exited", || peek(spawned.pid).is_some());
    let exit = peek(spawned.pid).expect("it has exited");
    reap(spawned.pid);
    exit
}

#[test]
fn every_exit_code_is_reported() {
    for code in [0, 1, 2, 126, 127, 128, 255] {
        assert_eq!(end_of(start(&format!("exit {code}"))), Exit::Code(code));
    }
}

#[test]
fn an_exit_code_is_taken_modulo_256() {
    assert_eq!(end_of(start("exec perl -e 'exit 256 + 7'")), Exit::Code(7));
}

#[test]
fn a_death_by_signal_is_reported() {
    for signal in ["HUP", "INT", "TERM", "KILL", "USR1"] {
        let number =
            agent_bash::process::signal::by_name(&format!("SIG{signal}")).expect("a signal").as_raw();
        assert_eq!(end_of(start(&format!("kill -{signal} $$"))), Exit::Signal(number), "{signal}");
    }
}

#[test]
fn a_death_with_a_core_dump_is_a_death_by_signal() {
    assert_eq!(end_of(start("ulimit -c 0; kill -ABRT $$")), Exit::Signal(libc::SIGABRT));
}

#[test]
fn a_child_that_runs_has_no_exit_and_is_not_reaped() {
    let child = start("exit 3");
    assert_eq!(peek(child.spawned.pid), None);
    reap(child.spawned.pid);
    assert_eq!(end_of(child), Exit::Code(3));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn a_stopped_child_has_not_exited() {
    let child = start("exit 4");
    kill_process(child.spawned.pid, Signal::STOP).expect("stopped");
    until("it has stopped", || {
        let path = format!("/proc/{}/stat", child.spawned.pid.as_raw_nonzero());
        std::fs::read_to_string(path).expect("a row").contains(") T ")
    });
    assert_eq!(peek(child.spawned.pid), None);
    kill_process(child.spawned.pid, Signal::CONT).expect("continued");
    assert_eq!(end_of(child), Exit::Code(4));
}

#[test]
fn a_zombie_stays_until_it_is_reaped() {
    let child = start("exit 5");
    let pid = child.spawned.pid;
    drop(child.stdin_writer);
    until("it has exited", || peek(pid).is_some());
    for _ in 0..3 {
        assert_eq!(peek(pid), Some(Exit::Code(5)));
        assert!(table::inspect(pid).expect("the pid is still in use").is_zombie);
    }
    reap(pid);
    assert_eq!(table::inspect(pid), None);
    assert_eq!(peek(pid), Some(Exit::Unknown), "somebody else's doing, as far as this can tell");
}

#[test]
fn reaping_twice_is_harmless() {
    let child = start("exit 0");
    let pid = child.spawned.pid;
    end_of(child);
    reap(pid);
    reap_blocking(pid);
}

#[test]
fn reap_blocking_waits_for_a_child_that_was_just_killed() {
    let child = start("exit 0");
    kill_process(child.spawned.pid, Signal::KILL).expect("killed");
    reap_blocking(child.spawned.pid);
    assert_eq!(table::inspect(child.spawned.pid), None);
}

/// Ends a child, reads its resource usage and reaps it.
fn usage_of(child: Child) -> Usage {
    let Child { spawned, stdin_writer, _tag } = child;
    drop(stdin_writer);
    until("it has exited", || peek(spawned.pid).is_some());
    let used = usage(spawned.pid).expect("it is a zombie");
    assert_eq!(usage(spawned.pid), Some(used), "a zombie uses no more");
    assert_eq!(peek(spawned.pid), Some(Exit::Code(0)), "not reaped");
    reap(spawned.pid);
    used
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the system does not report the usage")]
fn the_usage_of_a_child_is_read_without_reaping_it() {
    let used = usage_of(start("exec perl -e '1 while (times)[0] < 0.05'"));
    assert!(used.user >= Duration::from_millis(50), "{used:?}");
    assert!((100 << 10..100 << 20).contains(&used.max_rss), "{used:?}");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the system does not report the usage")]
fn the_usage_of_reaped_grandchildren_counts_too() {
    let used = usage_of(start("perl -e '$x = \"x\" x 60_000_000; 1 while (times)[0] < 0.05'; :"));
    assert!(used.user >= Duration::from_millis(50), "{used:?}");
    assert!((50_000_000..500_000_000).contains(&used.max_rss), "{used:?}");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the system does not report the usage")]
fn a_running_child_has_no_usage() {
    let child = start("exit 0");
    assert_eq!(usage(child.spawned.pid), None);
    end_of(child);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the system does not report the usage")]
fn a_process_that_is_not_our_child_has_no_usage() {
    assert_eq!(usage(rustix::process::Pid::INIT), None);
    let child = start("exit 0");
    let pid = child.spawned.pid;
    end_of(child);
    assert_eq!(usage(pid), None, "reaped");
}

/// Checks that one way of waiting reports the exit before and after it happens, without reaping.
async fn watches(with_pidfd: bool) {
    let mut child = start("exit 6");
    let pid = child.spawned.pid;
    let pidfd = child.spawned.pidfd.take().filter(|_| with_pidfd);
    assert_eq!(pidfd.is_some(), with_pidfd);
    let mut watch = ExitWatch::new(pid, pidfd).expect("it can be watched");
    assert_eq!(matches!(watch, ExitWatch::Process(_)), with_pidfd);
    // A dropped wait loses nothing.
    tokio::time::timeout(Duration::from_millis(20), watch.exited()).await.expect_err("it runs");
    assert_eq!(peek(pid), None);
    drop(child.stdin_writer);
    tokio::time::timeout(TEST_DEADLINE, watch.exited()).await.expect("it has exited");
    assert_eq!(peek(pid), Some(Exit::Code(6)), "not reaped");
    tokio::time::timeout(TEST_DEADLINE, watch.exited()).await.expect("and stays so");
    reap(pid);
}

#[tokio::test]
#[cfg_attr(not(target_os = "linux"), ignore = "there are no pidfds")]
async fn a_pidfd_reports_the_exit_without_reaping() {
    watches(true).await;
}

#[tokio::test]
#[cfg_attr(not(target_os = "linux"), ignore = "there are no pidfds")]
async fn a_thread_reports_the_exit_without_a_pidfd() {
    watches(false).await;
}

#[tokio::test]
#[cfg_attr(not(target_os = "linux"), ignore = "there are no pidfds")]
async fn an_exit_before_the_watch_is_reported() {
    for with_pidfd in [true, false] {
        let mut child = start("exit 0");
        let pid = child.spawned.pid;
        drop(child.stdin_writer);
        until("it has exited", || peek(pid).is_some());
        let pidfd = child.spawned.pidfd.take().filter(|_| with_pidfd);
        let mut watch = ExitWatch::new(pid, pidfd).expect("it can be watched");
        tokio::time::timeout(TEST_DEADLINE, watch.exited()).await.expect("it has exited");
        reap(pid);
    }
}

#[tokio::test]
#[cfg_attr(not(target_os = "linux"), ignore = "there are no pidfds")]
async fn many_children_are_watched_at_once() {
    let children: Vec<Child> = (0..20).map(|code| start(&format!("exit {code}"))).collect();
    for (code, child) in children.into_iter().enumerate().rev() {
        let Child { spawned, stdin_writer, _tag } = child;
        drop(stdin_writer);
        let mut watch = ExitWatch::new(spawned.pid, spawned.pidfd).expect("it can be watched");
        tokio::time::timeout(TEST_DEADLINE, watch.exited()).await.expect("it has exited");
        assert_eq!(peek(spawned.pid), Some(Exit::Code(i32::try_from(code).unwrap())));
        reap(spawned.pid);
    }
}
