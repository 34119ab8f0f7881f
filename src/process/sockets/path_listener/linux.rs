//! A new UNIX socket, whose permissions are set before its file exists.

use std::os::fd::OwnedFd;

use rustix::fs::fchmod;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

use super::PRIVATE;

/// Returns a socket whose file the kernel makes for this user alone.
pub(super) fn private_socket() -> Result<OwnedFd, Errno> {
    let socket = new_socket()?;
    fchmod(&socket, PRIVATE)?;
    Ok(socket)
}

/// Does nothing: the file is private already.
#[allow(clippy::unnecessary_wraps, reason = "as on macOS")]
pub(super) const fn make_private(_path: &str) -> Result<(), Errno> {
    Ok(())
}

/// Returns a socket that does not block.
pub(super) fn new_socket() -> Result<OwnedFd, Errno> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)
}
