//! Holes of files, and files without a name.

use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, SeekFrom, openat, seek};
use rustix::io::Errno;

use super::locate::Located;

/// Returns the range with data at an offset or after it; `None` if there is none.
pub(super) fn next_range(file: &OwnedFd, at: u64) -> Option<(u64, u64)> {
    // The only error besides that of the end is that of a file system without holes.
    match seek(file, SeekFrom::Data(at)) {
        Ok(begin) => Some((begin, seek(file, SeekFrom::Hole(begin)).unwrap_or(u64::MAX))),
        Err(Errno::NXIO) => None,
        Err(_) => Some((at, u64::MAX)),
    }
}

/// Opens a file that has no name until it is complete, so nothing is left of it if this process is killed.
/// Some file systems have none.
pub(super) fn unnamed(located: &Located, permissions: Mode) -> Option<OwnedFd> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    openat(&located.parent, ".", flags, permissions).ok()
}
