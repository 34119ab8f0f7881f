//! A request to start a program, and its result.

use std::ffi::CString;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::process::{Pid, Signal};

use super::Limits;
use super::script::SCRIPT_DESCRIPTOR;
use crate::process::errno::Errno;
use crate::process::registry::LeaderRecord;

/// A program to start, with nothing left to decide.
#[derive(Clone, Copy, Debug)]
pub struct SpawnRequest<'a> {
    /// The paths to try, in order, as `execvp` does.
    pub candidates: &'a [CString],
    /// The arguments, beginning with the program's own name.
    pub arguments: &'a [CString],
    /// The whole environment, as `NAME=value`.
    pub environment: &'a [CString],
    /// The working directory, already open.
    pub directory: BorrowedFd<'a>,
    pub stdio: StandardStreams<'a>,
    /// One more descriptor for the child, such as the script that its shell reads.
    pub extra_fd: Option<FdMapping<'a>>,
    /// The record of the line that the child writes, before it executes, into the table that the guardian
    /// reads.
    pub record: Option<&'a LeaderRecord<'a>>,
    pub attributes: Attributes<'a>,
    /// The resource limits of the child.
    pub limits: &'a Limits,
    /// The value of the [`Tag`](crate::process::tag::Tag) that the child and its descendants carry (Linux).
    /// The child has none if its `RLIMIT_LOCKS` may not be that high.
    pub tag: Option<u64>,
}

/// The standard streams of a child.
#[derive(Clone, Copy, Debug)]
pub struct StandardStreams<'a> {
    pub stdin: BorrowedFd<'a>,
    pub stdout: BorrowedFd<'a>,
    pub stderr: BorrowedFd<'a>,
}

/// The process attributes of a child. By default, the child inherits no descriptors, has no parent-death
/// signal, is no subreaper, ignores no signal and stays in the host's cgroup.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent attributes")]
pub struct Attributes<'a> {
    /// Whether standard input is a terminal that becomes the child's controlling terminal.
    pub has_terminal: bool,
    /// Whether the child inherits the descriptors that other code in this process has left open for children.
    ///
    /// A child of Node inherits them on Linux, and none elsewhere. The engine's descriptors are never among
    /// them.
    pub inherits_descriptors: bool,
    /// The parent-death signal: the kernel sends it to the child when the spawning *thread* ends (Linux).
    /// That thread must live as long as the process.
    pub pdeathsig: Option<Signal>,
    /// Whether orphaned descendants become children of this child instead of init (Linux), so that they can
    /// be found.
    pub is_subreaper: bool,
    /// Whether the child ignores SIGHUP, SIGINT, SIGQUIT and SIGTERM from its first moment on (Linux; its
    /// program must do so itself elsewhere).
    ///
    /// Until the child executes, it has the host's name and program, so it gets the signals that a user sends
    /// to all processes with that name or program. These signals are discarded.
    pub ignores_termination: bool,
    /// The directory of the cgroup in which the child begins (Linux).
    pub cgroup: Option<BorrowedFd<'a>>,
}

/// A descriptor of the host and its number in the child.
#[derive(Clone, Copy, Debug)]
pub struct FdMapping<'a> {
    /// The open file in the host.
    pub source: BorrowedFd<'a>,
    /// The number in the child, above those of the standard streams.
    pub target: i32,
}

impl<'a> FdMapping<'a> {
    /// Maps a script, which the child reads to its end, to [`SCRIPT_DESCRIPTOR`].
    #[must_use]
    pub const fn script(source: BorrowedFd<'a>) -> Self {
        Self { source, target: SCRIPT_DESCRIPTOR }
    }
}

/// A child that runs its program.
#[derive(Debug)]
pub struct Spawned {
    /// The pid, which is also the id of the child's group and session.
    pub pid: Pid,
    /// The pidfd, where the kernel has pidfds.
    pub pidfd: Option<OwnedFd>,
}

/// The steps at which a spawn can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The kernel had no process or no memory left.
    Clone,
    /// The child could not enter its working directory.
    Directory,
    /// The child could not set up its descriptors.
    Descriptors,
    /// The child could not set its limits.
    Limits,
    /// The child could not enter its cgroup.
    Cgroup,
    /// The program could not be executed.
    Execute,
    /// The helper program, through which the child is started, could not be used (macOS).
    Helper,
    /// A SIGKILL ended the helper program before it did anything (macOS).
    HelperKilled,
}

/// A spawn that failed. No child is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpawnError {
    pub step: Step,
    pub errno: Errno,
}

impl SpawnError {
    pub(crate) fn at(step: Step) -> impl Fn(io::Error) -> Self {
        move |error| Self { step, errno: Errno::of(&error) }
    }
}
