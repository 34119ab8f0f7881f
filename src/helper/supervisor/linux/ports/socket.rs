//! The socket of one connection.

use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::{Errno, write};
use rustix::net::sockopt::{set_socket_linger, set_tcp_nodelay, socket_error};
use rustix::net::{
    AddressFamily, Shutdown, SocketAddrUnix, SocketFlags, SocketType, connect, shutdown, socket_with,
};

use crate::helper::supervisor::protocol::ports::PortFlow;

/// The addresses of a name that are tried.
const MAX_ADDRESSES: usize = 4;

/// A connection. Dropping it before its end resets it.
#[derive(Debug, Default)]
pub(super) struct PortSocket {
    pub(super) flow: PortFlow,
    pub(super) is_finished: bool,
    /// `None` while a name is looked up.
    socket: Option<OwnedFd>,
    /// The addresses to try next, the last one first.
    others: Vec<SocketAddr>,
    is_connected: bool,
    /// The events that are watched, on the descriptor of each epoll instance.
    read_events: Option<EventFlags>,
    write_events: Option<EventFlags>,
}

impl PortSocket {
    pub(super) fn accepted(socket: OwnedFd) -> Self {
        let _ = set_tcp_nodelay(&socket, true);
        let mut accepted = Self::default();
        (accepted.socket, accepted.is_connected) = (Some(socket), true);
        accepted
    }

    /// Begins to connect to the first address that does not fail at once.
    pub(super) fn connect(&mut self, mut addresses: Vec<SocketAddr>) -> Result<(), Errno> {
        addresses.truncate(MAX_ADDRESSES);
        addresses.reverse();
        self.others = addresses;
        self.try_next(Errno::HOSTUNREACH)
    }

    pub(super) fn connect_to_path(&mut self, path: &str) -> Result<(), Errno> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        // A full backlog fails with EAGAIN, and no later event would tell of room.
        connect(&socket, &SocketAddrUnix::new(path)?)?;
        self.socket = Some(socket);
        self.is_connected = true;
        Ok(())
    }

    /// Tries the other addresses after an error.
    fn try_next(&mut self, error: Errno) -> Result<(), Errno> {
        let mut failure = error;
        while let Some(address) = self.others.pop() {
            // The events of a closed socket are gone.
            (self.read_events, self.write_events) = (None, None);
            match open(&address) {
                Ok(socket) => {
                    self.socket = Some(socket);
                    return Ok(());
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.socket.as_ref().map(AsFd::as_fd)
    }

    /// Returns the error of a socket that has one.
    pub(super) fn error(&self) -> Errno {
        let error = self.socket.as_ref().and_then(|socket| socket_error(socket).ok());
        error.and_then(Result::err).unwrap_or(Errno::CONNRESET)
    }

    /// Finishes connecting, writes what waits, and shuts the socket down behind the last byte, as far as that
    /// is possible now. Returns the credit to grant.
    pub(super) fn progress(&mut self) -> Result<Option<u32>, Errno> {
        if !self.is_connected {
            self.finish_connect()?;
        }
        let mut granted = None;
        let Some(socket) = self.socket.as_ref().filter(|_| self.is_connected) else {
            return Ok(granted);
        };
        while !self.flow.unwritten().is_empty() {
            match write(socket, self.flow.unwritten()) {
                Ok(count) => {
                    if let Some(more) = self.flow.wrote(count) {
                        granted = Some(granted.unwrap_or(0) + more);
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error),
            }
        }
        if self.flow.shuts() {
            // The other side may have closed it just now.
            let _ = shutdown(socket, Shutdown::Write);
        }
        Ok(granted)
    }

    fn finish_connect(&mut self) -> Result<(), Errno> {
        let Some(socket) = &self.socket else { return Ok(()) };
        match (socket_error(socket)?, rustix::net::getpeername(socket)) {
            (Ok(()), Ok(Some(_))) => {
                self.is_connected = true;
                self.others.clear();
                Ok(())
            }
            // The socket is still connecting.
            (Ok(()), _) => Ok(()),
            (Err(error), _) => self.try_next(error),
        }
    }

    /// Watches the socket for what it waits for.
    pub(super) fn watch(&mut self, id: u32, to_read: &OwnedFd, to_write: &OwnedFd) -> Result<(), Errno> {
        let Some(socket) = &self.socket else { return Ok(()) };
        let read = match (self.is_connected, self.flow.readable() > 0) {
            (true, true) => Some(EventFlags::IN),
            // Only a reset is of interest, which the kernel always reports.
            (true, false) if self.flow.only_writes() => Some(EventFlags::empty()),
            _ => None,
        };
        let write = (!self.is_connected || !self.flow.unwritten().is_empty()).then_some(EventFlags::OUT);
        let data = EventData::new_u64(id.into());
        for (watched, wanted, epoll) in
            [(&mut self.read_events, read, to_read), (&mut self.write_events, write, to_write)]
        {
            match (*watched, wanted) {
                (Some(before), Some(now)) if before == now => {}
                (Some(_), Some(now)) => epoll::modify(epoll, socket, data, now)?,
                (None, Some(now)) => epoll::add(epoll, socket, data, now)?,
                (Some(_), None) => epoll::delete(epoll, socket)?,
                (None, None) => {}
            }
            *watched = wanted;
        }
        Ok(())
    }
}

impl Drop for PortSocket {
    fn drop(&mut self) {
        if let Some(socket) = self.socket.as_ref().filter(|_| !self.is_finished) {
            let _ = set_socket_linger(socket, Some(Duration::ZERO));
        }
    }
}

/// Opens a socket and begins to connect it.
fn open(address: &SocketAddr) -> Result<OwnedFd, Errno> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(family, SocketType::STREAM, flags, None)?;
    let _ = set_tcp_nodelay(&socket, true);
    match connect(&socket, address) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(socket),
        Err(error) => Err(error),
    }
}
