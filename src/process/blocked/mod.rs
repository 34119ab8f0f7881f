//! Reads the system calls that the threads of a process sleep in, and the descriptors that they wait for.
//!
//! `linux` reads `/proc`, `calls` parses its files, and `pipe` checks one thread and one pipe. Other systems
//! do not show system calls: every process there counts as hidden.

use std::time::Duration;

use rustix::process::Pid;

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(target_os = "linux")]
mod pipe;

#[cfg(target_os = "linux")]
pub use linux::{inspect, is_input, listens_on_any, name_of};
#[cfg(not(target_os = "linux"))]
pub use other::{
    inode_of_descriptor, inspect, is_input, listens_on_any, name_of, waits_for_open, waits_for_pipe,
};
#[cfg(target_os = "linux")]
pub use pipe::{inode_of_descriptor, waits_for_open, waits_for_pipe};

/// Whether this system shows what threads sleep in.
pub const IS_SHOWN: bool = cfg!(target_os = "linux");

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
