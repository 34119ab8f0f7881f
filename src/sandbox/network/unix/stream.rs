//! Reads, writes and copies between connections, in bounded memory.
//!
//! A connection without traffic has no buffer. A busy one yields to the jobs of the I/O thread.

use std::future::pending;
use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::pin::pin;
use std::time::Duration;

use rustix::net::{Shutdown, shutdown, sockopt};
use tokio::io::{Interest, Ready};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::yield_now;
use tokio::time::timeout;

use super::messages::http::body::Body;
use crate::process::fd::readiness::{closed, register_readable};

/// The size of a buffer (bytes): the usual amount that the kernel has at once.
const BUFFER: usize = 64 << 10;

/// The number of buffers after which the other tasks have their turn.
const BUFFERS_PER_TURN: u32 = 4;

/// TCP keepalive: the idle time before the first probe, the interval between probes, and their number. A peer
/// that has vanished is detected after 2 minutes.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(60);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);
const KEEPALIVE_COUNT: u32 = 4;

/// The time for which a client's remaining bytes are read, so that it gets the response before its connection
/// is reset.
const LINGER: Duration = Duration::from_secs(1);

/// Sets keepalive and `TCP_NODELAY`, and makes closing the connection a reset until [`end_whole`], so that no
/// peer takes a truncated stream for a complete one.
pub fn prepare(stream: &TcpStream) {
    // The connection also works without these options.
    let _ = sockopt::set_socket_linger(stream, Some(Duration::ZERO));
    let _ = sockopt::set_socket_keepalive(stream, true);
    let _ = sockopt::set_tcp_keepidle(stream, KEEPALIVE_IDLE);
    let _ = sockopt::set_tcp_keepintvl(stream, KEEPALIVE_INTERVAL);
    let _ = sockopt::set_tcp_keepcnt(stream, KEEPALIVE_COUNT);
    let _ = sockopt::set_tcp_nodelay(stream, true);
}

/// Makes closing the connection a regular end of stream: the peer has received everything.
pub fn end_whole(stream: &TcpStream) {
    let _ = sockopt::set_socket_linger(stream, None);
}

/// A connected socket that is read and written by reference, so that both directions can be in use at once.
pub(in crate::sandbox) trait Connection {
    /// Waits until the socket can be read, or written. Cancel-safe.
    async fn ready(&self, interest: Interest) -> io::Result<Ready>;
    /// Reads without blocking.
    fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize>;
    /// Writes without blocking.
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize>;
}

macro_rules! connections {
    ($($stream:ty),*) => {$(
        impl Connection for $stream {
            async fn ready(&self, interest: Interest) -> io::Result<Ready> {
                Self::ready(self, interest).await
            }

            fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
                Self::try_read(self, buffer)
            }

            fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
                Self::try_write(self, bytes)
            }
        }
    )*};
}

connections!(TcpStream, UnixStream);

/// Reads the next bytes and appends them. Returns their number, 0 at the end.
///
/// # Errors
///
/// The system's error.
pub(in crate::sandbox) async fn read_more(
    stream: &impl Connection,
    bytes: &mut Vec<u8>,
    most: usize,
) -> io::Result<usize> {
    let length = bytes.len();
    bytes.resize(length + most, 0);
    let read = read(stream, bytes.get_mut(length..).unwrap_or_default()).await;
    bytes.truncate(length + read.as_ref().unwrap_or(&0));
    read
}

async fn read(stream: &impl Connection, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        stream.ready(Interest::READABLE).await?;
        match stream.try_read(buffer) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            other => return other,
        }
    }
}

/// Writes all bytes.
///
/// # Errors
///
/// The system's error.
pub(in crate::sandbox) async fn write_all(stream: &impl Connection, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.ready(Interest::WRITABLE).await?;
        match stream.try_write(bytes) {
            Ok(length) => bytes = bytes.get(length..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Copies in both directions until both have ended. Passes on the end of one direction, and copies the other
/// one while both peers are connected.
///
/// # Errors
///
/// The first error of either direction.
pub async fn copy_both(client: &TcpStream, server: &TcpStream) -> io::Result<()> {
    let mut sent = pin!(copy(client, server));
    let mut answered = pin!(copy(server, client));
    let (ended, other) = tokio::select! {
        result = &mut sent => (result.map(|()| client)?, answered),
        result = &mut answered => (result.map(|()| server)?, sent),
    };
    tokio::select! {
        result = other => result?,
        error = lost(ended) => return Err(error),
    }
    end_whole(client);
    end_whole(server);
    Ok(())
}

/// Waits until a peer that has sent its end of stream resets the connection, or no longer answers keepalive
/// probes. Neither a read nor a write could tell.
pub async fn lost(peer: &TcpStream) -> io::Error {
    match peer.ready(Interest::ERROR).await {
        Ok(_) => ErrorKind::ConnectionReset.into(),
        Err(error) => error,
    }
}

/// Waits until a peer has closed its side of the connection. Leaves the bytes that it has sent before.
pub async fn hung_up(peer: &TcpStream) {
    // A registration of its own, because the stream's would forget that there are bytes to read.
    match peer.as_fd().try_clone_to_owned().and_then(register_readable) {
        Ok(peer) => closed(&peer).await,
        Err(_) => pending().await,
    }
}

/// Copies until the end of stream, and passes the end on.
///
/// # Errors
///
/// The system's error.
pub async fn copy(from: &TcpStream, to: &TcpStream) -> io::Result<()> {
    copy_while(from, to, |bytes| Ok((bytes.len(), false))).await?;
    // The other peer may have closed the connection already.
    let _ = shutdown(to, Shutdown::Write);
    Ok(())
}

/// Copies a body, whose first bytes may have been read already, and nothing after it.
///
/// # Errors
///
/// The system's error, [`ErrorKind::InvalidData`] for a body that is malformed or cut off.
pub async fn copy_body(from: &TcpStream, to: &TcpStream, mut body: Body, first: &[u8]) -> io::Result<()> {
    let mut take = |bytes: &[u8]| {
        let taken = body.take(bytes).map_err(|_| io::Error::from(ErrorKind::InvalidData))?;
        Ok((taken, body.has_ended()))
    };
    let (taken, has_ended) = take(first)?;
    write_all(to, first.get(..taken).unwrap_or_default()).await?;
    if !has_ended {
        copy_while(from, to, take).await?;
    }
    if body.has_ended() { Ok(()) } else { Err(ErrorKind::InvalidData.into()) }
}

/// Copies until the end of stream, or until `take` reports the end. `take` returns how many of the given
/// bytes are copied.
async fn copy_while(
    from: &TcpStream,
    to: &TcpStream,
    mut take: impl FnMut(&[u8]) -> io::Result<(usize, bool)>,
) -> io::Result<()> {
    loop {
        from.readable().await?;
        let mut buffer = vec![0; BUFFER];
        for _ in 0..BUFFERS_PER_TURN {
            let length = match from.try_read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(length) => length,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            };
            let bytes = buffer.get(..length).unwrap_or_default();
            let (taken, has_ended) = take(bytes)?;
            write_all(to, bytes.get(..taken).unwrap_or_default()).await?;
            if has_ended {
                return Ok(());
            }
        }
        drop(buffer);
        yield_now().await;
    }
}

/// Closes a connection after a response. Reads the client's remaining bytes for a moment, because the kernel
/// resets a connection with unread bytes, and the response would be lost.
pub async fn close_gently(stream: &TcpStream) {
    end_whole(stream);
    if shutdown(stream, Shutdown::Write).is_err() {
        return;
    }
    let drain = async {
        let mut buffer = vec![0; BUFFER];
        while read(stream, &mut buffer).await.is_ok_and(|length| length > 0) {
            yield_now().await;
        }
    };
    let _ = timeout(LINGER, drain).await;
}
