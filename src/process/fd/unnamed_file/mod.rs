//! Files without a name: no other process can open them, and the kernel removes them when they are closed.

#[cfg_attr(not(darwin), path = "linux.rs")]
#[cfg_attr(darwin, path = "darwin.rs")]
mod platform;

use std::io;
use std::os::fd::OwnedFd;

use self::platform::create;
use super::above_standard_streams;

/// Creates an empty file without a name, closed on exec. On Linux it lives in memory.
///
/// # Errors
///
/// The system's error, such as `EMFILE`.
pub fn unnamed_file() -> io::Result<OwnedFd> {
    above_standard_streams(create()?)
}
