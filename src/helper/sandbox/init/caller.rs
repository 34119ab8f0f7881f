//! The caller: the thread whose system call is pending in a user notification.

use std::io::{self, IoSliceMut};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use super::super::failure::check;

/// The flag of `pidfd_open` for a thread (Linux 6.9).
const THREAD: u32 = libc::O_EXCL.cast_unsigned();

/// The smallest page of memory (bytes).
const PAGE: usize = 4096;

/// A thread that waits in its system call.
pub(super) struct Caller {
    /// The id of the thread in the process table of the sandbox init.
    pub(super) thread: i32,
    pidfd: OwnedFd,
}

impl Caller {
    /// Pins the caller. The error is the result of its call.
    pub(super) fn of(question: &libc::seccomp_notif) -> Result<Self, i32> {
        let thread = question.pid.cast_signed();
        let pidfd = open(thread, THREAD)
            .or_else(|_| open(thread, 0))
            .or_else(|_| open(leader_of(thread)?, 0))
            .map_err(|_| libc::EPERM)?;
        Ok(Self { thread, pidfd })
    }

    /// Returns the bytes at an address of the caller's memory.
    pub(super) fn memory(&self, address: u64, length: usize) -> Result<Vec<u8>, i32> {
        let mut bytes = vec![0; length];
        let local = IoSliceMut::new(&mut bytes);
        let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: length };
        // SAFETY: `IoSliceMut` has the layout of an `iovec` and points to live memory; the other one is in
        // the caller's memory, where the kernel checks it.
        let read = unsafe {
            libc::process_vm_readv(self.thread, (&raw const local).cast(), 1, &raw const remote, 1, 0)
        };
        if usize::try_from(read) == Ok(length) { Ok(bytes) } else { Err(libc::EFAULT) }
    }

    /// Returns the text at an address of the caller's memory, up to its NUL. `None` if there is none of at
    /// most this length.
    pub(super) fn text(&self, address: u64, length: usize) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        while text.len() < length {
            // Not beyond a page, because the next one may be missing.
            let at = address.checked_add(u64::try_from(text.len()).ok()?)?;
            let left = PAGE - usize::try_from(at % PAGE as u64).ok()?;
            let bytes = self.memory(at, left.min(length - text.len())).ok()?;
            let end = bytes.iter().position(|&byte| byte == 0);
            text.extend_from_slice(bytes.get(..end.unwrap_or(bytes.len()))?);
            if end.is_some() {
                return Some(text);
            }
        }
        None
    }

    /// Returns a copy of one of the caller's descriptors.
    pub(super) fn descriptor(&self, number: i32) -> Result<OwnedFd, i32> {
        // SAFETY: the call has no pointers; the descriptor is new and ours.
        unsafe {
            let copied = libc::syscall(libc::SYS_pidfd_getfd, self.pidfd.as_raw_fd(), number, 0);
            let copied = check(copied).map_err(|error| error.raw_os_error().unwrap_or(libc::EBADF))?;
            Ok(OwnedFd::from_raw_fd(i32::try_from(copied).map_err(|_| libc::EBADF)?))
        }
    }
}

fn open(pid: i32, flags: u32) -> io::Result<OwnedFd> {
    // SAFETY: the call has no pointers; the descriptor is new and ours.
    unsafe {
        let opened = check(libc::syscall(libc::SYS_pidfd_open, pid, flags))?;
        Ok(OwnedFd::from_raw_fd(i32::try_from(opened).map_err(|_| io::ErrorKind::InvalidData)?))
    }
}

/// Returns the leader of a thread's process, for older kernels.
fn leader_of(thread: i32) -> io::Result<i32> {
    let status = std::fs::read_to_string(format!("/proc/{thread}/status"))?;
    let leader = status.lines().find_map(|line| line.strip_prefix("Tgid:")?.trim().parse().ok());
    leader.ok_or_else(|| io::ErrorKind::NotFound.into())
}
