//! Reads listening sockets from the system's tables, which name the process of each.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use windows_sys::Win32::Foundation::{ERROR_INSUFFICIENT_BUFFER, NO_ERROR};
use windows_sys::Win32::NetworkManagement::IpHelper::{
    GetExtendedTcpTable, MIB_TCP6ROW_OWNER_PID, MIB_TCPROW_OWNER_PID, TCP_TABLE_OWNER_PID_LISTENER,
};
use windows_sys::Win32::Networking::WinSock::{AF_INET, AF_INET6};

use super::Listener;
use crate::process::identity::Pid;

/// The words of 32 bits of a row, which both kinds of rows consist of.
const ROW: usize = size_of::<MIB_TCPROW_OWNER_PID>() / 4;
const ROW_IPV6: usize = size_of::<MIB_TCP6ROW_OWNER_PID>() / 4;

/// Returns the listening TCP sockets of these processes.
///
/// # Errors
///
/// When the system has no such table.
pub fn listening(processes: &[Pid]) -> io::Result<Vec<Listener>> {
    let is_owner = |pid| processes.iter().any(|process| number(*process) == pid);
    Ok(all()?.into_iter().filter(|(pid, _)| is_owner(*pid)).map(|(_, listener)| listener).collect())
}

/// Returns nothing: this system has no network namespaces.
#[must_use]
pub const fn listening_elsewhere(_: Pid) -> Vec<Listener> {
    Vec::new()
}

/// Returns the names of the listening sockets of a process.
#[must_use]
pub fn sockets_of(pid: Pid) -> Vec<u64> {
    listening(&[pid]).unwrap_or_default().into_iter().map(|listener| listener.inode).collect()
}

const fn number(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().cast_unsigned()
}

/// Returns all listening sockets, each after the pid of its process.
fn all() -> io::Result<Vec<(u32, Listener)>> {
    let mut all = Vec::new();
    // State, local address, local port, remote address, remote port, pid.
    for row in table(AF_INET)?.rows::<ROW>() {
        let [_, address, port, _, _, pid] = *row;
        all.push(listener(pid, port, Ipv4Addr::from(address.to_ne_bytes()).into()));
    }
    // A machine without IPv6 has no such table.
    let Ok(table) = table(AF_INET6) else { return Ok(all) };
    // Local address, scope and port, remote address, scope and port, state, pid.
    for row in table.rows::<ROW_IPV6>() {
        let [a, b, c, d, _, port, .., pid] = *row;
        let mut address = [0; 16];
        for (bytes, word) in address.chunks_exact_mut(4).zip([a, b, c, d]) {
            bytes.copy_from_slice(&word.to_ne_bytes());
        }
        all.push(listener(pid, port, Ipv6Addr::from(address).into()));
    }
    Ok(all)
}

fn listener(pid: u32, port: u32, address: IpAddr) -> (u32, Listener) {
    let [high, low, ..] = port.to_ne_bytes();
    let port = u16::from_be_bytes([high, low]);
    let mut hasher = DefaultHasher::new();
    (pid, port, address).hash(&mut hasher);
    (pid, Listener { port, address, inode: hasher.finish() })
}

/// A table of the system: the number of its rows, and the rows.
struct Table(Vec<u32>);

impl Table {
    fn rows<const WORDS: usize>(&self) -> impl Iterator<Item = &[u32; WORDS]> {
        let (count, rows) = self.0.split_first().unwrap_or((&0, &[]));
        rows.as_chunks().0.iter().take(*count as usize)
    }
}

/// Returns the table of the listening sockets of a family of addresses.
fn table(family: u16) -> io::Result<Table> {
    let mut words: Vec<u32> = Vec::new();
    loop {
        let mut bytes = u32::try_from(size_of_val(&words[..])).unwrap_or(u32::MAX);
        // SAFETY: the system writes at most `bytes` into the words, and the number of bytes that it needs.
        let status = unsafe {
            GetExtendedTcpTable(
                words.as_mut_ptr().cast(),
                &raw mut bytes,
                0,
                family.into(),
                TCP_TABLE_OWNER_PID_LISTENER,
                0,
            )
        };
        match status {
            NO_ERROR => return Ok(Table(words)),
            // Sockets may begin to listen in between.
            ERROR_INSUFFICIENT_BUFFER => words.resize(bytes.div_ceil(4) as usize + ROW_IPV6, 0),
            other => return Err(io::Error::from_raw_os_error(other.cast_signed())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::{listening, sockets_of};
    use crate::process::identity::Pid;

    #[test]
    fn a_socket_that_listens_is_found_with_its_owner() {
        let own = Pid::from_raw(std::process::id().cast_signed()).expect("a pid");
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(server) = TcpListener::bind(address) else { continue };
            let local = server.local_addr().expect("an address");
            let found = listening(&[own]).expect("the system tells");
            let found = found.iter().find(|other| other.port == local.port()).expect("it is listed");
            assert_eq!(found.address, local.ip());
            assert!(sockets_of(own).contains(&found.inode));
            drop(server);
            let left = listening(&[own]).expect("the system tells");
            assert!(left.iter().all(|other| other.port != local.port()), "it no longer listens");
        }
    }
}
