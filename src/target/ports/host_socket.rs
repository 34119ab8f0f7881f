//! A connected socket of this machine.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::io::{read, write};
use rustix::net::sockopt::set_socket_linger;
use rustix::net::{Shutdown, shutdown};
use tokio::io::Interest;
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use crate::helper::supervisor::protocol::ports::{PortEnd, known_addresses};
use crate::sandbox::network::outbound::look_up;

/// The longest attempt to connect to one address. Then the next address is tried.
const CONNECT_DEADLINE: Duration = Duration::from_secs(10);

/// The addresses of a name that are tried.
const MAX_ADDRESSES: usize = 4;

/// A socket of either kind. Dropping it before [`Self::finish`] resets the connection.
#[derive(Debug)]
pub(super) struct HostSocket {
    stream: HostStream,
    is_finished: bool,
}

#[derive(Debug)]
enum HostStream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl HostSocket {
    pub(super) fn of_tcp(stream: TcpStream) -> Self {
        let _ = stream.set_nodelay(true);
        Self { stream: HostStream::Tcp(stream), is_finished: false }
    }

    pub(super) const fn of_unix(stream: UnixStream) -> Self {
        Self { stream: HostStream::Unix(stream), is_finished: false }
    }

    /// Connects to a server of this machine, or of one that it reaches.
    pub(super) async fn connect(end: &PortEnd) -> io::Result<Self> {
        let (host, port) = match end {
            PortEnd::Tcp { host, port } => (host, *port),
            PortEnd::Unix { path } => {
                return Ok(Self::of_unix(UnixStream::connect(path).await?));
            }
        };
        let addresses = if let Some(addresses) = known_addresses(host, port) {
            addresses
        } else {
            let found = look_up(host.clone()).await?;
            found.into_iter().map(|address| SocketAddr::new(address, port)).collect()
        };
        let mut failure = io::ErrorKind::NotFound.into();
        for address in addresses.into_iter().take(MAX_ADDRESSES) {
            match timeout(CONNECT_DEADLINE, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Ok(Self::of_tcp(stream)),
                Ok(Err(error)) => failure = error,
                Err(_) => failure = io::ErrorKind::TimedOut.into(),
            }
        }
        Err(failure)
    }

    /// Waits until the socket can be read. Cancel-safe.
    pub(super) async fn readable(&self) {
        self.ready(Interest::READABLE).await;
    }

    /// Waits until the socket can be written. Cancel-safe.
    pub(super) async fn writable(&self) {
        self.ready(Interest::WRITABLE).await;
    }

    /// Waits until the connection was reset. Cancel-safe.
    pub(super) async fn reset(&self) {
        self.ready(Interest::ERROR).await;
    }

    /// Reads at most this many bytes, without blocking. An end is an empty buffer.
    pub(super) fn read(&self, most: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(most);
        self.try_io(Interest::READABLE, |socket| read(socket, spare_capacity(&mut bytes)))?;
        Ok(bytes)
    }

    /// Writes without blocking.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.try_io(Interest::WRITABLE, |socket| write(socket, bytes))
    }

    /// Ends what is written. The other side may have closed the connection just now.
    pub(super) fn shut_down(&self) {
        let _ = shutdown(self.stream.as_fd(), Shutdown::Write);
    }

    /// Closes the connection, which has ended in both directions.
    pub(super) fn finish(mut self) {
        self.is_finished = true;
    }

    async fn ready(&self, interest: Interest) {
        let ready = match &self.stream {
            HostStream::Tcp(stream) => stream.ready(interest).await,
            HostStream::Unix(stream) => stream.ready(interest).await,
        };
        drop(ready);
    }

    fn try_io<T>(
        &self,
        interest: Interest,
        mut act: impl FnMut(BorrowedFd<'_>) -> rustix::io::Result<T>,
    ) -> io::Result<T> {
        let act = || act(self.stream.as_fd()).map_err(io::Error::from);
        match &self.stream {
            HostStream::Tcp(stream) => stream.try_io(interest, act),
            HostStream::Unix(stream) => stream.try_io(interest, act),
        }
    }
}

impl Drop for HostSocket {
    fn drop(&mut self) {
        if !self.is_finished {
            let _ = set_socket_linger(self.stream.as_fd(), Some(Duration::ZERO));
        }
    }
}

impl AsFd for HostStream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(stream) => stream.as_fd(),
            Self::Unix(stream) => stream.as_fd(),
        }
    }
}
