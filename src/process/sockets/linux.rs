//! Reads listening sockets by the kernel's socket diagnostics (netlink).
//!
//! A query takes some 40 µs for each address family; the tables in `/proc/net` take up to 35 ms.

mod tables;

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::OwnedFd;

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};
use rustix::process::{Pid, getpid};

use self::tables::listening_beside;
pub use self::tables::listening_elsewhere;
use super::Listener;
use crate::process::table::path_of;

const HEADER: usize = 16;
/// The size of `inet_diag_req_v2` (bytes).
const REQUEST: usize = 56;
/// The size of `inet_diag_msg` (bytes).
const MESSAGE: usize = 72;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const DUMP_REQUEST: u16 = 0x301;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const TCP: u8 = 6;
const STATE_LISTEN: u32 = 1 << 10;

/// Returns the listening TCP sockets of this thread's network namespace, of whatever process.
///
/// # Errors
///
/// The system's error where the kernel tells them in no way.
pub fn listening(_processes: &[Pid]) -> io::Result<Vec<Listener>> {
    by_diagnostics().or_else(|_| listening_beside(getpid()))
}

/// Returns the same as [`listening`], or an error where the kernel has no socket diagnostics.
pub(super) fn by_diagnostics() -> io::Result<Vec<Listener>> {
    let kernel = socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    )?;
    let mut all = Vec::new();
    for family in [libc::AF_INET, libc::AF_INET6] {
        ask(&kernel, family, &mut all)?;
    }
    Ok(all)
}

fn ask(kernel: &OwnedFd, family: i32, all: &mut Vec<Listener>) -> io::Result<()> {
    send(kernel, &request(u8::try_from(family).unwrap_or_default()), SendFlags::empty())?;
    let mut buffer = vec![0; 32 * 1024];
    loop {
        let (length, _) = recv(kernel, &mut buffer[..], RecvFlags::empty())?;
        if length == 0 || read_messages(&buffer[..length], all)? {
            return Ok(());
        }
    }
}

fn request(family: u8) -> [u8; HEADER + REQUEST] {
    let mut bytes = [0; HEADER + REQUEST];
    let length = u32::try_from(bytes.len()).unwrap_or_default();
    bytes[..4].copy_from_slice(&length.to_ne_bytes());
    bytes[4..6].copy_from_slice(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    bytes[6..8].copy_from_slice(&DUMP_REQUEST.to_ne_bytes());
    bytes[HEADER] = family;
    bytes[HEADER + 1] = TCP;
    bytes[HEADER + 4..HEADER + 8].copy_from_slice(&STATE_LISTEN.to_ne_bytes());
    bytes
}

/// Parses messages into `all`. Returns whether the answer is complete.
fn read_messages(mut bytes: &[u8], all: &mut Vec<Listener>) -> io::Result<bool> {
    while let Some((header, _)) = bytes.split_at_checked(HEADER) {
        let length = u32::from_ne_bytes([header[0], header[1], header[2], header[3]]) as usize;
        match u16::from_ne_bytes([header[4], header[5]]) {
            NLMSG_DONE => return Ok(true),
            NLMSG_ERROR => return Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP)),
            _ => {}
        }
        all.extend(bytes.get(HEADER..length).and_then(listener));
        // The kernel aligns messages to four bytes.
        bytes = bytes.get(length.max(HEADER).next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(false)
}

fn listener(message: &[u8]) -> Option<Listener> {
    let message: &[u8; MESSAGE] = message.first_chunk()?;
    let address = match i32::from(message[0]) {
        libc::AF_INET => IpAddr::from(Ipv4Addr::new(message[8], message[9], message[10], message[11])),
        _ => IpAddr::from(Ipv6Addr::from(<[u8; 16]>::try_from(&message[8..24]).ok()?)),
    };
    Some(Listener {
        port: u16::from_be_bytes([message[4], message[5]]),
        address,
        inode: u32::from_ne_bytes(message[68..72].try_into().ok()?).into(),
    })
}

/// Returns the inodes of the sockets that a process has open.
#[must_use]
pub fn sockets_of(pid: Pid) -> Vec<u64> {
    let Ok(entries) = fs::read_dir(path_of(pid, "fd")) else { return Vec::new() };
    let inodes = entries.flatten().filter_map(|entry| {
        let target = fs::read_link(entry.path()).ok()?;
        target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
    });
    inodes.collect()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::{listening, sockets_of};

    #[test]
    fn a_socket_that_listens_is_found_with_its_owner() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(server) = TcpListener::bind(address) else { continue };
            let local = server.local_addr().expect("an address");
            let all = listening(&[]).expect("the kernel tells");
            let found = all.iter().find(|other| other.port == local.port()).expect("it is listed");
            assert_eq!(found.address, local.ip());
            assert!(sockets_of(rustix::process::getpid()).contains(&found.inode));
        }
    }
}
