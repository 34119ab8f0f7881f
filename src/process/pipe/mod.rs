//! The pipes between a command and us.
//!
//! Plain pipes, not socket pairs as in Node.js, so that `/dev/stdin`, `/dev/stdout` and `/dev/stderr` can be opened by
//! name.
//!
//! * [`PipeReader`] is our end of the output, [`PipeWriter`] that of the input. Both live on the I/O thread.

mod reader;
mod sigpipe;
mod writer;

pub use reader::{PipeReader, Read};
pub use writer::{PipeWriter, Write};

use sigpipe::{make_quiet, write_quietly};

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
#[cfg(target_os = "linux")]
use rustix::pipe::fcntl_setpipe_size;

use crate::process::fd::above_standard_streams;

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
    let (reader, writer) = blocking_pipe()?;
    do_not_block(&reader)?;
    Ok((reader, writer))
}

/// Both ends of a new pipe for a child's standard input, closed on exec: the reading end, which blocks, is the child's;
/// the writing end, which does not, is ours.
///
/// # Errors
///
/// The system's error, such as `EMFILE`.
pub fn input_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = blocking_pipe()?;
    do_not_block(&writer)?;
    Ok((reader, writer))
}

fn blocking_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    Ok((above_standard_streams(reader.into())?, above_standard_streams(writer.into())?))
}

fn do_not_block(end: &OwnedFd) -> io::Result<()> {
    Ok(fcntl_setfl(end, fcntl_getfl(end)? | OFlags::NONBLOCK)?)
}

/// Writes to a pipe or socket that does not block. Whether all of it was taken. No SIGPIPE reaches this process.
#[must_use]
pub fn write_at_once(writer: impl AsFd, bytes: &[u8]) -> bool {
    make_quiet(writer.as_fd());
    write_quietly(writer.as_fd(), bytes) == Ok(bytes.len())
}

/// Returns the inode by which `/proc` names a pipe; 0, which no pipe has, where the system does not tell.
pub fn inode(pipe: impl AsFd) -> u64 {
    rustix::fs::fstat(pipe).map_or(0, |status| status.st_ino)
}

/// Makes room for more, and does nothing where the quota is used up: the default size is good enough then. macOS
/// enlarges by itself.
#[cfg(target_os = "linux")]
fn enlarge(pipe: BorrowedFd<'_>) {
    let _ = fcntl_setpipe_size(pipe, LARGE_PIPE);
}

#[cfg(not(target_os = "linux"))]
const fn enlarge(_pipe: BorrowedFd<'_>) {}
