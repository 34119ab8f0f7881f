//! The guardian's process: waits for the end of the host.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use super::entries::{self, CgroupDirectory, Entries};
use super::sweep::sweep;
use crate::process::cgroup::tree::end_cgroups;
use crate::process::directory::private::remove_orphans_of;
use crate::process::helper_program::greeting;
use crate::process::signal::ignore_termination;
use crate::process::spawn::SCRIPT_DESCRIPTOR;

/// Reports the version to the host, waits for the host's end, and kills the processes of its jobs.
///
/// Only the helper program calls this, once. Standard input is a socket whose other end is the host's, and
/// descriptor 3 is the registry's file.
pub fn watch() {
    // On Linux, `spawn` has made the program ignore these signals already; on macOS, `spawn` can't.
    ignore_termination();
    let host_pid = rustix::process::getppid();
    let mut host = UnixStream::from(own_descriptor(0));
    // The write fails if the host has ended already.
    let _ = host.write_all(greeting().as_bytes());
    wait_for_end(&mut host);
    let Entries { processes, cgroups } = entries::read(File::from(own_descriptor(SCRIPT_DESCRIPTOR)));
    sweep(processes);
    for CgroupDirectory { host, path } in cgroups {
        end_cgroups(&host, &path);
    }
    // The directories are removed after the sweep, because the shells of sessions use them.
    if let Some(host) = host_pid {
        remove_orphans_of(host.as_raw_nonzero().get().unsigned_abs());
    }
}

/// Waits until the host has closed its end. A broken connection counts as closed.
fn wait_for_end(host: &mut UnixStream) {
    loop {
        match host.read(&mut [0; 8]) {
            Ok(0) => return,
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return,
            Ok(_) | Err(_) => {}
        }
    }
}

/// Takes ownership of a descriptor that this program inherited at its start.
fn own_descriptor(number: RawFd) -> OwnedFd {
    // SAFETY: the host has placed the descriptor for this program, and no other code here uses it. If the
    // descriptor is not open, every use of it fails.
    unsafe { OwnedFd::from_raw_fd(number) }
}
