//! The addresses in the private network of a sandbox with allowed hosts, on which the host and the helper
//! agree.
//!
//! The addresses are all local there. The listeners of the engine have ports below 1024, which commands lack
//! the capability to bind, so they take no port from servers of a command.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4};

/// The network whose addresses stand for names: reserved for tests of devices (RFC 2544), so no host of the
/// internet has one.
pub const NETWORK: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 0);

/// The mask of [`NETWORK`]: 15 bits.
pub const MASK: Ipv4Addr = Ipv4Addr::new(255, 254, 0, 0);

/// The engine's own address, and the port of its proxy.
pub const PROXY: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(198, 18, 0, 1), 80);

/// The file with the certificates that clients trust, in a sandbox whose hosts have rules.
pub const CERTIFICATES: &str = "/dev/agent-bash/ca.pem";

/// The same certificates as a key store of Java.
pub const KEY_STORE: &str = "/dev/agent-bash/ca.jks";

/// The address of the name server.
pub const NAME_SERVER: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 53);

/// The largest number of different ports in an allow list: each has a listener.
pub const MAX_PORTS: usize = 64;

/// The ports of hosts about which a person is asked: ssh, http, https. Other ports of them need the proxy.
pub const ASKED_PORTS: [u16; 3] = [22, 80, 443];

/// The largest number of listeners: proxy, name server, ports.
pub const MAX_LISTENERS: usize = MAX_PORTS + ASKED_PORTS.len() + 2;

/// The address that stands for the first listed host, if that is an address; the others follow. Names have
/// the addresses below.
const FIRST_LISTED: Ipv4Addr = Ipv4Addr::new(198, 19, 0, 0);

/// The largest number of hosts in an allow list.
pub const MAX_HOSTS: usize = 4096;

/// The port of the listener for the first listed port; the others follow.
const FIRST_LISTENER: u16 = 600;

/// Returns whether an address stands for a name, or is the engine's own.
#[must_use]
pub fn is_inside(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address & MASK == NETWORK,
        IpAddr::V6(_) => false,
    }
}

/// Returns the address that stands for the listed address at this position, for programs that connect to it
/// without the proxy.
#[must_use]
pub fn stand_in(position: usize) -> Ipv4Addr {
    Ipv4Addr::from_bits(FIRST_LISTED.to_bits() + u32::try_from(position.min(MAX_HOSTS)).unwrap_or(0))
}

/// Returns the position of the listed address that an address stands for.
#[must_use]
pub fn position_of(address: IpAddr) -> Option<usize> {
    let IpAddr::V4(address) = address.to_canonical() else { return None };
    let position = address.to_bits().checked_sub(FIRST_LISTED.to_bits())?;
    usize::try_from(position).ok().filter(|&position| position < MAX_HOSTS)
}

/// Returns the port that the listener for the listed port at this position has.
#[must_use]
pub fn listener_port(position: usize) -> u16 {
    FIRST_LISTENER + u16::try_from(position.min(MAX_LISTENERS)).unwrap_or(0)
}

/// Returns the address at which the engine listens for connections to this one, if its port is listed. A
/// listener at the listed port itself would take it from servers of the command.
#[must_use]
pub fn listener_of(address: SocketAddr, ports: &[u16]) -> Option<SocketAddr> {
    if address.ip().to_canonical() == IpAddr::V4(*PROXY.ip()) {
        return (address.port() == PROXY.port()).then_some(address);
    }
    let position = ports.iter().position(|&port| port == address.port())?;
    Some(SocketAddr::new(address.ip(), listener_port(position)))
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::{
        MAX_HOSTS, MAX_LISTENERS, PROXY, is_inside, listener_of, listener_port, position_of, stand_in,
    };

    fn address(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn the_network_has_fifteen_bits() {
        for (text, expected) in [
            ("198.18.0.0", true),
            ("198.19.255.255", true),
            ("::ffff:198.18.0.7", true),
            ("198.17.255.255", false),
            ("198.20.0.0", false),
            ("::1", false),
        ] {
            assert_eq!(is_inside(text.parse().expect("an address")), expected, "{text}");
        }
    }

    #[test]
    fn each_listed_port_has_a_listener_and_the_proxy_is_itself() {
        let ports = [80, 443];
        let listener = |text| listener_of(address(text), &ports);
        assert_eq!(listener("198.18.0.5:443"), Some(address(&format!("198.18.0.5:{}", listener_port(1)))));
        assert_eq!(listener("[::ffff:198.18.0.5]:80").map(|address| address.port()), Some(listener_port(0)));
        assert_eq!(listener("198.18.0.5:22"), None);
        assert_eq!(listener("198.18.0.1:80"), Some(PROXY.into()));
        assert_eq!(listener("198.18.0.1:443"), None);
        assert!(listener_port(MAX_LISTENERS) < 1024);
    }

    #[test]
    fn a_listed_address_has_one_that_stands_for_it() {
        for position in [0, 1, MAX_HOSTS - 1] {
            let address = stand_in(position).into();
            assert!(is_inside(address));
            assert_eq!(position_of(address), Some(position));
        }
        assert_eq!(position_of(stand_in(1).to_ipv6_mapped().into()), Some(1));
        assert_eq!(position_of(stand_in(MAX_HOSTS).into()), None);
        assert_eq!(position_of("198.18.255.255".parse().expect("an address")), None);
    }
}
