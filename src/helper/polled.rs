//! Waits for the descriptors of a role's loop.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

use crate::process::clock::timespec;

/// Waits until one of the descriptors is ready or the time is up. Returns the sources of those that are
/// ready.
pub(super) fn ready<Source: Copy>(
    wanted: &[(Source, BorrowedFd<'_>, PollFlags)],
    limit: Duration,
) -> Vec<Source> {
    let mut events: Vec<_> =
        wanted.iter().map(|(_, descriptor, flags)| PollFd::from_borrowed_fd(*descriptor, *flags)).collect();
    let _ = poll(&mut events, Some(&timespec(limit)));
    let ready = wanted.iter().zip(&events).filter(|(_, event)| !event.revents().is_empty());
    ready.map(|((source, ..), _)| *source).collect()
}
