//! Creates a file in memory.

use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{MemfdFlags, memfd_create};

pub(super) fn create() -> io::Result<OwnedFd> {
    Ok(memfd_create("agent-bash", MemfdFlags::CLOEXEC)?)
}
