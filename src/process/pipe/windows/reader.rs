//! The reading end of a pipe, on the I/O thread.

use std::io::{self, ErrorKind};
use std::os::windows::io::AsRawHandle;
use std::ptr::null_mut;

use windows_sys::Win32::System::Pipes::PeekNamedPipe;

use super::Stream;
use crate::process::errno::Errno;
use crate::process::pipe::Read;
use crate::process::pty::WindowSize;

/// The most bytes that the runtime reads at once.
const PIECE: usize = 4096;

/// The reading end of a pipe, on the I/O thread.
#[derive(Debug)]
pub struct PipeReader {
    pipe: Stream,
}

impl PipeReader {
    /// Takes a reading end, which the runtime watches already.
    ///
    /// # Errors
    ///
    /// None here, unlike on Unix.
    #[allow(clippy::unnecessary_wraps, reason = "the same on all systems")]
    pub const fn new(pipe: Stream) -> io::Result<Self> {
        Ok(Self { pipe })
    }

    /// Does nothing: a pipe wakes the I/O thread once for each read that has been asked for.
    pub const fn deregister(&mut self) {}

    /// Waits until there may be something to read. Cancel safe.
    ///
    /// # Errors
    ///
    /// When the runtime shuts down.
    pub async fn ready(&mut self) -> io::Result<()> {
        self.pipe.readable().await
    }

    /// Appends the data that has arrived to the buffer, as far as the buffer has room.
    pub fn read(&mut self, buffer: &mut Vec<u8>) -> Read {
        // A read into an empty buffer returns 0, which would count as the end of the pipe.
        buffer.reserve(1);
        let mut piece = [0; PIECE];
        let room = PIECE.min(buffer.capacity() - buffer.len());
        loop {
            match self.pipe.try_read(&mut piece[..room]) {
                Ok(0) if self.has_ended() => return Read::End,
                // A program has written nothing at all, which a pipe passes on.
                Ok(0) => {}
                Ok(count) => {
                    buffer.extend_from_slice(&piece[..count]);
                    return Read::Bytes(count);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Read::Empty,
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Read::End,
                Err(error) => return Read::Failed(Errno::of(&error)),
            }
        }
    }

    /// Returns false: only a named pipe of a session can be untouched.
    #[must_use]
    pub const fn is_untouched(&self) -> bool {
        false
    }

    /// Returns 0: processes are not found by their pipes here.
    #[must_use]
    pub const fn inode(&self) -> u64 {
        0
    }

    /// Does nothing: no command has a terminal.
    pub const fn resize(&self, _size: WindowSize) {}

    /// Returns whether no process holds the other end, and nothing is left to read.
    fn has_ended(&self) -> bool {
        let pipe = self.pipe.as_raw_handle();
        // SAFETY: the pipe is open, and no place is given for what the call could report.
        unsafe { PeekNamedPipe(pipe, null_mut(), 0, null_mut(), null_mut(), null_mut()) == 0 }
    }
}
