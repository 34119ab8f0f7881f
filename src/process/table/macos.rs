//! Reads the process table through `libproc`.

use std::time::Duration;

use rustix::process::{Pid, Signal};

use crate::process::libproc;
use crate::process::table::row::{Identity, Process};

/// The bits of SIGINT and SIGQUIT in a signal set.
const INTERRUPTS: u32 = bit(libc::SIGINT) | bit(libc::SIGQUIT);

/// No file: macOS does not report the latest pid.
pub(super) const LATEST_PID_FILE: Option<&str> = None;

/// Returns whether the process table can be read.
#[must_use]
pub const fn is_available() -> bool {
    true
}

/// Returns whether a process is stopped or has exited. A missing process counts as stopped.
#[must_use]
pub fn is_stopped_or_gone(pid: Pid) -> bool {
    libproc::row(pid).is_none_or(|row| row.is_stopped() || row.is_zombie())
}

/// Returns whether no thread of a process runs. A process that hides its threads counts as asleep.
#[must_use]
pub fn is_asleep(pid: Pid) -> bool {
    libproc::running_threads(pid).is_none_or(|count| count == 0)
}

/// Returns the row of a process, or `None` when no process has the pid.
#[must_use]
pub fn inspect(pid: Pid) -> Option<Process> {
    let ids = libproc::unique_ids(pid)?;
    let row = libproc::row(pid)?;
    // The kernel may have reused the pid between the two calls.
    if libproc::unique_ids(pid)?.own != ids.own {
        return None;
    }
    Some(Process {
        identity: Identity { pid, start: ids.own },
        parent: row.0.pbsi_ppid.cast_signed(),
        creator: Some(ids.creator),
        group: row.0.pbsi_pgid.cast_signed(),
        session: rustix::process::getsid(Some(pid)).map_or(0, |session| session.as_raw_nonzero().get()),
        is_zombie: row.is_zombie(),
        is_exiting: row.is_exiting(),
    })
}

/// Returns the row of a process as [`inspect`] does: threads have no pids here.
#[must_use]
pub fn inspect_process(pid: Pid) -> Option<Process> {
    inspect(pid)
}

/// Returns the CPU time of a process and of the children that it has waited for: in user mode, and in the
/// kernel.
#[must_use]
pub fn cpu_time(pid: Pid) -> Option<(Duration, Duration)> {
    libproc::processor_time(pid).map(|time| (time.user, time.system))
}

/// Returns the rows of all processes.
#[must_use]
pub fn snapshot() -> Vec<Process> {
    list_pids().into_iter().filter_map(inspect).collect()
}

/// Returns the pids of all processes.
#[must_use]
pub fn list_pids() -> Vec<Pid> {
    libproc::all_pids()
}

/// Returns the children of a process.
#[must_use]
#[allow(clippy::unnecessary_wraps, reason = "other kernels may not list them")]
pub fn children_of(parent: Pid) -> Option<Vec<Pid>> {
    Some(libproc::children(parent))
}

/// Returns whether a process has one of these pipes open for writing.
///
/// The kernel shows the descriptors of processes of the own user only.
#[must_use]
pub fn holds_any_pipe(pid: Pid, pipes: &[u64]) -> bool {
    libproc::pipes(pid).any(|end| end.is_writer() && pipes.contains(&end.number()))
}

/// Returns whether a process ignores SIGINT and SIGQUIT.
#[must_use]
pub fn ignores_interrupts(pid: Pid) -> bool {
    libproc::signals(pid).is_some_and(|signals| signals.ignored & INTERRUPTS == INTERRUPTS)
}

/// Returns whether a process ignores a signal.
#[must_use]
pub fn ignores(pid: Pid, signal: Signal) -> bool {
    libproc::signals(pid).is_some_and(|signals| signals.ignored & bit(signal.as_raw()) != 0)
}

/// Returns whether a process has a handler for a signal that may be its parent's: it has executed no program
/// since its fork.
#[must_use]
pub fn may_inherit_handler(pid: Pid, signal: Signal) -> bool {
    libproc::row(pid).is_some_and(|row| !row.has_executed())
        && libproc::signals(pid).is_some_and(|signals| signals.handled & bit(signal.as_raw()) != 0)
}

/// Returns false: `posix_spawn` gives no child the descriptors of the host, so no process must be told apart
/// from a child that has not executed yet.
#[must_use]
pub const fn runs_host_executable(_pid: Pid) -> bool {
    false
}

/// Returns `None`: this system has no tags.
#[must_use]
pub const fn tag_of(_pid: Pid) -> Option<u64> {
    None
}

/// Returns the bit of a signal in a signal set.
const fn bit(signal: i32) -> u32 {
    1 << (signal - 1)
}
