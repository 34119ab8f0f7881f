//! The process table as macOS shows it, read from Linux's `/proc`: there are no tags. The creator of a
//! process whose parent has exited is unknown here, which macOS reports.

#[path = "linux.rs"]
mod linux;

use rustix::process::Pid;

pub use linux::{
    children_of, cpu_time, holds_any_pipe, ignored_signals, ignores, ignores_interrupts, inherited_handlers,
    inspect, inspect_process, is_available, is_stopped_or_gone, list_pids, may_inherit_handler, path_of,
    runs_host_executable, snapshot,
};

/// No file: macOS does not report the latest pid.
pub(super) const LATEST_PID_FILE: Option<&str> = None;

/// Returns whether the first thread of a process sleeps. A missing process counts as asleep.
#[must_use]
pub fn is_asleep(pid: Pid) -> bool {
    let row = std::fs::read_to_string(path_of(pid, "stat")).unwrap_or_default();
    row.rsplit_once(") ").is_none_or(|(_, rest)| !rest.starts_with('R'))
}

/// Returns `None`: macOS has no tags.
#[must_use]
pub const fn tag_of(_pid: Pid) -> Option<u64> {
    None
}
