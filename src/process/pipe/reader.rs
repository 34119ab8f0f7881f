//! The reading end of a pipe, on the I/O thread.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::io::{Errno as SystemError, read};
use tokio::io::unix::AsyncFd;
use tokio::time::{Instant, sleep_until};

use super::{enlarge, inode};
use crate::process::errno::Errno;
use crate::process::fd::readiness::{try_watch_readable, watch_readable};

/// What one look into a pipe found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// So many bytes.
    Bytes(usize),
    /// Nothing now.
    Empty,
    /// Nothing ever again: no writer is left.
    End,
    /// Nothing ever again, though writers may be left: the system said so.
    Failed(Errno),
}

/// How often a pipe is read that can't be watched.
const UNWATCHED_PAUSE: Duration = Duration::from_millis(10);

/// The reading end of a pipe, on the I/O thread.
#[derive(Debug)]
pub struct PipeReader {
    descriptor: Descriptor,
    is_large: bool,
    /// When to look into the pipe that could not be watched again.
    look_at: Option<Instant>,
}

/// A watched pipe wakes the I/O thread at every write, also when nobody waits for it.
#[derive(Debug)]
enum Descriptor {
    Watched(AsyncFd<OwnedFd>),
    Unwatched(OwnedFd),
    /// Only while it changes from one to the other, or when the runtime has gone.
    Lost,
}

impl PipeReader {
    /// Registers the reading end with the current runtime.
    ///
    /// # Errors
    ///
    /// The system's error when the descriptor can't be watched.
    pub fn new(reader: OwnedFd) -> io::Result<Self> {
        Ok(Self { descriptor: Descriptor::Watched(watch_readable(reader)?), is_large: false, look_at: None })
    }

    /// Stops watching until the next [`Self::ready`]. Makes room for what comes meanwhile, so that the writer need not wait.
    pub fn rest(&mut self) {
        self.enlarge();
        self.descriptor = match std::mem::replace(&mut self.descriptor, Descriptor::Lost) {
            Descriptor::Watched(watched) => Descriptor::Unwatched(watched.into_inner()),
            other => other,
        };
    }

    /// Waits until there may be something to read.
    ///
    /// A user may watch only so many descriptors, so watching may fail. Then the pipe is read every 10 ms, and watched once
    /// that is possible: nothing of it is lost.
    ///
    /// # Errors
    ///
    /// When the runtime shuts down.
    pub async fn ready(&mut self) -> io::Result<()> {
        if let Descriptor::Unwatched(_) = &self.descriptor
            && let Descriptor::Unwatched(descriptor) =
                std::mem::replace(&mut self.descriptor, Descriptor::Lost)
        {
            match try_watch_readable(descriptor) {
                Ok(watched) => self.descriptor = Descriptor::Watched(watched),
                Err(descriptor) => {
                    self.descriptor = Descriptor::Unwatched(descriptor);
                    // Kept, since whoever waits may begin again before it is over.
                    sleep_until(*self.look_at.get_or_insert_with(|| Instant::now() + UNWATCHED_PAUSE)).await;
                }
            }
            self.look_at = None;
        }
        match &self.descriptor {
            Descriptor::Watched(watched) => watched.readable().await.map(|mut guard| guard.retain_ready()),
            Descriptor::Unwatched(_) | Descriptor::Lost => Ok(()),
        }
    }

    /// Appends what is there now, as far as the buffer has room, whatever the runtime knows.
    pub fn read(&mut self, buffer: &mut Vec<u8>) -> Read {
        // Without any, nothing would be taken for the end.
        buffer.reserve(1);
        loop {
            let Some(descriptor) = self.descriptor() else { return Read::End };
            match read(descriptor, spare_capacity(buffer)) {
                Ok(0) => return Read::End,
                Ok(count) => {
                    if buffer.len() == buffer.capacity() {
                        self.enlarge();
                    }
                    return Read::Bytes(count);
                }
                Err(SystemError::INTR) => {}
                Err(SystemError::AGAIN) => {
                    self.wait_for_the_kernel();
                    return Read::Empty;
                }
                Err(error) => return Read::Failed(Errno(error.raw_os_error())),
            }
        }
    }

    /// The pipe was empty: the next [`Self::ready`] waits for the kernel's word.
    fn wait_for_the_kernel(&self) {
        let mut context = Context::from_waker(Waker::noop());
        if let Descriptor::Watched(watched) = &self.descriptor
            && let Poll::Ready(Ok(mut guard)) = watched.poll_read_ready(&mut context)
        {
            guard.clear_ready();
        }
    }

    /// The number by which the pipe is known in `/proc`.
    #[must_use]
    pub fn inode(&self) -> u64 {
        self.descriptor().map_or(0, inode)
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        match &self.descriptor {
            Descriptor::Watched(watched) => Some(watched.as_fd()),
            Descriptor::Unwatched(descriptor) => Some(descriptor.as_fd()),
            Descriptor::Lost => None,
        }
    }

    fn enlarge(&mut self) {
        if !self.is_large {
            self.is_large = true;
            let _ = self.descriptor().map(enlarge);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::{AsFd, AsRawFd};
    use std::os::unix::net::UnixStream;

    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    use super::{Errno, PipeReader, Read};
    use crate::process::pipe::pipe;

    #[tokio::test(flavor = "current_thread")]
    async fn a_pipe_that_cant_be_watched_is_read_to_its_end() {
        let (reader, writer) = pipe().expect("a pipe");
        let mut writer = std::fs::File::from(writer);
        let mut reader = PipeReader::new(reader).expect("watched");
        reader.rest();
        // The kernel watches a descriptor once: while this one does, the reader can't.
        let number = reader.descriptor().expect("open").as_fd().as_raw_fd();
        // SAFETY: the reader keeps the descriptor open until after this is dropped.
        let other = unsafe { AsyncFd::register_with_interest(number, Interest::READABLE) };
        let other = other.expect("watched by another");
        let mut buffer = Vec::with_capacity(16);
        for text in ["one", "two"] {
            reader.ready().await.expect("a time to look");
            assert_eq!(reader.read(&mut buffer), Read::Empty);
            writer.write_all(text.as_bytes()).expect("written");
            reader.ready().await.expect("a time to look");
            assert_eq!(reader.read(&mut buffer), Read::Bytes(3));
        }
        drop(other);
        writer.write_all(b"three").expect("written");
        reader.ready().await.expect("watched again");
        assert_eq!(reader.read(&mut buffer), Read::Bytes(5));
        drop(writer);
        reader.ready().await.expect("the end");
        assert_eq!((reader.read(&mut buffer), buffer.as_slice()), (Read::End, &b"onetwothree"[..]));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn an_error_is_no_end() {
        let (mut reset, peer) = UnixStream::pair().expect("a pair");
        reset.set_nonblocking(true).expect("set");
        // The peer goes without having read it: the kernel tells this end that the connection was reset.
        reset.write_all(b"unread").expect("written");
        drop(peer);
        let mut reader = PipeReader::new(reset.into()).expect("watched");
        assert_eq!(reader.read(&mut Vec::new()), Read::Failed(Errno(libc::ECONNRESET)));
    }
}
