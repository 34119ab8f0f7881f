//! The guardian's side: waits for the end of the host.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use super::sweep::sweep;
use super::table;
use crate::process::helper::greeting;
use crate::process::signal::ignore_termination;
use crate::process::spawn::SCRIPT_DESCRIPTOR;

/// Greets the host, waits for its end, and kills what its jobs have left.
///
/// The helper program alone calls this, and once: standard input is a socket whose other end is the host's, and descriptor
/// 3 is the table of live jobs.
pub fn watch() {
    // On Linux the host has done so before this program began; on macOS it can't.
    ignore_termination();
    let mut host = UnixStream::from(own_descriptor(0));
    // A host that has ended already gets no greeting.
    let _ = host.write_all(greeting().as_bytes());
    wait_for_end(&mut host);
    sweep(table::read(File::from(own_descriptor(SCRIPT_DESCRIPTOR))));
}

/// Waits until the host has closed its end. A connection that is broken says the same as one that has ended.
fn wait_for_end(host: &mut UnixStream) {
    loop {
        match host.read(&mut [0; 8]) {
            Ok(0) => return,
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return,
            Ok(_) | Err(_) => {}
        }
    }
}

/// Takes a descriptor over that this program was started with.
fn own_descriptor(number: RawFd) -> OwnedFd {
    // SAFETY: the host has placed it there for this program, and nobody else here knows of it. If it has not, what is done
    // with the descriptor fails.
    unsafe { OwnedFd::from_raw_fd(number) }
}
