//! Reads, writes and copies between connections, in bounded memory.
//!
//! A connection without traffic has no buffer. A busy one yields to the jobs of the I/O thread.

use std::io::{self, ErrorKind};
use std::pin::pin;
use std::time::Duration;

use rustix::net::{Shutdown, shutdown, sockopt};
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::task::yield_now;
use tokio::time::timeout;

use super::http::body::Body;

/// The size of a buffer (bytes): what the kernel usually has at once.
const BUFFER: usize = 64 << 10;

/// The number of buffers after which the other tasks have their turn.
const BUFFERS_PER_TURN: u32 = 4;

/// The time without traffic after which the kernel asks a peer whether it is still there, between two such
/// questions, and their number: 2 minutes in all for a peer that has vanished.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(60);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);
const KEEPALIVE_COUNT: u32 = 4;

/// How long what a client still sends is read, so that it gets an answer before its connection is reset.
const LINGER: Duration = Duration::from_secs(1);

/// Lets the kernel find out that a peer has vanished, sends small pieces at once, and makes the end of the
/// connection a reset until [`end_whole`]: no peer must take a part for all there is.
pub fn prepare(stream: &TcpStream) {
    // Without them, the connection works too.
    let _ = sockopt::set_socket_linger(stream, Some(Duration::ZERO));
    let _ = sockopt::set_socket_keepalive(stream, true);
    let _ = sockopt::set_tcp_keepidle(stream, KEEPALIVE_IDLE);
    let _ = sockopt::set_tcp_keepintvl(stream, KEEPALIVE_INTERVAL);
    let _ = sockopt::set_tcp_keepcnt(stream, KEEPALIVE_COUNT);
    let _ = sockopt::set_tcp_nodelay(stream, true);
}

/// Makes the end of a connection the usual one: its peer has got all there is.
pub fn end_whole(stream: &TcpStream) {
    let _ = sockopt::set_socket_linger(stream, None);
}

/// Appends what arrives next. Returns its length, 0 at the end.
///
/// # Errors
///
/// The system's error.
pub async fn read_more(stream: &TcpStream, bytes: &mut Vec<u8>, most: usize) -> io::Result<usize> {
    let length = bytes.len();
    bytes.resize(length + most, 0);
    let read = read(stream, bytes.get_mut(length..).unwrap_or_default()).await;
    bytes.truncate(length + read.as_ref().unwrap_or(&0));
    read
}

async fn read(stream: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        stream.readable().await?;
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
pub async fn write_all(stream: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.writable().await?;
        match stream.try_write(bytes) {
            Ok(length) => bytes = bytes.get(length..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Copies in both directions until both have ended. The end of one is passed on, and the other goes on as
/// long as both peers are there.
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

/// Waits until a peer that sends nothing more has reset its connection, or does not answer the kernel. Reading
/// from it shows its end alone, and nothing may be written to it.
pub async fn lost(peer: &TcpStream) -> io::Error {
    match peer.ready(Interest::ERROR).await {
        Ok(_) => ErrorKind::ConnectionReset.into(),
        Err(error) => error,
    }
}

/// Copies until the end, and passes it on.
///
/// # Errors
///
/// The system's error.
pub async fn copy(from: &TcpStream, to: &TcpStream) -> io::Result<()> {
    copy_while(from, to, |bytes| Ok((bytes.len(), false))).await?;
    // The other side may be gone already.
    let _ = shutdown(to, Shutdown::Write);
    Ok(())
}

/// Copies a body, whose first bytes may be known already, and nothing behind it.
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

/// Copies until the end, or until `take` says that the end is reached. `take` says how many of some bytes are
/// copied.
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

/// Ends a connection after an answer: what the client still sends is read for a moment, because the kernel
/// resets a connection with unread bytes, and the answer would be lost.
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
