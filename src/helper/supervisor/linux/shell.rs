//! The shell of a session, as the supervisor has it: a private directory, through which the shell gets its
//! commands and reports their ends.
//!
//! ```text
//! DIR (mode 0700)          the supervisor
//!   command, …  files      ◀── writes what the host sends
//!   o, e        named pipes ──▶ reads, for one command at a time
//!   p           a named pipe ◀── writes the input of a command
//!   ctl         a named pipe ──▶ reads the reports
//! ```
//!
//! `session/` has the meaning of the files and the lines. Commands can write there too.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use crate::helper::supervisor::protocol::pipes::{CTL, INPUT_PIPE, STDERR, STDOUT};
use crate::helper::supervisor::protocol::plan::{InShell, RemotePlan, ShellFile};
use crate::process::directory::private::{PipeEnd, PrivateDirectory, remove_orphans_in};

/// The parent of the private directories: each system has it, and commands rarely clean it up.
const PARENT: &str = "/tmp";

/// The private directory of a shell.
#[derive(Debug)]
pub(super) struct SupervisedShell {
    directory: PrivateDirectory,
}

/// The supervisor's ends of the streams of a command in a shell.
#[derive(Debug, Default)]
pub(super) struct SupervisedStreams {
    pub(super) outputs: [Option<OwnedFd>; 2],
    /// Writing ends, which keep the outputs from ending before the shell has reported.
    pub(super) writers: Vec<OwnedFd>,
}

impl SupervisedShell {
    /// Makes the directory. Removes those that dead supervisors have left.
    pub(super) fn new() -> io::Result<Self> {
        let parent = Path::new(PARENT);
        remove_orphans_in(parent);
        Ok(Self { directory: PrivateDirectory::create_in(parent)? })
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Makes the pipe of the reports, and returns both ends: with the writing one open, the pipe does not end
    /// between two reports.
    pub(super) fn open_control(&self) -> io::Result<[OwnedFd; 2]> {
        self.make_pipe(CTL)
    }

    /// Returns whether a command has removed the pipe of the reports.
    pub(super) fn lacks_control(&self) -> bool {
        !self.directory.type_of(CTL).is_some_and(|kind| kind.is_fifo())
    }

    /// Writes the files of a command, and makes its streams anew: a process of an earlier command may still
    /// hold the ones before.
    pub(super) fn prepare(&self, plan: &RemotePlan, part: &InShell) -> io::Result<SupervisedStreams> {
        let mut streams = SupervisedStreams::default();
        if part.has_streams {
            let names = if plan.is_merged { &[STDOUT][..] } else { &[STDOUT, STDERR] };
            for (name, output) in names.iter().zip(&mut streams.outputs) {
                let [reader, writer] = self.make_pipe(name)?;
                *output = Some(reader);
                streams.writers.push(writer);
            }
            if plan.has_input {
                self.directory.make_pipe(INPUT_PIPE)?;
            }
        }
        for ShellFile { name, bytes, is_constant } in &part.files {
            let kind = self.directory.type_of(name);
            if !is_constant || !kind.is_some_and(|kind| kind.is_file()) {
                self.directory.make_way(name);
                self.directory.write(name, bytes)?;
            }
        }
        Ok(streams)
    }

    /// Opens the input of a command; `None` until the shell has opened its end.
    pub(super) fn open_input(&self) -> Option<OwnedFd> {
        self.directory.open_pipe(INPUT_PIPE, PipeEnd::Writing).ok()
    }

    fn make_pipe(&self, name: &str) -> io::Result<[OwnedFd; 2]> {
        self.directory.make_pipe(name)?;
        let reader = self.directory.open_pipe(name, PipeEnd::Reading)?;
        Ok([reader, self.directory.open_pipe(name, PipeEnd::Writing)?])
    }
}
