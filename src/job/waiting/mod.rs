//! Whether a job waits for input: who, how, and after which prompt.
//!
//! A program that waits sleeps in a system call that reads the job's input, or that waits for it among other things. So
//! the kernel is asked, from time to time while the job is silent, and no output is guessed at.
//!
//! * [`rule`] decides from what is known of the processes and the input; it is pure.
//! * [`schedule`] says when to look, and which looks make a wait; it is pure.
//! * [`inspection`] asks the kernel.

pub mod inspection;
pub mod rule;
pub mod schedule;

use std::time::Duration;

/// A job that waits for input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputWait {
    /// The kind of input that the program waits for.
    pub kind: Kind,
    /// The manner of the wait.
    pub how: How,
    /// The longest time of the wait, if one is known.
    pub timeout: Option<Duration>,
    /// Whether the same process listens on a TCP socket: a server that also takes keys.
    pub is_listening: bool,
    /// Whether the kernel has shown the wait; false for what is concluded from the terminal's mode alone.
    pub is_certain: bool,
    /// The process that waits.
    pub pid: i32,
    /// The name of its program.
    pub program: String,
    /// The last unfinished line of the job's output.
    pub prompt: String,
}

impl InputWait {
    /// Returns whether both are the same wait, whatever has been written.
    fn is_like(&self, other: &Self) -> bool {
        (self.kind, self.how, self.pid) == (other.kind, other.how, other.pid)
    }
}

/// The kind of input that a job waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A line, which the terminal shows while it is typed.
    Line,
    /// A line, which the terminal does not show.
    Password,
    /// Keys, each of which the program gets at once.
    Keys,
    /// Data of the pipe that is standard input.
    Pipe,
}

impl Kind {
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

/// The manner in which a job waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// A thread sleeps in a read of the input.
    Read,
    /// A thread waits for the input among other things.
    Poll,
}

impl How {
    /// Returns the name in `index.d.ts`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Poll => "poll",
        }
    }
}
