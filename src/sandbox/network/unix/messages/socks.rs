//! Messages of SOCKS 5 (RFC 1928): connections by name or address, without authentication. Pure.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::sandbox::network::destination::Destination;

/// The first byte of a client.
pub const VERSION: u8 = 5;

/// The answer to a client that offers no supported method.
pub const NO_METHOD: [u8; 2] = [VERSION, 0xff];

/// The answer to a client that needs no authentication.
pub const NO_AUTHENTICATION: [u8; 2] = [VERSION, 0];

/// The reply to a client's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Reply {
    /// The connection is established.
    Done = 0,
    /// Another failure.
    Failed = 1,
    /// The host is not allowed.
    NotAllowed = 2,
    /// The host does not exist or does not answer.
    Unreachable = 4,
    /// The host refuses the connection.
    Refused = 5,
    /// A command other than CONNECT.
    NoSuchCommand = 7,
    /// Another type of address.
    NoSuchAddress = 8,
}

impl Reply {
    /// Returns the message. Clients ignore the address in it.
    #[must_use]
    pub const fn message(self) -> [u8; 10] {
        [VERSION, self as u8, 0, 1, 0, 0, 0, 0, 0, 0]
    }
}

/// Parses the greeting. Returns whether the client offers to connect without authentication, and the length.
#[must_use]
pub fn greeting(bytes: &[u8]) -> Option<(bool, usize)> {
    let length = 2 + usize::from(*bytes.get(1)?);
    let methods = bytes.get(2..length)?;
    Some((methods.contains(&0), length))
}

/// Parses a request. Returns the host, the port and the length; `None` if bytes are missing.
///
/// # Errors
///
/// The reply to a client's request.
pub fn request(bytes: &[u8]) -> Result<Option<(Destination, u16, usize)>, Reply> {
    let Some((&[version, command, _, kind], rest)) = bytes.split_first_chunk::<4>() else {
        return Ok(None);
    };
    if version != VERSION {
        return Err(Reply::Failed);
    }
    if command != 1 {
        return Err(Reply::NoSuchCommand);
    }
    let (host, length) = match kind {
        1 => match rest.first_chunk::<4>() {
            Some(address) => (Some(Destination::Address(IpAddr::V4(Ipv4Addr::from(*address)))), 4),
            None => return Ok(None),
        },
        3 => {
            let Some((&length, rest)) = rest.split_first() else { return Ok(None) };
            let Some(name) = rest.get(..usize::from(length)) else { return Ok(None) };
            (std::str::from_utf8(name).ok().and_then(host_of), 1 + usize::from(length))
        }
        4 => match rest.first_chunk::<16>() {
            Some(address) => (Some(Destination::Address(IpAddr::V6(Ipv6Addr::from(*address)))), 16),
            None => return Ok(None),
        },
        _ => return Err(Reply::NoSuchAddress),
    };
    let Some(&[high, low]) = rest.get(length..length + 2) else { return Ok(None) };
    let host = host.ok_or(Reply::NoSuchAddress)?;
    Ok(Some((host, u16::from_be_bytes([high, low]), 4 + length + 2)))
}

/// Parses a host name. Some clients send an IPv6 address as a name, without brackets.
fn host_of(name: &str) -> Option<Destination> {
    name.parse::<Ipv6Addr>()
        .map_or_else(|_| Destination::parse(name), |ip| Some(Destination::Address(ip.into())))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop, prop_assert, proptest};

    use super::{Reply, greeting, request};

    fn named(name: &str, port: u16) -> Vec<u8> {
        let length = u8::try_from(name.len()).expect("a short name");
        [&[5, 1, 0, 3, length][..], name.as_bytes(), &port.to_be_bytes()].concat()
    }

    #[test]
    fn a_greeting_offers_methods() {
        assert_eq!(greeting(&[5, 2, 2, 0, 9]), Some((true, 4)));
        assert_eq!(greeting(&[5, 1, 2]), Some((false, 3)));
        assert_eq!(greeting(&[5, 2, 0]), None);
        assert_eq!(greeting(&[5]), None);
    }

    #[test]
    fn a_request_has_a_name_or_an_address() {
        let host = |bytes: &[u8]| {
            request(bytes).map(|found| found.map(|(host, port, length)| (format!("{host}:{port}"), length)))
        };
        assert_eq!(host(&named("A.b", 443)), Ok(Some(("a.b:443".to_owned(), 10))));
        assert_eq!(host(&[5, 1, 0, 1, 10, 0, 0, 1, 0, 80]), Ok(Some(("10.0.0.1:80".to_owned(), 10))));
        let six = [&[5, 1, 0, 4][..], &[0; 15], &[1, 0, 80]].concat();
        assert_eq!(host(&six), Ok(Some(("[::1]:80".to_owned(), 22))));
        assert_eq!(host(&named("::1", 80)), Ok(Some(("[::1]:80".to_owned(), 10))));
    }

    #[test]
    fn what_is_cut_off_is_waited_for() {
        let whole = named("a.b", 443);
        for length in 0..whole.len() {
            assert_eq!(request(&whole[..length]), Ok(None));
        }
    }

    #[test]
    fn other_commands_and_addresses_are_refused() {
        assert_eq!(request(&[5, 2, 0, 1, 0, 0, 0, 0, 0, 0]), Err(Reply::NoSuchCommand));
        assert_eq!(request(&[5, 1, 0, 9, 0, 0, 0, 0, 0, 0]), Err(Reply::NoSuchAddress));
        assert_eq!(request(&named("127.1", 80)), Err(Reply::NoSuchAddress));
        assert_eq!(request(&[4, 1, 0, 80]), Err(Reply::Failed));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_request_or_none(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            if let Ok(Some((_, _, length))) = request(&bytes) {
                prop_assert!(length <= bytes.len());
            }
            if let Some((_, length)) = greeting(&bytes) {
                prop_assert!(length <= bytes.len());
            }
        }
    }
}
