//! Hosts in requests and lists: a name or an address. Pure.

use std::fmt::{self, Display, Formatter};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The longest name (bytes), as of DNS.
const MAX_NAME: usize = 253;

/// The longest label of a name (bytes).
const MAX_LABEL: usize = 63;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A name in lower case, without a dot at the end.
    Name(String),
    Address(IpAddr),
}

impl Destination {
    /// Parses a name, `192.0.2.1` or `[2001:db8::1]`.
    ///
    /// A name whose last label is a number is refused: some programs read `127.1` and `0x7f000001` as
    /// addresses, others as names.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(address) = text.strip_prefix('[') {
            let address = address.strip_suffix(']')?.parse::<Ipv6Addr>().ok()?;
            return Some(Self::Address(IpAddr::V6(address)));
        }
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Some(Self::Address(address.into()));
        }
        let name = text.strip_suffix('.').unwrap_or(text);
        let last = name.rsplit('.').next().unwrap_or_default();
        let is_number = last.bytes().all(|byte| byte.is_ascii_digit())
            || last.get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("0x"));
        if name.len() > MAX_NAME || is_number || !name.split('.').all(is_label) {
            return None;
        }
        Some(Self::Name(name.to_ascii_lowercase()))
    }

    /// Parses `host:port`. `usual` is the port of a host without one.
    #[must_use]
    pub fn parse_with_port(text: &str, usual: Option<u16>) -> Option<(Self, u16)> {
        let port_of = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u16>().ok().filter(|&port| is_number && port > 0)
        };
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port_of(port)?),
            _ => (text, usual?),
        };
        Some((Self::parse(host)?, port))
    }
}

impl Display for Destination {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => out.write_str(name),
            Self::Address(IpAddr::V6(address)) => write!(out, "[{address}]"),
            Self::Address(address) => write!(out, "{address}"),
        }
    }
}

fn is_label(label: &str) -> bool {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (1..=MAX_LABEL).contains(&label.len()) && label.bytes().all(is_usual)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::Destination;

    #[test]
    fn a_host_is_a_name_or_an_address() {
        let name = |name: &str| Some(Destination::Name(name.to_owned()));
        assert_eq!(Destination::parse("Example.ORG."), name("example.org"));
        assert_eq!(Destination::parse("_a-b.c1"), name("_a-b.c1"));
        let address = |text: &str| Some(Destination::Address(text.parse().expect("an address")));
        assert_eq!(Destination::parse("192.0.2.1"), address("192.0.2.1"));
        assert_eq!(Destination::parse("[::1]"), address("::1"));
    }

    #[test]
    fn strange_forms_of_addresses_are_no_hosts() {
        for text in [
            "127.1", "0x7f.1", "2130706433", "0x7f000001", "1.2.3.4.5", "a.0X1", "017700000001", "::1",
            "[::1", "[1.2.3.4]", "[::1%lo]", "", ".", "a..b", ".a", "a b", "a@b", "a:1", "a\0b", "ä.example",
        ] {
            assert_eq!(Destination::parse(text), None, "{text}");
        }
        assert_eq!(Destination::parse(&"a".repeat(64)), None);
        assert_eq!(Destination::parse(&vec!["a"; 200].join(".")), None);
    }

    #[test]
    fn a_port_follows_a_colon() {
        let port = |text: &str, usual| Destination::parse_with_port(text, usual).map(|(_, port)| port);
        assert_eq!(port("a.b:443", None), Some(443));
        assert_eq!(port("[::1]:443", None), Some(443));
        assert_eq!(port("a.b", Some(80)), Some(80));
        assert_eq!(port("[::1]", Some(80)), Some(80));
        for text in ["a.b", "a.b:", "a.b:+1", "a.b:0", "a.b:65536", "a.b: 1", "a:1:2", ":1"] {
            assert_eq!(port(text, None), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_host_is_read_again_from_its_text(text in "\\PC{0,24}|[a-z0-9.:\\[\\]]{0,24}") {
            if let Some(host) = Destination::parse(&text) {
                prop_assert_eq!(Destination::parse(&host.to_string()), Some(host));
            }
        }
    }
}
