//! The pipes between a command and us.
//!
//! Plain pipes, not socket pairs as in Node.js, so that `/dev/stdout` and `/dev/stderr` can be opened by name.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::task::{Context, Poll, Waker};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno as SystemError, fcntl_dupfd_cloexec, read};
#[cfg(target_os = "linux")]
use rustix::pipe::fcntl_setpipe_size;
use tokio::io::unix::AsyncFd;

use super::readiness::watch_readable;

/// Descriptors below this one are the standard streams of the child.
const FIRST_FREE_DESCRIPTOR: i32 = 3;

/// What a pipe grows to once a writer has shown that it fills the default one. It is asked for late, since all
/// the pipes of a user share a quota.
#[cfg(target_os = "linux")]
const LARGE_PIPE: usize = 256 * 1024;

/// Both ends of a new pipe, closed on exec. The reading end does not block.
///
/// # Errors
///
/// The system's error, such as `EMFILE`.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    let (reader, writer) = (above_standard_streams(reader.into())?, above_standard_streams(writer.into())?);
    fcntl_setfl(&reader, fcntl_getfl(&reader)? | OFlags::NONBLOCK)?;
    Ok((reader, writer))
}

/// The same file on a descriptor that the child's standard streams can't overwrite.
///
/// A host may have closed its own standard streams, and then the next file to be opened gets their numbers.
///
/// # Errors
///
/// The system's error, such as `EMFILE`.
pub fn above_standard_streams(descriptor: OwnedFd) -> io::Result<OwnedFd> {
    if descriptor.as_raw_fd() >= FIRST_FREE_DESCRIPTOR {
        return Ok(descriptor);
    }
    Ok(fcntl_dupfd_cloexec(&descriptor, FIRST_FREE_DESCRIPTOR)?)
}

/// The number by which a pipe is known in `/proc`; 0, which none has, where it can't be told.
pub fn inode(pipe: impl AsFd) -> u64 {
    rustix::fs::fstat(pipe).map_or(0, |status| status.st_ino)
}

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

    /// Stops watching until the next [`Self::ready`].
    pub fn rest(&mut self) {
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

    /// Reads what is there now, whatever the runtime knows. An error of the pipe counts as its end.
    pub fn read(&mut self, buffer: &mut [u8]) -> Read {
        loop {
            let Some(descriptor) = self.descriptor() else { return Read::End };
            match read(descriptor, &mut *buffer) {
                Ok(0) => return Read::End,
                Ok(count) => {
                    if count == buffer.len() {
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
            // The default size is good enough where the quota is used up, and macOS enlarges by itself.
            #[cfg(target_os = "linux")]
            let _ = self.descriptor().map(|descriptor| fcntl_setpipe_size(descriptor, LARGE_PIPE));
        }
    }
}
