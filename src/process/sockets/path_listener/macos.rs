//! A new UNIX socket, whose permissions are those of its file.

use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, CWD, OFlags, chmodat, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::net::{AddressFamily, SocketType, socket};

use super::PRIVATE;

/// Returns a socket as [`new_socket`] does.
pub(super) fn private_socket() -> Result<OwnedFd, Errno> {
    new_socket()
}

/// Makes the file of a socket that does not listen yet private.
pub(super) fn make_private(path: &str) -> Result<(), Errno> {
    chmodat(CWD, path, PRIVATE, AtFlags::empty())
}

/// Returns a socket that does not block.
pub(super) fn new_socket() -> Result<OwnedFd, Errno> {
    let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    fcntl_setfd(&socket, FdFlags::CLOEXEC)?;
    fcntl_setfl(&socket, fcntl_getfl(&socket)? | OFlags::NONBLOCK)?;
    Ok(socket)
}
