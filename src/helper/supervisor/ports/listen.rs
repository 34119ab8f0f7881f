//! Listening sockets.

use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::sockopt::set_socket_reuseaddr;
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, accept_with, bind, getsockname, listen as start, socket_with,
};

use crate::helper::supervisor::protocol::ports::BACKLOG;

const FLAGS: SocketFlags = SocketFlags::CLOEXEC.union(SocketFlags::NONBLOCK);

/// Listens at an address, and returns the port: the kernel chooses one for 0.
pub(super) fn listen(address: IpAddr, port: u16) -> Result<(OwnedFd, u16), Errno> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket_with(family, SocketType::STREAM, FLAGS, None)?;
    // A port whose last connections are in TIME_WAIT can be used again.
    set_socket_reuseaddr(&socket, true)?;
    bind(&socket, &SocketAddr::new(address, port))?;
    start(&socket, BACKLOG.cast_signed())?;
    let bound = SocketAddr::try_from(getsockname(&socket)?)?;
    Ok((socket, bound.port()))
}

/// Accepts a connection.
pub(super) fn accept(listener: &OwnedFd) -> Result<OwnedFd, Errno> {
    accept_with(listener, FLAGS)
}
