//! Writes to a pipe without raising SIGPIPE, whatever disposition the host has for that signal.

use std::os::fd::BorrowedFd;

use rustix::io::{Errno, write};

/// Prepares a writing end for [`write_without_sigpipe`]. Nothing to do here: the thread blocks the signal for
/// each write.
#[cfg(target_os = "linux")]
pub(super) const fn disable_sigpipe(_writer: BorrowedFd<'_>) {}

/// Writes to a pipe. A pipe without a reader gives `EPIPE`, and no SIGPIPE is left pending.
#[cfg(target_os = "linux")]
pub(super) fn write_without_sigpipe(writer: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize, Errno> {
    without_sigpipe(|| write(writer, bytes))
}

/// Calls `act`, which fills a pipe, so that a pipe without a reader gives `EPIPE` and no signal.
#[cfg(target_os = "linux")]
pub(super) fn without_sigpipe(act: impl FnOnce() -> Result<usize, Errno>) -> Result<usize, Errno> {
    let blocked = BlockedSigpipe::new();
    let result = act();
    if result == Err(Errno::PIPE) {
        blocked.discard_pending();
    }
    result
}

/// Guard that blocks SIGPIPE for the current thread; dropping it restores the signal mask.
#[cfg(target_os = "linux")]
struct BlockedSigpipe {
    sigpipe: libc::sigset_t,
    before: libc::sigset_t,
}

#[cfg(target_os = "linux")]
impl BlockedSigpipe {
    fn new() -> Self {
        // SAFETY: an all-zero set is valid to fill; the call changes only the mask of the calling thread.
        unsafe {
            let mut sigpipe: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigaddset(&raw mut sigpipe, libc::SIGPIPE);
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const sigpipe, &raw mut before);
            Self { sigpipe, before }
        }
    }

    /// Discards the pending SIGPIPE of this thread: a blocked signal stays pending even if its disposition is
    /// to ignore it.
    fn discard_pending(&self) {
        let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the set and the time are live, and a null pointer asks for no details.
        unsafe {
            libc::sigtimedwait(&raw const self.sigpipe, std::ptr::null_mut(), &raw const now);
        }
    }
}

#[cfg(target_os = "linux")]
impl Drop for BlockedSigpipe {
    fn drop(&mut self) {
        // SAFETY: the kernel filled the set in `new`; the call changes only the mask of the calling thread.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut());
        }
    }
}

/// Prepares a writing end for [`write_without_sigpipe`]: the descriptor itself can be set to raise no signal
/// here.
#[cfg(not(target_os = "linux"))]
pub(super) fn disable_sigpipe(writer: BorrowedFd<'_>) {
    use std::os::fd::AsRawFd;
    // SAFETY: the call sets a flag of a descriptor that the caller holds.
    unsafe {
        libc::fcntl(writer.as_raw_fd(), libc::F_SETNOSIGPIPE, 1);
    }
}

/// Writes to a pipe. A pipe without a reader gives `EPIPE` and no signal.
#[cfg(not(target_os = "linux"))]
pub(super) fn write_without_sigpipe(writer: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize, Errno> {
    write(writer, bytes)
}
