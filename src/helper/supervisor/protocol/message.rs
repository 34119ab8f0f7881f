//! The meaning of frames, in both directions.
//!
//! The kind of a frame shows whether its payload is a message, as [`crate::wire`] encodes it, or bytes of one
//! stream: a sender reads output straight into a frame. The two hellos have a form of their own, because they
//! show whether both sides are of the same build.

use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};

use super::enums::{FailedStep, OutputPipe, ProcessSelection, SignalScope};
use super::frame::{Frame, MAX_PAYLOAD, put};
use super::hello::{ClientHello, SupervisorHello};
use super::ports::{PortMessage, RemotePort};
use super::shell_scan::ShellScan;
use crate::process::identity::Identity;
use crate::process::pty::WindowSize;
use crate::wire::{self, Malformed};

/// The most pids of one answer: each takes 5 bytes at most.
pub const MAX_PIDS: usize = 13_000;

/// The longest payload of a ping (bytes).
pub const MAX_PING: usize = 64;

/// The longest path or text of a message (bytes), which leaves room in a frame for the rest of the message.
const MAX_TEXT: usize = MAX_PAYLOAD - 64;

/// A message from the host to the supervisor. Data and plans are pieces of the reader's buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToSupervisor<'a> {
    /// Starts the command whose plan came before, in pieces.
    Start,
    StdinEnd,
    Signal {
        number: i32,
        scope: SignalScope,
    },
    Resize(WindowSize),
    Credit {
        output: OutputPipe,
        count: u32,
    },
    Ping(&'a [u8]),
    /// Ends the interest in a command: kills its processes, or reads and drops the rest of its output.
    Close {
        kills: bool,
        drops_output: bool,
    },
    List(ProcessSelection),
    /// Asks for a [`ShellScan`]. `first` is the descriptor from which on free ones count, `named` the path by
    /// which the shell names its directory; may be empty.
    ScanShell {
        first: u32,
        #[serde(serialize_with = "cut")]
        named: &'a [u8],
    },
    /// Sends a signal to processes.
    SignalEach {
        number: i32,
        identities: Vec<Identity>,
    },
    /// Kills all commands, and ends the supervisor.
    Bye,
    /// Asks for the ports on which the processes listen; also in other network namespaces if
    /// `asks_namespaces`.
    ListPorts {
        asks_namespaces: bool,
    },
    // Frames of their own kinds. serde does not count what it skips, so these are last.
    #[serde(skip)]
    Hello(ClientHello),
    /// A part of a plan.
    #[serde(skip)]
    Plan(&'a [u8]),
    #[serde(skip)]
    Stdin(&'a [u8]),
    /// Lines for the shell of a session, beside the input and its credit: they are short, and come behind
    /// the files of their command.
    #[serde(skip)]
    Lines(&'a [u8]),
    #[serde(skip)]
    Port(PortMessage),
    /// Bytes of a connection of a port.
    #[serde(skip)]
    PortData(&'a [u8]),
}

/// The exit of a command's leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteExit {
    /// The exit code, or the signal.
    pub value: u32,
    pub is_signal: bool,
    /// Whether the leader was the last process of the command: none is left that could start another one.
    pub is_alone: bool,
    /// Whether the kernel killed a process of the container for lack of memory while the command ran.
    pub is_out_of_memory: bool,
    /// Processor time in programs, and in the kernel.
    pub user: Duration,
    pub system: Duration,
    /// The most memory of one process (KiB).
    pub peak_memory: u64,
    /// From the start to the exit.
    pub wall: Duration,
}

/// A message from the supervisor to the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToClient<'a> {
    Started {
        pid: u32,
        /// The working directory, by real path; empty if the system does not report it.
        #[serde(serialize_with = "cut")]
        directory: &'a [u8],
    },
    /// Precedes the start of a session's shell.
    Shell {
        /// The index of the program that runs, among those of the plan.
        program: u32,
        /// The private directory.
        #[serde(serialize_with = "cut")]
        directory: &'a [u8],
    },
    Failed {
        step: FailedStep,
        errno: i32,
        #[serde(serialize_with = "cut")]
        path: &'a [u8],
    },
    /// An output has ended.
    End(OutputPipe),
    Exit(RemoteExit),
    /// The answer to a list.
    Pids(Vec<u32>),
    /// Input was written.
    Credit {
        count: u32,
    },
    /// The command has closed its input.
    StdinGone,
    Pong(&'a [u8]),
    /// The supervisor ends for this reason.
    Fatal(#[serde(serialize_with = "cut")] &'a [u8]),
    /// The answer to [`ToSupervisor::ScanShell`].
    ShellScan(ShellScan),
    /// No process of the command and no open output is left.
    Gone,
    /// The answer to a list of ports.
    Ports(Vec<RemotePort>),
    // Frames of their own kinds. serde does not count what it skips, so these are last.
    #[serde(skip)]
    Hello(SupervisorHello),
    #[serde(skip)]
    Output(OutputPipe, &'a [u8]),
    #[serde(skip)]
    Port(PortMessage),
    /// Bytes of a connection of a port.
    #[serde(skip)]
    PortData(&'a [u8]),
}

/// The kinds of frames.
const MESSAGE: u8 = 1;
const HELLO: u8 = 2;
const PLAN: u8 = 3;
const STDIN: u8 = 4;
const LINES: u8 = 5;
/// Output, for a sender that writes a header without a message.
pub const STDOUT: u8 = 6;
pub const STDERR: u8 = 7;
const CONTROL: u8 = 8;
const PORT: u8 = 9;
/// Bytes of a connection, for a sender that writes a header without a message.
pub const PORT_DATA: u8 = 10;

impl<'a> ToSupervisor<'a> {
    /// Appends the frame for a command; 0 is the connection.
    pub fn put(&self, command: u32, out: &mut Vec<u8>) {
        match self {
            Self::Hello(hello) => put(out, HELLO, command, &hello.encode()),
            Self::Plan(part) => put(out, PLAN, command, part),
            Self::Stdin(bytes) => put(out, STDIN, command, bytes),
            Self::Lines(bytes) => put(out, LINES, command, bytes),
            Self::Port(message) => put(out, PORT, command, &wire::encode(message)),
            Self::PortData(bytes) => put(out, PORT_DATA, command, bytes),
            message => put(out, MESSAGE, command, &wire::encode(message)),
        }
    }

    /// Reads a frame.
    ///
    /// # Errors
    ///
    /// When the kind is unknown, or the payload is none of that kind.
    pub fn decode(frame: Frame<'a>) -> Result<Self, Malformed> {
        let message = match frame.kind {
            HELLO => Self::Hello(ClientHello::decode(frame.payload)?),
            PLAN => Self::Plan(frame.payload),
            STDIN => Self::Stdin(frame.payload),
            LINES => Self::Lines(frame.payload),
            PORT => Self::Port(wire::decode(frame.payload)?),
            PORT_DATA => Self::PortData(frame.payload),
            MESSAGE => wire::decode(frame.payload)?,
            _ => return Err(Malformed),
        };
        let is_of_connection = matches!(message, Self::Hello(_) | Self::Ping(_) | Self::Bye);
        let is_too_long = matches!(message, Self::Ping(bytes) if bytes.len() > MAX_PING);
        if is_of_connection == (frame.command == 0) && !is_too_long { Ok(message) } else { Err(Malformed) }
    }
}

impl<'a> ToClient<'a> {
    /// Appends the frame of a command; 0 is the connection.
    pub fn put(&self, command: u32, out: &mut Vec<u8>) {
        match self {
            Self::Hello(hello) => put(out, HELLO, command, &hello.encode()),
            Self::Output(OutputPipe::Stdout, bytes) => put(out, STDOUT, command, bytes),
            Self::Output(OutputPipe::Stderr, bytes) => put(out, STDERR, command, bytes),
            Self::Output(OutputPipe::Control, bytes) => put(out, CONTROL, command, bytes),
            Self::Port(message) => put(out, PORT, command, &wire::encode(message)),
            Self::PortData(bytes) => put(out, PORT_DATA, command, bytes),
            message => put(out, MESSAGE, command, &wire::encode(message)),
        }
    }

    /// Reads a frame.
    ///
    /// # Errors
    ///
    /// When the kind is unknown, or the payload is none of that kind.
    pub fn decode(frame: Frame<'a>) -> Result<Self, Malformed> {
        let message = match frame.kind {
            HELLO => Self::Hello(SupervisorHello::decode(frame.payload)?),
            STDOUT => Self::Output(OutputPipe::Stdout, frame.payload),
            STDERR => Self::Output(OutputPipe::Stderr, frame.payload),
            CONTROL => Self::Output(OutputPipe::Control, frame.payload),
            PORT => Self::Port(wire::decode(frame.payload)?),
            PORT_DATA => Self::PortData(frame.payload),
            MESSAGE => wire::decode(frame.payload)?,
            _ => return Err(Malformed),
        };
        let is_of_connection = matches!(message, Self::Hello(_) | Self::Pong(_) | Self::Fatal(_));
        let is_too_long = matches!(message, Self::Pong(bytes) if bytes.len() > MAX_PING);
        if is_of_connection == (frame.command == 0) && !is_too_long { Ok(message) } else { Err(Malformed) }
    }
}

/// Encodes a path or a text without what no frame has room for.
fn cut<S: Serializer>(text: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bytes(text.get(..MAX_TEXT).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use rustix::process::Pid;

    use super::super::frame::with_frame;
    use super::super::ports::{ListenAt, MAX_LISTED_PORTS, PortEnd};
    use super::super::shell_scan::{MAX_PROCESSES, ProcessBelow, SignalSet};
    use super::*;

    fn identity(pid: i32, start: u64) -> Identity {
        Identity { pid: Pid::from_raw(pid).expect("a pid"), start }
    }

    #[test]
    fn messages_to_the_supervisor_are_read_as_they_were_written() {
        let size = WindowSize { columns: 80, rows: 24 };
        let tcp = ListenAt::Tcp { address: [127, 0, 0, 1].into(), port: 0 };
        let path = ListenAt::Unix { path: "/run/y".to_owned() };
        for (command, message) in [
            (0, ToSupervisor::Hello(ClientHello::new(5))),
            (3, ToSupervisor::Plan(b"part")),
            (3, ToSupervisor::Start),
            (3, ToSupervisor::Stdin(b"in")),
            (3, ToSupervisor::StdinEnd),
            (3, ToSupervisor::Signal { number: 15, scope: SignalScope::End }),
            (3, ToSupervisor::Resize(size)),
            (3, ToSupervisor::Credit { output: OutputPipe::Stderr, count: 9 }),
            (0, ToSupervisor::Ping(b"12345678")),
            (3, ToSupervisor::Close { kills: true, drops_output: false }),
            (3, ToSupervisor::List(ProcessSelection::Background)),
            (3, ToSupervisor::Lines(b":\n")),
            (3, ToSupervisor::ScanShell { first: 10, named: b"/tmp" }),
            (3, ToSupervisor::Port(PortMessage::Connect(PortEnd::Tcp { host: "db".to_owned(), port: 5432 }))),
            (3, ToSupervisor::Port(PortMessage::Connect(PortEnd::Unix { path: "/run/x".to_owned() }))),
            (3, ToSupervisor::Port(PortMessage::Listen(tcp))),
            (3, ToSupervisor::Port(PortMessage::Listen(path))),
            (3, ToSupervisor::PortData(b"in")),
            (3, ToSupervisor::SignalEach { number: 9, identities: vec![identity(i32::MAX, u64::MAX)] }),
            (0, ToSupervisor::Bye),
            (3, ToSupervisor::ListPorts { asks_namespaces: true }),
        ] {
            let mut bytes = Vec::new();
            message.put(command, &mut bytes);
            with_frame(&bytes, |frame| assert_eq!(ToSupervisor::decode(frame), Ok(message)));
        }
    }

    #[test]
    fn messages_to_the_host_are_read_as_they_were_written() {
        let exit = RemoteExit {
            value: 9,
            is_signal: true,
            is_alone: true,
            is_out_of_memory: true,
            user: Duration::from_micros(1),
            system: Duration::from_micros(2),
            peak_memory: 3,
            wall: Duration::from_micros(4),
        };
        for (command, message) in [
            (1, ToClient::Started { pid: 17, directory: b"/work" }),
            (1, ToClient::Failed { step: FailedStep::Execute, errno: 2, path: b"/x" }),
            (1, ToClient::Output(OutputPipe::Stdout, b"out")),
            (1, ToClient::Output(OutputPipe::Stderr, b"")),
            (1, ToClient::Output(OutputPipe::Control, b"end")),
            (1, ToClient::Shell { program: 1, directory: b"/tmp/d" }),
            (1, ToClient::ShellScan(ShellScan::default())),
            (1, ToClient::Port(PortMessage::Listening { port: 65_535 })),
            (1, ToClient::Port(PortMessage::Closed { error: "ECONNRESET".to_owned() })),
            (1, ToClient::PortData(b"out")),
            (1, ToClient::End(OutputPipe::Stdout)),
            (1, ToClient::Exit(exit)),
            (1, ToClient::Pids(vec![1, 2, 3])),
            (1, ToClient::Credit { count: 100 }),
            (1, ToClient::StdinGone),
            (0, ToClient::Pong(b"12345678")),
            (0, ToClient::Fatal(b"why")),
            (1, ToClient::Gone),
        ] {
            let mut bytes = Vec::new();
            message.put(command, &mut bytes);
            with_frame(&bytes, |frame| assert_eq!(ToClient::decode(frame), Ok(message.clone())));
        }
    }

    #[test]
    fn the_longest_messages_have_room_in_a_frame() {
        let below = ProcessBelow {
            identity: identity(i32::MAX, u64::MAX),
            parent: i32::MIN,
            is_exiting: true,
            ignored: SignalSet(u64::MAX),
            inherited: SignalSet(u64::MAX),
        };
        let scan = ShellScan {
            directory: Some("\u{fffd}".repeat(4096)),
            room: u64::MAX,
            ignored: SignalSet(u64::MAX),
            user: Duration::MAX,
            system: Duration::MAX,
            processes: vec![below; MAX_PROCESSES],
            ..ShellScan::default()
        };
        let port = RemotePort { inode: u64::MAX, port: u16::MAX, address: [255; 16].into(), pid: u32::MAX };
        let long = vec![b'x'; 2 * MAX_PAYLOAD];
        for message in [
            ToClient::ShellScan(scan),
            ToClient::Pids(vec![u32::MAX; MAX_PIDS]),
            ToClient::Ports(vec![port; MAX_LISTED_PORTS]),
            ToClient::Started { pid: u32::MAX, directory: &long },
            ToClient::Shell { program: u32::MAX, directory: &long },
            ToClient::Failed { step: FailedStep::Lost, errno: i32::MIN, path: &long },
        ] {
            let mut bytes = Vec::new();
            message.put(1, &mut bytes);
            with_frame(&bytes, |frame| assert!(ToClient::decode(frame).is_ok()));
        }
        let mut bytes = Vec::new();
        ToSupervisor::ScanShell { first: u32::MAX, named: &long }.put(1, &mut bytes);
        with_frame(&bytes, |frame| assert!(ToSupervisor::decode(frame).is_ok()));
    }

    #[test]
    fn a_long_ping_is_malformed() {
        let mut bytes = Vec::new();
        ToSupervisor::Ping(&[0; MAX_PING + 1]).put(0, &mut bytes);
        with_frame(&bytes, |frame| assert_eq!(ToSupervisor::decode(frame), Err(Malformed)));
    }

    #[test]
    fn a_message_of_the_connection_that_names_a_command_is_malformed() {
        let mut bytes = Vec::new();
        ToSupervisor::Bye.put(1, &mut bytes);
        with_frame(&bytes, |frame| assert_eq!(ToSupervisor::decode(frame), Err(Malformed)));
        bytes.clear();
        ToClient::Gone.put(0, &mut bytes);
        with_frame(&bytes, |frame| assert_eq!(ToClient::decode(frame), Err(Malformed)));
    }

    proptest! {
        #[test]
        fn any_frame_is_a_message_that_is_written_as_it_was_read_or_malformed(
            kind in 0_u8..12, command in 0_u32..3, payload in vec(any::<u8>(), 0..60),
        ) {
            let frame = Frame { kind, command, payload: &payload };
            let mut bytes = Vec::new();
            if let Ok(message) = ToSupervisor::decode(frame) {
                message.put(command, &mut bytes);
                with_frame(&bytes, |read| assert_eq!(ToSupervisor::decode(read), Ok(message)));
            }
            bytes.clear();
            if let Ok(message) = ToClient::decode(frame) {
                message.put(command, &mut bytes);
                with_frame(&bytes, |read| assert_eq!(ToClient::decode(read), Ok(message.clone())));
            }
        }
    }
}
