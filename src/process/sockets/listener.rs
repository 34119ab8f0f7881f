//! A listening TCP socket, as data.

use std::net::IpAddr;

/// A listening TCP socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    pub port: u16,
    pub address: IpAddr,
    /// The inode, by which the descriptors in `/proc` name the socket; on macOS the kernel's name of it, on
    /// Windows a hash of its owner and address.
    pub inode: u64,
}
