//! The writing end of a pipe, on the I/O thread.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::task::{Context, Poll, Waker};

use rustix::io::Errno as SystemError;
use tokio::io::unix::AsyncFd;

use super::enlarge;
use super::sigpipe::{disable_sigpipe, write_without_sigpipe};
use super::watch::PipeWatch;
use crate::process::fd::readiness::register_writable;
use crate::process::pipe::Write;

/// The writing end of a pipe, on the I/O thread. Dropping it ends the reader's input.
#[derive(Debug)]
pub struct PipeWriter {
    descriptor: AsyncFd<OwnedFd>,
    watch: PipeWatch,
    is_large: bool,
}

impl PipeWriter {
    /// Registers the writing end, which must be non-blocking, with the current runtime.
    ///
    /// # Errors
    ///
    /// The system's error when the descriptor can't be registered.
    pub fn new(writer: OwnedFd) -> io::Result<Self> {
        disable_sigpipe(writer.as_fd());
        let watch = PipeWatch::of(writer.as_fd());
        Ok(Self { descriptor: register_writable(writer)?, watch, is_large: false })
    }

    /// Returns the descriptor, which this writer still owns.
    #[must_use]
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }

    /// Waits until there may be room, or no reader is left. Cancel safe.
    ///
    /// # Errors
    ///
    /// When the runtime shuts down.
    pub async fn ready(&mut self) -> io::Result<()> {
        self.watch.writable(&self.descriptor).await
    }

    /// Polls the pipe for room.
    pub fn poll_ready(&self, context: &mut Context<'_>) -> Poll<()> {
        let ready = self.descriptor.poll_write_ready(context);
        ready.map(|guard| drop(guard.map(|mut guard| guard.retain_ready())))
    }

    /// Writes as much as there is room for now, without raising SIGPIPE. Does not wait for the runtime's
    /// readiness. Any error of the pipe counts as [`Write::Closed`].
    pub fn write(&mut self, bytes: &[u8]) -> Write {
        loop {
            match write_without_sigpipe(self.descriptor.as_fd(), bytes) {
                Ok(count) => return Write::Bytes(count),
                Err(SystemError::INTR) => {}
                Err(SystemError::AGAIN) if self.is_large => {
                    self.clear_readiness();
                    return Write::Full;
                }
                Err(SystemError::AGAIN) => {
                    self.is_large = true;
                    enlarge(self.descriptor.as_fd());
                }
                Err(_) => return Write::Closed,
            }
        }
    }

    /// Clears the readiness after a full pipe, so that the next [`Self::ready`] waits for the kernel.
    fn clear_readiness(&self) {
        let mut context = Context::from_waker(Waker::noop());
        if let Poll::Ready(Ok(mut guard)) = self.descriptor.poll_write_ready(&mut context) {
            guard.clear_ready();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::fd::OwnedFd;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::{PipeWriter, Write};
    use crate::process::pipe::input_pipe;
    use crate::process::signal::block_all_signals;

    const BOUND: Duration = Duration::from_secs(30);

    fn pair() -> (std::io::PipeReader, PipeWriter) {
        let (reader, writer): (OwnedFd, OwnedFd) = input_pipe().expect("a pipe");
        (reader.into(), PipeWriter::new(writer).expect("it can be watched"))
    }

    fn fill(writer: &mut PipeWriter) -> usize {
        let mut written = 0;
        loop {
            match writer.write(&[b'x'; 10_000]) {
                Write::Bytes(count) => written += count,
                Write::Full => return written,
                Write::Closed => panic!("there is a reader"),
            }
        }
    }

    #[tokio::test]
    async fn written_bytes_are_read() {
        let (mut reader, mut writer) = pair();
        timeout(BOUND, writer.ready()).await.expect("there is room").expect("it is watched");
        assert_eq!(writer.write(b"hello"), Write::Bytes(5));
        drop(writer);
        let mut read = String::new();
        reader.read_to_string(&mut read).expect("text");
        assert_eq!(read, "hello");
    }

    #[tokio::test]
    async fn a_full_pipe_is_ready_again_after_a_read() {
        let (mut reader, mut writer) = pair();
        let written = fill(&mut writer);
        timeout(Duration::from_millis(20), writer.ready()).await.expect_err("it is full");
        reader.read_exact(&mut vec![0; written]).expect("all of it");
        timeout(BOUND, writer.ready()).await.expect("there is room").expect("it is watched");
        assert_eq!(writer.write(b"x"), Write::Bytes(1));
    }

    #[tokio::test]
    async fn a_full_pipe_is_ready_after_its_reader_has_closed() {
        let (reader, mut writer) = pair();
        fill(&mut writer);
        timeout(Duration::from_millis(20), writer.ready()).await.expect_err("it is full");
        drop(reader);
        timeout(BOUND, writer.ready()).await.expect("that is known").expect("it is watched");
        assert_eq!(writer.write(b"x"), Write::Closed);
    }

    #[tokio::test]
    async fn a_pipe_without_a_reader_is_closed() {
        let (reader, mut writer) = pair();
        drop(reader);
        assert_eq!([writer.write(b"x"), writer.write(b"x")], [Write::Closed; 2]);
    }

    #[tokio::test]
    #[cfg_attr(not(target_os = "linux"), ignore = "what is pending is read from /proc")]
    async fn no_sigpipe_waits_for_a_thread_that_blocks_it() {
        // The mask changes only for this thread: each test runs on a thread of its own.
        block_all_signals();
        let (reader, mut writer) = pair();
        drop(reader);
        assert_eq!(writer.write(b"x"), Write::Closed);
        let status = std::fs::read_to_string("/proc/thread-self/status").expect("our status");
        let pending: Vec<_> =
            status.lines().filter(|line| line.starts_with("SigPnd") || line.starts_with("ShdPnd")).collect();
        assert_eq!(pending, ["SigPnd:\t0000000000000000", "ShdPnd:\t0000000000000000"]);
    }

    #[tokio::test]
    #[cfg_attr(not(target_os = "linux"), ignore = "the mask is read from /proc")]
    async fn the_signal_mask_is_the_same_afterwards() {
        let mask = || {
            let status = std::fs::read_to_string("/proc/thread-self/status").expect("our status");
            status.lines().find(|line| line.starts_with("SigBlk")).map(str::to_owned)
        };
        let (reader, mut writer) = pair();
        let before = mask();
        writer.write(b"x");
        drop(reader);
        writer.write(b"x");
        assert_eq!(mask(), before);
    }
}
