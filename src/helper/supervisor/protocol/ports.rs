//! Connections of ports: bytes between a socket on this side of the stream and one on the other side.
//!
//! The side that has accepted a connection names what the other side connects to. From then on both sides do
//! the same: they pass on what they read, up to the other side's credit, and the end of it, so each direction
//! ends by itself. [`PortMessage::Closed`] resets a connection in both directions.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use serde::{Deserialize, Serialize};

use super::credit::{Allowance, Grants, Overrun};

/// The credit of a connection at its beginning (bytes). Less than that of an output, because there may be
/// thousands of connections; it grows while a connection fills it.
pub const FIRST_PORT_WINDOW: usize = 64 * 1024;

/// The largest credit of a connection (bytes): 40 MB/s with a round trip of 100 ms.
const MAX_PORT_WINDOW: usize = 4 * 1024 * 1024;

/// The growth of a window: three round trips lead to the largest one.
const GROWTH: usize = 4;

/// The most connections of a target at a time. Further ones wait at their listener.
pub const MAX_CONNECTIONS: usize = 4096;

/// The most connections of a target whose windows are enlarged: 32 MiB of memory on each side.
pub const MAX_LARGE_CONNECTIONS: usize = 8;

/// The connections that may wait at a listener to be accepted. The kernel may allow fewer.
pub const BACKLOG: u32 = 1024;

/// The lowest id of the connections that the supervisor accepts. Those below are the host's.
pub const FIRST_ACCEPTED: u32 = 1 << 31;

/// The most ports of one answer.
pub const MAX_LISTED_PORTS: usize = 1000;

/// The name that stands for the loopback addresses. It is looked up nowhere.
pub const LOCALHOST: &str = "localhost";

/// The destination of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PortEnd {
    /// A name or an address, and a port.
    Tcp { host: String, port: u16 },
    /// The path of a UNIX socket.
    Unix { path: String },
}

/// The place of a listener.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ListenAt {
    /// An address, and a port: 0 for any.
    Tcp { address: IpAddr, port: u16 },
    /// The path of a UNIX socket, which is made for the user alone.
    Unix { path: String },
}

/// A message about a connection or a listener, in either direction. The id of its frame is that of the
/// connection or listener.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PortMessage {
    /// Connects. The host does not wait for an answer: bytes may follow at once.
    Connect(PortEnd),
    /// Listens, for the host.
    Listen(ListenAt),
    /// The supervisor listens; `port` is 0 for a path.
    Listening { port: u16 },
    /// The supervisor has accepted a connection at a listener.
    Accepted { listener: u32 },
    /// Bytes were passed on.
    Credit { count: u32 },
    /// No more bytes follow.
    End,
    /// The connection or the listener is closed, with the name of the system's error (`ECONNRESET`) if there
    /// is one: the two systems may have different numbers.
    Closed { error: String },
}

/// A port on which a process of a command listens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemotePort {
    /// The inode of the socket.
    pub inode: u64,
    pub port: u16,
    pub address: IpAddr,
    pub pid: u32,
}

/// The addresses of a host, in the order in which to try them; `None` for a name that must be looked up.
#[must_use]
pub fn known_addresses(host: &str, port: u16) -> Option<Vec<SocketAddr>> {
    if host.eq_ignore_ascii_case(LOCALHOST) {
        let both: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
        return Some(both.map(|address| SocketAddr::new(address, port)).to_vec());
    }
    Some(vec![SocketAddr::new(host.parse().ok()?, port)])
}

/// The bytes of a connection on one side: those that wait to be written to its socket, and those that may
/// still be read from it.
#[derive(Debug)]
pub struct PortFlow {
    pending: VecDeque<u8>,
    grants: Grants,
    allowance: Allowance,
    /// Whether the other side has sent its end.
    is_ended: bool,
    /// Whether the socket was shut down for writing, after the last byte.
    is_shut: bool,
    /// Whether the end of what the socket had to say was sent.
    has_sent_end: bool,
}

impl Default for PortFlow {
    fn default() -> Self {
        Self {
            pending: VecDeque::new(),
            grants: Grants::of(FIRST_PORT_WINDOW),
            allowance: Allowance::of(FIRST_PORT_WINDOW),
            is_ended: false,
            is_shut: false,
            has_sent_end: false,
        }
    }
}

impl PortFlow {
    /// Takes bytes from the other side.
    ///
    /// # Errors
    ///
    /// [`Overrun`] when they are more than were granted.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<(), Overrun> {
        self.grants.receive(bytes.len())?;
        self.pending.extend(bytes);
        Ok(())
    }

    /// Notes that the other side sends no more.
    pub const fn note_end(&mut self) {
        self.is_ended = true;
    }

    /// Returns the bytes to write next.
    #[must_use]
    pub fn unwritten(&self) -> &[u8] {
        self.pending.as_slices().0
    }

    /// Notes that bytes were written. Returns the credit to grant.
    pub fn wrote(&mut self, count: usize) -> Option<u32> {
        self.pending.drain(..count);
        self.grants.pass(count)
    }

    /// Enlarges the window of a socket that takes bytes as fast as they arrive. Returns the credit to grant.
    pub fn grow(&mut self) -> Option<u32> {
        if self.pending.is_empty() { self.grants.grow_by(GROWTH, MAX_PORT_WINDOW) } else { None }
    }

    /// Returns whether the window was enlarged.
    #[must_use]
    pub const fn is_large(&self) -> bool {
        self.grants.window() > FIRST_PORT_WINDOW
    }

    /// Returns whether the socket is to be shut down for writing, and notes that.
    pub fn shuts(&mut self) -> bool {
        let shuts = self.is_ended && !self.is_shut && self.pending.is_empty();
        self.is_shut |= shuts;
        shuts
    }

    pub fn add_credit(&mut self, count: u32) {
        self.allowance.add(count);
    }

    /// Returns how many bytes may be read from the socket; 0 after its end.
    #[must_use]
    pub const fn readable(&self) -> usize {
        if self.has_sent_end { 0 } else { self.allowance.left() }
    }

    /// Notes that bytes were read and sent.
    pub const fn sent(&mut self, count: usize) {
        self.allowance.spend(count);
    }

    /// Notes that the socket has ended, and the other side knows.
    pub const fn sent_end(&mut self) {
        self.has_sent_end = true;
    }

    /// Returns whether the socket has ended, while bytes still go to it.
    #[must_use]
    pub const fn only_writes(&self) -> bool {
        self.has_sent_end && !self.is_shut
    }

    /// Returns whether both directions have ended.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.has_sent_end && self.is_shut
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST_PORT_WINDOW, PortFlow, known_addresses};

    #[test]
    fn localhost_is_both_loopback_addresses_and_a_name_is_unknown() {
        let text = |host| known_addresses(host, 80).map(|all| all.iter().map(ToString::to_string).collect());
        assert_eq!(text("localhost"), Some(vec!["127.0.0.1:80".to_owned(), "[::1]:80".to_owned()]));
        assert_eq!(text("::1"), Some(vec!["[::1]:80".to_owned()]));
        assert_eq!(text("10.0.0.7"), Some(vec!["10.0.0.7:80".to_owned()]));
        assert_eq!(text("db"), None);
    }

    #[test]
    fn a_socket_is_shut_down_once_behind_the_last_byte() {
        let mut flow = PortFlow::default();
        flow.receive(b"last").expect("credit");
        flow.note_end();
        assert!(!flow.shuts());
        flow.wrote(4);
        assert!(flow.shuts());
        assert!(!flow.shuts());
        assert!(!flow.is_over());
        flow.sent_end();
        assert!(flow.is_over());
    }

    #[test]
    fn more_than_a_window_is_refused() {
        let mut flow = PortFlow::default();
        assert!(flow.receive(&vec![0; FIRST_PORT_WINDOW]).is_ok());
        assert!(flow.receive(&[0]).is_err());
    }

    #[test]
    fn a_socket_that_takes_whole_windows_gets_larger_ones() {
        let mut flow = PortFlow::default();
        flow.receive(&vec![0; FIRST_PORT_WINDOW]).expect("credit");
        assert_eq!(flow.grow(), None);
        assert_eq!(flow.wrote(FIRST_PORT_WINDOW), Some(64 * 1024));
        assert_eq!((flow.is_large(), flow.grow(), flow.is_large()), (false, Some(192 * 1024), true));
    }
}
