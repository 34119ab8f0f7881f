//! In place of `pidfd`, for a kernel without them.

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::Pid;

/// Returns an error.
///
/// # Errors
///
/// Always `Unsupported`.
pub fn open(_pid: Pid) -> io::Result<OwnedFd> {
    Err(io::ErrorKind::Unsupported.into())
}
