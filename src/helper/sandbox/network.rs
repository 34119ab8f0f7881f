//! The loopback interface of a new network namespace, and the listeners of the engine there.

use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, listen, socket_with};
use rustix::process::getegid;

use super::failure::{FailureContext, check};
use crate::sandbox::network::counters::FILES;
use crate::sandbox::protocol::inside::{MASK, NAME_SERVER, PROXY, listener_port};
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// The name of the interface.
const LOOPBACK: &[u8] = b"lo\0";

/// The label of its second address.
const SECOND: &[u8] = b"lo:1\0";

/// The largest number of connections that wait until the engine accepts them. The kernel may have a lower
/// limit.
const BACKLOG: i32 = 4096;

/// Brings the interface up, and lets the caller's group open sockets for `ping`.
pub(super) fn start_loopback() -> Result<(), SandboxFailure> {
    let up = |request: &mut libc::ifreq| request.ifr_ifru.ifru_flags = 0x41; // IFF_UP | IFF_RUNNING
    set(LOOPBACK, libc::SIOCSIFFLAGS as _, up).at(SandboxStep::Loopback)?;
    let group = getegid().as_raw();
    // Without this setting, only `ping` fails.
    let _ = fs::write("/proc/sys/net/ipv4/ping_group_range", format!("{group}\t{group}"));
    Ok(())
}

/// Opens the counters of this process's network. Without them, a failed command is not told that it has no
/// network.
pub(super) fn open_counters() -> Vec<OwnedFd> {
    FILES.iter().filter_map(|path| File::open(path).ok()).map(OwnedFd::from).collect()
}

/// Makes the addresses that stand for names local, and opens the listeners: for the proxy, the name server,
/// and each listed port.
pub(super) fn open_listeners(ports: usize) -> Result<Vec<OwnedFd>, SandboxFailure> {
    open_all(ports).at(SandboxStep::Listen)
}

fn open_all(ports: usize) -> io::Result<Vec<OwnedFd>> {
    let address = |request: &mut libc::ifreq, address: Ipv4Addr| {
        request.ifr_ifru.ifru_addr = internet_address(address);
    };
    set(SECOND, libc::SIOCSIFADDR as _, |request| address(request, *PROXY.ip()))?;
    // On the loopback interface, all addresses of a network are local.
    set(SECOND, libc::SIOCSIFNETMASK as _, |request| address(request, MASK))?;
    let mut listeners = vec![listener(PROXY)?];
    let names = socket_with(AddressFamily::INET, SocketType::DGRAM, flags(), None)?;
    bind(&names, &NAME_SERVER)?;
    listeners.push(names);
    for position in 0..ports {
        listeners.push(listener(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, listener_port(position)))?);
    }
    Ok(listeners)
}

fn listener(address: SocketAddrV4) -> io::Result<OwnedFd> {
    let listener = socket_with(AddressFamily::INET, SocketType::STREAM, flags(), None)?;
    bind(&listener, &address)?;
    listen(listener.as_fd(), BACKLOG)?;
    Ok(listener)
}

fn flags() -> SocketFlags {
    SocketFlags::CLOEXEC | SocketFlags::NONBLOCK
}

/// Changes a setting of an interface. The name ends with NUL.
fn set(name: &[u8], setting: libc::Ioctl, value: impl FnOnce(&mut libc::ifreq)) -> io::Result<()> {
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    // SAFETY: an all-zero request is valid; the kernel reads its name and its value.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        for (target, byte) in request.ifr_name.iter_mut().zip(name) {
            *target = libc::c_char::from_ne_bytes([*byte]);
        }
        value(&mut request);
        check(libc::ioctl(socket.as_raw_fd(), setting, &raw const request))?;
    }
    Ok(())
}

/// Returns an address as a `sockaddr`: family, port, address.
fn internet_address(address: Ipv4Addr) -> libc::sockaddr {
    // SAFETY: an all-zero address is valid.
    let mut general: libc::sockaddr = unsafe { std::mem::zeroed() };
    general.sa_family = AddressFamily::INET.as_raw();
    for (target, byte) in general.sa_data.iter_mut().skip(2).zip(address.octets()) {
        *target = libc::c_char::from_ne_bytes([byte]);
    }
    general
}
