//! The reading end of a pipe, on the I/O thread.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::task::{Context, Poll, Waker};

use rustix::buffer::spare_capacity;
use rustix::io::{Errno as SystemError, read};
use tokio::io::unix::AsyncFd;

use super::{enlarge, inode};
use crate::process::readiness::watch_readable;

/// What one look into a pipe found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// So many bytes.
    Bytes(usize),
    /// Nothing now.
    Empty,
    /// Nothing ever again: no writer is left.
    End,
}

/// The reading end of a pipe, on the I/O thread.
#[derive(Debug)]
pub struct PipeReader {
    descriptor: Descriptor,
    is_large: bool,
}

/// A watched pipe wakes the I/O thread at every write, also when nobody waits for it.
#[derive(Debug)]
enum Descriptor {
    Watched(AsyncFd<OwnedFd>),
    Unwatched(OwnedFd),
    /// Only while it changes from one to the other, or when that has failed.
    Lost,
}

impl PipeReader {
    /// Registers the reading end with the current runtime.
    ///
    /// # Errors
    ///
    /// The system's error when the descriptor can't be watched.
    pub fn new(reader: OwnedFd) -> io::Result<Self> {
        Ok(Self { descriptor: Descriptor::Watched(watch_readable(reader)?), is_large: false })
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
    /// # Errors
    ///
    /// When the runtime shuts down.
    pub async fn ready(&mut self) -> io::Result<()> {
        if let Descriptor::Unwatched(_) = &self.descriptor
            && let Descriptor::Unwatched(descriptor) =
                std::mem::replace(&mut self.descriptor, Descriptor::Lost)
        {
            self.descriptor = Descriptor::Watched(watch_readable(descriptor)?);
        }
        match &self.descriptor {
            Descriptor::Watched(watched) => watched.readable().await.map(|mut guard| guard.retain_ready()),
            Descriptor::Unwatched(_) | Descriptor::Lost => Ok(()),
        }
    }

    /// Appends what is there now, as far as the buffer has room, whatever the runtime knows. An error of the pipe counts as
    /// its end.
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
                Err(_) => return Read::End,
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
