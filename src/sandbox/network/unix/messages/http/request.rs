//! The head of a request to a proxy.

use httparse::{EMPTY_HEADER, Header, Request as Parser, Status};

use super::body::Body;
use crate::sandbox::network::destination::Destination;

/// The longest head (bytes).
pub const MAX_HEAD: usize = 64 << 10;

/// The largest number of header fields.
const MAX_FIELDS: usize = 128;

/// Header fields that are for the proxy, or for one connection.
const NOT_FORWARDED: [&str; 8] = [
    "host", "connection", "proxy-connection", "keep-alive", "proxy-authorization", "te", "upgrade",
    "http2-settings",
];

/// A request to the proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpRequest {
    /// A connection, by `CONNECT`.
    Tunnel { host: Destination, port: u16 },
    /// An `http:` resource.
    Forward {
        host: Destination,
        port: u16,
        /// The head for the server, with `Connection: close`: each request has a connection of its own, so no
        /// second request can follow it to a host that is not allowed. A WebSocket has the rights of a
        /// tunnel.
        head: Vec<u8>,
        /// The body after the head; `None` for a WebSocket, whose connection is the client's from then on.
        body: Option<Body>,
    },
}

/// Why a request is refused.
pub type Wrong = &'static str;

/// Parses the head of a request. Returns the request and the length of the head; `None` if bytes are missing.
///
/// # Errors
///
/// Why the bytes are no request to a proxy.
pub fn parse(bytes: &[u8]) -> Result<Option<(HttpRequest, usize)>, Wrong> {
    let mut fields = [EMPTY_HEADER; MAX_FIELDS];
    let mut parser = Parser::new(&mut fields);
    let length = match parser.parse(bytes) {
        Ok(Status::Complete(length)) if length <= MAX_HEAD => length,
        Ok(Status::Partial) if bytes.len() < MAX_HEAD => return Ok(None),
        Ok(_) => return Err("the head is too long"),
        Err(_) => return Err("this is not HTTP/1"),
    };
    let (Some(method), Some(target), Some(version)) = (parser.method, parser.path, parser.version) else {
        return Err("this is not HTTP/1");
    };
    if method == "CONNECT" {
        let wrong = "expected CONNECT with a host and a port";
        let (host, port) = Destination::parse_with_port(target, None).ok_or(wrong)?;
        return Ok(Some((HttpRequest::Tunnel { host, port }, length)));
    }
    let (authority, path) = split_address(target)?;
    let (host, port) =
        Destination::parse_with_port(authority, Some(80)).ok_or("the address has no usual host")?;
    let body = body(parser.headers)?;
    let is_websocket = method == "GET" && body == Body::Length(0) && asks_for_websocket(parser.headers);
    let name = if port == 80 { host.to_string() } else { format!("{host}:{port}") };
    let first = format!("{method} {path} HTTP/1.{version}\r\nHost: {name}\r\n");
    let mut head = first.into_bytes();
    let is_forwarded =
        |field: &&mut Header<'_>| !NOT_FORWARDED.iter().any(|name| field.name.eq_ignore_ascii_case(name));
    for field in parser.headers.iter_mut().filter(is_forwarded) {
        head.extend_from_slice(field.name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(field.value);
        head.extend_from_slice(b"\r\n");
    }
    let end: &[u8] = if is_websocket {
        b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    } else {
        b"Connection: close\r\n\r\n"
    };
    head.extend_from_slice(end);
    let body = (!is_websocket).then_some(body);
    Ok(Some((HttpRequest::Forward { host, port, head, body }, length)))
}

/// Returns whether a request asks for a WebSocket. Other upgrades are optional for their clients, and
/// dropped.
fn asks_for_websocket(fields: &[Header<'_>]) -> bool {
    let is_one = |field: &Header<'_>| {
        field.name.eq_ignore_ascii_case("upgrade")
            && field.value.trim_ascii().eq_ignore_ascii_case(b"websocket")
    };
    fields.iter().any(is_one)
}

/// Splits `http://host:port/path` into the authority and the path.
fn split_address(target: &str) -> Result<(&str, String), Wrong> {
    const SCHEME: &str = "http://";
    let is_http = target.get(..SCHEME.len()).is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME));
    if !is_http {
        return Err("expected CONNECT, or an address that begins with http://");
    }
    let rest = target.get(SCHEME.len()..).unwrap_or_default();
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    match path.as_bytes().first() {
        None => Ok((authority, "/".to_owned())),
        Some(b'/') => Ok((authority, path.to_owned())),
        Some(b'?') => Ok((authority, format!("/{path}"))),
        Some(_) => Err("the address has a fragment"),
    }
}

/// Returns the body that a head announces. Refuses heads that servers may read in different ways.
fn body(fields: &[Header<'_>]) -> Result<Body, Wrong> {
    let values = |name: &str| -> Vec<&[u8]> {
        let named = fields.iter().filter(|field| field.name.eq_ignore_ascii_case(name));
        named.map(|field| field.value).collect()
    };
    match (values("content-length").as_slice(), values("transfer-encoding").as_slice()) {
        ([], []) => Ok(Body::Length(0)),
        ([length], []) => {
            let is_number = !length.is_empty() && length.iter().all(u8::is_ascii_digit);
            let length = std::str::from_utf8(length).ok().filter(|_| is_number);
            let length = length.and_then(|length| length.parse().ok());
            Ok(Body::Length(length.ok_or("the length of the body is no number")?))
        }
        ([], [coding]) if coding.eq_ignore_ascii_case(b"chunked") => Ok(Body::chunked()),
        _ => Err("the length of the body is given in more than one way, or in an unknown one"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop, prop_assert, proptest};

    use super::{Body, HttpRequest, MAX_HEAD, parse};

    fn request(text: &str) -> HttpRequest {
        parse(text.as_bytes()).expect("a request").expect("all of it").0
    }

    fn head(text: &str) -> String {
        match request(text) {
            HttpRequest::Forward { head, .. } => String::from_utf8(head).expect("text"),
            HttpRequest::Tunnel { .. } => panic!("a tunnel"),
        }
    }

    #[test]
    fn connect_asks_for_a_tunnel() {
        let text = "CONNECT Registry.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n";
        let HttpRequest::Tunnel { host, port } = request(text) else { panic!("no tunnel") };
        assert_eq!((host.to_string().as_str(), port), ("registry.example", 443));
    }

    #[test]
    fn a_resource_is_asked_for_with_its_own_host_and_without_the_fields_of_the_proxy() {
        let text = "GET HTTP://A.b:8080/x?y HTTP/1.1\r\nHost: evil\r\nProxy-Connection: keep-alive\r\n\
                    Connection: keep-alive\r\nUpgrade: h2c\r\nProxy-Authorization: x\r\nAccept:  */*\r\n\r\n";
        let expected = "GET /x?y HTTP/1.1\r\nHost: a.b:8080\r\nAccept: */*\r\nConnection: close\r\n\r\n";
        assert_eq!(head(text), expected);
        assert!(head("GET http://a.b HTTP/1.0\r\n\r\n").starts_with("GET / HTTP/1.0\r\nHost: a.b\r\n"));
        assert!(
            head("GET http://[::1]?a HTTP/1.1\r\n\r\n").starts_with("GET /?a HTTP/1.1\r\nHost: [::1]\r\n")
        );
    }

    #[test]
    fn a_websocket_keeps_its_upgrade_and_its_connection() {
        let text = "GET http://a.b/x HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\
                    Sec-WebSocket-Key: k\r\n\r\n";
        let expected = "GET /x HTTP/1.1\r\nHost: a.b\r\nSec-WebSocket-Key: k\r\nConnection: Upgrade\r\n\
                        Upgrade: websocket\r\n\r\n";
        assert_eq!(head(text), expected);
        assert!(matches!(request(text), HttpRequest::Forward { body: None, .. }));
        let posted = text.replace("GET", "POST");
        assert!(matches!(request(&posted), HttpRequest::Forward { body: Some(_), .. }));
    }

    #[test]
    fn a_body_has_one_length() {
        let body = |fields: &str| match parse(format!("POST http://a.b/ HTTP/1.1\r\n{fields}\r\n").as_bytes())
        {
            Ok(Some((HttpRequest::Forward { body, .. }, _))) => body,
            _ => None,
        };
        assert_eq!(body("Content-Length: 5\r\n"), Some(Body::Length(5)));
        assert_eq!(body("Transfer-Encoding: Chunked\r\n"), Some(Body::chunked()));
        assert_eq!(body(""), Some(Body::Length(0)));
        for fields in [
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            "Content-Length: 5\r\nContent-Length: 5\r\n",
            "Content-Length: 5, 5\r\n",
            "Content-Length: +5\r\n",
            "Content-Length: 0x5\r\n",
            "Content-Length:\r\n",
            "Transfer-Encoding: gzip, chunked\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
            "Transfer-Encoding: xchunked\r\n",
            "Content-Length : 5\r\n",
            "A: b\r\n Content-Length: 5\r\n",
        ] {
            assert_eq!(body(fields), None, "{fields}");
        }
    }

    #[test]
    fn strange_requests_are_refused() {
        for line in [
            "GET / HTTP/1.1",
            "GET https://a.b/ HTTP/1.1",
            "GET ftp://a.b/ HTTP/1.1",
            "GET http://allowed@evil/ HTTP/1.1",
            "GET http://allowed:80@evil/ HTTP/1.1",
            "GET http://127.1/ HTTP/1.1",
            "GET http:///x HTTP/1.1",
            "GET http://a.b#c HTTP/1.1",
            "GET http://a.b\\c/ HTTP/1.1",
            "GET http://a.b/ HTTP/2.0",
            "CONNECT a.b HTTP/1.1",
            "CONNECT a.b:0 HTTP/1.1",
            "CONNECT http://a.b:443 HTTP/1.1",
            "CONNECT a.b:443/x HTTP/1.1",
            "\u{5}\u{1}",
        ] {
            assert!(parse(format!("{line}\r\n\r\n").as_bytes()).is_err(), "{line}");
        }
    }

    #[test]
    fn a_head_is_waited_for_up_to_its_longest() {
        let text = "GET http://a.b/ HTTP/1.1\r\nA: b\r\n\r\n";
        for length in 0..text.len() {
            assert_eq!(parse(&text.as_bytes()[..length]), Ok(None));
        }
        let long = format!("GET http://a.b/{}", "x".repeat(MAX_HEAD));
        assert!(parse(long.as_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_request_or_none(
            line in "(GET|CONNECT|POST) (http://)?[a-z.:@\\[\\]0-9/]{0,20} HTTP/1.[01]\r\n",
            rest in prop::collection::vec(any::<u8>(), 0..100),
        ) {
            let bytes = [line.as_bytes(), &rest, b"\r\n\r\n"].concat();
            if let Ok(Some((HttpRequest::Forward { head, .. }, length))) = parse(&bytes) {
                prop_assert!(length <= bytes.len());
                // There is exactly one end of the head: no field contains another one.
                let ends: Vec<_> = head.windows(4).filter(|window| window == b"\r\n\r\n").collect();
                prop_assert!(ends.len() == 1 && head.ends_with(b"\r\n\r\n"));
            }
        }
    }
}
