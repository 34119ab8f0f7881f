//! Systems for which the search for listening sockets is not implemented.

use std::io;

use rustix::process::Pid;

use super::Listener;

/// Returns an error.
///
/// # Errors
///
/// Always `ENOTSUP`.
pub fn listening() -> io::Result<Vec<Listener>> {
    Err(io::Error::from_raw_os_error(libc::ENOTSUP))
}

/// Returns nothing: this system's sockets are unknown here.
#[must_use]
pub const fn listening_elsewhere(_pid: Pid) -> Vec<Listener> {
    Vec::new()
}

/// Returns nothing: this system's sockets are unknown here.
#[must_use]
pub const fn sockets_of(_pid: Pid) -> Vec<u64> {
    Vec::new()
}
