//! The ends of a command's pipes.

use std::os::windows::io::{AsHandle, BorrowedHandle};

use crate::job::launch::HostEnds;
use crate::job::launch::pipes::CommandPipes;

impl CommandPipes {
    /// Returns the handles of the command: standard input, output and error.
    pub(super) fn of_child(&self) -> [BorrowedHandle<'_>; 3] {
        let stderr = self.stderr_writer.as_ref().unwrap_or(&self.stdout_writer);
        [self.stdin.as_handle(), self.stdout_writer.as_handle(), stderr.as_handle()]
    }

    /// Closes the command's ends, and returns the host's.
    pub(super) fn into_host_ends(self) -> HostEnds {
        HostEnds { stdin: self.stdin_writer, stdout: self.stdout, stderr: self.stderr, terminal: None }
    }
}
