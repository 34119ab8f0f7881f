//! The program's end of a terminal, as the engine holds it.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// A copy of the program's end. While it is open, the output does not end.
///
/// Read the main end until it is empty before this is dropped: on macOS, the last close of a program's end
/// waits for a reader of the output, and then drops what no one has read.
#[derive(Debug)]
pub struct Peer(OwnedFd);

impl Peer {
    #[must_use]
    pub const fn new(peer: OwnedFd) -> Self {
        Self(peer)
    }
}

impl AsFd for Peer {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Drops the unread output, as macOS does.
#[cfg(feature = "emulate-darwin")]
impl Drop for Peer {
    fn drop(&mut self) {
        let _ = rustix::termios::tcflush(&self.0, rustix::termios::QueueSelector::OFlush);
    }
}
