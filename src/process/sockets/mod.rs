//! Listening TCP sockets, and the processes that hold them.

use std::net::IpAddr;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(target_os = "linux")]
pub use linux::{listening, sockets_of};
#[cfg(target_os = "linux")]
pub use namespaces::listening_elsewhere;
#[cfg(not(target_os = "linux"))]
pub use other::{listening, listening_elsewhere, sockets_of};

/// A listening TCP socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    pub port: u16,
    pub address: IpAddr,
    /// The inode, by which the descriptors in `/proc` name the socket.
    pub inode: u64,
}
