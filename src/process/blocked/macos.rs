//! The facts about waiting processes that macOS reports: who reads a pipe, but not in which system call a
//! thread sleeps.

use rustix::process::Pid;

use super::{InputFile, Sleeper};
use crate::process::{libproc, sockets, table};

/// Returns the process without its waits, which are hidden.
#[must_use]
pub fn inspect(pid: Pid) -> Option<Sleeper> {
    let process = table::inspect(pid)?;
    Some(Sleeper { pid, group: process.group, terminal: 0, waits: None })
}

/// Returns false: no caller asks where waits are hidden.
#[must_use]
pub const fn is_input(_sleeper: &Sleeper, _descriptor: i32, _input: InputFile) -> bool {
    false
}

/// Returns whether a process has any of these sockets open and listens on it.
#[must_use]
pub fn listens_on_any(pid: Pid, sockets: &[u64]) -> bool {
    sockets::sockets_of(pid).iter().any(|socket| sockets.contains(socket))
}

/// Returns the first 15 characters of the name of a process's program.
#[must_use]
pub fn name_of(pid: Pid) -> String {
    let Some(row) = libproc::row(pid) else { return String::new() };
    let bytes = row.0.pbsi_comm.iter().map(|byte| byte.cast_unsigned());
    let name: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&name).into_owned()
}

/// Returns the number of the pipe behind a descriptor of a process, as [`crate::process::pipe::inode`] does.
#[must_use]
pub fn inode_of_descriptor(pid: Pid, descriptor: i32) -> Option<u64> {
    libproc::pipe(pid, descriptor).map(|end| end.number())
}

/// Returns whether the process sleeps in a read of its standard input, if that is the pipe with this number,
/// while the pipe is empty.
#[must_use]
pub fn waits_for_pipe(pid: Pid, number: u64) -> bool {
    libproc::pipe(pid, 0).is_some_and(|end| end.number() == number && end.is_awaited())
        && !table::is_stopped_or_gone(pid)
}
