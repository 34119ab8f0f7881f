//! The pidfd: a descriptor that refers to one process for as long as it is open (Linux 5.3).

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// Opens a pidfd of the process that has this pid now.
///
/// # Errors
///
/// `ESRCH` when no process has the pid; any other error where the kernel can't give a pidfd.
pub fn open(pid: Pid) -> io::Result<OwnedFd> {
    Ok(pidfd_open(pid, PidfdFlags::empty())?)
}
