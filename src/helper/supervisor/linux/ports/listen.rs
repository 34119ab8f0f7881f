//! Listening sockets.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::sockopt::set_socket_reuseaddr;
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, accept_with, bind, getsockname, listen as start, socket_with,
};

use crate::helper::supervisor::protocol::ports::{BACKLOG, ListenAt};
use crate::process::sockets::{SocketFile, listen_at};

const FLAGS: SocketFlags = SocketFlags::CLOEXEC.union(SocketFlags::NONBLOCK);

/// A listening socket. Dropping it removes its path, if it has one.
#[derive(Debug)]
pub(super) struct ListeningSocket {
    pub(super) socket: OwnedFd,
    _file: Option<SocketFile>,
}

/// Listens, and returns the port: the kernel chooses one for 0. A path has none.
pub(super) fn listen(at: &ListenAt) -> Result<(ListeningSocket, u16), Errno> {
    let (address, port) = match at {
        ListenAt::Tcp { address, port } => (*address, *port),
        ListenAt::Unix { path } => {
            let (socket, file) = listen_at(path, BACKLOG)?;
            return Ok((ListeningSocket { socket, _file: Some(file) }, 0));
        }
    };
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket_with(family, SocketType::STREAM, FLAGS, None)?;
    // A port whose last connections are in TIME_WAIT can be used again.
    set_socket_reuseaddr(&socket, true)?;
    bind(&socket, &SocketAddr::new(address, port))?;
    start(&socket, BACKLOG.cast_signed())?;
    let bound = SocketAddr::try_from(getsockname(&socket)?)?;
    Ok((ListeningSocket { socket, _file: None }, bound.port()))
}

/// Accepts a connection.
pub(super) fn accept(listener: &OwnedFd) -> Result<OwnedFd, Errno> {
    accept_with(listener, FLAGS)
}
