//! Resource limits and tags of a child.

use std::fs::{self};

use super::in_host;
use super::start::Start;
use crate::support::{Tag, Workspace};
use agent_bash::process::spawn::{Limits, Step};
use agent_bash::process::{table, wait};

/// Returns the soft and the hard limit from a `/proc/<pid>/limits`.
fn limit(limits: &str, name: &str) -> (String, String) {
    let line = limits.lines().find_map(|line| line.strip_prefix(name)).expect("the limit");
    let mut fields = line.split_ascii_whitespace().map(str::to_owned);
    (fields.next().expect("the soft one"), fields.next().expect("the hard one"))
}

fn both(value: &str) -> (String, String) {
    (value.to_owned(), value.to_owned())
}

fn own_limits() -> String {
    fs::read_to_string("/proc/self/limits").expect("our limits")
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn limits_apply_to_the_child_and_not_to_the_host() {
    let before = own_limits();
    let limits = Limits {
        memory: Some(1 << 30),
        processes: Some(1234),
        file_size: Some(5000),
        cpu: Some(77),
        open_files: Some(50),
    };
    let tag = Tag::new();
    let start = Start { limits, job_tag: Some(JOB_TAG), ..Start::new(&tag, &["cat", "/proc/self/limits"]) };
    let said = start.output();
    assert_eq!(limit(&said, "Max address space"), both("1073741824"));
    assert_eq!(limit(&said, "Max processes"), both("1234"));
    assert_eq!(limit(&said, "Max file size"), both("5000"));
    assert_eq!(limit(&said, "Max cpu time"), ("77".to_owned(), "78".to_owned()));
    assert_eq!(limit(&said, "Max open files"), both("50"));
    assert_eq!(own_limits(), before);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn a_child_without_limits_has_the_hosts() {
    let tag = Tag::new();
    assert_eq!(Start::new(&tag, &["cat", "/proc/self/limits"]).output(), own_limits());
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn the_limits_of_a_child_that_failed_to_execute_do_not_reach_the_host() {
    let before = own_limits();
    let tag = Tag::new();
    let limits = Limits { open_files: Some(50), ..Limits::default() };
    let start = Start { limits, job_tag: Some(JOB_TAG), ..Start::new(&tag, &["/nonexistent/program"]) };
    assert_eq!(start.error().step, Step::Execute);
    assert_eq!(own_limits(), before);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there are no limits")]
fn a_child_over_its_cpu_limit_gets_sigxcpu() {
    let tag = Tag::new();
    let limits = Limits { cpu: Some(1), ..Limits::default() };
    let start = Start { limits, ..Start::new(&tag, &["sh", "-c", "while :; do :; done"]) };
    assert_eq!(exit_of(start), wait::Exit::Signal(libc::SIGXCPU));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there are no limits")]
fn a_child_that_ignores_sigxcpu_is_killed() {
    let tag = Tag::new();
    let limits = Limits { cpu: Some(1), ..Limits::default() };
    let start = Start { limits, ..Start::new(&tag, &["sh", "-c", "trap '' XCPU; while :; do :; done"]) };
    assert_eq!(exit_of(start), wait::Exit::Signal(libc::SIGKILL));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there are no limits")]
fn a_writer_beyond_the_file_size_limit_gets_sigxfsz() {
    let place = Workspace::new();
    let tag = Tag::new();
    let limits = Limits { file_size: Some(1000), ..Limits::default() };
    let arguments = ["sh", "-c", "exec head -c 2000 /dev/zero >file"];
    let start = Start { limits, directory: place.path(), ..Start::new(&tag, &arguments) };
    assert_eq!(exit_of(start), wait::Exit::Signal(libc::SIGXFSZ));
    assert_eq!(fs::metadata(place.file("file")).expect("a file").len(), 1000);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there are no limits")]
fn an_allocation_beyond_the_memory_limit_fails() {
    let tag = Tag::new();
    let limits = Limits { memory: Some(200 << 20), ..Limits::default() };
    let arguments = ["sh", "-c", "exec head -c 400M /dev/zero | tail -c 300M >/dev/null"];
    let start = Start { limits, ..Start::new(&tag, &arguments) };
    assert_ne!(exit_of(start), wait::Exit::Code(0));
}

fn exit_of(start: Start<'_>) -> wait::Exit {
    let child = start.spawn().expect("it starts");
    wait::await_exit(child.spawned.pid);
    wait::reap(child.spawned.pid).expect("it has exited")
}

pub(super) const JOB_TAG: u64 = (1 << 62) + 7;

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn all_descendants_carry_the_tag_in_every_session() {
    let tag = Tag::new();
    let arguments =
        ["sh", "-c", "sleep 1000 & setsid sleep 1000 & (setsid sh -c 'sleep 1000 & exit' &); wait"];
    let start = Start { job_tag: Some(JOB_TAG), ..Start::new(&tag, &arguments) };
    let child = start.spawn().expect("it starts");
    for process in tag.wait_for(3, "sleep") {
        assert_eq!(table::tag_of(process.identity.pid), Some(JOB_TAG));
    }
    assert_eq!(table::tag_of(child.spawned.pid), Some(JOB_TAG));
    child.end();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "there are no tags")]
fn a_tag_stays_on_a_zombie() {
    let tag = Tag::new();
    let start = Start { job_tag: Some(JOB_TAG), ..Start::new(&tag, &["true"]) };
    let child = start.spawn().expect("it starts");
    wait::await_exit(child.spawned.pid);
    assert_eq!(table::tag_of(child.spawned.pid), Some(JOB_TAG));
    wait::reap(child.spawned.pid);
    assert_eq!(table::tag_of(child.spawned.pid), None);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn a_tagged_process_can_give_its_children_another_tag() {
    let tag = Tag::new();
    let start = Start { job_tag: Some(JOB_TAG), ..Start::new(&tag, &["cat", "/proc/self/limits"]) };
    let said = start.output();
    assert_eq!(limit(&said, "Max file locks"), (JOB_TAG.to_string(), "unlimited".to_owned()));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn a_tag_above_the_hard_limit_is_not_set() {
    let host = in_host("prints_a_tagged_childs_limits", |exe| {
        let mut prlimit = std::process::Command::new("prlimit");
        prlimit.arg("--locks=5:1000").arg(exe);
        prlimit
    });
    let said = String::from_utf8(host.wait_with_output().expect("it ends").stdout).expect("text");
    assert_eq!(limit(&said, "Max file locks"), ("5".to_owned(), "1000".to_owned()));
}
