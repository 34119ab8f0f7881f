//! A descriptor that names one process for as long as it is held (Linux 5.3).

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::Pid;
#[cfg(target_os = "linux")]
use rustix::process::{PidfdFlags, pidfd_open};

#[cfg(target_os = "linux")]
use super::reserve::with_reserve;

/// Opens the pidfd of the process that has this pid now.
///
/// # Errors
///
/// `ESRCH` when no process has it; anything else where the kernel has no pidfd to give.
#[cfg(target_os = "linux")]
pub fn open(pid: Pid) -> io::Result<OwnedFd> {
    with_reserve(|| Ok(pidfd_open(pid, PidfdFlags::empty())?))
}

/// As on Linux; here the kernel has none.
///
/// # Errors
///
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn open(_pid: Pid) -> io::Result<OwnedFd> {
    Err(io::ErrorKind::Unsupported.into())
}
