//! The pipes between a command and the host.

use std::io;

use crate::job::model::plan::{Input, Plan};
use crate::process::pipe::{ChildEnd, Stream, empty_input, input_pipe, pipe};

/// Both ends of the pipes of a command without a terminal.
pub(super) struct CommandPipes {
    pub(super) stdin: ChildEnd,
    /// `None` for a command without input.
    pub(super) stdin_writer: Option<Stream>,
    pub(super) stdout: Stream,
    pub(super) stdout_writer: ChildEnd,
    /// `None`, as its writer, where standard error shares the pipe of standard output.
    pub(super) stderr: Option<Stream>,
    pub(super) stderr_writer: Option<ChildEnd>,
}

impl CommandPipes {
    /// Creates the pipes.
    ///
    /// # Errors
    ///
    /// The system's error, such as `EMFILE`.
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
}
