//! Where a shell runs: its files, and its process as it is seen. `here` is this machine and `there` a target,
//! where a scan shows what the process table shows here. `below` is a process below either shell.

mod below;
mod local;
mod on_target;

use std::path::Path;
use std::time::Duration;

use crate::process::signal::Signal;

pub(in crate::session) use self::below::BelowShell;
pub(in crate::session) use self::local::LocalShell;
pub(in crate::session) use self::on_target::TargetShell;
use crate::process::identity::Identity;
use crate::target::remote_command::TargetReport;

/// Where a shell runs.
#[derive(Debug)]
pub(in crate::session) enum ShellPlace {
    Local(Box<LocalShell>),
    Target(Box<TargetShell>),
}

impl ShellPlace {
    /// Returns the shell's private directory, as its lines contain it.
    pub(super) fn directory(&self) -> &str {
        match self {
            Self::Local(here) => here.directory.text(),
            Self::Target(there) => there.directory(),
        }
    }

    /// Scans a shell on a target anew; the shell names its directory `named`. On this machine, each fact is
    /// read when it is needed. `first` is the descriptor from which on free ones count.
    pub(super) async fn refresh(&mut self, first: u64, named: &Path) {
        if let Self::Target(there) = self {
            there.scan(first, named).await;
        }
    }

    /// Returns the time that a signal and its effect are under way besides.
    pub(super) const fn latency(&self) -> Duration {
        match self {
            Self::Local(_) => Duration::ZERO,
            Self::Target(there) => there.latency(),
        }
    }

    /// Returns whether the shell has read all lines and waits for the next one.
    pub(super) fn is_idle(&self) -> bool {
        match self {
            Self::Local(here) => here.is_idle(),
            Self::Target(there) => there.last_scan().is_idle,
        }
    }

    /// Returns whether the shell waits until it can open a file.
    pub(super) fn waits_for_open(&self) -> bool {
        match self {
            Self::Local(here) => here.waits_for_open(),
            Self::Target(there) => there.last_scan().waits_for_open,
        }
    }

    /// Returns how many descriptors numbered `first` or higher the shell can still open.
    pub(super) fn room_for_descriptors(&self, first: u64) -> Option<u64> {
        match self {
            Self::Local(here) => here.room_for_descriptors(first),
            Self::Target(there) => Some(there.last_scan().room),
        }
    }

    /// Returns whether the shell ignores a signal, or there is no process table.
    pub(super) fn ignores(&self, signal: Signal) -> bool {
        match self {
            Self::Local(here) => here.ignores(signal),
            Self::Target(there) => there.last_scan().ignored.has(signal),
        }
    }

    /// Sends a signal to the shell alone.
    pub(super) fn signal(&self, signal: Signal) {
        match self {
            Self::Local(here) => here.signal(signal),
            Self::Target(there) => {
                there.signal(signal);
            }
        }
    }

    /// Sends a signal to processes below the shell.
    pub(super) fn signal_each(&self, signal: Signal, identities: &[Identity]) {
        match self {
            Self::Local(_) => {
                for identity in identities {
                    identity.send(signal);
                }
            }
            Self::Target(there) => there.signal_each(signal, identities),
        }
    }

    /// Returns whether the shell is stopped or gone.
    pub(super) fn is_stopped(&self) -> bool {
        match self {
            Self::Local(here) => here.is_stopped(),
            Self::Target(there) => there.last_scan().is_stopped,
        }
    }

    /// Kills the shell alone. Returns false for one that can't be signalled.
    pub(super) fn kill(&self) -> bool {
        match self {
            Self::Local(here) => here.kill(),
            Self::Target(there) => there.signal(Signal::KILL),
        }
    }

    /// Returns the living processes below the shell. Parents come before their children.
    pub(super) fn processes(&self) -> Vec<BelowShell> {
        match self {
            Self::Local(here) => here.processes(),
            Self::Target(there) => there.processes(),
        }
    }

    /// Returns whether no process is below the shell, where that takes less than [`Self::processes`].
    pub(super) fn has_no_children(&self) -> bool {
        matches!(self, Self::Local(here) if here.has_no_children())
    }

    /// Returns the processor time of the shell, and of the programs that it has waited for.
    pub(super) fn cpu_time(&self) -> Option<(Duration, Duration)> {
        match self {
            Self::Local(here) => here.cpu_time(),
            Self::Target(there) => Some((there.last_scan().user, there.last_scan().system)),
        }
    }

    /// Returns the directory of the shell, and whether `named` is one of its names; the last scan had this
    /// name.
    pub(super) fn directory_of_shell(&self, named: &Path) -> Option<(Option<String>, bool)> {
        match self {
            Self::Local(here) => here.directory_of_shell(named),
            Self::Target(there) => {
                let refresh = there.last_scan();
                Some((refresh.directory.clone(), refresh.names_directory))
            }
        }
    }

    /// Returns what a result says about the target of the shell.
    pub(super) fn take_target_report(&self) -> Option<TargetReport> {
        match self {
            Self::Local(_) => None,
            Self::Target(there) => there.take_report(),
        }
    }
}
