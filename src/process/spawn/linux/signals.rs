//! Signal masks and dispositions around a spawn.

use std::ffi::c_int;
use std::ptr;

/// The size of the kernel's signal set (bytes): 64 signals. The C library's own type is larger.
const KERNEL_SIGNAL_SET: usize = 8;

#[allow(clippy::cast_sign_loss, reason = "it is a small positive number")]
const SIGCHLD_BIT: usize = libc::SIGCHLD as usize - 1;

/// Sets the disposition of these signals, in the child.
///
/// A disposition of "ignore" survives `exec`, a shell can't undo it, and Node ignores some signals. Ignoring
/// a signal also discards a pending one.
pub(super) fn set_signal_dispositions(signals: impl Iterator<Item = c_int>, disposition: libc::sighandler_t) {
    for signal in signals {
        // SAFETY: an all-zero `sigaction` has an empty mask and no flags. The dispositions are the child's
        // own copy. The call fails harmlessly for SIGKILL and SIGSTOP.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = disposition;
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
}

/// Empties the signal mask, in the child.
pub(super) fn unblock_all_signals() {
    let none = [0_u8; KERNEL_SIGNAL_SET];
    // SAFETY: sets the mask of the calling process from a set of the kernel's own size.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            libc::SIG_SETMASK,
            none.as_ptr(),
            ptr::null_mut::<u8>(),
            KERNEL_SIGNAL_SET,
        );
    }
}

/// Guard that blocks every signal but SIGCHLD in the current thread, including those of the C library;
/// dropping it restores the mask.
///
/// SIGCHLD keeps its state: if the spawning thread blocked it, the exit of another child of this thread would
/// wake the host's main thread (see `block_all_signals_but_sigchld`). The child accepts SIGCHLD only while it
/// has the host's disposition, which is for a moment, and has no children that could send it.
pub(super) struct BlockedSignals {
    before: [u8; KERNEL_SIGNAL_SET],
}

impl BlockedSignals {
    pub(super) fn new() -> Self {
        let mut all = [u8::MAX; KERNEL_SIGNAL_SET];
        all[SIGCHLD_BIT / 8] &= !(1 << (SIGCHLD_BIT % 8));
        let mut before = [0_u8; KERNEL_SIGNAL_SET];
        // SAFETY: both sets have the kernel's size, which the call gets too.
        unsafe {
            libc::syscall(
                libc::SYS_rt_sigprocmask,
                libc::SIG_BLOCK,
                all.as_ptr(),
                before.as_mut_ptr(),
                KERNEL_SIGNAL_SET,
            );
        }
        Self { before }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: as in `new`.
        unsafe {
            libc::syscall(
                libc::SYS_rt_sigprocmask,
                libc::SIG_SETMASK,
                self.before.as_ptr(),
                ptr::null_mut::<u8>(),
                KERNEL_SIGNAL_SET,
            );
        }
    }
}
