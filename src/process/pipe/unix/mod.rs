//! Pipes of Unix.
//!
//! The streams of a command are plain pipes, while Node.js uses socket pairs, so that programs can open
//! `/dev/stdin`, `/dev/stdout` and `/dev/stderr` by name.
//!
//! [`PipeReader`] is the host's end of the output, [`PipeWriter`] that of the input. Both live on the I/O
//! thread.

mod reader;
mod sigpipe;
mod watch;
mod writer;

pub use reader::PipeReader;
pub use writer::PipeWriter;

use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io;
#[cfg(target_os = "macos")]
use std::os::fd::AsRawFd;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

#[cfg(target_os = "linux")]
use rustix::fs::FileType;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
#[cfg(target_os = "linux")]
use rustix::io::write;
#[cfg(target_os = "linux")]
use rustix::pipe::{SpliceFlags, fcntl_setpipe_size, splice};

use super::Write;
use crate::process::fd::above_standard_streams;

/// The size of a pipe (bytes) once a writer has filled the default size (64 KiB).
///
/// In a large pipe, a fast writer runs on while the I/O thread serves other jobs. A new pipe has the default
/// size, since all pipes of a user share a quota (`pipe-user-pages-soft`).
#[cfg(target_os = "linux")]
const LARGE_PIPE_SIZE: usize = 256 * 1024;

/// Creates a pipe for a child's output, closed on exec, and returns its reading and its writing end. The
/// reading end does not block.
///
/// # Errors
///
/// The system's error, such as `EMFILE`.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = blocking_pipe()?;
    set_nonblocking(&reader)?;
    Ok((reader, writer))
}

/// Creates a pipe for a child's standard input, closed on exec, and returns its reading and its writing end.
/// The child's reading end blocks; the engine's writing end does not.
///
/// # Errors
///
/// The system's error, such as `EMFILE`.
pub fn input_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = blocking_pipe()?;
    set_nonblocking(&writer)?;
    Ok((reader, writer))
}

/// Returns a standard input that is at its end: `/dev/null`, or an empty pipe where `/dev` is missing.
///
/// Programs such as `rg` search their standard input if it is a pipe, and the directory if it is not.
///
/// # Errors
///
/// The system's error, such as `EMFILE`.
pub fn empty_input() -> io::Result<OwnedFd> {
    match OpenOptions::new().read(true).open("/dev/null") {
        Ok(null) => above_standard_streams(null.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => pipe().map(|(reader, _)| reader),
        Err(error) => Err(error),
    }
}

/// Creates a pipe between two tasks of the I/O thread, closed on exec. Neither end blocks.
///
/// # Errors
///
/// The system's error, such as `EMFILE`.
pub fn nonblocking_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = pipe()?;
    set_nonblocking(&writer)?;
    Ok((reader, writer))
}

fn blocking_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    Ok((above_standard_streams(reader.into())?, above_standard_streams(writer.into())?))
}

/// The host's end of a pipe or terminal, before the runtime watches it.
pub type Stream = OwnedFd;

/// The command's end of a pipe.
pub type ChildEnd = OwnedFd;

fn set_nonblocking(end: &OwnedFd) -> io::Result<()> {
    Ok(fcntl_setfl(end, fcntl_getfl(end)? | OFlags::NONBLOCK)?)
}

/// Writes as much of a queue as the pipe takes, and returns the number of bytes that have left the queue. If
/// the other end is closed, drops the pipe; without a pipe, drops the queue.
pub fn write_queue(pipe: &mut Option<PipeWriter>, queue: &mut VecDeque<u8>) -> usize {
    let before = queue.len();
    while let Some(writer) = pipe
        && !queue.is_empty()
    {
        match writer.write(queue.as_slices().0) {
            Write::Bytes(count) => drop(queue.drain(..count)),
            Write::Full => break,
            Write::Closed => *pipe = None,
        }
    }
    if pipe.is_none() {
        queue.clear();
    }
    before - queue.len()
}

/// Puts bytes into a pipe of another process, whole or not at all, and never waits for room: the flags of
/// that pipe are its owner's, who may have asked for writes that block. Returns whether the bytes are there.
#[cfg(target_os = "linux")]
#[must_use]
pub fn put_into(pipe: BorrowedFd<'_>, bytes: &[u8]) -> bool {
    let put = || -> io::Result<bool> {
        let (reader, writer) = nonblocking_pipe()?;
        // An empty pipe takes a page at once, and a page is moved as a whole.
        if write(&writer, bytes)? != bytes.len() {
            return Ok(false);
        }
        let moved = sigpipe::without_sigpipe(|| {
            splice(&reader, None, pipe, None, bytes.len(), SpliceFlags::NONBLOCK)
        });
        Ok(moved? == bytes.len())
    };
    put().unwrap_or(false)
}

/// Returns the number by which the process table names a pipe: its inode. Returns 0, which no pipe has, if
/// the descriptor is no pipe.
#[cfg(target_os = "linux")]
pub fn inode(pipe: impl AsFd) -> u64 {
    rustix::fs::fstat(pipe).map_or(0, |status| {
        if FileType::from_raw_mode(status.st_mode) == FileType::Fifo { status.st_ino } else { 0 }
    })
}

/// Returns the number by which the process table names a pipe, which has no inode here; 0, which no pipe has,
/// if the descriptor is no pipe.
#[cfg(target_os = "macos")]
pub fn inode(pipe: impl AsFd) -> u64 {
    let own = crate::process::libproc::pipe(rustix::process::getpid(), pipe.as_fd().as_raw_fd());
    own.map_or(0, |end| end.number())
}

/// Enlarges a pipe to [`LARGE_PIPE_SIZE`]. Does nothing if the quota is used up: the default size still
/// works. macOS enlarges its pipes by itself.
#[cfg(target_os = "linux")]
fn enlarge(pipe: BorrowedFd<'_>) {
    let _ = fcntl_setpipe_size(pipe, LARGE_PIPE_SIZE);
}

#[cfg(not(target_os = "linux"))]
const fn enlarge(_pipe: BorrowedFd<'_>) {}
