//! The loopback interface of a new network namespace.

use std::fs;
use std::io;
use std::os::fd::AsRawFd;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use rustix::process::getegid;

use super::failure::{At, check};
use crate::sandbox::protocol::report::{Failure, SandboxStep};

/// The name of the interface.
const LOOPBACK: &[u8] = b"lo\0";

/// Brings the interface up, and lets the caller's group open sockets for `ping`.
pub(super) fn start_loopback() -> Result<(), Failure> {
    bring_up().at(SandboxStep::Loopback)?;
    let group = getegid().as_raw();
    // Without it, `ping` alone fails.
    let _ = fs::write("/proc/sys/net/ipv4/ping_group_range", format!("{group}\t{group}"));
    Ok(())
}

fn bring_up() -> io::Result<()> {
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    // SAFETY: an all-zero request is valid; the kernel reads its name and its flags.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        for (target, byte) in request.ifr_name.iter_mut().zip(LOOPBACK) {
            *target = libc::c_char::from_ne_bytes([*byte]);
        }
        request.ifr_ifru.ifru_flags = 0x41; // IFF_UP | IFF_RUNNING
        check(libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw const request))?;
    }
    Ok(())
}
