//! Reads listening sockets from the descriptors of processes: no list shows all of them.

use std::io;

use rustix::process::Pid;

use super::Listener;
use crate::process::libproc::{TCP_LISTENING, TCP_SOCKET, sockets};

/// Returns the listening TCP sockets of these processes.
///
/// # Errors
///
/// Never: a process whose descriptors can't be read has no sockets.
#[allow(clippy::unnecessary_wraps, reason = "it can fail on Linux")]
pub fn listening(processes: &[Pid]) -> io::Result<Vec<Listener>> {
    Ok(processes.iter().flat_map(|&pid| listeners_of(pid)).collect())
}

/// Returns nothing: this system has no network namespaces.
#[must_use]
pub const fn listening_elsewhere(_pid: Pid) -> Vec<Listener> {
    Vec::new()
}

/// Returns the kernel's names of the listening sockets of a process.
#[must_use]
pub fn sockets_of(pid: Pid) -> Vec<u64> {
    listeners_of(pid).map(|listener| listener.inode).collect()
}

fn listeners_of(pid: Pid) -> impl Iterator<Item = Listener> {
    let listening =
        sockets(pid).filter(|socket| socket.kind == TCP_SOCKET && socket.state() == TCP_LISTENING);
    listening.map(|socket| {
        let (port, address) = socket.local();
        Listener { port, address, inode: socket.handle }
    })
}
