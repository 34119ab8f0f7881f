//! The headers of requests and responses that are removed, and those that rules may set.

use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue, IF_RANGE,
    PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, RANGE, SEC_WEBSOCKET_EXTENSIONS, TE, TRAILER, TRANSFER_ENCODING,
    UPGRADE,
};

use super::HostRules;

/// Headers that name another method than that of the request.
const METHOD_OVERRIDES: [&str; 3] = ["x-http-method", "x-http-method-override", "x-method-override"];

/// Headers that name another path than that of the request.
const PATH_OVERRIDES: [&str; 3] = ["x-original-url", "x-rewrite-url", "x-original-uri"];

/// Headers by which a request may name an account. With the account of a rule, a command must not add another
/// one, from which the server may choose.
const ACCOUNTS: [&str; 6] =
    ["authorization", "cookie", "x-api-key", "x-goog-api-key", "private-token", "job-token"];

/// Headers for one connection, besides those that `Connection` names.
const OF_CONNECTION: [&str; 4] = ["keep-alive", "proxy-connection", "http2-settings", "upgrade"];

/// Headers that a rule can't set, because they frame the message or name the host.
const FRAMING: [HeaderName; 9] =
    [CONNECTION, CONTENT_LENGTH, EXPECT, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, PROXY_AUTHORIZATION];

/// Returns a header that a rule may set.
///
/// # Errors
///
/// The header that is wrong, and what was expected.
pub fn settable(name: &str) -> Result<HeaderName, String> {
    let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("'{name}' is no header"))?;
    let is_framing = FRAMING.contains(&parsed) || OF_CONNECTION.contains(&parsed.as_str());
    if is_framing { Err(format!("'{name}' can't be set")) } else { Ok(parsed) }
}

/// Removes the headers that are for one connection. `Content-Length` stays.
pub fn remove_of_connection(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok())
        // A client must not have a header removed that the server needs.
        .filter(|name| *name != CONTENT_LENGTH && *name != HOST)
        .collect();
    let has_trailers = headers.get_all(TE).iter().any(|value| {
        value.as_bytes().split(|byte| *byte == b',').any(|coding| coding.trim_ascii() == b"trailers")
    });
    for name in named {
        headers.remove(name);
    }
    for name in OF_CONNECTION {
        headers.remove(name);
    }
    for name in [CONNECTION, TE, TRANSFER_ENCODING, PROXY_AUTHORIZATION, PROXY_AUTHENTICATE] {
        headers.remove(name);
    }
    if has_trailers {
        headers.insert(TE, HeaderValue::from_static("trailers"));
    }
}

/// Removes from a request what rules forbid: the headers that rules set, with those the other headers of
/// accounts, and the headers that name another method or path.
pub fn remove_forbidden(headers: &mut HeaderMap, rules: &HostRules) {
    let mut forbidden: Vec<&str> = rules.header_names().map(HeaderName::as_str).collect();
    if !forbidden.is_empty() {
        forbidden.extend(ACCOUNTS);
    }
    forbidden.extend(METHOD_OVERRIDES.iter().filter(|_| rules.have_methods()));
    forbidden.extend(PATH_OVERRIDES.iter().filter(|_| rules.have_paths()));
    let is_forbidden = |name: &&HeaderName| forbidden.iter().any(|other| is_same(name.as_str(), other));
    let names: Vec<HeaderName> = headers.keys().filter(is_forbidden).cloned().collect();
    for name in names {
        headers.remove(name);
    }
}

/// Returns whether servers may take one header for the other: those that pass headers in variables (CGI) take
/// `_` for `-`.
fn is_same(one: &str, other: &str) -> bool {
    let plain = |byte: u8| if byte == b'_' { b'-' } else { byte };
    one.len() == other.len() && one.bytes().map(plain).eq(other.bytes().map(plain))
}

/// Headers by which clients of gRPC and Connect accept messages that are compressed one by one.
const MESSAGE_CODINGS: [&str; 2] = ["grpc-accept-encoding", "connect-accept-encoding"];

/// Asks the server for a response that can be searched: not compressed, and whole.
pub fn ask_for_searchable(headers: &mut HeaderMap) {
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    for name in [RANGE, IF_RANGE, SEC_WEBSOCKET_EXTENSIONS] {
        headers.remove(name);
    }
    for name in MESSAGE_CODINGS {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::{ask_for_searchable, remove_forbidden, remove_of_connection, settable};
    use crate::intercept::rules::HostRules;
    use crate::intercept::rules::tests::{rule, rules};
    use crate::intercept::testing::map;

    #[test]
    fn headers_of_one_connection_are_not_passed_on() {
        let mut headers = map(&[
            ("connection", "keep-alive, x-hop, content-length"),
            ("keep-alive", "timeout=5"),
            ("x-hop", "1"),
            ("content-length", "5"),
            ("te", "gzip, trailers"),
            ("transfer-encoding", "chunked"),
            ("upgrade", "h2c"),
            ("proxy-authorization", "Basic eA=="),
            ("x-kept", "1"),
        ]);
        remove_of_connection(&mut headers);
        assert_eq!(headers, map(&[("content-length", "5"), ("te", "trailers"), ("x-kept", "1")]));
    }

    #[test]
    fn a_command_sets_no_header_of_a_rule_and_no_other_method_or_path() {
        let all = map(&[
            ("authorization", "Bearer mine"),
            ("x-api-key", "mine"),
            ("cookie", "session=mine"),
            ("x-http-method-override", "DELETE"),
            ("x_http_method_override", "DELETE"),
            ("x-original-url", "/admin"),
            ("x-kept", "1"),
        ]);
        let left = |rules: &HostRules| {
            let mut headers = all.clone();
            remove_forbidden(&mut headers, rules);
            headers.keys().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        let free = rules(vec![rule("a.example:443", None, &[], &[])]);
        assert_eq!(left(&free).split(' ').count(), 7);
        let of_account = rules(vec![rule("a.example:443", Some("{}"), &[], &[])]);
        assert!(
            ["authorization", "x-api-key", "cookie"].iter().all(|name| !left(&of_account).contains(name))
        );
        let limited = rules(vec![rule("a.example:443", None, &["GET"], &["/a"])]);
        assert_eq!(left(&limited), "authorization x-api-key cookie x-kept");
    }

    #[test]
    fn a_searchable_response_is_asked_for() {
        let mut headers = map(&[
            ("accept-encoding", "gzip, br"),
            ("range", "bytes=0-3"),
            ("if-range", "x"),
            ("grpc-accept-encoding", "identity,gzip"),
        ]);
        ask_for_searchable(&mut headers);
        assert_eq!(headers, map(&[("accept-encoding", "identity")]));
    }

    #[test]
    fn a_rule_can_not_set_what_frames_a_message() {
        for name in ["Host", "content-length", "Transfer-Encoding", "TE", "upgrade", "keep-alive", "a b", ""]
        {
            assert!(settable(name).is_err(), "{name}");
        }
        assert_eq!(settable("X-Api-Key").map(|name| name.to_string()), Ok("x-api-key".to_owned()));
    }
}
