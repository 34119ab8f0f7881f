//! A shell on this machine: its files, and its process as the process table shows it.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use crate::process::identity::Pid;
use crate::process::signal::Signal;

use super::below::BelowShell;
use crate::process::blocked::{inode_of_descriptor, waits_for_open, waits_for_pipe};
use crate::process::directory::{current_directory, device_and_inode_seen_by};
use crate::process::fd::room::room_for_descriptors;
use crate::process::identity::Identity;
use crate::process::pipe::PipeReader;
use crate::process::table::{self, cpu_time};
use crate::process::tree;
use crate::session::shell::directory::ShellDirectory;
use crate::session::shell::files::CTL;

#[derive(Debug)]
pub(in crate::session) struct LocalShell {
    pub(in crate::session) directory: ShellDirectory,
    /// A writing end of the control pipe, held so that the pipe does not end between two reports.
    #[allow(dead_code, reason = "it is only held")]
    control_writer: Option<OwnedFd>,
    /// The shell's process, once the shell has reported for the first time. `None` where there is no process
    /// table.
    identity: Option<Identity>,
    /// The inode of the shell's standard input, from which it reads its lines.
    commands: Option<u64>,
}

impl LocalShell {
    /// Opens the control pipe of a directory.
    pub(in crate::session::shell) fn new(directory: ShellDirectory) -> io::Result<(Self, PipeReader)> {
        let (control, control_writer) = open_control(&directory)?;
        Ok((Self { directory, control_writer, identity: None, commands: None }, control))
    }

    /// Records the shell's process.
    pub(in crate::session::shell) fn identify(&mut self, pid: Pid) {
        self.identity = Identity::of(pid);
        if self.identity.is_some() {
            self.commands = inode_of_descriptor(pid, 0);
        }
    }

    /// Creates the files again that a command has removed. Returns a new control pipe.
    pub(in crate::session::shell) fn repair(&mut self) -> io::Result<Option<PipeReader>> {
        if !self.directory.repair()? {
            return Ok(None);
        }
        let (control, writer) = open_control(&self.directory)?;
        self.control_writer = writer;
        Ok(Some(control))
    }

    pub(in crate::session::shell) fn is_idle(&self) -> bool {
        matches!((self.identity, self.commands), (Some(identity), Some(inode))
            if waits_for_pipe(identity.pid, inode))
    }

    pub(in crate::session::shell) fn waits_for_open(&self) -> bool {
        self.identity.is_some_and(|identity| waits_for_open(identity.pid))
    }

    pub(in crate::session::shell) fn room_for_descriptors(&self, first: u64) -> Option<u64> {
        room_for_descriptors(self.identity?.pid, first)
    }

    /// Returns whether the shell ignores a signal, or there is no process table.
    pub(in crate::session::shell) fn ignores(&self, signal: Signal) -> bool {
        self.identity.is_none_or(|identity| table::ignores(identity.pid, signal))
    }

    pub(in crate::session::shell) fn signal(&self, signal: Signal) {
        if let Some(identity) = self.identity {
            identity.send(signal);
        }
    }

    pub(in crate::session::shell) fn is_stopped(&self) -> bool {
        self.identity.is_none_or(|identity| table::is_stopped_or_gone(identity.pid))
    }

    /// Kills the shell. Returns false for one that can't be signalled.
    pub(in crate::session::shell) fn kill(&self) -> bool {
        self.identity.is_some_and(|identity| identity.send(Signal::KILL) || !identity.is_alive())
    }

    pub(in crate::session::shell) fn processes(&self) -> Vec<BelowShell> {
        let Some(identity) = self.identity else { return Vec::new() };
        tree::descendants(identity.pid).into_iter().map(BelowShell::from).collect()
    }

    /// Returns whether no process is below the shell, as far as one small file tells.
    pub(in crate::session::shell) fn has_no_children(&self) -> bool {
        let children = self.identity.and_then(|identity| table::children_of(identity.pid));
        children.is_some_and(|children| children.is_empty())
    }

    pub(in crate::session::shell) fn cpu_time(&self) -> Option<(Duration, Duration)> {
        cpu_time(self.identity?.pid)
    }

    /// Returns the directory of the shell, and whether `named` is one of its names. In a sandbox, both are
    /// paths as the shell sees them.
    pub(in crate::session::shell) fn directory_of_shell(
        &self,
        named: &Path,
    ) -> Option<(Option<String>, bool)> {
        let pid = self.identity?.pid;
        let real = current_directory(pid)?;
        let is_named =
            named.is_absolute() && device_and_inode_seen_by(pid, named) == Some(real.device_and_inode);
        Some((real.path.map(|path| path.to_string_lossy().into_owned()), is_named))
    }
}

fn open_control(directory: &ShellDirectory) -> io::Result<(PipeReader, Option<OwnedFd>)> {
    let reader = directory.open_reader(CTL)?;
    let writer = directory.open_writer(CTL);
    Ok((PipeReader::new(reader)?, writer))
}
