//! Detects whether a job waits for input: which process, in which way, and after which prompt.
//!
//! A program that waits for input sleeps in a system call that reads the job's input, or polls it among other
//! descriptors. So the engine asks the kernel, from time to time while the job is silent. It never guesses
//! from the output.
//!
//! The number of a descriptor says nothing (less reads from 3, Node.js from 17): a descriptor is the input if
//! it is the device of the job's terminal or the pipe of its standard input. Only the foreground process
//! group can read from its controlling terminal; the engine queries that group at its own end, because the
//! other end answers only members of its session.
//!
//! * [`rule`] decides whether a process waits, from the state of the process and of the input; it is pure.
//! * [`schedule`] decides when to check, and which checks make a wait; it is pure.
//! * `inspection` reads that state from the kernel, and `leader_input` the input itself.

#[cfg(unix)]
pub mod inspection;
#[cfg(target_os = "linux")]
pub mod leader_input;
pub mod rule;
pub mod schedule;

use std::time::Duration;

/// A wait of a job for input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputWait {
    pub kind: InputKind,
    pub how: WaitMethod,
    /// The longest time of the wait, if one is known.
    pub timeout: Option<Duration>,
    /// Whether the same process listens on a TCP socket: a server that also takes keys.
    pub is_listening: bool,
    /// Whether the kernel has shown the system call; false for a wait that is concluded from the terminal's
    /// mode alone.
    pub is_certain: bool,
    /// The process that waits.
    pub pid: i32,
    pub program: String,
    /// The last unfinished line of the job's output.
    pub prompt: String,
}

impl InputWait {
    /// Returns whether both are the same wait, apart from the prompt.
    fn is_like(&self, other: &Self) -> bool {
        (self.kind, self.how, self.pid) == (other.kind, other.how, other.pid)
    }
}

/// The kind of input that a job waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A line that the terminal echoes.
    Line,
    /// A line that the terminal does not echo.
    Password,
    /// Single keys: the terminal passes each on at once.
    Keys,
    /// Data from a pipe.
    Pipe,
}

impl InputKind {
    /// Returns the name in `index.d.ts`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Password => "password",
            Self::Keys => "keys",
            Self::Pipe => "pipe",
        }
    }
}

/// The way in which a job waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitMethod {
    /// A thread sleeps in a read of the input.
    Read,
    /// A thread polls the input, perhaps with other descriptors.
    Poll,
}

impl WaitMethod {
    /// Returns the name in `index.d.ts`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Poll => "poll",
        }
    }
}
