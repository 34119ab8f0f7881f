//! Writing without SIGPIPE, whatever the host does about that signal.

use std::os::fd::BorrowedFd;

use rustix::io::{Errno, write};

/// Prepares a writing end for [`write_quietly`].
#[cfg(target_os = "linux")]
pub(super) const fn make_quiet(_writer: BorrowedFd<'_>) {}

/// Writes. A pipe without a reader is `EPIPE` and nothing else.
#[cfg(target_os = "linux")]
pub(super) fn write_quietly(writer: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize, Errno> {
    let blocked = Blocked::new();
    let result = write(writer, bytes);
    if result == Err(Errno::PIPE) {
        blocked.take();
    }
    result
}

/// SIGPIPE does not reach this thread until it is dropped.
#[cfg(target_os = "linux")]
struct Blocked {
    sigpipe: libc::sigset_t,
    before: libc::sigset_t,
}

#[cfg(target_os = "linux")]
impl Blocked {
    fn new() -> Self {
        // SAFETY: an all-zero set is a valid one to fill; the mask of the calling thread is all that is changed.
        unsafe {
            let mut sigpipe: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigaddset(&raw mut sigpipe, libc::SIGPIPE);
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const sigpipe, &raw mut before);
            Self { sigpipe, before }
        }
    }

    /// Takes away the signal that waits for this thread. A blocked signal waits even if it is ignored.
    fn take(&self) {
        let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: set and time are live, and nobody wants the details.
        unsafe {
            libc::sigtimedwait(&raw const self.sigpipe, std::ptr::null_mut(), &raw const now);
        }
    }
}

#[cfg(target_os = "linux")]
impl Drop for Blocked {
    fn drop(&mut self) {
        // SAFETY: the set was filled by the kernel in `new`; the mask of the calling thread is all that is changed.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut());
        }
    }
}

/// As on Linux; here the descriptor itself can be told to raise no signal.
#[cfg(not(target_os = "linux"))]
pub(super) fn make_quiet(writer: BorrowedFd<'_>) {
    use std::os::fd::AsRawFd;
    // SAFETY: sets a flag of a descriptor that the caller holds.
    unsafe {
        libc::fcntl(writer.as_raw_fd(), libc::F_SETNOSIGPIPE, 1);
    }
}

/// As on Linux.
#[cfg(not(target_os = "linux"))]
pub(super) fn write_quietly(writer: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize, Errno> {
    write(writer, bytes)
}
