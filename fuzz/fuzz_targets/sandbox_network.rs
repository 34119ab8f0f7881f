//! Any bytes of a client inside of a sandbox: no parser of its network panics, reads beyond them, or lets a
//! second request pass.

#![no_main]

use agent_bash::sandbox::network::destination::Destination;
use agent_bash::sandbox::network::messages::dns::{DnsAnswer, DnsQuestion};
use agent_bash::sandbox::network::messages::http::body::Body;
use agent_bash::sandbox::network::messages::http::request::{HttpRequest, parse};
use agent_bash::sandbox::network::messages::socks;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(Some((request, length))) = parse(bytes) {
        assert!(length <= bytes.len());
        if let HttpRequest::Forward { head, body, .. } = request {
            // The end of a head, and nothing before it, is an empty line.
            let ends = head.windows(2).filter(|window| window == b"\n\r" || window == b"\n\n").count();
            assert!(ends == 1 && head.ends_with(b"\r\n\r\n"));
            if let Some(mut body) = body {
                let _ = body.take(&bytes[length..]);
            }
        }
    }
    let mut whole = Body::chunked();
    let mut parts = Body::chunked();
    let taken = whole.take(bytes);
    let taken_in_parts: Result<usize, _> = bytes.chunks(3).map(|part| parts.take(part)).sum();
    assert_eq!(taken, taken_in_parts);
    if let Some(question) = DnsQuestion::parse(bytes) {
        assert!(question.answer(DnsAnswer::NoSuchName).len() <= bytes.len());
    }
    if let Ok(Some((_, _, length))) = socks::request(bytes) {
        assert!(length <= bytes.len());
    }
    if let Some((_, length)) = socks::greeting(bytes) {
        assert!(length <= bytes.len());
    }
    if let Some((host, port)) =
        std::str::from_utf8(bytes).ok().and_then(|text| Destination::parse_with_port(text, None))
    {
        assert_eq!(Destination::parse_with_port(&format!("{host}:{port}"), None), Some((host, port)));
    }
});
