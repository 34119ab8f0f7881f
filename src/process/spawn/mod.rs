//! Starting a program, at a cost that does not depend on the size of the host.
//!
//! The child gets a session of its own without a controlling terminal, the default disposition of every standard
//! signal, an empty signal mask, none of our descriptors but the ones it was meant to have, and limits of its own.

use std::ffi::CString;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::process::{Pid, Signal};

use super::errno::Errno;
use super::registry::Record;

mod limits;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
use macos as platform;
mod script;
mod search;

pub use limits::Limits;
pub use platform::spawn;
pub use script::{
    COMMANDS_DESCRIPTOR, LONGEST_ARGUMENT, SCRIPT_DESCRIPTOR, can_read_script, read_script, script_file,
};
pub use search::candidates;

/// A program to start, with nothing left to decide.
#[derive(Debug)]
pub struct Request<'a> {
    /// The paths to try, in order, as `execvp` does.
    pub candidates: &'a [CString],
    /// The arguments, the program's own name first.
    pub arguments: &'a [CString],
    /// The whole environment, as `NAME=value`.
    pub environment: &'a [CString],
    /// The working directory, already open.
    pub directory: BorrowedFd<'a>,
    /// Standard input.
    pub stdin: BorrowedFd<'a>,
    /// Standard output.
    pub stdout: BorrowedFd<'a>,
    /// Standard error.
    pub stderr: BorrowedFd<'a>,
    /// Where the child finds what it is to run.
    pub script: Option<Script<'a>>,
    /// Where the child enters itself, before it executes, into the table that the guardian reads.
    pub record: Option<&'a Record<'a>>,
    /// Whether the child gets the descriptors that other code in this process has left open for children, as a child
    /// of Node does (Linux; a child of Node gets none elsewhere). Ours are never among them.
    pub inherits_descriptors: bool,
    /// What the kernel sends to the child when the spawning *thread* ends (Linux). Such a thread must live as long as
    /// the process.
    pub at_thread_end: Option<Signal>,
    /// Whether orphans below the child become its children instead of init's (Linux), so that they can be found.
    pub adopts_orphans: bool,
    /// Whether SIGHUP, SIGINT, SIGQUIT and SIGTERM are ignored from the first moment of the child on (Linux; its program
    /// must see to that elsewhere). Until the child executes, it looks like the host, and gets what is sent to all that
    /// look like the host: such signals are dropped.
    pub ignores_termination: bool,
    /// What the child may use at most (Linux; any limit is an error elsewhere).
    pub limits: &'a Limits,
    /// The number that the child and all that it starts carry (Linux), as a [`Tag`](super::tag::Tag) gives it. A child
    /// whose `RLIMIT_LOCKS` may not be that high has none.
    pub tag: Option<u64>,
}

/// A file that the child finds open.
#[derive(Clone, Copy, Debug)]
pub struct Script<'a> {
    /// The file.
    pub file: BorrowedFd<'a>,
    /// The number of its descriptor in the child, above those of the standard streams.
    pub number: i32,
}

impl<'a> Script<'a> {
    /// A file with a script in it, which the child reads to its end.
    #[must_use]
    pub const fn new(file: BorrowedFd<'a>) -> Self {
        Self { file, number: SCRIPT_DESCRIPTOR }
    }

    /// A socket on which the child waits for a command.
    #[must_use]
    pub const fn of_commands(file: BorrowedFd<'a>) -> Self {
        Self { file, number: COMMANDS_DESCRIPTOR }
    }
}

/// A child that runs.
#[derive(Debug)]
pub struct Spawned {
    /// Its number; also the number of its group and session.
    pub pid: Pid,
    /// Its pidfd, where the kernel has them.
    pub pidfd: Option<OwnedFd>,
}

/// Where a spawn failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// There was no process, no memory.
    Clone,
    /// The child could not enter its working directory.
    Directory,
    /// The child could not set up its descriptors.
    Descriptors,
    /// The child could not limit itself.
    Limits,
    /// The program could not be executed.
    Execute,
}

/// A spawn that failed. There is no child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpawnError {
    /// Where.
    pub step: Step,
    /// With which error.
    pub errno: Errno,
}

impl SpawnError {
    fn at(step: Step) -> impl Fn(io::Error) -> Self {
        move |error| Self { step, errno: Errno::of(&error) }
    }
}
