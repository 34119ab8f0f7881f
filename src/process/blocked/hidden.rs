//! Whether a process may wait until it can open a file, where the system does not show its calls (macOS).

use rustix::process::Pid;

use crate::process::table;

/// Whether this system shows what threads sleep in.
pub const IS_SHOWN: bool = false;

/// Returns whether the process may wait until it can open a file, such as a named pipe that no process has
/// open at the other end: it sleeps, and has no foreground child for which it would wait.
///
/// A shell that waits in a builtin (`read`, `wait`) looks the same. To take it for one that opens a file
/// costs the state of a session; the opposite would let a list go on that was stopped.
#[must_use]
pub fn waits_for_open(pid: Pid) -> bool {
    table::is_asleep(pid) && !table::is_stopped_or_gone(pid) && !has_foreground_child(pid)
}

/// Returns whether a child of a shell is not one that the shell has put into the background: those ignore
/// interrupts.
fn has_foreground_child(shell: Pid) -> bool {
    table::children_of(shell)
        .unwrap_or_default()
        .into_iter()
        .filter_map(table::inspect)
        // A shell that has not reaped a child yet is about to wake.
        .any(|child| child.is_zombie || !table::ignores_interrupts(child.identity.pid))
}
