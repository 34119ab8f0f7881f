//! A process that sleeps, and the waits of its threads, as data.

use std::time::Duration;

use crate::process::identity::Pid;

/// The source of a process's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputFile {
    /// A terminal, by its device number.
    Terminal(u64),
    /// A pipe, by its inode.
    Pipe(u64),
}

/// A process that sleeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sleeper {
    pub pid: Pid,
    pub group: i32,
    /// The device number of its controlling terminal; 0 for none.
    pub terminal: u64,
    /// The waits of the threads; `None` where the kernel hides them, as for a program of another user.
    pub waits: Option<Vec<Wait>>,
}

/// The wait of a thread in a system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    pub call: Call,
    /// The descriptors that the thread waits to read.
    pub descriptors: Vec<i32>,
    /// The longest time of the wait; `None` for no limit.
    pub timeout: Option<Duration>,
}

/// A kind of system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Read,
    /// A wait for any of several descriptors.
    Poll,
    /// A wait by an epoll descriptor. Its set may hold descriptors that the program no longer reads: libuv
    /// removes such a descriptor only when it is next ready.
    Epoll,
}
