//! The helper's own processes: fork, exit, and the pipe that tells whether the monitor lives.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use rustix::net::sockopt::socket_peercred;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{PidfdFlags, getppid, pidfd_open};

use super::failure::{FailureContext, check, failed};
pub(super) use crate::process::spawn::fork::{close_on_exec, exit, fork, keep_only};
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// A pipe whose write end the monitor holds. End of file means that the monitor has exited; a byte,
/// that the command has ended.
pub(super) struct LifePipe {
    pub(super) read: OwnedFd,
    pub(super) write: OwnedFd,
}

/// The processes with whose end everything in the sandbox ends.
pub(super) struct WatchedProcesses {
    /// The monitor, while the command runs.
    pub(super) monitor: LifePipe,
    /// The host: readable when it has exited. Background processes end with it too.
    pub(super) host: OwnedFd,
}

/// Creates the pipe by which the sandbox notices the exit of the monitor. Both ends are closed on exec.
pub(super) fn life_pipe() -> Result<LifePipe, SandboxFailure> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).at(SandboxStep::Fork)?;
    Ok(LifePipe { read, write })
}

/// Returns a descriptor that is readable when the host has exited. The host is the process at the other end
/// of the control socket, which has started this one.
pub(super) fn pin_host(control: BorrowedFd<'_>) -> Result<OwnedFd, SandboxFailure> {
    let step = SandboxStep::Plan;
    let host = socket_peercred(control).at(step)?.pid;
    let pinned = pidfd_open(host, PidfdFlags::empty()).at(step)?;
    // While the host is the parent, no other process can have its pid.
    if getppid() == Some(host) { Ok(pinned) } else { failed(step, libc::ESRCH) }
}

/// Replaces the standard streams by `/dev/null`, so that this process does not keep the command's open.
pub(super) fn release_standard_streams() -> io::Result<()> {
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    for stream in 0..3 {
        // SAFETY: replaces descriptors that nothing in this process refers to as owned.
        check(unsafe { libc::dup2(null.as_raw_fd(), stream) })?;
    }
    Ok(())
}

/// Sets the disposition of these signals.
pub(super) fn set_signals(signals: impl Iterator<Item = i32>, disposition: libc::sighandler_t) {
    for signal in signals {
        // SAFETY: sets a disposition without a handler. It fails harmlessly for SIGKILL and SIGSTOP.
        unsafe {
            libc::signal(signal, disposition);
        }
    }
}
