//! Parses socket addresses, and decides about connections to them. Pure.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

/// The longest address (bytes): the kernel's own bound.
pub(super) const MAX_ADDRESS: usize = 128;

/// The address in a command's call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// A UNIX socket by path.
    Path(Vec<u8>),
    /// A UNIX socket by abstract name.
    Abstract(Vec<u8>),
    /// A UNIX address without a name.
    Unnamed,
    /// An internet address.
    Internet(SocketAddr),
    /// `AF_UNSPEC`, which dissolves a connection.
    None,
    /// Any other family, or a malformed address.
    Other,
}

impl Address {
    /// Parses an address as the kernel does.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let Some((family, rest)) = bytes.split_first_chunk::<2>() else { return Self::Other };
        match i32::from(u16::from_ne_bytes(*family)) {
            libc::AF_UNSPEC => Self::None,
            libc::AF_UNIX => Self::unix(rest),
            libc::AF_INET => Self::internet_4(rest).map_or(Self::Other, Self::Internet),
            libc::AF_INET6 => Self::internet_6(rest).map_or(Self::Other, Self::Internet),
            _ => Self::Other,
        }
    }

    fn unix(name: &[u8]) -> Self {
        match name {
            [] => Self::Unnamed,
            [0, name @ ..] => Self::Abstract(name.to_vec()),
            _ => Self::Path(name.split(|&byte| byte == 0).next().unwrap_or_default().to_vec()),
        }
    }

    fn internet_4(rest: &[u8]) -> Option<SocketAddr> {
        let (port, rest) = rest.split_first_chunk::<2>()?;
        let (address, _) = rest.split_first_chunk::<4>()?;
        Some(SocketAddrV4::new(Ipv4Addr::from(*address), u16::from_be_bytes(*port)).into())
    }

    fn internet_6(rest: &[u8]) -> Option<SocketAddr> {
        let (port, rest) = rest.split_first_chunk::<2>()?;
        let (flow, rest) = rest.split_first_chunk::<4>()?;
        let (address, rest) = rest.split_first_chunk::<16>()?;
        let scope = rest.first_chunk::<4>().map_or(0, |scope| u32::from_ne_bytes(*scope));
        let port = u16::from_be_bytes(*port);
        Some(SocketAddrV6::new(Ipv6Addr::from(*address), port, u32::from_ne_bytes(*flow), scope).into())
    }
}

/// Returns the address to connect to with the network `loopback`: the unspecified address means loopback.
/// `None` for an address of another machine.
pub(super) fn loopback_peer(address: SocketAddr) -> Option<SocketAddr> {
    match address.ip().to_canonical() {
        IpAddr::V4(ip) if ip.is_loopback() => Some(address),
        IpAddr::V6(ip) if ip.is_loopback() => Some(address),
        ip if ip.is_unspecified() => Some(with_loopback(address, false)),
        _ => None,
    }
}

/// Returns the address to bind to with the network `loopback`. `None` for the address of another interface.
pub(super) fn loopback_server(address: SocketAddr, is_v6_only: bool) -> Option<SocketAddr> {
    match address.ip() {
        ip if ip.to_canonical().is_loopback() => Some(address),
        IpAddr::V6(ip) if ip.is_unspecified() => Some(with_loopback(address, !is_v6_only)),
        ip if ip.to_canonical().is_unspecified() => Some(with_loopback(address, true)),
        _ => None,
    }
}

/// Replaces the host. `is_mapped` says whether an IPv6 address serves clients of IPv4.
fn with_loopback(address: SocketAddr, is_mapped: bool) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if is_mapped || ip.to_ipv4_mapped().is_some() => {
            IpAddr::V6(Ipv4Addr::LOCALHOST.to_ipv6_mapped())
        }
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use proptest::prelude::{any, prop_assert, proptest};

    use super::{Address, loopback_peer, loopback_server};

    fn address(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    fn unix(name: &[u8]) -> Address {
        Address::parse(&[&1_u16.to_ne_bytes()[..], name].concat())
    }

    #[test]
    fn a_unix_address_is_a_path_or_a_name() {
        assert_eq!(unix(b"/a/b\0garbage"), Address::Path(b"/a/b".to_vec()));
        assert_eq!(unix(b"a"), Address::Path(b"a".to_vec()));
        assert_eq!(unix(b"\0name\0"), Address::Abstract(b"name\0".to_vec()));
        assert_eq!(unix(b""), Address::Unnamed);
    }

    #[test]
    fn an_internet_address_is_read() {
        let bytes = [&2_u16.to_ne_bytes()[..], &[0, 80, 127, 0, 0, 1]].concat();
        assert_eq!(Address::parse(&bytes), Address::Internet(address("127.0.0.1:80")));
        assert_eq!(Address::parse(&bytes[..7]), Address::Other);
    }

    #[test]
    fn only_loopback_is_a_peer() {
        let peer = |text| loopback_peer(address(text)).map(|address| address.to_string());
        assert_eq!(peer("127.3.4.5:80").as_deref(), Some("127.3.4.5:80"));
        assert_eq!(peer("[::1]:80").as_deref(), Some("[::1]:80"));
        assert_eq!(peer("[::ffff:127.0.0.1]:80").as_deref(), Some("[::ffff:127.0.0.1]:80"));
        assert_eq!(peer("0.0.0.0:80").as_deref(), Some("127.0.0.1:80"));
        assert_eq!(peer("[::]:80").as_deref(), Some("[::1]:80"));
        for other in
            ["10.0.0.1:80", "[::ffff:10.0.0.1]:80", "[fe80::1]:80", "169.254.169.254:80", "128.0.0.1:1"]
        {
            assert_eq!(peer(other), None);
        }
    }

    #[test]
    fn a_server_on_all_interfaces_is_one_on_loopback() {
        let server = |text, only| loopback_server(address(text), only).map(|address| address.to_string());
        assert_eq!(server("0.0.0.0:80", false).as_deref(), Some("127.0.0.1:80"));
        assert_eq!(server("[::]:80", false).as_deref(), Some("[::ffff:127.0.0.1]:80"));
        assert_eq!(server("[::]:80", true).as_deref(), Some("[::1]:80"));
        assert_eq!(server("[::ffff:0.0.0.0]:80", false).as_deref(), Some("[::ffff:127.0.0.1]:80"));
        assert_eq!(server("[::1]:80", false).as_deref(), Some("[::1]:80"));
        assert_eq!(server("192.168.1.1:80", false), None);
    }

    proptest! {
        #[test]
        fn what_is_connected_to_or_served_is_local(bytes in any::<[u8; 4]>(), port in any::<u16>()) {
            let address = SocketAddr::from((bytes, port));
            for local in [loopback_peer(address), loopback_server(address, false)].into_iter().flatten() {
                prop_assert!(local.ip().is_loopback());
            }
        }
    }
}
