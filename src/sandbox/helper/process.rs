//! Processes of the helper's own: fork, exit, the pipe that tells whether the supervisor lives.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::Pid;

use super::failure::{At, check, last_error};
use crate::sandbox::protocol::report::{Failure, SandboxStep};

/// A pipe whose write end the supervisor holds. Its end of file means that the supervisor is gone; a byte,
/// that the command has ended.
pub(super) struct LifePipe {
    pub(super) read: OwnedFd,
    pub(super) write: OwnedFd,
}

/// Makes the pipe.
pub(super) fn life_pipe() -> Result<LifePipe, Failure> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).at(SandboxStep::Fork)?;
    Ok(LifePipe { read, write })
}

/// Forks this process, which has one thread. Returns `None` in the child.
pub(super) fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: the process has one thread, so no lock of another one is copied in a locked state.
    let result = unsafe { libc::fork() };
    if result == -1 { Err(last_error()) } else { Ok(Pid::from_raw(result)) }
}

/// Ends this process at once.
pub(super) fn exit(code: i32) -> ! {
    // SAFETY: `_exit` has no memory effects; no destructor has to run, since the kernel closes what is open.
    unsafe { libc::_exit(code) }
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

/// Sets what happens at these signals.
pub(super) fn set_signals(signals: impl Iterator<Item = i32>, disposition: libc::sighandler_t) {
    for signal in signals {
        // SAFETY: sets a disposition without a handler. It fails harmlessly for SIGKILL and SIGSTOP.
        unsafe {
            libc::signal(signal, disposition);
        }
    }
}

/// Closes all descriptors from 3 on but these. Their owners in this process, which has been forked, never run
/// again.
pub(super) fn keep_only(kept: &mut [i32]) {
    kept.sort_unstable();
    let mut next = 3_u32;
    for &descriptor in kept.iter() {
        let descriptor = descriptor.unsigned_abs();
        if descriptor > next {
            close_range(next, descriptor - 1, 0);
        }
        next = descriptor + 1;
    }
    close_range(next, u32::MAX, 0);
}

/// Makes all descriptors from 3 on close when a program is executed.
pub(super) fn close_on_exec() {
    close_range(3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
}

fn close_range(first: u32, last: u32, flags: u32) {
    // SAFETY: closes descriptors, or marks them. What is closed is owned by values that are never used or
    // dropped again.
    unsafe {
        libc::syscall(libc::SYS_close_range, first, last, flags);
    }
}
