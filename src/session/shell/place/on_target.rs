//! A shell on a target. The supervisor there has its files, and a scan of its reaper shows the process.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::below::BelowShell;
use crate::helper::supervisor::protocol::enums::FailedStep;
use crate::helper::supervisor::protocol::plan::ShellFile;
use crate::helper::supervisor::protocol::shell_scan::ShellScan;
use crate::process::identity::Identity;
use crate::process::pipe::PipeReader;
use crate::process::signal::Signal;
use crate::session::shell::flavor::SessionFlavor;
use crate::session::shell::lines::own_streams::OwnStreams;
use crate::target::StartError;
use crate::target::remote_command::TargetReport;
use crate::target::shell::{RemoteShell, StreamsInShell, WantedInShell};

#[derive(Debug)]
pub(in crate::session) struct TargetShell {
    slot: watch::Receiver<Option<Arc<RemoteShell>>>,
    /// The shell, once it runs.
    shell: Option<Arc<RemoteShell>>,
    /// The files that stay the same, and are restored if a command removes them.
    constant_files: Vec<ShellFile>,
    /// The shell as it was last seen.
    scan: ShellScan,
    /// The time that the last scan took.
    latency: Duration,
}

impl TargetShell {
    pub(in crate::session::shell) fn new(slot: watch::Receiver<Option<Arc<RemoteShell>>>) -> Self {
        Self {
            slot,
            shell: None,
            constant_files: Vec::new(),
            scan: ShellScan::default(),
            latency: Duration::ZERO,
        }
    }

    /// Waits until the shell runs. Never returns if it does not start.
    pub(in crate::session::shell) async fn launched(&mut self) {
        if self.slot.wait_for(Option::is_some).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Takes the shell that runs. Returns its program's number and the pipe with its reports.
    pub(in crate::session::shell) fn connect(&mut self) -> Option<(usize, PipeReader)> {
        let shell = self.slot.borrow().clone()?;
        let control = PipeReader::new(shell.take_control()?).ok()?;
        let program = shell.program();
        self.shell = Some(shell);
        Some((program, control))
    }

    /// Writes the files that the shell needs for any command.
    pub(in crate::session::shell) async fn write_files(
        &mut self,
        flavor: SessionFlavor,
        own_streams: OwnStreams,
    ) -> io::Result<()> {
        let scripts = flavor.scripts(self.directory(), own_streams).into_iter();
        self.constant_files = scripts
            .map(|(name, text)| ShellFile {
                name: name.to_owned(),
                bytes: text.into_bytes(),
                is_constant: true,
            })
            .collect();
        self.repair().await
    }

    /// Creates the files again that a command has removed.
    pub(in crate::session::shell) async fn repair(&self) -> io::Result<()> {
        self.send_files(None, None).await.map(drop)
    }

    /// Writes the file of a command, and makes its streams.
    ///
    /// # Errors
    ///
    /// `NotConnected` for a lost target, or the system's error there.
    pub(in crate::session) async fn prepare(
        &self,
        file: Option<(&str, &[u8])>,
        wanted: WantedInShell,
    ) -> io::Result<StreamsInShell> {
        self.send_files(file, Some(wanted)).await
    }

    async fn send_files(
        &self,
        file: Option<(&str, &[u8])>,
        wanted: Option<WantedInShell>,
    ) -> io::Result<StreamsInShell> {
        let shell = self.shell.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        let file = file.map(|(name, bytes)| ShellFile {
            name: name.to_owned(),
            bytes: bytes.to_vec(),
            is_constant: false,
        });
        let files = self.constant_files.iter().cloned().chain(file).collect();
        shell.prepare(files, wanted).await.map_err(|error| match error {
            StartError::Target(_) | StartError::Failed { step: FailedStep::Lost, .. } => {
                io::ErrorKind::NotConnected.into()
            }
            StartError::System(errno) | StartError::Failed { errno, .. } => {
                io::Error::from_raw_os_error(errno)
            }
        })
    }

    /// Scans the shell. `first` is the descriptor from which on free ones count, `named` the shell's name
    /// of its directory.
    pub(in crate::session::shell) async fn scan(&mut self, first: u64, named: &Path) {
        let began_at = Instant::now();
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        let scan = match &self.shell {
            Some(shell) => shell.scan(first, named.as_os_str().as_bytes().to_vec()).await,
            None => None,
        };
        self.latency = began_at.elapsed();
        // A shell that is gone is as good as stopped, and has no processes.
        self.scan = scan.unwrap_or_else(|| ShellScan { is_stopped: true, ..ShellScan::default() });
    }

    pub(in crate::session::shell) const fn last_scan(&self) -> &ShellScan {
        &self.scan
    }

    pub(in crate::session::shell) const fn latency(&self) -> Duration {
        self.latency
    }

    pub(in crate::session::shell) fn pid(&self) -> Option<i32> {
        self.shell.as_ref().map(|shell| shell.pid())
    }

    pub(in crate::session::shell) fn directory(&self) -> &str {
        self.shell.as_ref().map_or("", |shell| shell.directory())
    }

    pub(in crate::session::shell) fn send(&self, lines: &str) {
        if let Some(shell) = &self.shell {
            shell.send(lines);
        }
    }

    pub(in crate::session::shell) fn end_lines(&self) {
        if let Some(shell) = &self.shell {
            shell.end_lines();
        }
    }

    /// Sends a signal to the shell. Returns false for one that does not run yet.
    pub(in crate::session::shell) fn signal(&self, signal: Signal) -> bool {
        self.shell.as_ref().inspect(|shell| shell.signal(signal)).is_some()
    }

    pub(in crate::session::shell) fn signal_each(&self, signal: Signal, identities: &[Identity]) {
        if let Some(shell) = self.shell.as_ref().filter(|_| !identities.is_empty()) {
            shell.signal_each(signal, identities);
        }
    }

    pub(in crate::session::shell) fn processes(&self) -> Vec<BelowShell> {
        self.scan.processes.iter().copied().map(BelowShell::from).collect()
    }

    pub(in crate::session::shell) fn take_report(&self) -> Option<TargetReport> {
        self.shell.as_ref().map(|shell| shell.take_report())
    }
}
