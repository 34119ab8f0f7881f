//! The pipes of a command, before and while it starts.

use std::io;
use std::os::windows::io::{AsHandle, BorrowedHandle};

use crate::job::launch::HostEnds;
use crate::job::model::plan::{Input, Plan};
use crate::process::pipe::{ChildEnd, Stream, empty_input, input_pipe, pipe};

/// Both ends of a command's streams. The host closes the command's ends once the command has its copies.
pub(super) struct Streams {
    stdin: ChildEnd,
    stdin_writer: Option<Stream>,
    stdout: Stream,
    stdout_writer: ChildEnd,
    stderr: Option<Stream>,
    /// `None` where standard error shares the pipe of standard output.
    stderr_writer: Option<ChildEnd>,
}

impl Streams {
    /// Creates the pipes. The current thread must have entered the runtime of the I/O thread.
    pub(super) fn new(plan: &Plan) -> io::Result<Self> {
        let (stdout, stdout_writer) = pipe()?;
        let (stderr, stderr_writer) = if plan.output.is_merged { None } else { Some(pipe()?) }.unzip();
        let (stdin, stdin_writer) = match plan.input {
            Input::Empty => (empty_input()?, None),
            Input::Bytes(_) | Input::Open => {
                let (reader, writer) = input_pipe()?;
                (reader, Some(writer))
            }
        };
        Ok(Self { stdin, stdin_writer, stdout, stdout_writer, stderr, stderr_writer })
    }

    pub(super) fn of_child(&self) -> [BorrowedHandle<'_>; 3] {
        let stderr = self.stderr_writer.as_ref().unwrap_or(&self.stdout_writer);
        [self.stdin.as_handle(), self.stdout_writer.as_handle(), stderr.as_handle()]
    }

    /// Closes the command's ends, and returns the host's.
    pub(super) fn into_host_ends(self) -> HostEnds {
        HostEnds { stdin: self.stdin_writer, stdout: self.stdout, stderr: self.stderr, terminal: None }
    }
}
