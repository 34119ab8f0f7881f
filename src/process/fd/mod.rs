//! File descriptors, apart from pipes.
//!
//! * [`reserve`] frees held-back descriptors for a process-table scan that finds none left.
//! * [`kernel_file`] reads short files of `/proc`, and [`unnamed_file`] creates files that no other process
//!   can open.
//! * [`room`] computes how many descriptors another process can still open.
//! * [`pidfd`] pins a process; [`readiness`] registers descriptors with the runtime of the I/O thread.

pub mod kernel_file;
#[cfg_attr(darwin, path = "no_pidfd.rs")]
pub mod pidfd;
pub mod readiness;
pub mod reserve;
#[cfg_attr(not(target_os = "linux"), path = "no_room.rs")]
pub mod room;
pub mod unnamed_file;

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::io::fcntl_dupfd_cloexec;

/// The first descriptor after the standard streams.
const FIRST_FREE_DESCRIPTOR: i32 = 3;

/// Returns the same open file on a descriptor above the standard streams, which the child's `dup2` calls
/// can't overwrite.
///
/// If the host has closed its own standard streams, the next files that it opens get those numbers.
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
