//! A host for the tests: a supervisor behind two pipes, and its frames.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use agent_bash::helper::supervisor::protocol::enums::{FailedStep, OutputPipe, SignalScope};
use agent_bash::helper::supervisor::protocol::frame::FrameReader;
use agent_bash::helper::supervisor::protocol::hello::{ClientHello, SupervisorHello};
use agent_bash::helper::supervisor::protocol::message::{RemoteExit, ToClient, ToSupervisor};
use agent_bash::helper::supervisor::protocol::plan::RemotePlan;
use agent_bash::helper::supervisor::protocol::ports::{PortMessage, RemotePort};
use agent_bash::helper::supervisor::protocol::shell_scan::ShellScan;
use agent_bash::process::pty::WindowSize;

use crate::support::{HELPER, TEST_DEADLINE, Tag, pid};

pub(crate) const NONCE: &str = "0123456789abcdef";

/// A message of a supervisor, with the id of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    Hello(SupervisorHello),
    Started(u32),
    Failed(FailedStep, i32),
    Output(OutputPipe, Vec<u8>),
    End(OutputPipe),
    Exit(RemoteExit),
    Pids(Vec<u32>),
    Ports(Vec<RemotePort>),
    Credit(u32),
    StdinGone,
    Pong(Vec<u8>),
    Fatal(String),
    Shell(u32, PathBuf),
    ShellScan(ShellScan),
    Port(PortMessage),
    PortData(Vec<u8>),
    Gone,
}

impl From<ToClient<'_>> for Sent {
    fn from(message: ToClient<'_>) -> Self {
        match message {
            ToClient::Hello(hello) => Self::Hello(hello),
            ToClient::Started { pid, .. } => Self::Started(pid),
            ToClient::Failed { step, errno, .. } => Self::Failed(step, errno),
            ToClient::Output(output, bytes) => Self::Output(output, bytes.to_vec()),
            ToClient::End(output) => Self::End(output),
            ToClient::Exit(exit) => Self::Exit(exit),
            ToClient::Pids(pids) => Self::Pids(pids),
            ToClient::Ports(ports) => Self::Ports(ports),
            ToClient::Credit { count } => Self::Credit(count),
            ToClient::StdinGone => Self::StdinGone,
            ToClient::Pong(bytes) => Self::Pong(bytes.to_vec()),
            ToClient::Fatal(text) => Self::Fatal(String::from_utf8_lossy(text).into_owned()),
            ToClient::Shell { program, directory } => {
                Self::Shell(program, PathBuf::from(OsStr::from_bytes(directory)))
            }
            ToClient::ShellScan(scan) => Self::ShellScan(scan),
            ToClient::Port(message) => Self::Port(message),
            ToClient::PortData(bytes) => Self::PortData(bytes.to_vec()),
            ToClient::Gone => Self::Gone,
        }
    }
}

/// The output and the end of a command.
#[derive(Debug, Default)]
pub(crate) struct Result {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) exit: Option<RemoteExit>,
    pub(crate) failed: Option<(FailedStep, i32)>,
}

impl Result {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub(crate) fn code(&self) -> Option<u32> {
        self.exit.filter(|exit| !exit.is_signal).map(|exit| exit.value)
    }
}

/// A supervisor that this test has started.
#[derive(Debug)]
pub(crate) struct Supervisor {
    pub(crate) process: Child,
    pub(crate) stdin: Option<ChildStdin>,
    frames: Receiver<(u32, Sent)>,
    /// Marks the processes of the commands.
    pub(crate) tag: Tag,
    next: u32,
}

impl Supervisor {
    /// Starts a supervisor without saying hello.
    pub(crate) fn silent() -> Self {
        let tag = Tag::new();
        let mut process = Command::new(HELPER)
            .args(["supervise", NONCE])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the helper starts");
        let mut stdout = process.stdout.take().expect("a pipe");
        let (sender, frames) = channel();
        thread::spawn(move || {
            let (mut reader, mut buffer) = (FrameReader::default(), vec![0; 65_536]);
            while let Ok(count) = stdout.read(&mut buffer) {
                if count == 0 {
                    return;
                }
                reader.push(&buffer[..count]);
                while let Some(frame) = reader.next_frame().expect("frames") {
                    let sent = ToClient::decode(frame).expect("a message").into();
                    if sender.send((frame.command, sent)).is_err() {
                        return;
                    }
                }
            }
        });
        let stdin = process.stdin.take();
        Self { process, stdin, frames, tag, next: 1 }
    }

    /// Starts a supervisor and says hello.
    pub(crate) fn new() -> Self {
        let mut supervisor = Self::silent();
        supervisor.send(0, ToSupervisor::Hello(ClientHello::new(60_000)));
        assert!(matches!(supervisor.next(), (0, Sent::Hello(_))));
        supervisor
    }

    #[allow(clippy::needless_pass_by_value, reason = "a message is written where it is sent")]
    pub(crate) fn send(&mut self, command: u32, message: ToSupervisor<'_>) {
        let mut bytes = Vec::new();
        message.put(command, &mut bytes);
        self.write(&bytes);
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        // A supervisor that has ended reads nothing.
        let _ = self.stdin.as_mut().expect("it is open").write_all(bytes);
    }

    /// Returns the next frame.
    pub(crate) fn next(&mut self) -> (u32, Sent) {
        self.frames.recv_timeout(TEST_DEADLINE).expect("a frame")
    }

    /// Returns the frames that follow until the stream ends.
    pub(crate) fn rest(&mut self) -> Vec<Sent> {
        let mut rest = Vec::new();
        loop {
            match self.frames.recv_timeout(TEST_DEADLINE) {
                Ok((_, sent)) => rest.push(sent),
                Err(RecvTimeoutError::Disconnected) => return rest,
                Err(RecvTimeoutError::Timeout) => panic!("the stream does not end"),
            }
        }
    }

    /// Returns what comes within a moment in which nothing should.
    pub(crate) fn within(&mut self, time: Duration) -> Option<Sent> {
        self.frames.recv_timeout(time).ok().map(|(_, sent)| sent)
    }

    /// Waits for a frame that `wanted` accepts, and drops the others.
    pub(crate) fn until<T>(&mut self, mut wanted: impl FnMut(u32, Sent) -> Option<T>) -> T {
        loop {
            let (command, sent) = self.next();
            if let Some(found) = wanted(command, sent) {
                return found;
            }
        }
    }

    /// Starts a command, and returns its id.
    pub(crate) fn start(&mut self, plan: &RemotePlan) -> u32 {
        let id = self.next;
        self.next += 1;
        let mut plan = plan.clone();
        plan.variables.push(self.tag.variable().as_bytes().to_vec());
        for part in plan.encode().chunks(1000) {
            self.send(id, ToSupervisor::Plan(part));
        }
        self.send(id, ToSupervisor::Start);
        id
    }

    /// Starts a command and waits until it runs. Returns its id and pid.
    pub(crate) fn started(&mut self, plan: &RemotePlan) -> (u32, i32) {
        let id = self.start(plan);
        let pid = self.until(|of, sent| match sent {
            Sent::Started(pid) if of == id => Some(pid),
            _ => None,
        });
        (id, pid.cast_signed())
    }

    /// Reads a command to its last frame. Grants the credit that it takes.
    pub(crate) fn finish(&mut self, id: u32) -> Result {
        let mut result = Result::default();
        loop {
            let (command, sent) = self.next();
            if command != id {
                continue;
            }
            match sent {
                Sent::Output(output, bytes) => {
                    let count = u32::try_from(bytes.len()).expect("a frame is small");
                    self.send(id, ToSupervisor::Credit { output, count });
                    let kept =
                        if output == OutputPipe::Stdout { &mut result.stdout } else { &mut result.stderr };
                    kept.extend(bytes);
                }
                Sent::Exit(exit) => result.exit = Some(exit),
                Sent::Failed(step, errno) => {
                    result.failed = Some((step, errno));
                    return result;
                }
                Sent::Gone => return result,
                _ => {}
            }
        }
    }

    pub(crate) fn run(&mut self, plan: &RemotePlan) -> Result {
        let id = self.start(plan);
        self.finish(id)
    }

    pub(crate) fn signal(&mut self, id: u32, number: i32, scope: SignalScope) {
        self.send(id, ToSupervisor::Signal { number, scope });
    }

    pub(crate) fn kill(&mut self, id: u32) {
        self.send(id, ToSupervisor::Close { kills: true, drops_output: false });
    }

    /// Returns the exit code of the supervisor, which ends by itself.
    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        crate::support::eventually("the supervisor ends", || self.process.try_wait().expect("a child")).code()
    }

    /// Returns the pid of the reaper of a leader.
    pub(crate) fn reaper_of(leader: i32) -> i32 {
        agent_bash::process::table::inspect(pid(leader)).expect("it runs").parent
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the plan that runs a command line in `/bin/sh`.
pub(crate) fn line(command: &str) -> RemotePlan {
    let words = ["/bin/sh", "-c", command].map(|word| word.as_bytes().to_vec()).to_vec();
    RemotePlan { words: vec![words], ..RemotePlan::default() }
}

pub(crate) fn with_input(command: &str) -> RemotePlan {
    RemotePlan { has_input: true, ..line(command) }
}

pub(crate) fn in_terminal(command: &str) -> RemotePlan {
    RemotePlan { terminal: Some(WindowSize { columns: 80, rows: 24 }), has_input: true, ..line(command) }
}
