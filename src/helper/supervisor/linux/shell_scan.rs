//! The reaper's scan of the shell of a session.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::process::{Pid, getpid};

use crate::helper::supervisor::protocol::shell_scan::{MAX_PROCESSES, ProcessBelow, ShellScan, SignalSet};
use crate::process::blocked::{waits_for_open, waits_for_pipe};
use crate::process::directory::{current_directory, device_and_inode_seen_by};
use crate::process::fd::room::room_for_descriptors;
use crate::process::table::row::Process;
use crate::process::table::{cpu_time, ignored_signals, inherited_handlers, is_stopped_or_gone};
use crate::process::tree::descendants;

/// Scans a shell, whose input has this inode, and the processes below this one. `first` and `named` are
/// those of the question.
pub(super) fn scan_shell(shell: Pid, input: u64, first: u32, named: &[u8]) -> ShellScan {
    let (user, system) = cpu_time(shell).unwrap_or_default();
    let current = current_directory(shell);
    let named = Path::new(OsStr::from_bytes(named));
    let names_directory = named.is_absolute()
        && current
            .as_ref()
            .is_some_and(|current| device_and_inode_seen_by(shell, named) == Some(current.device_and_inode));
    let mut below = descendants(getpid());
    below.retain(|process| process.identity.pid != shell);
    below.truncate(MAX_PROCESSES);
    ShellScan {
        is_stopped: is_stopped_or_gone(shell),
        is_idle: waits_for_pipe(shell, input),
        waits_for_open: waits_for_open(shell),
        names_directory,
        directory: current.and_then(|current| Some(current.path?.to_string_lossy().into_owned())),
        room: room_for_descriptors(shell, first.into()).unwrap_or(u64::MAX),
        ignored: SignalSet(ignored_signals(shell)),
        user,
        system,
        processes: below.iter().map(process_below).collect(),
    }
}

fn process_below(process: &Process) -> ProcessBelow {
    ProcessBelow {
        identity: process.identity,
        parent: process.parent,
        is_exiting: process.is_exiting,
        ignored: SignalSet(ignored_signals(process.identity.pid)),
        inherited: SignalSet(inherited_handlers(process.identity.pid)),
    }
}
