//! A spawn request with defaults, and the child that it starts.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use crate::support::{PATH, Tag, text};
use agent_bash::process::fd::above_standard_streams;
use agent_bash::process::spawn::{
    Attributes, FdMapping, Limits, SpawnError, SpawnRequest, Spawned, StandardStreams, candidates, spawn,
};
use agent_bash::process::wait;
use rustix::process::Signal;

/// A spawn request with defaults.
pub(super) struct Start<'a> {
    pub(super) program: &'a str,
    pub(super) path: Option<&'a str>,
    pub(super) arguments: &'a [&'a str],
    pub(super) environment: Vec<&'a str>,
    pub(super) directory: &'a Path,
    pub(super) script: Option<&'a OwnedFd>,
    pub(super) attributes: Attributes<'a>,
    pub(super) limits: Limits,
    pub(super) job_tag: Option<u64>,
}

/// A child and the host's ends of its pipes.
pub(super) struct Child {
    pub(super) spawned: Spawned,
    pub(super) stdin: PipeWriter,
    pub(super) stdout: PipeReader,
}

impl<'a> Start<'a> {
    pub(super) fn new(tag: &'a Tag, arguments: &'a [&'a str]) -> Self {
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

    pub(super) fn spawn(self) -> Result<Child, SpawnError> {
        let directory = File::open(self.directory).expect("a directory");
        let (stdin, stdin_writer) = io::pipe().expect("a pipe");
        let (stdout_reader, stdout) = io::pipe().expect("a pipe");
        let (stdin, stdout) = (high(stdin.into()), high(stdout.into()));
        let candidates = candidates(self.program, self.path).expect("no NUL");
        let arguments: Vec<_> = self.arguments.iter().map(|argument| text(argument)).collect();
        let environment: Vec<_> = self.environment.iter().map(|variable| text(variable)).collect();
        let spawned = spawn(&SpawnRequest {
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

    /// Returns the error of a start that has to fail.
    pub(super) fn error(self) -> SpawnError {
        self.spawn().map(|_| ()).expect_err("it can't be started")
    }

    /// Returns the whole output of the child.
    pub(super) fn output(self) -> String {
        self.spawn().expect("it starts").output()
    }
}

impl Child {
    pub(super) fn pid(&self) -> i32 {
        self.spawned.pid.as_raw_nonzero().get()
    }

    /// Waits until a child that copies its input to its output has copied a byte.
    pub(super) fn copies(mut self) -> Self {
        self.stdin.write_all(b"x").expect("written");
        self.stdout.read_exact(&mut [0]).expect("copied");
        self
    }

    pub(super) fn output(mut self) -> String {
        drop(self.stdin);
        let mut said = String::new();
        self.stdout.read_to_string(&mut said).expect("text");
        wait::await_exit(self.spawned.pid);
        wait::reap(self.spawned.pid);
        said
    }

    pub(super) fn end(self) {
        rustix::process::kill_process_group(self.spawned.pid, Signal::KILL).expect("killed");
        wait::await_exit(self.spawned.pid);
        wait::reap(self.spawned.pid);
    }
}

pub(super) fn high(descriptor: OwnedFd) -> OwnedFd {
    above_standard_streams(descriptor).expect("a descriptor")
}
