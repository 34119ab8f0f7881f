//! The connection of an attachment to its supervisor, on the I/O thread.

use std::io;
use std::os::unix::net::UnixStream as StdStream;

use tokio::net::UnixStream;
use tokio::sync::oneshot;

use super::AfterLoss;
use crate::durable::socket::{SupervisorRefusal, SupervisorSocket};
use crate::helper::supervisor::protocol::frame::FrameReader;
use crate::process::pipe::PipeReader;

/// The size of one read (bytes).
const CHUNK: usize = 64 * 1024;

/// The connection to a supervisor, and the bytes that are still to be sent.
pub(super) struct SupervisorLink {
    pub(super) stream: UnixStream,
    pub(super) reader: FrameReader,
    pub(super) out: Vec<u8>,
}

impl SupervisorLink {
    pub(super) fn new(socket: SupervisorSocket) -> io::Result<Self> {
        let SupervisorSocket { socket, reader } = socket;
        let stream = StdStream::from(socket);
        stream.set_nonblocking(true)?;
        Ok(Self { stream: UnixStream::from_std(stream)?, reader, out: Vec::new() })
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        while !self.out.is_empty() {
            match self.stream.try_write(&self.out) {
                Ok(count) => drop(self.out.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Receives what has arrived. Fails at the end of the connection.
    pub(super) fn receive(&mut self) -> io::Result<()> {
        let mut buffer = vec![0; CHUNK];
        loop {
            match self.stream.try_read(&mut buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.reader.push(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }
}

/// Waits until a connection can be read, or written if that is wanted. Waits for ever without one.
pub(super) async fn link_ready(link: &mut Option<SupervisorLink>) {
    match link {
        Some(link) if link.out.is_empty() => drop(link.stream.readable().await),
        Some(link) => {
            tokio::select! {
                _ = link.stream.readable() => {}
                _ = link.stream.writable() => {}
            }
        }
        None => std::future::pending().await,
    }
}

/// Waits for what became of a lost supervisor. Waits for ever if none is lost.
pub(super) async fn recovered(recovery: &mut Option<oneshot::Receiver<AfterLoss>>) -> AfterLoss {
    match recovery {
        Some(recovery) => recovery.await.unwrap_or(AfterLoss::Refused(SupervisorRefusal::Silent)),
        None => std::future::pending().await,
    }
}

/// Waits until the job has written input. Waits for ever without any.
pub(super) async fn input_ready(input: &mut Option<PipeReader>) {
    match input {
        Some(input) => drop(input.ready().await),
        None => std::future::pending().await,
    }
}
