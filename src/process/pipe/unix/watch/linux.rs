//! Waits for a pipe by the events of the kernel, which reports the ends of every pipe.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::unix::AsyncFd;

/// The waits of one end of a pipe.
#[derive(Debug)]
pub(in crate::process::pipe) struct PipeWatch;

impl PipeWatch {
    pub(in crate::process::pipe) const fn of(_end: BorrowedFd<'_>) -> Self {
        Self
    }

    /// Waits until there may be something to read, or no writer is left. Cancel safe.
    #[allow(clippy::needless_pass_by_ref_mut, reason = "other systems keep the time of the next check")]
    pub(in crate::process::pipe) async fn readable(&mut self, pipe: &AsyncFd<OwnedFd>) -> io::Result<()> {
        pipe.readable().await.map(|mut guard| guard.retain_ready())
    }

    /// Waits until there may be room, or no reader is left. Cancel safe.
    #[allow(clippy::needless_pass_by_ref_mut, reason = "as for `readable`")]
    pub(in crate::process::pipe) async fn writable(&mut self, pipe: &AsyncFd<OwnedFd>) -> io::Result<()> {
        pipe.writable().await.map(|mut guard| guard.retain_ready())
    }
}

/// Returns whether a pipe has data, or has had a writer and has none any more.
pub(in crate::process::pipe) fn has_data_or_ended(reader: BorrowedFd<'_>) -> bool {
    let mut polled = [PollFd::new(&reader, PollFlags::IN)];
    poll(&mut polled, Some(&Timespec::default())).is_err() || !polled[0].revents().is_empty()
}
