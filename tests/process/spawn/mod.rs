//! Starting a program: what the child inherits, and why a start fails.

mod limits;
mod programs;
mod start;
mod streams;

use std::fs::{self, File};
use std::io::{self, PipeReader, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;

use self::limits::JOB_TAG;
use self::start::{Child, Start};
use crate::support::{Tag, eventually, pid, until};
use agent_bash::process::errno::Errno;
use agent_bash::process::spawn::{Attributes, MAX_ARGUMENT, SpawnError, Step, script_file, script_loader};
use agent_bash::process::{table, tree, wait};
use rustix::process::Signal;

/// Parses a line of a `/proc/<pid>/status` with a signal set in hexadecimal.
fn mask(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).expect("the line");
    u64::from_str_radix(line.trim(), 16).expect("a pid")
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn the_child_leads_a_session_and_a_group_without_a_terminal() {
    let tag = Tag::new();
    let child = Start::new(&tag, &["cat"]).spawn().expect("it starts");
    let row = table::inspect(child.spawned.pid).expect("a row");
    assert_eq!((row.session, row.group), (child.pid(), child.pid()));
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.pid())).expect("a row");
    let (_, fields) = stat.rsplit_once(") ").expect("fields");
    assert_eq!(fields.split(' ').nth(4), Some("0"), "no controlling terminal");
    child.end();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn the_child_ignores_no_standard_signal_that_the_host_ignores() {
    let own = fs::read_to_string("/proc/self/status").expect("our status");
    assert_ne!(mask(&own, "SigIgn"), 0, "Rust itself ignores SIGPIPE");
    let tag = Tag::new();
    let status = Start::new(&tag, &["cat", "/proc/self/status"]).output();
    assert_eq!(mask(&status, "SigIgn") & STANDARD_SIGNALS, 0);
}

/// The set of the standard signals. A child of Node keeps the real-time signals as they are.
const STANDARD_SIGNALS: u64 = 0x7fff_ffff;

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn the_signal_mask_and_the_dispositions_are_the_defaults_whatever_the_host_has() {
    let arguments = ["--block-signal=TERM,INT,CHLD,34,64", "--ignore-signal=HUP,QUIT,USR1,CHLD,34,64"];
    let status = in_host("prints_a_childs_status", |exe| {
        let mut env = std::process::Command::new("env");
        env.args(arguments).arg(exe);
        env
    });
    let said = String::from_utf8(status.wait_with_output().expect("it ends").stdout).expect("text");
    let (host, child) = said.split_once("CHILD").expect("two statuses");
    assert_ne!(mask(host, "SigBlk"), 0, "the host has a mask");
    assert_eq!(mask(child, "SigBlk"), 0);
    assert_eq!(mask(child, "SigIgn") & STANDARD_SIGNALS, 0, "ignored: {:#x}", mask(child, "SigIgn"));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn a_descriptor_that_the_host_leaks_does_not_reach_the_child() {
    let leaked = File::open("/dev/null").expect("a file");
    rustix::io::fcntl_setfd(&leaked, rustix::io::FdFlags::empty()).expect("not closed on exec");
    let tag = Tag::new();
    let child = Start::new(&tag, &["cat"]).spawn().expect("it starts").copies();
    assert_eq!(descriptors(&child), ["0", "1", "2"]);
    child.end();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn a_child_that_inherits_gets_the_hosts_open_descriptors_and_none_of_ours() {
    let left_open = File::open("/dev/null").expect("a file");
    rustix::io::fcntl_setfd(&left_open, rustix::io::FdFlags::empty()).expect("not closed on exec");
    let number = rustix::fd::AsRawFd::as_raw_fd(&left_open).to_string();
    let tag = Tag::new();
    let start = Start {
        attributes: Attributes { inherits_descriptors: true, ..Attributes::default() },
        ..Start::new(&tag, &["cat"])
    };
    let child = start.spawn().expect("it starts").copies();
    // The child also inherits the descriptors that the test's own parent has left open.
    let ours = |name: &String| fs::read_link(format!("/proc/{}/fd/{name}", child.pid())).unwrap();
    let extra: Vec<_> =
        descriptors(&child).into_iter().filter(|name| !["0", "1", "2"].contains(&&**name)).collect();
    assert!(extra.contains(&number), "{extra:?}");
    let pipes = ["0", "1"].map(|name| ours(&name.to_owned()));
    assert!(extra.iter().all(|name| !pipes.contains(&ours(name))), "the ends of its own pipes come once");
    child.end();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn the_script_is_the_only_other_descriptor_and_has_number_three() {
    let script = script_file("echo hi").expect("a file");
    let tag = Tag::new();
    let start = Start { script: Some(&script), ..Start::new(&tag, &["cat"]) };
    let child = start.spawn().expect("it starts").copies();
    assert_eq!(descriptors(&child), ["0", "1", "2", "3"]);
    child.end();
}

fn descriptors(child: &Child) -> Vec<String> {
    let entries = fs::read_dir(format!("/proc/{}/fd", child.pid())).expect("a list");
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_script_and_standard_input_are_read_apart() {
    let script = script_file("echo script").expect("a file");
    let tag = Tag::new();
    let start = Start { script: Some(&script), ..Start::new(&tag, &["sh", "-c", "cat <&3; cat"]) };
    let mut child = start.spawn().expect("it starts");
    child.stdin.write_all(b"; echo stdin").expect("written");
    let said = child.output();
    assert!(said.starts_with("echo script") && said.ends_with("; echo stdin"), "{said}");
}

#[test]
fn the_environment_is_exactly_as_given() {
    let tag = Tag::new();
    let environment = vec!["A=1", "B=", "A=2", "=C", "no equals sign", "D=x=y\nz"];
    let start = Start { environment: environment.clone(), ..Start::new(&tag, &["/usr/bin/env", "-0"]) };
    let said = start.output();
    assert_eq!(said.split_terminator('\0').collect::<Vec<_>>(), environment);
}

#[test]
fn an_empty_environment_stays_empty() {
    let tag = Tag::new();
    let start = Start { environment: Vec::new(), ..Start::new(&tag, &["/usr/bin/env"]) };
    assert_eq!(start.output(), "");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn the_pidfd_is_the_childs_and_is_closed_on_exec() {
    let tag = Tag::new();
    let child = Start::new(&tag, &["cat"]).spawn().expect("it starts");
    let pidfd = child.spawned.pidfd.as_ref().expect("this kernel has pidfds");
    let number = rustix::fd::AsRawFd::as_raw_fd(pidfd);
    let information = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).expect("information");
    let expected = format!("Pid:\t{}", child.pid());
    assert!(information.lines().any(|line| line == expected), "{information}");
    let flags = rustix::io::fcntl_getfd(pidfd).expect("flags");
    assert!(flags.contains(rustix::io::FdFlags::CLOEXEC));
    child.end();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "an argument may be longer")]
fn an_argument_of_the_maximum_length_is_accepted_and_one_byte_more_is_not() {
    let tag = Tag::new();
    let longest = "x".repeat(MAX_ARGUMENT);
    let arguments = ["sh", "-c", "echo ${#1}", "sh", &longest];
    assert_eq!(Start::new(&tag, &arguments).output(), format!("{MAX_ARGUMENT}\n"));
    let longer = "x".repeat(MAX_ARGUMENT + 1);
    let arguments = ["true", longer.as_str()];
    let error = Start::new(&tag, &arguments).error();
    assert_eq!(error, SpawnError { step: Step::Execute, errno: Errno(libc::E2BIG) });
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn a_command_longer_than_an_argument_is_read_from_its_descriptor() {
    let command = format!("echo {}; echo \"$0\"; readlink /proc/$$/fd/3; :", "x".repeat(200_000));
    let script = script_file(&command).expect("a file");
    let tag = Tag::new();
    for shell in ["/bin/dash", "/bin/bash", "/bin/zsh"].into_iter().filter(|shell| Path::new(shell).exists())
    {
        let arguments = [shell, "-c", script_loader(shell)];
        let start = Start { script: Some(&script), ..Start::new(&tag, &arguments) };
        let said = start.output();
        let expected = format!("{}\n{shell}\n", "x".repeat(200_000));
        assert!(said.starts_with(&expected), "{shell}: {} bytes", said.len());
        // The shell may have opened its own pipe at that descriptor.
        assert!(!said[expected.len()..].contains("memfd"), "{shell} has closed the script: {said:?}");
        rustix::fs::seek(&script, rustix::fs::SeekFrom::Start(0)).expect("rewound");
    }
}

#[test]
fn the_script_has_no_name() {
    let script = script_file("secret").expect("a file");
    assert_eq!(File::from(script).metadata().expect("a status").nlink(), 0);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "processes are found in /proc")]
fn the_child_is_killed_with_its_host() {
    let tag = Tag::new();
    let mut host = in_host("spawns_and_waits", |exe| {
        let mut command = std::process::Command::new(exe);
        command.env("AGENT_BASH_TEST_CHILD", tag.variable());
        command
    });
    tag.wait_for(1, "sleep");
    host.kill().expect("SIGKILL");
    host.wait().expect("reaped");
    tag.wait_until_gone();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "nobody adopts orphans")]
fn an_orphaned_descendant_becomes_a_child_of_the_subreaper() {
    let tag = Tag::new();
    let arguments = ["sh", "-c", "sh -c 'sleep 1000 & echo $!'; read -r _"];
    let start = Start {
        attributes: Attributes { is_subreaper: true, ..Attributes::default() },
        ..Start::new(&tag, &arguments)
    };
    let mut child = start.spawn().expect("it starts");
    let orphan = pid(first_line(&mut child.stdout).parse().expect("a pid"));
    until("the orphan is adopted", || table::inspect(orphan).expect("it lives").parent == child.pid());
    assert!(tree::descendants(child.spawned.pid).iter().any(|process| process.identity.pid == orphan));
    child.end();
    tag.wait_until_gone();
}

#[test]
fn an_orphan_of_a_child_that_is_no_subreaper_gets_another_parent() {
    let tag = Tag::new();
    let arguments = ["sh", "-c", "sh -c 'sleep 1000 & echo $!'; read -r _"];
    let mut child = Start::new(&tag, &arguments).spawn().expect("it starts");
    let orphan = pid(first_line(&mut child.stdout).parse().expect("a pid"));
    let is_elsewhere = || {
        let parent = table::inspect(orphan).expect("it lives").parent;
        let inner = tree::descendants(child.spawned.pid);
        parent != child.pid() && inner.is_empty()
    };
    until("the orphan is with init", is_elsewhere);
    child.end();
    tag.wait_until_gone();
}

fn first_line(from: &mut PipeReader) -> String {
    let mut line = Vec::new();
    let mut byte = [0];
    while from.read_exact(&mut byte).is_ok() && byte != *b"\n" {
        line.extend(byte);
    }
    String::from_utf8(line).expect("text")
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "only Linux has it")]
fn a_child_can_ignore_the_termination_signals() {
    // Only the standard signals are compared: this process passes its real-time signals on.
    let ignored = |ignores_termination| {
        let tag = Tag::new();
        let start = Start {
            attributes: Attributes { ignores_termination, ..Attributes::default() },
            ..Start::new(&tag, &["grep", "SigIgn", "/proc/self/status"])
        };
        let mask = start.output().trim_start_matches("SigIgn:").trim().to_owned();
        u64::from_str_radix(&mask, 16).expect("a mask") & 0x7fff_ffff
    };
    assert_eq!(ignored(false), 0);
    // SIGHUP, SIGINT, SIGQUIT and SIGTERM: 1, 2, 3 and 15.
    assert_eq!(ignored(true), 0x4007);
}

/// Runs one of the roles of [`host`] in a separate process.
fn in_host(role: &str, command: impl FnOnce(&Path) -> std::process::Command) -> std::process::Child {
    command(&std::env::current_exe().expect("our own path"))
        .args(["--exact", "spawn::host", "--nocapture", "--test-threads=1"])
        .env("AGENT_BASH_TEST_HOST", role)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the host starts")
}

/// No test by itself: the host process of some tests above.
#[test]
fn host() {
    match std::env::var("AGENT_BASH_TEST_HOST").as_deref() {
        Ok("prints_a_childs_status") => print_a_childs_status(),
        Ok("prints_a_tagged_childs_limits") => print_a_tagged_childs_limits(),
        Ok("spawns_and_waits") => spawn_and_wait(),
        _ => {}
    }
}

fn print_a_childs_status() {
    let own = fs::read_to_string("/proc/thread-self/status").expect("our status");
    let tag = Tag::new();
    let child = Start::new(&tag, &["sleep", "1000"]).spawn().expect("it starts");
    let status = eventually("the status of the program", || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.pid())).ok()?;
        status.starts_with("Name:\tsleep").then_some(status)
    });
    let _ = writeln!(io::stdout(), "{own}CHILD\n{status}");
    child.end();
}

fn print_a_tagged_childs_limits() {
    let tag = Tag::new();
    let start = Start { job_tag: Some(JOB_TAG), ..Start::new(&tag, &["cat", "/proc/self/limits"]) };
    let _ = writeln!(io::stdout(), "{}", start.output());
}

fn spawn_and_wait() {
    let tag = Tag::of(&std::env::var("AGENT_BASH_TEST_CHILD").expect("a tag"));
    let start = Start {
        attributes: Attributes { pdeathsig: Some(Signal::KILL), ..Attributes::default() },
        ..Start::new(&tag, &["sleep", "1000"])
    };
    let child = start.spawn().expect("it starts");
    wait::await_exit(child.spawned.pid);
    wait::reap(child.spawned.pid);
}
