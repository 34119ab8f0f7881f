//! Fuzzes the parsers of the interceptor: messages of the host, patterns, and paths of requests. Any bytes
//! are read or refused, and a path that is not ambiguous names the same file for a server that resolves it.

#![no_main]

use agent_bash::intercept::rules::path::{PathPattern, is_ambiguous};
use agent_bash::intercept::rules::template::Template;
use agent_bash::sandbox::protocol::intercept::messages::{HostMessage, InterceptorMessage, ScopePlan};
use agent_bash::wire;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(message) = wire::decode::<InterceptorMessage>(bytes) {
        assert_eq!(wire::decode(&wire::encode(&message)), Ok(message));
    }
    if let Ok(plan) = wire::decode::<ScopePlan>(bytes) {
        assert_eq!(wire::decode(&wire::encode(&plan)), Ok(plan));
    }
    let _ = wire::decode::<HostMessage>(bytes);
    let text = String::from_utf8_lossy(bytes);
    let (pattern, path) = text.split_once('\n').unwrap_or((&text, &text));
    if let Ok(template) = Template::parse(pattern) {
        assert!(!template.fill("value").is_empty());
    }
    if path.starts_with('/') && !is_ambiguous(path) {
        let decoded = decode(path);
        assert_eq!(resolve(&decoded), decoded.split('/').map(str::to_owned).collect::<Vec<_>>());
    }
    let Ok(pattern) = PathPattern::parse(pattern) else { return };
    if pattern.matches(path) {
        assert!(path.starts_with('/'));
        // More segments match an open pattern alone, and then any of them do.
        let longer = pattern.matches(&format!("{path}/x"));
        assert!(!longer || pattern.matches(&format!("{path}/x/y/z")));
    }
});

/// Decodes a path as most servers do.
fn decode(path: &str) -> String {
    let mut out = Vec::new();
    let mut rest = path.as_bytes();
    while let [byte, after @ ..] = rest {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let value = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (byte, value) {
            (b'%', Some(value)) => {
                out.push(value);
                rest = &after[2..];
            }
            _ => {
                out.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Resolves a path as servers do: without parameters, dot segments and empty segments between others.
fn resolve(path: &str) -> Vec<String> {
    let mut segments: Vec<String> = Vec::new();
    let count = path.split('/').count();
    for (index, segment) in path.split(['/', '\\']).enumerate() {
        match segment.split(';').next() {
            Some(".") => {}
            Some("..") => {
                segments.pop();
            }
            Some("") if index > 0 && index + 1 < count && segment.is_empty() => {}
            _ => segments.push(segment.to_owned()),
        }
    }
    segments
}
