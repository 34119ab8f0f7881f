//! Signals to a child of this process that has not been reaped, and to the group that it leads. Until then,
//! the kernel gives neither id to another process, so a bare pid is enough.
//!
//! Any other process gets its signals by its [identity](super::identity). `scripts/check-structure.mjs`
//! checks that no other file signals by pid.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Signals a child, which may have exited.
pub fn signal(child: Pid, signal: Signal) {
    let _ = kill_process(child, signal);
}

/// Signals the process group of a child, which may be empty.
pub fn signal_group(leader: Pid, signal: Signal) {
    let _ = kill_process_group(leader, signal);
}
