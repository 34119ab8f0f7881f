//! The meaning of frames, in both directions.

use std::time::Duration;

use super::frame::{Frame, MAX_PAYLOAD, put};
use super::hello::{ClientHello, SupervisorHello};
use super::malformed::Malformed;
use super::numbered::{FailedStep, Listed, Output, Scope};
use super::plan::{decode_size, encode_size};
use crate::process::pty::WindowSize;

/// The most pids of one answer.
pub const MAX_PIDS: usize = 16_000;

/// The longest payload of a ping (bytes).
pub const MAX_PING: usize = 64;

/// The longest path of a directory in a message (bytes): that of the kernel.
const MAX_NAMED: usize = 4096;

/// A message from the host to the supervisor. Data and plans are pieces of the reader's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToSupervisor<'a> {
    Hello(ClientHello),
    /// A part of a plan.
    Plan(&'a [u8]),
    /// Starts the command of the plan.
    Start,
    Stdin(&'a [u8]),
    StdinEnd,
    Signal {
        number: i32,
        scope: Scope,
    },
    Resize(WindowSize),
    Credit {
        output: Output,
        count: u32,
    },
    Ping(&'a [u8]),
    /// Ends the interest in a command: kills its processes, or reads and drops the rest of its output.
    Close {
        kills: bool,
        drops_output: bool,
    },
    List(Listed),
    /// Lines for the shell of a session, beside the input and its credit: they are short, and come behind
    /// the files of their command.
    Lines(&'a [u8]),
    /// Asks for a [`ShellLook`](super::look::ShellLook). `first` is the descriptor from which on free ones
    /// count, `named` the path by which the shell names its directory; may be empty.
    Look {
        first: u32,
        named: &'a [u8],
    },
    /// Sends a signal to processes, by pid and start time ([`encode_identities`](super::look::encode_identities)).
    SignalEach {
        number: i32,
        identities: &'a [u8],
    },
    /// Kills all commands, and ends the supervisor.
    Bye,
}

/// The exit of a command's leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToClient<'a> {
    Hello(SupervisorHello),
    Started {
        pid: u32,
        /// The working directory, by real path; empty if the system does not report it.
        directory: &'a [u8],
    },
    /// Precedes the start of a session's shell.
    Shell {
        /// Which of the plan's programs runs: the position of its words.
        program: u32,
        /// The private directory.
        directory: &'a [u8],
    },
    Failed {
        step: FailedStep,
        errno: i32,
        path: &'a [u8],
    },
    Output(Output, &'a [u8]),
    /// An output has ended.
    End(Output),
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
    Fatal(&'a [u8]),
    /// The answer to a look.
    Look(&'a [u8]),
    /// No process of the command and no open output is left.
    Gone,
}

const HELLO: u8 = 1;
const PLAN: u8 = 2;
const START: u8 = 3;
const STDIN: u8 = 4;
const STDIN_END: u8 = 5;
const SIGNAL: u8 = 6;
const RESIZE: u8 = 7;
const CREDIT: u8 = 8;
const PING: u8 = 9;
const CLOSE: u8 = 10;
const LIST: u8 = 11;
const BYE: u8 = 12;
const LINES: u8 = 13;
const LOOK: u8 = 14;
const SIGNAL_EACH: u8 = 15;
const SUPERVISOR_HELLO: u8 = 129;
const STARTED: u8 = 130;
const FAILED: u8 = 131;
/// The kinds of frames with output: for a sender that writes a header without a message.
pub const STDOUT: u8 = 132;
pub const STDERR: u8 = 133;
const END: u8 = 134;
const EXIT: u8 = 135;
const PIDS: u8 = 136;
const STDIN_CREDIT: u8 = 137;
const STDIN_GONE: u8 = 138;
const PONG: u8 = 139;
const FATAL: u8 = 140;
const GONE: u8 = 141;
const CONTROL: u8 = 142;
const SHELL_LOOK: u8 = 143;
const SHELL: u8 = 144;

const KILLS: u8 = 1;
const DROPS_OUTPUT: u8 = 2;

const IS_SIGNAL: u32 = 1;
const IS_ALONE: u32 = 2;
const IS_OUT_OF_MEMORY: u32 = 4;

impl<'a> ToSupervisor<'a> {
    /// Appends the frame for a command; 0 is the connection.
    pub fn put(&self, command: u32, out: &mut Vec<u8>) {
        match *self {
            Self::Hello(hello) => put(out, HELLO, command, &hello.encode()),
            Self::Plan(part) => put(out, PLAN, command, part),
            Self::Start => put(out, START, command, &[]),
            Self::Stdin(bytes) => put(out, STDIN, command, bytes),
            Self::StdinEnd => put(out, STDIN_END, command, &[]),
            Self::Signal { number, scope } => {
                put(out, SIGNAL, command, &[number.to_le_bytes(), scope.number().to_le_bytes()].concat());
            }
            Self::Resize(size) => put(out, RESIZE, command, &encode_size(size)),
            Self::Credit { output, count } => {
                let stream = u32::from(output.number());
                put(out, CREDIT, command, &[stream.to_le_bytes(), count.to_le_bytes()].concat());
            }
            Self::Ping(bytes) => put(out, PING, command, bytes),
            Self::Close { kills, drops_output } => {
                let bits = if kills { KILLS } else { 0 } | if drops_output { DROPS_OUTPUT } else { 0 };
                put(out, CLOSE, command, &[bits]);
            }
            Self::List(listed) => put(out, LIST, command, &[listed.number()]),
            Self::Lines(bytes) => put(out, LINES, command, bytes),
            Self::Look { first, named } => {
                let named = &named[..named.len().min(MAX_NAMED)];
                put(out, LOOK, command, &[&first.to_le_bytes()[..], named].concat());
            }
            Self::SignalEach { number, identities } => {
                put(out, SIGNAL_EACH, command, &[&number.to_le_bytes()[..], identities].concat());
            }
            Self::Bye => put(out, BYE, command, &[]),
        }
    }

    /// Reads a frame.
    ///
    /// # Errors
    ///
    /// When the kind is unknown, or the payload is none of that kind.
    pub fn decode(frame: Frame<'a>) -> Result<Self, Malformed> {
        let payload = frame.payload;
        let message = match frame.kind {
            HELLO => Self::Hello(ClientHello::decode(payload)?),
            PLAN => Self::Plan(payload),
            START if payload.is_empty() => Self::Start,
            STDIN => Self::Stdin(payload),
            STDIN_END if payload.is_empty() => Self::StdinEnd,
            SIGNAL => {
                let [number, scope] = two_numbers(payload)?;
                let number = i32::try_from(number).map_err(|_| Malformed)?;
                Self::Signal { number, scope: Scope::from_number(scope)? }
            }
            RESIZE => Self::Resize(decode_size(payload)?),
            CREDIT => {
                let [stream, count] = two_numbers(payload)?;
                let stream = u8::try_from(stream).map_err(|_| Malformed)?;
                Self::Credit { output: Output::from_number(stream)?, count }
            }
            PING if payload.len() <= MAX_PING => Self::Ping(payload),
            CLOSE => {
                let &[bits] = payload else { return Err(Malformed) };
                if bits & !(KILLS | DROPS_OUTPUT) != 0 {
                    return Err(Malformed);
                }
                Self::Close { kills: bits & KILLS != 0, drops_output: bits & DROPS_OUTPUT != 0 }
            }
            LIST => {
                let &[listed] = payload else { return Err(Malformed) };
                Self::List(Listed::from_number(listed)?)
            }
            LINES => Self::Lines(payload),
            LOOK => {
                let (first, named) = payload.split_first_chunk().ok_or(Malformed)?;
                Self::Look { first: u32::from_le_bytes(*first), named }
            }
            SIGNAL_EACH => {
                let (number, identities) = payload.split_first_chunk().ok_or(Malformed)?;
                Self::SignalEach { number: i32::from_le_bytes(*number), identities }
            }
            BYE if payload.is_empty() => Self::Bye,
            _ => return Err(Malformed),
        };
        let is_of_connection = matches!(message, Self::Hello(_) | Self::Ping(_) | Self::Bye);
        if is_of_connection == (frame.command == 0) { Ok(message) } else { Err(Malformed) }
    }
}

impl<'a> ToClient<'a> {
    /// Appends the frame of a command; 0 is the connection.
    pub fn put(&self, command: u32, out: &mut Vec<u8>) {
        match self {
            Self::Hello(hello) => put(out, SUPERVISOR_HELLO, command, &hello.encode()),
            Self::Started { pid, directory } => {
                let directory = &directory[..directory.len().min(MAX_PAYLOAD - 4)];
                put(out, STARTED, command, &[&pid.to_le_bytes()[..], directory].concat());
            }
            Self::Shell { program, directory } => {
                put(out, SHELL, command, &[&program.to_le_bytes()[..], directory].concat());
            }
            Self::Failed { step, errno, path } => {
                let path = &path[..path.len().min(MAX_PAYLOAD - 5)];
                put(out, FAILED, command, &[&[step.number()], &errno.to_le_bytes()[..], path].concat());
            }
            Self::Output(Output::Stdout, bytes) => put(out, STDOUT, command, bytes),
            Self::Output(Output::Stderr, bytes) => put(out, STDERR, command, bytes),
            Self::Output(Output::Control, bytes) => put(out, CONTROL, command, bytes),
            Self::End(output) => put(out, END, command, &[output.number()]),
            Self::Exit(exit) => put(out, EXIT, command, &exit.encode()),
            Self::Pids(pids) => {
                let bytes: Vec<u8> = pids.iter().take(MAX_PIDS).flat_map(|pid| pid.to_le_bytes()).collect();
                put(out, PIDS, command, &bytes);
            }
            Self::Credit { count } => put(out, STDIN_CREDIT, command, &count.to_le_bytes()),
            Self::StdinGone => put(out, STDIN_GONE, command, &[]),
            Self::Pong(bytes) => put(out, PONG, command, bytes),
            Self::Fatal(text) => put(out, FATAL, command, &text[..text.len().min(MAX_PAYLOAD)]),
            Self::Look(bytes) => put(out, SHELL_LOOK, command, bytes),
            Self::Gone => put(out, GONE, command, &[]),
        }
    }

    /// Reads a frame.
    ///
    /// # Errors
    ///
    /// When the kind is unknown, or the payload is none of that kind.
    pub fn decode(frame: Frame<'a>) -> Result<Self, Malformed> {
        let payload = frame.payload;
        let message = match frame.kind {
            SUPERVISOR_HELLO => Self::Hello(SupervisorHello::decode(payload)?),
            STARTED => {
                let (pid, directory) = payload.split_first_chunk().ok_or(Malformed)?;
                Self::Started { pid: u32::from_le_bytes(*pid), directory }
            }
            FAILED => {
                let (&step, rest) = payload.split_first().ok_or(Malformed)?;
                let (errno, path) = rest.split_first_chunk().ok_or(Malformed)?;
                Self::Failed { step: FailedStep::from_number(step)?, errno: i32::from_le_bytes(*errno), path }
            }
            STDOUT => Self::Output(Output::Stdout, payload),
            STDERR => Self::Output(Output::Stderr, payload),
            CONTROL => Self::Output(Output::Control, payload),
            END => {
                let &[output] = payload else { return Err(Malformed) };
                Self::End(Output::from_number(output)?)
            }
            EXIT => Self::Exit(RemoteExit::decode(payload)?),
            PIDS => {
                let (pids, rest) = payload.as_chunks();
                if !rest.is_empty() || pids.len() > MAX_PIDS {
                    return Err(Malformed);
                }
                Self::Pids(pids.iter().map(|pid| u32::from_le_bytes(*pid)).collect())
            }
            STDIN_CREDIT => Self::Credit { count: number(payload)? },
            STDIN_GONE if payload.is_empty() => Self::StdinGone,
            PONG if payload.len() <= MAX_PING => Self::Pong(payload),
            FATAL => Self::Fatal(payload),
            SHELL_LOOK => Self::Look(payload),
            SHELL => {
                let (program, directory) = payload.split_first_chunk().ok_or(Malformed)?;
                Self::Shell { program: u32::from_le_bytes(*program), directory }
            }
            GONE if payload.is_empty() => Self::Gone,
            _ => return Err(Malformed),
        };
        let is_of_connection = matches!(message, Self::Hello(_) | Self::Pong(_) | Self::Fatal(_));
        if is_of_connection == (frame.command == 0) { Ok(message) } else { Err(Malformed) }
    }
}

impl RemoteExit {
    fn encode(&self) -> Vec<u8> {
        let bits = [
            (self.is_signal, IS_SIGNAL),
            (self.is_alone, IS_ALONE),
            (self.is_out_of_memory, IS_OUT_OF_MEMORY),
        ];
        let kind = bits.iter().filter(|(is_set, _)| *is_set).fold(0, |kind, (_, bit)| kind | bit);
        let mut bytes = kind.to_le_bytes().to_vec();
        bytes.extend(self.value.to_le_bytes());
        for number in [micros(self.user), micros(self.system), self.peak_memory, micros(self.wall)] {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    }

    fn decode(payload: &[u8]) -> Result<Self, Malformed> {
        let (kind_and_value, rest) = payload.split_at_checked(8).ok_or(Malformed)?;
        let [kind, value] = two_numbers(kind_and_value)?;
        let (numbers, rest) = rest.as_chunks();
        let &[user, system, peak_memory, wall] = numbers else { return Err(Malformed) };
        if kind & !(IS_SIGNAL | IS_ALONE | IS_OUT_OF_MEMORY) != 0 || !rest.is_empty() {
            return Err(Malformed);
        }
        let time = |bytes| Duration::from_micros(u64::from_le_bytes(bytes));
        Ok(Self {
            value,
            is_signal: kind & IS_SIGNAL != 0,
            is_alone: kind & IS_ALONE != 0,
            is_out_of_memory: kind & IS_OUT_OF_MEMORY != 0,
            user: time(user),
            system: time(system),
            peak_memory: u64::from_le_bytes(peak_memory),
            wall: time(wall),
        })
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

fn number(payload: &[u8]) -> Result<u32, Malformed> {
    payload.try_into().map(u32::from_le_bytes).map_err(|_| Malformed)
}

fn two_numbers(payload: &[u8]) -> Result<[u32; 2], Malformed> {
    let &[a0, a1, a2, a3, b0, b1, b2, b3] = payload else { return Err(Malformed) };
    Ok([u32::from_le_bytes([a0, a1, a2, a3]), u32::from_le_bytes([b0, b1, b2, b3])])
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::frame::{Frame, FrameReader};
    use super::*;

    /// Returns the first frame of these bytes.
    fn with_frame<T>(bytes: &[u8], act: impl FnOnce(Frame<'_>) -> T) -> T {
        let mut reader = FrameReader::default();
        reader.push(bytes);
        act(reader.next_frame().expect("a frame").expect("a whole one"))
    }

    #[test]
    fn messages_to_the_supervisor_are_read_as_they_were_written() {
        let size = WindowSize { columns: 80, rows: 24 };
        for (command, message) in [
            (0, ToSupervisor::Hello(ClientHello::new(5))),
            (3, ToSupervisor::Plan(b"part")),
            (3, ToSupervisor::Start),
            (3, ToSupervisor::Stdin(b"in")),
            (3, ToSupervisor::StdinEnd),
            (3, ToSupervisor::Signal { number: 15, scope: Scope::End }),
            (3, ToSupervisor::Resize(size)),
            (3, ToSupervisor::Credit { output: Output::Stderr, count: 9 }),
            (0, ToSupervisor::Ping(b"12345678")),
            (3, ToSupervisor::Close { kills: true, drops_output: false }),
            (3, ToSupervisor::List(Listed::Background)),
            (3, ToSupervisor::Lines(b":\n")),
            (3, ToSupervisor::Look { first: 10, named: b"/tmp" }),
            (3, ToSupervisor::SignalEach { number: 9, identities: b"123456789012" }),
            (0, ToSupervisor::Bye),
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
            (1, ToClient::Output(Output::Stdout, b"out")),
            (1, ToClient::Output(Output::Stderr, b"")),
            (1, ToClient::End(Output::Stdout)),
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
            kind: u8, command in 0_u32..3, payload in vec(any::<u8>(), 0..60),
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
