//! Paths of requests: patterns, and paths that servers read in different ways.

use std::borrow::Cow;

use crate::text::percent::encoded_byte;

/// The most rounds in which a path is decoded. Servers decode once, some proxies before them once more.
const MAX_ROUNDS: usize = 3;

/// The paths that a rule permits: a pattern with `*` and `**`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    /// The segments, without the slashes before them. The last one ends with `*` if it is open.
    segments: Vec<Vec<u8>>,
    /// Whether more segments may follow the last one.
    is_open: bool,
}

impl PathPattern {
    /// Parses a pattern: `/`, in which `*` stands for any characters of one segment, and `**` at the end for
    /// the rest.
    ///
    /// # Errors
    ///
    /// The pattern, and what was expected in its place.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = |what| Err(format!("'{text}': expected {what}"));
        let Some(rest) = text.strip_prefix('/') else { return expected("a path that begins with '/'") };
        if text.contains(['?', '#']) {
            return expected("a path without a query");
        }
        let (rest, is_open) = rest.strip_suffix("**").map_or((rest, false), |rest| (rest, true));
        if rest.contains("**") {
            return expected("'**' only at the end");
        }
        if is_ambiguous(text) {
            return expected("a path without '.', '..', '//', '\\' and their encodings");
        }
        let mut segments: Vec<Vec<u8>> = rest.split('/').map(|segment| segment.as_bytes().to_vec()).collect();
        if let Some(last) = segments.last_mut().filter(|_| is_open) {
            last.push(b'*');
        }
        Ok(Self { segments, is_open })
    }

    /// Returns whether a path without its query matches.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let Some(mut rest) = path.as_bytes().strip_prefix(b"/") else { return false };
        for (index, segment) in self.segments.iter().enumerate() {
            let is_last = index + 1 == self.segments.len();
            let end = memchr::memchr(b'/', rest);
            let has_end = if is_last { self.is_open || end.is_none() } else { end.is_some() };
            if !has_end || !matches_segment(segment, &rest[..end.unwrap_or(rest.len())]) {
                return false;
            }
            rest = &rest[end.map_or(rest.len(), |end| end + 1)..];
        }
        true
    }
}

/// Returns whether a pattern with `*` matches all of a segment.
fn matches_segment(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut place) = (0, 0);
    // The last star, and the place up to which it reaches.
    let mut star: Option<(usize, usize)> = None;
    while place < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, place));
                at += 1;
            }
            Some(byte) if *byte == text[place] => {
                at += 1;
                place += 1;
            }
            _ => {
                let Some((begun, reached)) = star else { return false };
                star = Some((begun, reached + 1));
                at = begun + 1;
                place = reached + 1;
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// Returns whether servers may read a path in different ways.
///
/// An ambiguous path has dot segments (also with `;` in them), `\`, `//` or control characters, plain or
/// encoded, an encoded slash, or a malformed encoding.
#[must_use]
pub fn is_ambiguous(path: &str) -> bool {
    let mut bytes = Cow::Borrowed(path.as_bytes());
    for _ in 0..MAX_ROUNDS {
        if has_special_segment(&bytes) {
            return true;
        }
        match decoded(&bytes) {
            None => return true,
            Some(next) if next == *bytes => return false,
            Some(next) => bytes = Cow::Owned(next),
        }
    }
    true
}

/// Returns whether bytes have a segment or character that servers may resolve.
fn has_special_segment(path: &[u8]) -> bool {
    // Some decoders read bytes behind 0xc0 and 0xc1 as ASCII, though UTF-8 has neither.
    let is_special = |byte: &u8| matches!(byte, b'\\' | 0xc0 | 0xc1) || byte.is_ascii_control();
    let is_dots = |segment: &[u8]| {
        let end = memchr::memchr(b';', segment).unwrap_or(segment.len());
        matches!(segment[..end].trim_ascii(), b"." | b"..")
    };
    path.iter().any(is_special)
        || path.windows(2).any(|pair| pair == b"//")
        || path.split(|byte| *byte == b'/').any(is_dots)
}

/// Decodes `%` sequences once. Returns `None` for a malformed one, and for an encoded slash.
pub(super) fn decoded(path: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path;
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte != b'%' {
            out.push(*byte);
            continue;
        }
        out.push(encoded_byte(after).filter(|byte| *byte != b'/')?);
        rest = &after[2..];
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{PathPattern, is_ambiguous};

    fn matches(pattern: &str, path: &str) -> bool {
        PathPattern::parse(pattern).expect("a pattern").matches(path)
    }

    #[test]
    fn a_star_stays_in_its_segment_and_two_take_the_rest() {
        for (pattern, path) in [
            ("/", "/"),
            ("/v1/messages", "/v1/messages"),
            ("/repos/*/app", "/repos/me/app"),
            ("/repos/*/app", "/repos//app"),
            ("/a*c*e/x", "/abcde/x"),
            ("/*", "/"),
            ("/me/app.git/**", "/me/app.git/info/refs"),
            ("/me/app.git/**", "/me/app.git/"),
            ("/v1*/x**", "/v12/xyz/a"),
            ("/**", "/"),
            ("/**", "/a/b"),
        ] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("/", "/a"),
            ("/", ""),
            ("/v1/messages", "/v1/messages/"),
            ("/v1/messages", "/V1/messages"),
            ("/v1/messages", "/v1/messages/batches"),
            ("/repos/*/app", "/repos/me/x/app"),
            ("/repos/*/app", "/repos/me/app/x"),
            ("/repos/*", "/repos/me/app"),
            ("/repos/*", "/repos"),
            ("/a*c/x", "/ab/c/x"),
            ("/me/app.git/**", "/me/app.git"),
            ("/me/app.git/**", "/me/app.github/x"),
            ("/me/app*/**", "/you/app/x"),
            ("/x**", "*"),
        ] {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn a_pattern_is_a_path() {
        for text in ["", "a", "*", "**", "/a?b", "/a#b", "/**/a", "/a/../b", "//", "/%2e", "/a\\b", "/%2F"] {
            assert!(PathPattern::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_path_that_servers_resolve_is_ambiguous() {
        for path in [
            "/a/../b", "/a/..", "/./a", "/.", "/a/%2e%2e/b", "/a/%2E./b", "/a/.%2e", "/a%2fb", "/a%2Fb",
            "/a\\b", "/a%5cb", "/a//b", "//a", "/a/..;/b", "/a/..;x=1/b", "/a/%2e%2e;/b", "/a/..%3b/b",
            "/a%00", "/a\tb", "/a%0ab", "/a%", "/a%2", "/a%zz", "/%u002e/", "/a/%252e%252e/b", "/a%252fb",
            "/a%255cb", "/a%25252fb", "/a/.. /b", "/a/..%20/b", "/a/%c0%ae/b", "/a/%+1",
        ] {
            assert!(is_ambiguous(path), "{path}");
        }
        for path in [
            "/", "/a", "/a/", "/a.b/..c/d..", "/a;b/c", "/a%20b", "/%7Euser", "/a+b", "/%c3%a4", "/a/...",
            "/@scope%40x", "/a:b", "/a,b", "/.git", "/..a", "/a%2520b",
        ] {
            assert!(!is_ambiguous(path), "{path}");
        }
        assert!(is_ambiguous("/100%25"), "a server that decodes twice fails");
    }

    proptest! {
        #[test]
        fn a_pattern_without_stars_matches_itself_alone(path in "/[a-z./]{0,8}", other in "/[a-z./]{0,8}") {
            if let Ok(pattern) = PathPattern::parse(&path) {
                prop_assert!(pattern.matches(&path));
                prop_assert_eq!(pattern.matches(&other), path == other);
            }
        }

        #[test]
        fn a_pattern_matches_as_its_regular_expression_does(
            pattern in "/[ab*/]{0,8}",
            path in "/[ab/]{0,10}",
        ) {
            let Ok(parsed) = PathPattern::parse(&pattern) else { return Ok(()) };
            let expression = pattern.replace("**", ".0").replace('*', "[^/]*").replace(".0", ".*");
            let expression = regex_lite::Regex::new(&format!("^{expression}$")).expect("an expression");
            prop_assert_eq!(parsed.matches(&path), expression.is_match(&path));
        }

        #[test]
        fn a_path_that_resolves_to_another_is_ambiguous(path in "/([ab]|\\.|%2e|%2F|/|%5c|;|\\\\){0,8}") {
            let plain = path.replace("%2e", ".").replace("%2F", "/").replace("%5c", "/").replace('\\', "/");
            let resolves = plain.split('/').any(|part| matches!(part.split(';').next(), Some("." | "..")));
            prop_assert!(!resolves || is_ambiguous(&path));
        }
    }
}
