//! Reads listening sockets from the tables in `/proc`: those of processes in other network namespaces, which
//! this process's netlink socket does not show, and those of kernels without socket diagnostics, which are a
//! module.

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::unix::fs::MetadataExt;

use rustix::process::{Pid, getpid};

use crate::process::sockets::Listener;
use crate::process::table::path_of;

/// The state of a listening socket in the kernel's tables.
const LISTEN: &str = "0A";

/// Returns the listening TCP sockets of a process's network namespace, if it differs from that of this
/// process.
#[must_use]
pub fn listening_elsewhere(pid: Pid) -> Vec<Listener> {
    let namespace = |pid| fs::metadata(path_of(pid, "ns/net")).ok().map(|status| status.ino());
    let Some(theirs) = namespace(pid) else { return Vec::new() };
    if namespace(getpid()).is_none_or(|ours| ours == theirs) {
        return Vec::new();
    }
    listening_beside(pid).unwrap_or_default()
}

/// Returns the listening TCP sockets of a process's network namespace.
///
/// # Errors
///
/// The system's error where there is no table.
pub(super) fn listening_beside(pid: Pid) -> io::Result<Vec<Listener>> {
    let table = |name| fs::read_to_string(path_of(pid, name));
    // A machine without IPv6 has no such table.
    let tables = [table("net/tcp")?, table("net/tcp6").unwrap_or_default()];
    Ok(tables.iter().flat_map(|table| table.lines()).filter_map(parse).collect())
}

/// Parses `0: ADDRESS:PORT ADDRESS:PORT STATE QUEUES TIMER RETRANSMITS UID TIMEOUT INODE …`.
fn parse(line: &str) -> Option<Listener> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let (address, port) = fields.get(1)?.split_once(':')?;
    if *fields.get(3)? != LISTEN {
        return None;
    }
    Some(Listener {
        port: u16::from_str_radix(port, 16).ok()?,
        address: parse_address(address)?,
        inode: fields.get(9)?.parse().ok()?,
    })
}

/// Parses an address: words of 32 bits in the processor's byte order.
fn parse_address(digits: &str) -> Option<IpAddr> {
    let mut bytes = Vec::new();
    for offset in (0..digits.len()).step_by(8) {
        bytes.extend(u32::from_str_radix(digits.get(offset..offset + 8)?, 16).ok()?.to_ne_bytes());
    }
    match <[u8; 4]>::try_from(&bytes[..]) {
        Ok(bytes) => Some(Ipv4Addr::from(bytes).into()),
        Err(_) => Some(Ipv6Addr::from(<[u8; 16]>::try_from(&bytes[..]).ok()?).into()),
    }
}

#[cfg(test)]
#[cfg(target_endian = "little")]
mod tests {
    use std::collections::BTreeSet;
    use std::net::TcpListener;

    use rustix::process::getpid;

    use super::{listening_beside, parse};
    use crate::process::sockets::platform::by_diagnostics;

    #[test]
    fn the_tables_have_what_the_diagnostics_have() {
        let addresses = ["127.0.0.1:0", "127.1.2.3:0", "[::1]:0"];
        let servers: Vec<_> = addresses.into_iter().flat_map(TcpListener::bind).collect();
        let port_of = |server: &TcpListener| server.local_addr().expect("an address").port();
        let ports: BTreeSet<_> = servers.iter().map(port_of).collect();
        let mut both = [listening_beside(getpid()), by_diagnostics()].map(|all| all.expect("they are told"));
        for all in &mut both {
            all.retain(|listener| ports.contains(&listener.port));
            all.sort_by_key(|listener| listener.inode);
        }
        assert!(both[0].len() >= servers.len());
        assert_eq!(both[0], both[1]);
    }

    #[test]
    fn a_row_has_address_port_and_inode() {
        let row = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 \
                   00000000     0        0 4711 1 0";
        let listener = parse(row).expect("a listener");
        assert_eq!(
            (listener.address.to_string().as_str(), listener.port, listener.inode),
            ("127.0.0.1", 8080, 4711)
        );
        assert_eq!(parse(&row.replace(" 0A ", " 01 ")), None);
        let row = "   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 \
                   0A 0:0 00:0 0 0 0 4711";
        assert_eq!(parse(row).expect("a listener").address.to_string(), "::1");
    }
}
