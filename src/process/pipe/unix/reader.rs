//! The reading end of a pipe, on the I/O thread.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::io::{Errno as SystemError, read};
use rustix::termios::isatty;
use tokio::io::unix::AsyncFd;
use tokio::time::{Instant, sleep_until};

use super::watch::{PipeWatch, has_data_or_ended};
use super::{enlarge, inode};
use crate::process::errno::Errno;
use crate::process::fd::readiness::{register_readable, try_register_readable};
use crate::process::pipe::Read;
use crate::process::pty::{WindowSize, set_size};

/// The time between two reads of a pipe that can't be registered: short enough for interactive output, and at
/// most 100 wake-ups a second.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The reading end of a pipe, on the I/O thread.
#[derive(Debug)]
pub struct PipeReader {
    descriptor: Descriptor,
    watch: PipeWatch,
    is_large: bool,
    /// The next read of a pipe that could not be registered.
    next_poll: Option<Instant>,
}

/// The descriptor and whether the runtime watches it. A registered pipe wakes the I/O thread at every write,
/// also when no task awaits it.
#[derive(Debug)]
enum Descriptor {
    Registered(AsyncFd<OwnedFd>),
    Deregistered(OwnedFd),
    /// Neither of the two: during a change between them, or after the runtime has shut down.
    Lost,
}

impl PipeReader {
    /// Registers the reading end with the current runtime.
    ///
    /// # Errors
    ///
    /// The system's error when the descriptor can't be registered.
    pub fn new(reader: OwnedFd) -> io::Result<Self> {
        let watch = PipeWatch::of(reader.as_fd());
        let descriptor = Descriptor::Registered(register_readable(reader)?);
        Ok(Self { descriptor, watch, is_large: false, next_poll: None })
    }

    /// Creates a reader that registers its end at the first [`Self::ready`].
    #[must_use]
    pub fn deregistered(reader: OwnedFd) -> Self {
        let watch = PipeWatch::of(reader.as_fd());
        Self { descriptor: Descriptor::Deregistered(reader), watch, is_large: false, next_poll: None }
    }

    /// Deregisters the pipe until the next [`Self::ready`], and enlarges it, so that the writer can go on
    /// meanwhile.
    pub fn deregister(&mut self) {
        self.enlarge();
        self.descriptor = match std::mem::replace(&mut self.descriptor, Descriptor::Lost) {
            Descriptor::Registered(registered) => Descriptor::Deregistered(registered.into_inner()),
            other => other,
        };
    }

    /// Waits until there may be something to read. Cancel safe.
    ///
    /// The kernel limits how many descriptors a user may watch (`max_user_watches`). Beyond the limit, the
    /// pipe is read every 10 ms and registered as soon as possible, so no output is lost.
    ///
    /// # Errors
    ///
    /// When the runtime shuts down.
    pub async fn ready(&mut self) -> io::Result<()> {
        if let Descriptor::Deregistered(_) = &self.descriptor
            && let Descriptor::Deregistered(descriptor) =
                std::mem::replace(&mut self.descriptor, Descriptor::Lost)
        {
            match try_register_readable(descriptor) {
                Ok(registered) => self.descriptor = Descriptor::Registered(registered),
                Err(descriptor) => {
                    self.descriptor = Descriptor::Deregistered(descriptor);
                    // The deadline is kept in `self`, because the caller may drop this future and call again
                    // before the deadline.
                    sleep_until(*self.next_poll.get_or_insert_with(|| Instant::now() + POLL_INTERVAL)).await;
                }
            }
            self.next_poll = None;
        }
        match &self.descriptor {
            Descriptor::Registered(registered) => self.watch.readable(registered).await,
            Descriptor::Deregistered(_) | Descriptor::Lost => Ok(()),
        }
    }

    /// Polls a registered pipe for something to read. One that is not registered counts as ready.
    pub fn poll_ready(&self, context: &mut Context<'_>) -> Poll<()> {
        match &self.descriptor {
            Descriptor::Registered(registered) => registered
                .poll_read_ready(context)
                .map(|guard| drop(guard.map(|mut guard| guard.retain_ready()))),
            Descriptor::Deregistered(_) | Descriptor::Lost => Poll::Ready(()),
        }
    }

    /// Appends the data in the pipe to the buffer, as far as the buffer has room. Does not wait for the
    /// runtime's readiness.
    pub fn read(&mut self, buffer: &mut Vec<u8>) -> Read {
        // A read into an empty buffer returns 0, which would count as the end of the pipe.
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
                    self.clear_readiness();
                    return Read::Empty;
                }
                // A terminal on Linux reports by EIO that no process holds its other end any longer.
                Err(SystemError::IO) if isatty(descriptor) => return Read::End,
                Err(error) => return Read::Failed(Errno(error.raw_os_error())),
            }
        }
    }

    /// Returns whether no process has opened the other end of a named pipe since this end was opened.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        // While a writer has the pipe open, a read would block.
        self.descriptor()
            .is_some_and(|descriptor| !has_data_or_ended(descriptor) && read(descriptor, &mut [0]) == Ok(0))
    }

    /// Clears the readiness after an empty read, so that the next [`Self::ready`] waits for the kernel.
    fn clear_readiness(&self) {
        let mut context = Context::from_waker(Waker::noop());
        if let Descriptor::Registered(registered) = &self.descriptor
            && let Poll::Ready(Ok(mut guard)) = registered.poll_read_ready(&mut context)
        {
            guard.clear_ready();
        }
    }

    /// Returns the inode by which `/proc` names the pipe.
    #[must_use]
    pub fn inode(&self) -> u64 {
        self.descriptor().map_or(0, inode)
    }

    /// Changes the size of the terminal that is read. If that fails, the program goes on with the old size.
    pub fn resize(&self, size: WindowSize) {
        if let Some(terminal) = self.descriptor() {
            let _ = set_size(terminal, size);
        }
    }

    /// Returns the descriptor, which this reader still owns.
    #[must_use]
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        match &self.descriptor {
            Descriptor::Registered(registered) => Some(registered.as_fd()),
            Descriptor::Deregistered(descriptor) => Some(descriptor.as_fd()),
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
    async fn a_pipe_that_cant_be_registered_is_read_to_its_end() {
        let (reader, writer) = pipe().expect("a pipe");
        let mut writer = std::fs::File::from(writer);
        let mut reader = PipeReader::new(reader).expect("registered");
        reader.deregister();
        // epoll accepts a descriptor only once: while this registration exists, the reader can't register it.
        let number = reader.descriptor().expect("open").as_fd().as_raw_fd();
        // SAFETY: the reader keeps the descriptor open until after this is dropped.
        let other = unsafe { AsyncFd::register_with_interest(number, Interest::READABLE) };
        let other = other.expect("registered elsewhere");
        let mut buffer = Vec::with_capacity(16);
        for text in ["one", "two"] {
            reader.ready().await.expect("a poll");
            assert_eq!(reader.read(&mut buffer), Read::Empty);
            writer.write_all(text.as_bytes()).expect("written");
            reader.ready().await.expect("a poll");
            assert_eq!(reader.read(&mut buffer), Read::Bytes(3));
        }
        drop(other);
        writer.write_all(b"three").expect("written");
        reader.ready().await.expect("registered again");
        assert_eq!(reader.read(&mut buffer), Read::Bytes(5));
        drop(writer);
        reader.ready().await.expect("the end");
        assert_eq!((reader.read(&mut buffer), buffer.as_slice()), (Read::End, &b"onetwothree"[..]));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_read_error_is_not_the_end_of_the_pipe() {
        let (mut reset, peer) = UnixStream::pair().expect("a pair");
        reset.set_nonblocking(true).expect("set");
        // The peer closes without reading: the kernel reports a reset connection to this end.
        reset.write_all(b"unread").expect("written");
        drop(peer);
        let mut reader = PipeReader::new(reset.into()).expect("registered");
        assert_eq!(reader.read(&mut Vec::new()), Read::Failed(Errno(libc::ECONNRESET)));
    }
}
