//! Creates the pipes between the host and a command.
//!
//! The host's end is overlapped, so that the I/O thread waits for all pipes at once; the command's end is
//! not, because programs expect that of their standard handles. Only a named pipe has two such ends.

use std::fs::OpenOptions;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::OwnedHandle;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};
use windows_sys::Win32::Foundation::{GENERIC_READ, GENERIC_WRITE};
use windows_sys::Win32::Storage::FileSystem::{FILE_READ_ATTRIBUTES, FILE_WRITE_ATTRIBUTES};

/// The size (bytes) of the kernel's buffer, as that of a pipe on Linux.
const BUFFER: u32 = 65_536;

/// The host's end of a pipe, which the runtime watches from its creation on.
pub type Stream = NamedPipeServer;

/// The command's end of a stream.
pub type ChildEnd = OwnedHandle;

/// Creates a pipe for the output of a command: the host's end, which reads, and the command's. The current
/// thread must have entered the runtime of the I/O thread.
///
/// # Errors
///
/// When the kernel refuses, or another process has connected to the pipe first.
pub fn pipe() -> io::Result<(Stream, ChildEnd)> {
    // With the attributes, MSYS programs can ask what the handle is.
    pair(ServerOptions::new().access_outbound(false), GENERIC_WRITE | FILE_READ_ATTRIBUTES)
}

/// Creates a pipe for the input of a command: the command's end, which reads, and the host's. The current
/// thread must have entered the runtime of the I/O thread.
///
/// # Errors
///
/// When the kernel refuses, or another process has connected to the pipe first.
pub fn input_pipe() -> io::Result<(ChildEnd, Stream)> {
    let (host, command) =
        pair(ServerOptions::new().access_inbound(false), GENERIC_READ | FILE_WRITE_ATTRIBUTES)?;
    Ok((command, host))
}

/// Returns a standard input that is at its end.
///
/// # Errors
///
/// When the kernel refuses.
pub fn empty_input() -> io::Result<ChildEnd> {
    Ok(OpenOptions::new().read(true).open("NUL")?.into())
}

fn pair(options: &mut ServerOptions, access: u32) -> io::Result<(Stream, ChildEnd)> {
    // The first instance of a name that nobody can guess, with room for one client, which is the end below:
    // no other process can hold one of the ends.
    let name =
        format!(r"\\.\pipe\agent-bash-{}-{:016x}", std::process::id(), RandomState::new().hash_one(()));
    let host = options
        .first_pipe_instance(true)
        .max_instances(1)
        .in_buffer_size(BUFFER)
        .out_buffer_size(BUFFER)
        .create(&name)?;
    let command = OpenOptions::new().access_mode(access).share_mode(0).open(&name)?;
    // The end is connected, so this takes no time; without it, the runtime would wait for a client.
    match pin!(host.connect()).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(connected) => connected?,
        Poll::Pending => return Err(io::Error::other("a pipe is not connected to the end that was opened")),
    }
    Ok((host, command.into()))
}
