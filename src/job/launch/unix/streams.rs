//! The pipes of a command, before and while it starts.

use std::io;
use std::os::fd::OwnedFd;

use crate::job::launch::HostEnds;
use crate::job::launch::pipes::CommandPipes;
use crate::job::model::plan::Plan;
use crate::process::fd::above_standard_streams;
use crate::process::pipe::inode;
use crate::process::pty::{Peer, Pty, WindowSize};
use crate::process::registry::Pipes;

/// Both ends of a command's streams. The host closes the command's ends once the command has its copies.
pub(super) struct Streams {
    pub(super) stdin: OwnedFd,
    pub(super) stdin_writer: Option<OwnedFd>,
    pub(super) stdout: OwnedFd,
    /// `None` where standard output is the terminal, which `stdin` holds.
    stdout_writer: Option<OwnedFd>,
    pub(super) stderr: Option<OwnedFd>,
    /// `None` where standard error shares the descriptor of standard output.
    stderr_writer: Option<OwnedFd>,
    /// Whether the streams are a terminal.
    pub(super) is_terminal: bool,
}

impl Streams {
    pub(super) fn new(plan: &Plan) -> io::Result<Self> {
        let CommandPipes { stdin, stdin_writer, stdout, stdout_writer, stderr, stderr_writer } =
            CommandPipes::new(plan)?;
        let stdout_writer = Some(stdout_writer);
        Ok(Self { stdin, stdin_writer, stdout, stdout_writer, stderr, stderr_writer, is_terminal: false })
    }

    pub(super) fn of_terminal(size: WindowSize) -> io::Result<Self> {
        let Pty { main, peer } = Pty::open(size)?;
        Ok(Self {
            stdin: peer,
            stdin_writer: Some(above_standard_streams(main.try_clone()?)?),
            stdout: main,
            stdout_writer: None,
            stderr: None,
            stderr_writer: None,
            is_terminal: true,
        })
    }

    pub(super) fn stdout_of_child(&self) -> &OwnedFd {
        self.stdout_writer.as_ref().unwrap_or(&self.stdin)
    }

    pub(super) fn stderr_of_child(&self) -> &OwnedFd {
        self.stderr_writer.as_ref().unwrap_or_else(|| self.stdout_of_child())
    }

    /// Closes the command's ends except for its terminal, and returns the host's.
    pub(super) fn into_host_ends(self) -> HostEnds {
        HostEnds {
            terminal: self.is_terminal.then(|| Peer::new(self.stdin)),
            stdin: self.stdin_writer,
            stdout: self.stdout,
            stderr: self.stderr,
        }
    }

    /// Returns the inodes of the pipes, by which holders of the output are found; 0 for a stream that does
    /// not exist.
    pub(super) fn inodes(&self) -> Pipes {
        [inode(&self.stdout), self.stderr.as_ref().map_or(0, inode)]
    }
}
