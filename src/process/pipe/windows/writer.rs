//! The writing end of a pipe, on the I/O thread.

use std::io::{self, ErrorKind};
use std::os::windows::io::IntoRawHandle;

use tokio::net::windows::named_pipe::NamedPipeServer;

use super::Stream;
use crate::process::pipe::Write;

/// The most bytes of one write. The runtime copies them, and holds them until the command has read them.
const MAX_WRITE: usize = 64 * 1024;

/// The writing end of a pipe, on the I/O thread. Dropping it ends the reader's input, after what was written.
#[derive(Debug)]
pub struct PipeWriter {
    pipe: NamedPipeServer,
}

impl PipeWriter {
    /// Takes a writing end, which the runtime watches from here on.
    ///
    /// # Errors
    ///
    /// When the runtime shuts down, or the kernel refuses.
    pub fn new(pipe: Stream) -> io::Result<Self> {
        // SAFETY: the handle is that of an overlapped named pipe, and passes on to its new owner.
        let pipe = unsafe { NamedPipeServer::from_raw_handle(pipe.into_raw_handle()) }?;
        Ok(Self { pipe })
    }

    /// Waits until there may be room, or no reader is left. Cancel safe.
    ///
    /// # Errors
    ///
    /// When the runtime shuts down.
    pub async fn ready(&mut self) -> io::Result<()> {
        self.pipe.writable().await
    }

    /// Writes as much as there is room for now. Any error of the pipe counts as [`Write::Closed`].
    pub fn write(&mut self, bytes: &[u8]) -> Write {
        match self.pipe.try_write(&bytes[..bytes.len().min(MAX_WRITE)]) {
            Ok(count) => Write::Bytes(count),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Write::Full,
            Err(_) => Write::Closed,
        }
    }
}
