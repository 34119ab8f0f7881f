//! The host that a request names.

use hyper::header::{HOST, HeaderMap};
use hyper::http::uri::Authority;

use crate::sandbox::network::destination::Destination;

/// Why a request does not name the host of its connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrongHost {
    /// The request names none, or has several `Host` headers: malformed.
    NotOne,
    /// The request names another host, in these words.
    Other(String),
}

/// Checks that a request names one host, that of its connection: by its target, its `Host` header or both.
///
/// `usual` is the port of a host that is named without one.
///
/// # Errors
///
/// Why the request is refused.
pub fn check(
    target: Option<&Authority>,
    headers: &HeaderMap,
    expected: (&Destination, u16),
    usual: u16,
) -> Result<(), WrongHost> {
    let mut named: Vec<String> = target.map(|authority| authority.as_str().to_owned()).into_iter().collect();
    let mut fields = headers.get_all(HOST).iter();
    named.extend(fields.next().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()));
    if named.is_empty() || fields.next().is_some() {
        return Err(WrongHost::NotOne);
    }
    let is_expected = |text: &String| {
        Destination::parse_with_port(text, Some(usual)).is_some_and(|(host, port)| (&host, port) == expected)
    };
    named.into_iter().find(|text| !is_expected(text)).map_or(Ok(()), |text| Err(WrongHost::Other(text)))
}

#[cfg(test)]
mod tests {
    use hyper::header::{HOST, HeaderMap, HeaderValue};

    use super::{Destination, WrongHost, check};

    fn checked(target: Option<&str>, hosts: &[&str], expected: &str) -> Result<(), WrongHost> {
        let target = target.map(|text| text.parse().expect("an authority"));
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(HOST, HeaderValue::from_str(host).expect("a value"));
        }
        let (host, port) = Destination::parse_with_port(expected, Some(443)).expect("a host");
        check(target.as_ref(), &headers, (&host, port), 443)
    }

    #[test]
    fn the_host_of_the_connection_is_named_by_target_or_header() {
        for (target, hosts, expected) in [
            (None, &["api.example"][..], "api.example"),
            (None, &["API.Example:443"], "api.example"),
            (None, &["api.example."], "api.example"),
            (Some("api.example"), &[], "api.example"),
            (Some("api.example"), &["api.example:443"], "api.example"),
            (None, &["api.example:8443"], "api.example:8443"),
            (None, &["10.0.0.1"], "10.0.0.1"),
            (None, &["[::1]:443"], "[::1]"),
        ] {
            assert_eq!(checked(target, hosts, expected), Ok(()), "{target:?} {hosts:?}");
        }
    }

    #[test]
    fn another_host_is_refused_by_its_name() {
        for (target, hosts) in [
            (None, &["evil.example"][..]),
            (None, &["api.example:80"]),
            (None, &["user@api.example"]),
            (None, &["api.example@evil.example"]),
            (None, &["api.example, evil.example"]),
            (None, &["api.example/"]),
            (None, &[""]),
            (None, &[" api.example evil"]),
            (Some("user:x@api.example"), &["api.example"]),
            (Some("evil.example"), &["api.example"]),
            (Some("api.example"), &["evil.example"]),
        ] {
            let result = checked(target, hosts, "api.example");
            assert!(matches!(result, Err(WrongHost::Other(_))), "{target:?} {hosts:?} {result:?}");
        }
    }

    #[test]
    fn no_host_and_two_hosts_are_malformed() {
        assert_eq!(checked(None, &[], "api.example"), Err(WrongHost::NotOne));
        let twice = ["api.example", "api.example"];
        assert_eq!(checked(None, &twice, "api.example"), Err(WrongHost::NotOne));
        assert_eq!(checked(Some("api.example"), &twice, "api.example"), Err(WrongHost::NotOne));
    }
}
