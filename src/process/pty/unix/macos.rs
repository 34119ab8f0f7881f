//! Pseudoterminals on macOS. No test has run this code yet.

use std::ffi::CStr;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::OpenptFlags;

/// macOS has no such flag.
pub(super) const CLOEXEC: OpenptFlags = OpenptFlags::empty();

/// Marks a terminal as closed on exec. A child that another thread starts before this call does not get the
/// descriptor either (`POSIX_SPAWN_CLOEXEC_DEFAULT`).
pub(super) fn close_on_exec(main: &OwnedFd) -> io::Result<()> {
    Ok(fcntl_setfd(main, FdFlags::CLOEXEC)?)
}

pub(super) fn open_peer(_main: &OwnedFd, path: &CStr) -> io::Result<OwnedFd> {
    Ok(open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?)
}

/// Widens a device number, which has 32 bits on macOS.
pub(super) fn widened(device: libc::dev_t) -> u64 {
    u64::from(device.cast_unsigned())
}
