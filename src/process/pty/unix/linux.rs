//! Pseudoterminals on Linux.

use std::ffi::CStr;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer};

pub(super) const CLOEXEC: OpenptFlags = OpenptFlags::CLOEXEC;

/// Does nothing: [`CLOEXEC`] has opened the main end with the flag.
#[allow(clippy::unnecessary_wraps, reason = "it can fail elsewhere")]
pub(super) const fn close_on_exec(_main: &OwnedFd) -> io::Result<()> {
    Ok(())
}

/// Opens the peer through the main end: in another mount namespace, the path may be missing or name another
/// terminal.
pub(super) fn open_peer(main: &OwnedFd, path: &CStr) -> io::Result<OwnedFd> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    // Kernels before 4.13, and some emulations of a kernel, lack this call.
    ioctl_tiocgptpeer(main, flags).or_else(|_| {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        open(path, flags, Mode::empty()).map_err(io::Error::from)
    })
}

pub(super) const fn widened(device: u64) -> u64 {
    device
}
