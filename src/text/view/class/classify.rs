//! Finds the class of a line.
//!
//! An automaton searches all literals of the [`rules`](super::rules) at once. A line with a literal is
//! examined further: the literal must be a word, at a position where it counts, and its surroundings must not
//! make it harmless (`0 errors`, `error.rs`).

use std::sync::LazyLock;

use aho_corasick::automaton::Automaton as _;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, MatchKind};

use super::kind::Class;
use super::rules::{Case, ClassRule, NEGATIONS, Position, RULES};

/// The number of bytes searched at once. Longer lines are searched in pieces.
pub const SEARCH_WINDOW: usize = 2048;

/// The automaton itself instead of an `AhoCorasick` around it, because a view of short words then takes 17 %
/// less time.
static LITERALS: LazyLock<Option<NFA>> = LazyLock::new(|| {
    NFA::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .prefilter(false)
        .build(RULES.iter().map(|rule| rule.literal))
        .ok()
});

/// Returns the class of a line in its plain form.
#[must_use]
pub fn classify(line: &str) -> Class {
    let line = reach(line);
    let text = line.trim_start();
    if text.len() < 2 || is_binary(text) {
        return Class::None;
    }
    let mut best = by_beginning(line, text);
    if best == Class::Failure {
        return best;
    }
    // Most lines have no literal, so the values that only literals need are computed at the first one.
    let (mut most, mut prefix) = (None, None);
    for_each_literal(line, |rule, start, end| {
        let class = rule.class.min(*most.get_or_insert_with(|| highest(text)));
        if class > best
            && stands(rule, line, start, end, &mut prefix)
            && !(rule.is_negatable && is_harmless(line, start, end))
        {
            best = class;
        }
    });
    best
}

/// Calls `found` for each literal in a line, with its rule and its first and last offset.
fn for_each_literal(line: &str, mut found: impl FnMut(&ClassRule, usize, usize)) {
    let Some(literals) = LITERALS.as_ref() else { return };
    let Ok(mut state) = literals.start_state(Anchored::No) else { return };
    for (end, &byte) in (1..).zip(line.as_bytes()) {
        state = literals.next_state(Anchored::No, state, byte);
        if !literals.is_match(state) {
            continue;
        }
        for index in 0..literals.match_len(state) {
            let pattern = literals.match_pattern(state, index);
            found(&RULES[pattern.as_usize()], end - literals.pattern_len(pattern), end);
        }
    }
}

fn reach(line: &str) -> &str {
    if line.len() <= SEARCH_WINDOW {
        return line;
    }
    let end = (0..=SEARCH_WINDOW).rev().find(|&offset| line.is_char_boundary(offset)).unwrap_or(0);
    &line[..end]
}

/// Returns whether a text is mostly binary data, so that its words mean nothing.
#[must_use]
pub fn is_binary(text: &str) -> bool {
    const REPLACEMENT: [u8; 3] = [0xef, 0xbf, 0xbd];
    if text.is_ascii() {
        return false;
    }
    // Without an early exit, the compiler vectorizes the loop.
    let count = text.as_bytes().windows(3).filter(|three| *three == REPLACEMENT).count();
    count * 8 > text.chars().count()
}

/// Returns the class that the first characters of a line give.
fn by_beginning(line: &str, text: &str) -> Class {
    let bytes = line.as_bytes();
    match bytes[0] {
        b'E' if line.starts_with("E   ") || line.starts_with("E: ") => return Class::Failure,
        b'!' if line.starts_with("! ") => return Class::Failure,
        b'<' | b'>' if line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") => return Class::Failure,
        b'W' if line.starts_with("W: ") => return Class::Warning,
        b'#' if text.starts_with("#0 ") || text.starts_with("#1 ") => return Class::Place,
        b'+' | b'-' if bytes.get(1) != Some(&bytes[0]) => return Class::Place,
        _ => {}
    }
    match text.chars().next() {
        Some('✗' | '✖' | '×' | '✘' | '✕' | '❌' | '⨯' | '●') => return Class::Failure,
        Some('✓' | '✔' | '√') => return Class::None,
        Some('|' | '^' | '>' | '❯' | '╰' | '│') => return Class::Place,
        _ => {}
    }
    if is_frame(text) || has_position(text) {
        return Class::Place;
    }
    if is_numbered(text) {
        return Class::Likely;
    }
    if is_complaint(line) { Class::Complaint } else { Class::None }
}

/// Returns whether a line is a stack frame: `at f (file:1:2)`, `File "x", line 1`, `from file:1:in f`, `#3
/// 0x…`.
fn is_frame(text: &str) -> bool {
    text.starts_with("at ")
        || text.starts_with("File \"")
        || text.starts_with("--> ")
        || text.starts_with("from ") && text.contains(':')
        || text.strip_prefix('#').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Returns whether a line begins with `file.ext:12`, `file.ext:12:3` or `file.ext(12,3)`.
fn has_position(text: &str) -> bool {
    let word = text.split([' ', '\t']).next().unwrap_or_default();
    let Some(dot) = word.bytes().rposition(|byte| byte == b'.') else { return false };
    let Some(mark) = word[dot..].find([':', '(']) else { return false };
    mark > 1 && word[dot + mark + 1..].starts_with(|next: char| next.is_ascii_digit())
}

/// Returns whether a line begins as in a test runner's list of failures: `1) name of the test`.
fn is_numbered(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (1..=3).contains(&digits) && text[digits..].starts_with(") ") && text.len() > digits + 3
}

/// Returns whether a line has the form `program: object: message`.
fn is_complaint(line: &str) -> bool {
    let name =
        line.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-./[]".contains(byte)).count();
    if !(2..=40).contains(&name) || !line[name..].starts_with(": ") || line.as_bytes()[0].is_ascii_digit() {
        return false;
    }
    let rest = &line[name + 2..];
    rest.find(": ").is_some_and(|offset| {
        (1..=120).contains(&offset) && rest[offset + 2..].starts_with(|next: char| next.is_ascii_alphabetic())
    })
}

/// Returns the highest class that the words of a line can give it.
///
/// A compiler's note gets a low one: it explains an error, which has a line of its own.
fn highest(text: &str) -> Class {
    match text {
        _ if passes(text) => Class::Word,
        _ if text.contains(": note: ") => Class::Place,
        _ => Class::Failure,
    }
}

/// Returns whether a line reports a success, so that its other words mean little.
fn passes(text: &str) -> bool {
    let text = text.trim_end();
    SUCCESS_BEGINNINGS.iter().any(|begin| text.starts_with(begin))
        || SUCCESS_ENDINGS.iter().any(|end| text.ends_with(end))
        || text.contains(" PASSED [")
        || text.contains(". Passed ")
        || text.contains("   Passed  ")
}

/// Returns whether a literal is at the position that its rule requires.
fn stands(rule: &ClassRule, line: &str, start: usize, end: usize, prefix: &mut Option<usize>) -> bool {
    if rule.case == Case::Exact && line.as_bytes()[start..end] != *rule.literal.as_bytes() {
        return false;
    }
    let bytes = line.as_bytes();
    let before = start.checked_sub(1).map(|offset| bytes[offset]);
    let after = bytes.get(end).copied();
    let is_bounded =
        |byte: Option<u8>| byte.is_none_or(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'));
    // A literal within the name of a file, flag or package does not count: error.rs, -Werror, on-error,
    // errors/.
    let begins = is_bounded(before) && !matches!(before, Some(b'-' | b'.' | b'/' | b'@' | b'$' | b'\\'));
    let ends = is_bounded(after)
        && !(matches!(after, Some(b'-' | b'/' | b'.' | b'(' | b'='))
            && bytes.get(end + 1).is_some_and(|next| !next.is_ascii_whitespace()));
    match rule.at {
        Position::Anywhere => true,
        Position::Left => begins,
        Position::Word => begins && ends,
        Position::Start => start <= *prefix.get_or_insert_with(|| prefix_of(line)) && ends,
        Position::StartLeft => start <= *prefix.get_or_insert_with(|| prefix_of(line)),
        Position::Name => ends && is_name_of_error(line, end),
        Position::AfterCount => ends && has_count_before(line, start),
        Position::BeforeCount => begins && has_count_after(line, end),
    }
}

/// Returns the last offset at which a line's message may begin: after a time, a tag in brackets, a coloured
/// level, and names that end with a colon.
fn prefix_of(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut offset = 0;
    for _ in 0..9 {
        while bytes.get(offset).is_some_and(|&byte| b" \t|>*-=#+!~.:\"'<(".contains(&byte) || byte >= 0x80) {
            offset += 1;
        }
        let end = bytes[offset..]
            .iter()
            .position(|&byte| matches!(byte, b' ' | b'\t'))
            .map_or(bytes.len(), |at| offset + at);
        let word = &bytes[offset..end];
        let is_bracketed = matches!(word.first(), Some(b'[' | b'(' | b'{'));
        let is_time = word.first().is_some_and(u8::is_ascii_digit) && word.len() > 1;
        let is_tag = word.len() < 100 && word.last() == Some(&b':');
        if is_bracketed {
            // A tag in brackets may contain blanks.
            match bytes[offset..].iter().take(60).position(|&byte| matches!(byte, b']' | b')' | b'}')) {
                // The first word of the tag may be the level.
                Some(1..8) | None => {
                    offset += 1;
                    if bytes.get(offset).is_none_or(|byte| !byte.is_ascii_alphanumeric()) {
                        continue;
                    }
                    let close = bytes[offset..].iter().position(|&byte| matches!(byte, b']' | b')' | b'}'));
                    match close {
                        Some(at) if !is_level(&bytes[offset..offset + at]) => offset += at + 1,
                        _ => return offset,
                    }
                }
                Some(at) => {
                    if is_level(&bytes[offset + 1..offset + at]) {
                        return offset + 1;
                    }
                    offset += at + 1;
                }
            }
        } else if (is_time || is_tag) && !is_level(word) {
            offset = end;
        } else {
            return offset;
        }
    }
    offset
}

fn is_level(word: &[u8]) -> bool {
    const LEVELS: [&[u8]; 8] =
        [b"error", b"fatal", b"fail", b"panic", b"crit", b"severe", b"emerg", b"alert"];
    LEVELS.iter().any(|level| word.len() >= level.len() && word[..level.len()].eq_ignore_ascii_case(level))
}

/// Returns whether the literal ends an error's name: `KeyError:`, `java.io.IOException:`, `XError [CODE]:`,
/// or the name alone at the end of the line.
fn is_name_of_error(line: &str, end: usize) -> bool {
    let bytes = line.as_bytes();
    let start =
        bytes[..end].iter().rposition(|&byte| !(byte.is_ascii_alphanumeric() || b"_.$".contains(&byte)));
    let start = start.map_or(0, |offset| offset + 1);
    let name = &line[start..end];
    let first = name.rsplit('.').next().and_then(|last| last.chars().next());
    let is_type = first.is_some_and(char::is_uppercase);
    // The name may be a JSON value: `"type":"KeyError"`.
    let is_value =
        bytes.get(end) == Some(&b'"') && [":\"", ": \""].iter().any(|mark| line[..start].ends_with(mark));
    is_type
        && name.len() > 6
        && (is_value || matches!(bytes.get(end), None | Some(b':' | b' ')))
        && (bytes.get(end) != Some(&b' ') || line[end..].starts_with(" [") || start == 0)
}

/// Returns whether a count above 0 stands before the literal: `3 failed`, not `0 failed`.
fn has_count_before(line: &str, start: usize) -> bool {
    let before = line[..start].trim_end_matches([' ', '(']);
    let digits = before.bytes().rev().take_while(|byte| byte.is_ascii_digit() || *byte == b',').count();
    let number = &before[before.len() - digits..];
    let is_word = before.len() == digits
        || before[..before.len() - digits]
            .ends_with(|last: char| !last.is_alphanumeric() && !"./-_".contains(last));
    digits > 0 && is_word && number.bytes().any(|byte| (b'1'..=b'9').contains(&byte))
}

/// Returns whether a count above 0 stands after the literal: `failures: 3`, `failed=3`, not `failures: 0`.
fn has_count_after(line: &str, end: usize) -> bool {
    let rest = line[end..].trim_start_matches(['s', '"', ')']).trim_start();
    let rest = rest.strip_prefix([':', '=']).unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0
        && rest[..digits].bytes().any(|byte| byte != b'0')
        && !rest[digits..].starts_with(['.', ':', '-', '/'])
}

/// Returns whether the text around a word makes it harmless: `0 errors`, `no error`, `"error": null`,
/// `sigaction(SIGILL, …)`.
fn is_harmless(line: &str, start: usize, end: usize) -> bool {
    let is_argument = |call: &str| call.ends_with(|last: char| last.is_ascii_alphanumeric());
    if line[..start].strip_suffix('(').is_some_and(is_argument) && line[end..].starts_with(',') {
        return true;
    }
    let before = line[..start].trim_end_matches([' ', '"', '\'', '`']);
    let word = before.rsplit(|character: char| !(character.is_alphanumeric() || character == '\'')).next();
    if let Some(word) = word
        && NEGATIONS.iter().any(|harmless| word.eq_ignore_ascii_case(harmless))
    {
        return true;
    }
    let rest = line[end..].trim_start_matches(['s', 'S', '"', '\'', ')']);
    if rest.starts_with("-free") || rest.starts_with('_') {
        return true;
    }
    let value = rest.trim_start();
    let Some(value) = value.strip_prefix([':', '=']) else { return false };
    let value = value.trim_start();
    let ends = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '.');
    value.strip_prefix('0').is_some_and(ends)
        || NO_ERROR_VALUES.iter().any(|nothing| {
            value.get(..nothing.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(nothing))
                && ends(&value[nothing.len()..])
        })
}

/// The beginnings of lines that report a success.
const SUCCESS_BEGINNINGS: [&str; 12] = [
    "ok ", "✓", "✔", "√", "PASS ", "--- PASS", "PASSED", "[       OK", "[  PASSED", "[ RUN ", "=== RUN",
    "checking ",
];

/// The ends of lines that report a success.
const SUCCESS_ENDINGS: [&str; 8] = [" ok", " PASSED", " passed", "... ok", " OK", "[ok]", " yes", " no"];

/// Values that mean the absence of an error.
const NO_ERROR_VALUES: [&str; 11] =
    ["null", "none", "nil", "false", "no", "off", "\"\"", "''", "[]", "{}", "undefined"];

#[cfg(test)]
mod tests {
    use super::{Class, classify};

    #[test]
    fn a_status_that_is_not_0_is_a_failure() {
        assert_eq!(classify("[pid 12] +++ exited with 4 +++"), Class::Failure);
        assert_eq!(classify("[pid 12] +++ exited with 0 +++"), Class::None);
    }

    #[test]
    fn the_name_of_an_error_is_a_failure_as_a_value_of_json() {
        assert_eq!(classify(r#""exc_type": "KeyError", "exc_value": "'sku'""#), Class::Failure);
        assert_eq!(classify(r#"Argument name "KeyError" is too long"#), Class::None);
    }

    #[test]
    fn a_signal_is_a_failure_unless_it_is_the_first_argument_of_a_call() {
        assert_eq!(classify("rt_sigaction(SIGABRT, {sa_handler=SIG_DFL}, 8) = 0"), Class::None);
        for line in ["--- SIGSEGV {si_signo=SIGSEGV} ---", "died (SIGABRT)", "it got SIGKILL, and ended"] {
            assert_eq!(classify(line), Class::Failure, "{line}");
        }
    }

    #[test]
    fn the_count_of_failures_of_node_is_a_bad_summary() {
        assert_eq!(classify("ℹ fail 1"), Class::BadSummary);
        assert_ne!(classify("ℹ fail 0"), Class::BadSummary);
    }

    #[test]
    fn the_level_of_npm_is_a_failure() {
        assert_eq!(classify("npm error code ELSPROBLEMS"), Class::Failure);
    }

    #[test]
    fn the_note_of_a_compiler_is_no_failure() {
        let record = "stl_algo.h:12:5: note:   template argument deduction/substitution failed:";
        assert_eq!(classify(record), Class::Place);
        assert_eq!(classify(&record.replace("note", "error")), Class::Failure);
    }
}
