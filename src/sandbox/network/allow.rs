//! Lists of allowed hosts. Pure.

use std::fmt::{self, Display, Formatter};
use std::net::{IpAddr, SocketAddr};

use serde::{Deserialize, Serialize};

use super::destination::Destination;
use super::public::is_public;
use crate::sandbox::protocol::inside::{ASKED_PORTS, MAX_HOSTS, MAX_PORTS};

/// A host that may be reached at one port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllowedDestination {
    /// A name, `*.` with a name for all names below it, or an address.
    pub host: String,
    pub port: u16,
}

impl AllowedDestination {
    /// Parses `registry.example:443`, `*.example.org:443`, `192.0.2.1:22` or `[2001:db8::1]:443`.
    ///
    /// # Errors
    ///
    /// The expected form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = || format!("'{text}': expected a name and a port, such as 'registry.example:443'");
        let (prefix, rest) = text.strip_prefix("*.").map_or(("", text), |rest| ("*.", rest));
        let (host, port) = match Destination::parse_with_port(rest, None).ok_or_else(expected)? {
            (Destination::Name(name), port) => (format!("{prefix}{name}"), port),
            (Destination::Address(address), port) if prefix.is_empty() => {
                (address.to_canonical().to_string(), port)
            }
            _ => return Err(expected()),
        };
        Ok(Self { host, port })
    }

    /// Returns whether this entry matches a name: it is the name, or `*.` of a domain above the name.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        match self.host.strip_prefix('*') {
            Some(suffix) => name.len() > suffix.len() && name.ends_with(suffix),
            None => self.host == name,
        }
    }
}

impl Display for AllowedDestination {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(out, "[{}]:{}", self.host, self.port)
        } else {
            write!(out, "{}:{}", self.host, self.port)
        }
    }
}

/// Parses a list.
///
/// # Errors
///
/// The expected form.
pub fn parse(list: &[String]) -> Result<Vec<AllowedDestination>, String> {
    let hosts: Vec<AllowedDestination> =
        list.iter().map(|text| AllowedDestination::parse(text)).collect::<Result<_, _>>()?;
    if hosts.len() > MAX_HOSTS {
        return Err(format!("expected at most {MAX_HOSTS} hosts, got {}", hosts.len()));
    }
    let ports = ports(&hosts).len();
    if ports > MAX_PORTS {
        return Err(format!("expected at most {MAX_PORTS} different ports, got {ports}"));
    }
    Ok(hosts)
}

/// Returns the ports of a list, each once, in order.
#[must_use]
pub fn ports(hosts: &[AllowedDestination]) -> Vec<u16> {
    let mut ports: Vec<u16> = hosts.iter().map(|host| host.port).collect();
    ports.sort_unstable();
    ports.dedup();
    ports
}

/// Returns the ports that have listeners in a sandbox: those of the list, and the usual ones of hosts about
/// which a person is asked.
#[must_use]
pub fn listened_ports(hosts: &[AllowedDestination], asks: bool) -> Vec<u16> {
    let mut ports = ports(hosts);
    if asks {
        ports.extend(ASKED_PORTS);
        ports.sort_unstable();
        ports.dedup();
    }
    ports
}

/// Returns whether a list has a name at any port.
#[must_use]
pub fn knows(hosts: &[AllowedDestination], name: &str) -> bool {
    hosts.iter().any(|host| host.is_named(name))
}

/// Returns whether a list has a host at a port.
#[must_use]
pub fn allows(hosts: &[AllowedDestination], host: &Destination, port: u16) -> bool {
    let is_meant = |allowed: &AllowedDestination| match host {
        Destination::Name(name) => allowed.is_named(name),
        Destination::Address(address) => allowed.host == address.to_canonical().to_string(),
    };
    hosts.iter().any(|allowed| allowed.port == port && is_meant(allowed))
}

/// Returns the position of an address and port in a list.
#[must_use]
pub fn position_of(hosts: &[AllowedDestination], address: SocketAddr) -> Option<usize> {
    let text = address.ip().to_canonical().to_string();
    hosts.iter().position(|allowed| allowed.port == address.port() && allowed.host == text)
}

/// Returns the listed address at a position.
#[must_use]
pub fn address_at(hosts: &[AllowedDestination], position: usize) -> Option<IpAddr> {
    hosts.get(position)?.host.parse().ok()
}

/// Returns whether an allowed name may resolve to an address: a public one, or one that is in the list too.
#[must_use]
pub fn may_lead_to(hosts: &[AllowedDestination], address: IpAddr, port: u16) -> bool {
    is_public(address) || allows(hosts, &Destination::Address(address), port)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{
        AllowedDestination, Destination, address_at, allows, knows, listened_ports, may_lead_to, parse,
        ports, position_of,
    };

    fn list(texts: &[&str]) -> Vec<AllowedDestination> {
        parse(&texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>()).expect("a list")
    }

    fn host(text: &str) -> Destination {
        Destination::parse(text).expect("a host")
    }

    #[test]
    fn an_allowed_host_has_a_name_and_a_port() {
        for text in ["registry.example:443", "*.example.org:80", "localhost:1", "10.0.0.1:22", "[::1]:8080"] {
            assert_eq!(AllowedDestination::parse(text).map(|host| host.to_string()), Ok(text.to_owned()));
        }
        for text in [
            "*:443", "example.org", "example.org:0", "example.org:x", ":443", "a..b:1", "a b:1", "*.*.a:1",
            "*.10.0.0.1:1", "127.1:1", "0x7f000001:1", "::1:1", "[::1]", "a.b/c:1", "user@a.b:1",
            "https://a:1", "a:65536", "*.:1",
        ] {
            assert!(AllowedDestination::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_list_has_a_bounded_number_of_ports() {
        let hosts = |count: u16| (1..=count).map(|port| format!("a.b:{port}")).collect::<Vec<_>>();
        assert!(parse(&hosts(64)).is_ok());
        assert!(parse(&hosts(65)).is_err_and(|error| error.contains("at most 64")));
        let many = vec!["a.b:1".to_owned(); 4097];
        assert!(parse(&many).is_err_and(|error| error.contains("at most 4096 hosts")));
    }

    #[test]
    fn a_listed_address_is_found_by_its_port_too() {
        let list = list(&["a.b:1", "10.0.0.1:80", "10.0.0.1:443", "[2001:db8::1]:443"]);
        let position = |text: &str| position_of(&list, text.parse().expect("an address"));
        assert_eq!(position("10.0.0.1:443"), Some(2));
        assert_eq!(position("[::ffff:10.0.0.1]:80"), Some(1));
        assert_eq!(position("10.0.0.1:22"), None);
        let address = address_at(&list, 3).expect("an address");
        assert_eq!((address.to_string().as_str(), address_at(&list, 0)), ("2001:db8::1", None));
    }

    #[test]
    fn a_star_stands_for_the_first_labels() {
        let list = list(&["*.example.org:443", "registry.example:80"]);
        for name in ["a.example.org", "a.b.example.org", "A.Example.ORG", "a.example.org."] {
            assert!(allows(&list, &host(name), 443), "{name}");
        }
        for name in ["example.org", "aexample.org", "example.org.evil", "registry.example"] {
            assert!(!allows(&list, &host(name), 443), "{name}");
        }
        assert!(knows(&list, "registry.example") && !knows(&list, "a.registry.example"));
        assert_eq!(ports(&list), [80, 443]);
        assert_eq!(listened_ports(&list, false), [80, 443]);
        assert_eq!(listened_ports(&list, true), [22, 80, 443]);
    }

    #[test]
    fn a_private_address_must_be_listed_itself() {
        let list = list(&["name.example:80", "10.0.0.1:80", "[::1]:80"]);
        let leads = |address: &str, port| may_lead_to(&list, address.parse().expect("an address"), port);
        assert!(leads("93.184.216.34", 80) && leads("10.0.0.1", 80) && leads("::1", 80));
        assert!(leads("::ffff:10.0.0.1", 80));
        assert!(!leads("10.0.0.1", 443) && !leads("10.0.0.2", 80) && !leads("127.0.0.1", 80));
    }

    proptest! {
        #[test]
        fn only_listed_names_are_allowed(name in "[a-z0-9.*-]{0,20}", port in 0_u16..500) {
            let list = list(&["*.ab.c:443", "d.e:80"]);
            let Some(host) = Destination::parse(&name) else { return Ok(()) };
            let expected = (port == 443 && name.trim_end_matches('.').ends_with(".ab.c"))
                || (port == 80 && name.trim_end_matches('.') == "d.e");
            prop_assert_eq!(allows(&list, &host, port), expected);
        }

        #[test]
        fn what_is_read_is_read_again_from_its_text(text in "\\PC{0,24}") {
            if let Ok(host) = AllowedDestination::parse(&text) {
                prop_assert!(AllowedDestination::parse(&host.to_string()) == Ok(host));
            }
        }
    }
}
