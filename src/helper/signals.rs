//! Signals as a descriptor for `poll`.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// The exits of children, and the signals that ask a process to end: a log-out sends them to all processes of
/// its session, and the end of a service to all of its own.
pub(super) const CHILDREN_AND_ENDS: [i32; 5] =
    [libc::SIGCHLD, libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];

/// Blocks these signals in this process, which has one thread, and returns a descriptor that is readable
/// while one is pending.
///
/// # Errors
///
/// The system's error, such as `EMFILE`.
pub(super) fn watch(signals: &[i32]) -> io::Result<OwnedFd> {
    // SAFETY: an all-zero set is valid to fill. The calls change the mask of this process and create a
    // descriptor that nothing else owns.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for &signal in signals {
            libc::sigaddset(&raw mut set, signal);
        }
        libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut());
        let descriptor = libc::signalfd(-1, &raw const set, libc::SFD_NONBLOCK | libc::SFD_CLOEXEC);
        if descriptor == -1 { Err(io::Error::last_os_error()) } else { Ok(OwnedFd::from_raw_fd(descriptor)) }
    }
}

/// Takes all pending signals, and returns their numbers.
pub(super) fn take_signals(descriptor: &OwnedFd) -> Vec<i32> {
    let mut taken = Vec::new();
    loop {
        // SAFETY: an all-zero structure is valid, and the call fills it.
        let mut info: libc::signalfd_siginfo = unsafe { std::mem::zeroed() };
        let size = size_of::<libc::signalfd_siginfo>();
        // SAFETY: the call writes at most `size` bytes to a live structure of that size.
        let read = unsafe { libc::read(descriptor.as_raw_fd(), (&raw mut info).cast(), size) };
        if usize::try_from(read) != Ok(size) {
            return taken;
        }
        taken.push(info.ssi_signo.cast_signed());
    }
}

/// Resets the dispositions of all signals, some of which the parent may have ignored, and ignores SIGPIPE.
pub(super) fn reset_dispositions() {
    for signal in 1..32 {
        let disposition = if signal == libc::SIGPIPE { libc::SIG_IGN } else { libc::SIG_DFL };
        // SAFETY: sets a disposition without a handler. It fails harmlessly for SIGKILL and SIGSTOP.
        unsafe {
            libc::signal(signal, disposition);
        }
    }
}

/// Makes this process a subreaper: it becomes the parent of orphans below it.
pub(super) fn adopt_orphans() {
    // SAFETY: changes an attribute of this process alone.
    unsafe {
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    }
}
