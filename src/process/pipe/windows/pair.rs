//! Creates the pipes between the host and a command.
//!
//! The host's end is overlapped, so that the I/O thread waits for all pipes at once; the command's end is
//! not, because programs expect that of their standard handles. Only a named pipe has two such ends.

use std::fs::OpenOptions;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{FromRawHandle, OwnedHandle};
use std::ptr::null;

use windows_sys::Win32::Foundation::{GENERIC_READ, GENERIC_WRITE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_FIRST_PIPE_INSTANCE, FILE_FLAG_OVERLAPPED, FILE_READ_ATTRIBUTES, FILE_WRITE_ATTRIBUTES,
    PIPE_ACCESS_INBOUND, PIPE_ACCESS_OUTBOUND,
};
use windows_sys::Win32::System::Pipes::{CreateNamedPipeW, PIPE_REJECT_REMOTE_CLIENTS, PIPE_TYPE_BYTE};

/// The size (bytes) of the kernel's buffer, as that of a pipe on Linux.
const BUFFER: u32 = 65_536;

/// The host's end of a pipe, before anything waits for it.
pub type Stream = OwnedHandle;

/// The command's end of a stream.
pub type ChildEnd = OwnedHandle;

/// Creates a pipe for the output of a command: the host's end, which reads, and the command's.
///
/// # Errors
///
/// When the kernel refuses, or another process has connected to the pipe first.
pub fn pipe() -> io::Result<(Stream, ChildEnd)> {
    // With the attributes, MSYS programs can ask what the handle is.
    pair(PIPE_ACCESS_INBOUND, GENERIC_WRITE | FILE_READ_ATTRIBUTES)
}

/// Creates a pipe for the input of a command: the command's end, which reads, and the host's.
///
/// # Errors
///
/// When the kernel refuses, or another process has connected to the pipe first.
pub fn input_pipe() -> io::Result<(ChildEnd, Stream)> {
    let (host, command) = pair(PIPE_ACCESS_OUTBOUND, GENERIC_READ | FILE_WRITE_ATTRIBUTES)?;
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

fn pair(direction: u32, access: u32) -> io::Result<(Stream, ChildEnd)> {
    // The first instance of a name that nobody can guess, with room for one client, which is the end below:
    // no other process can hold one of the ends.
    let name =
        format!(r"\\.\pipe\agent-bash-{}-{:016x}", std::process::id(), RandomState::new().hash_one(()));
    let wide: Vec<u16> = name.encode_utf16().chain([0]).collect();
    // SAFETY: the name ends with 0, and there are no attributes. A handle that is returned is new, can't be
    // inherited, and is owned from here on.
    let host = unsafe {
        let host = CreateNamedPipeW(
            wide.as_ptr(),
            direction | FILE_FLAG_FIRST_PIPE_INSTANCE | FILE_FLAG_OVERLAPPED,
            PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS,
            1,
            BUFFER,
            BUFFER,
            0,
            null(),
        );
        if host == INVALID_HANDLE_VALUE {
            return Err(io::Error::last_os_error());
        }
        OwnedHandle::from_raw_handle(host)
    };
    // Opening the other end connects the two: there is nothing to wait for.
    let command = OpenOptions::new().access_mode(access).share_mode(0).open(&name)?;
    Ok((host, command.into()))
}
