//! Starting a program: what the child is given, and what is said when it can't be started.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "nobody changes the environment of a test")]

mod support;

use std::fs::{self, File};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;

use agent_bash::job::Outcome;
use agent_bash::job::model::outcome::End;
use agent_bash::process::errno::Errno;
use agent_bash::process::fd::above_standard_streams;
use agent_bash::process::pipe::{self, input_pipe};
use agent_bash::process::spawn::{
    Attributes, FdMapping, Limits, MAX_ARGUMENT, Request, SpawnError, Spawned, StandardStreams, Step,
    candidates, script_file, script_loader, spawn,
};
use agent_bash::process::{table, tree, wait};
use rustix::process::Signal;
use support::{
    Command, PATH, TEST_DEADLINE, Tag, Workspace, eventually, pid, reap_blocking, text, until, zombies,
};

/// A spawn request with defaults.
struct Start<'a> {
    program: &'a str,
    path: Option<&'a str>,
    arguments: &'a [&'a str],
    environment: Vec<&'a str>,
    directory: &'a Path,
    script: Option<&'a OwnedFd>,
    attributes: Attributes,
    limits: Limits,
    job_tag: Option<u64>,
}

/// A child and the host's ends of its pipes.
struct Child {
    spawned: Spawned,
    stdin: PipeWriter,
    stdout: PipeReader,
}

impl<'a> Start<'a> {
    fn new(tag: &'a Tag, arguments: &'a [&'a str]) -> Self {
        Self {
            program: arguments[0],
            path: Some("/usr/bin:/bin"),
            arguments,
            environment: vec![PATH, tag.variable()],
            directory: Path::new("/"),
            script: None,
            attributes: Attributes::default(),
            limits: Limits::default(),
            job_tag: None,
        }
    }

    fn spawn(self) -> Result<Child, SpawnError> {
        let directory = File::open(self.directory).expect("a directory");
        let (stdin, stdin_writer) = io::pipe().expect("a pipe");
        let (stdout_reader, stdout) = io::pipe().expect("a pipe");
        let (stdin, stdout) = (high(stdin.into()), high(stdout.into()));
        let candidates = candidates(self.program, self.path).expect("no NUL");
        let arguments: Vec<_> = self.arguments.iter().map(|argument| text(argument)).collect();
        let environment: Vec<_> = self.environment.iter().map(|variable| text(variable)).collect();
        let spawned = spawn(&Request {
            candidates: &candidates,
            arguments: &arguments,
            environment: &environment,
            directory: directory.as_fd(),
            stdio: StandardStreams { stdin: stdin.as_fd(), stdout: stdout.as_fd(), stderr: stdout.as_fd() },
            extra_fd: self.script.map(|script| FdMapping::script(script.as_fd())),
            record: None,
            attributes: self.attributes,
            limits: &self.limits,
            tag: self.job_tag,
        })?;
        Ok(Child { spawned, stdin: stdin_writer, stdout: stdout_reader })
    }

    /// The error of a start that has to fail.
    fn error(self) -> SpawnError {
        self.spawn().map(|_| ()).expect_err("it can't be started")
    }

    /// All that the child says until it ends.
    fn output(self) -> String {
        self.spawn().expect("it starts").output()
    }
}

impl Child {
    fn pid(&self) -> i32 {
        self.spawned.pid.as_raw_nonzero().get()
    }

    /// Waits until a child that copies its input to its output has copied a byte.
    fn copies(mut self) -> Self {
        self.stdin.write_all(b"x").expect("written");
        self.stdout.read_exact(&mut [0]).expect("copied");
        self
    }

    fn output(mut self) -> String {
        drop(self.stdin);
        let mut said = String::new();
        self.stdout.read_to_string(&mut said).expect("text");
        wait::await_exit(self.spawned.pid);
        wait::reap(self.spawned.pid);
        said
    }

    fn end(self) {
        rustix::process::kill_process_group(self.spawned.pid, Signal::KILL).expect("killed");
        wait::await_exit(self.spawned.pid);
        wait::reap(self.spawned.pid);
    }
}

fn high(descriptor: OwnedFd) -> OwnedFd {
    above_standard_streams(descriptor).expect("a descriptor")
}

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
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn the_working_directory_is_the_open_one_whatever_its_name_is_now() {
    let place = Workspace::new();
    let (before, after) = (place.file("before"), place.file("after"));
    fs::create_dir(&before).expect("a directory");
    let directory = File::open(&before).expect("a directory");
    fs::rename(&before, &after).expect("renamed");
    fs::create_dir(&before).expect("another directory of that name");
    let tag = Tag::new();
    let by_descriptor = format!("/proc/self/fd/{}", rustix::fd::AsRawFd::as_raw_fd(&directory));
    let start = Start { directory: Path::new(&by_descriptor), ..Start::new(&tag, &["pwd", "-P"]) };
    assert_eq!(start.output().trim_end(), after.to_str().unwrap());
}

#[test]
fn a_directory_that_is_a_file_fails_at_the_directory() {
    let place = Workspace::new();
    let file = place.program("file", "", 0o600);
    let tag = Tag::new();
    let start = Start { directory: &file, ..Start::new(&tag, &["true"]) };
    assert_eq!(start.error(), SpawnError { step: Step::Directory, errno: Errno(libc::ENOTDIR) });
}

#[test]
fn a_missing_program_fails_at_execution() {
    let tag = Tag::new();
    let start = Start::new(&tag, &["/nonexistent/program"]);
    assert_eq!(start.error(), SpawnError { step: Step::Execute, errno: Errno(libc::ENOENT) });
}

#[test]
fn a_program_without_permission_is_denied() {
    let place = Workspace::new();
    let program = place.program("program", "#!/bin/sh\n", 0o600);
    let tag = Tag::new();
    let start = Start::new(&tag, &["x"]);
    let start = Start { program: program.to_str().unwrap(), ..start };
    assert_eq!(start.error(), SpawnError { step: Step::Execute, errno: Errno(libc::EACCES) });
}

#[test]
fn a_failed_start_leaves_no_process_and_no_descriptor() {
    let tag = Tag::new();
    let _ = Start::new(&tag, &["/nonexistent/program"]).error();
    let before = support::open_descriptors();
    for _ in 0..20 {
        let _ = Start::new(&tag, &["/nonexistent/program"]).error();
    }
    assert_eq!(support::open_descriptors(), before);
    assert_eq!(zombies(), [0; 0]);
}

#[test]
fn a_file_without_an_interpreter_line_is_run_by_the_shell() {
    let place = Workspace::new();
    let program = place.program("program", "echo \"$0 $1 $2\"\n", 0o700);
    let program = program.to_str().unwrap();
    let tag = Tag::new();
    let start = Start { program, ..Start::new(&tag, &["x", "one", "two words"]) };
    assert_eq!(start.output(), format!("{program} one two words\n"));
}

#[test]
fn an_empty_file_is_run_by_the_shell_without_arguments() {
    let place = Workspace::new();
    let program = place.program("program", "", 0o700);
    let tag = Tag::new();
    let start = Start { program: program.to_str().unwrap(), ..Start::new(&tag, &["x"]) };
    assert_eq!(start.output(), "");
}

#[test]
fn the_first_program_in_path_that_may_be_executed_runs() {
    let place = Workspace::new();
    place.program("denied/program", "#!/bin/sh\necho denied\n", 0o600);
    place.program("file", "", 0o600);
    place.program("good/program", "#!/bin/sh\necho good\n", 0o700);
    place.program("late/program", "#!/bin/sh\necho late\n", 0o700);
    let path = ["missing", "file", "denied", "good", "late"]
        .map(|name| place.file(name).to_str().unwrap().to_owned())
        .join(":");
    let tag = Tag::new();
    let start = Start { path: Some(&path), ..Start::new(&tag, &["program"]) };
    assert_eq!(start.output(), "good\n");
}

#[test]
fn a_program_that_is_only_denied_in_path_is_denied_and_not_missing() {
    let place = Workspace::new();
    place.program("denied/program", "#!/bin/sh\n", 0o600);
    let path = format!("{}:/nonexistent", place.file("denied").display());
    let tag = Tag::new();
    let start = Start { path: Some(&path), ..Start::new(&tag, &["program"]) };
    assert_eq!(start.error(), SpawnError { step: Step::Execute, errno: Errno(libc::EACCES) });
}

#[test]
fn an_empty_entry_in_path_is_the_childs_working_directory() {
    let place = Workspace::new();
    place.program("program", "#!/bin/sh\necho here\n", 0o700);
    let tag = Tag::new();
    for path in [":/nonexistent", "/nonexistent:", "/nonexistent::/none"] {
        let start = Start { path: Some(path), directory: place.path(), ..Start::new(&tag, &["program"]) };
        assert_eq!(start.output(), "here\n", "{path}");
    }
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
        // The shell may have opened a pipe of its own there.
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
fn the_child_dies_when_its_host_is_killed() {
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

/// The value of a tag.
const JOB_TAG: u64 = (1 << 62) + 7;

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

#[tokio::test]
async fn a_child_reads_its_input_to_the_end() {
    let tag = Tag::new();
    let (stdin, writer) = input_pipe().expect("a pipe");
    let mut child = spawn_reader(&tag, stdin, "cksum");
    let mut writer = pipe::PipeWriter::new(writer).expect("it can be watched");
    let text = "0123456789abcdef".repeat(1 << 16);
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        writer.ready().await.expect("it is watched");
        match writer.write(rest) {
            pipe::Write::Bytes(count) => rest = &rest[count..],
            pipe::Write::Full => {}
            pipe::Write::Closed => panic!("there is a reader"),
        }
    }
    drop(writer);
    let mut said = String::new();
    child.stdout.read_to_string(&mut said).expect("text");
    assert!(said.ends_with(&format!(" {}\n", text.len())), "{said}");
    reap_blocking(child.spawned.pid);
}

#[tokio::test]
async fn a_child_that_exits_early_closes_its_input() {
    let tag = Tag::new();
    let (stdin, writer) = input_pipe().expect("a pipe");
    let child = spawn_reader(&tag, stdin, "head -c 1");
    let mut writer = pipe::PipeWriter::new(writer).expect("it can be watched");
    let text = vec![b'x'; 1 << 16];
    loop {
        tokio::time::timeout(TEST_DEADLINE, writer.ready())
            .await
            .expect("room or its end")
            .expect("it is watched");
        if writer.write(&text) == pipe::Write::Closed {
            break;
        }
    }
    reap_blocking(child.spawned.pid);
}

/// Starts a child with its own standard input and a pipe for its output.
fn spawn_reader(tag: &Tag, stdin: OwnedFd, script: &str) -> Reader {
    let root = File::open("/").expect("a directory");
    let (stdout_reader, stdout) = io::pipe().expect("a pipe");
    let stdout = high(stdout.into());
    let spawned = spawn(&Request {
        candidates: &candidates("/bin/sh", None).expect("no NUL"),
        arguments: &[text("sh"), text("-c"), text(script)],
        environment: &[text(PATH), text(tag.variable())],
        directory: root.as_fd(),
        stdio: StandardStreams { stdin: stdin.as_fd(), stdout: stdout.as_fd(), stderr: stdout.as_fd() },
        extra_fd: None,
        record: None,
        attributes: Attributes::default(),
        limits: &Limits::default(),
        tag: None,
    })
    .expect("it starts");
    // Only the child has the input open now.
    drop(stdin);
    Reader { spawned, stdout: stdout_reader }
}

struct Reader {
    spawned: Spawned,
    stdout: PipeReader,
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "only Linux has it")]
fn a_child_can_ignore_the_termination_signals() {
    // Only the standard signals: real-time signals stay as this process has them.
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

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the test reads /proc")]
fn a_job_has_an_empty_standard_input() {
    let job = Command::script("cat; readlink /proc/self/fd/0").start();
    let outcome = job.outcome();
    assert_eq!(outcome.stdout.text(), "/dev/null\n");
}

#[test]
fn a_job_can_open_its_standard_streams_by_path() {
    let job = Command::script("echo out >/dev/stdout; echo err >/dev/stderr").start();
    let outcome = job.outcome();
    assert_eq!((outcome.stdout.text(), outcome.stderr.text()), ("out\n".to_owned(), "err\n".to_owned()));
}

#[test]
fn a_job_has_no_terminal() {
    let job = Command::script("exec 2>&1; : </dev/tty").start();
    let said = job.outcome().stdout.text();
    // The error text of ENXIO, on Linux and on macOS.
    assert!(said.contains("No such device") || said.contains("Device not configured"), "{said}");
}

/// Returns the code and the message of a failed launch, as Node would report them.
fn as_node(outcome: &Outcome) -> (String, String) {
    match &outcome.end {
        End::NotStarted(error) => {
            let error = error.as_node("/bin/bash");
            (error.code(), error.to_string())
        }
        end => panic!("something was started: {end:?}"),
    }
}

#[test]
fn a_missing_directory_has_nodes_error_text() {
    let job = Command::script("true").directory("/nonexistent/directory").start();
    assert_eq!(as_node(&job.outcome()), ("ENOENT".to_owned(), "spawn /bin/bash ENOENT".to_owned()));
}

#[test]
fn a_directory_that_is_a_file_has_nodes_error_text() {
    let job = Command::script("true").directory("/etc/passwd").start();
    assert_eq!(as_node(&job.outcome()), ("ENOTDIR".to_owned(), "spawn ENOTDIR".to_owned()));
}

#[test]
fn an_empty_directory_is_the_hosts_own() {
    let job = Command::script("pwd -P").directory("").start();
    let own = std::env::current_dir().unwrap().canonicalize().unwrap();
    assert_eq!(job.outcome().stdout.text().trim_end(), own.to_str().unwrap());
}

#[test]
fn a_program_of_a_job_is_searched_in_the_path_of_its_environment() {
    let place = Workspace::new();
    place.program("good/program", "#!/bin/sh\necho \"$@\"\n", 0o700);
    let job = Command::program("program", &["a b", "*"])
        .environment(&format!("PATH=/nonexistent:{}", place.file("good").display()))
        .start();
    assert_eq!(job.outcome().stdout.text(), "a b *\n");
}

#[test]
fn a_command_of_many_megabytes_runs() {
    let job = Command::script(&format!("# {}\necho done", "x".repeat(8 << 20))).start();
    assert_eq!(job.outcome().stdout.text(), "done\n");
}

#[test]
fn a_long_command_runs_without_programs_in_its_path() {
    // A command of builtins needs no `PATH`.
    let job =
        Command::script(&format!("# {}\necho done", "x".repeat(200_000))).environment("PATH=/none").start();
    assert_eq!(job.outcome().stdout.text(), "done\n");
}

/// Runs one of the roles of [`host`] in a process of its own.
fn in_host(role: &str, command: impl FnOnce(&Path) -> std::process::Command) -> std::process::Child {
    command(&std::env::current_exe().expect("our own path"))
        .args(["--exact", "host", "--nocapture", "--test-threads=1"])
        .env("AGENT_BASH_TEST_HOST", role)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the host starts")
}

/// Not a test of its own: the host process of some tests above.
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
