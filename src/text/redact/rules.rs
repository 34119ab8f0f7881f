//! Detects tokens and keys by their format: a literal, and what follows it.

use std::collections::BTreeMap;

use regex_lite::Regex;

use super::Hit;
use super::matcher::{Matcher, Patterns};
use super::tokens::{TOKENS, Token};

/// The beginning of a private key in the format of PEM, and its name.
const KEY: (&str, &[u8]) = ("private-key", b"-----BEGIN ");

/// The longest first or last line of a private key (bytes).
pub(super) const MAX_KEY_LINE: usize = 80;

/// A rule of the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub name: String,
    /// The text with which each match begins, of at least four bytes.
    pub literal: String,
    /// The pattern of a match, from the literal on. A match ends within its line.
    pub pattern: String,
    /// The longest match (bytes).
    pub max: usize,
}

/// A pattern that can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct RuleError {
    /// The place of the rule in the list.
    pub index: usize,
    pub reason: String,
}

/// The test of the text behind a literal.
#[derive(Debug)]
pub(super) struct Detector {
    name: u32,
    format: Format,
}

#[derive(Debug)]
enum Format {
    Token(&'static Token),
    Pattern {
        regex: Regex,
        max: usize,
    },
    /// A private key, up to its last line.
    Key,
}

/// The decision about the text at a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Other,
    /// More text decides.
    Undecided,
    /// A match of this length.
    Match(usize),
    /// The first line of a private key, of this length.
    Key(usize),
}

/// The detectors, by their literals.
#[derive(Debug)]
pub(super) struct Detectors {
    literals: Matcher,
    by_literal: Vec<Vec<Detector>>,
}

/// The findings of the detectors besides their hits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Detected {
    /// The place from which more text is needed.
    pub(super) undecided: Option<usize>,
    /// The end of the first line of a private key. What follows was not searched.
    pub(super) key: Option<usize>,
}

impl Detectors {
    /// Compiles rules, and adds their names.
    pub(super) fn new(rules: &[Rule], has_tokens: bool, names: &mut Vec<String>) -> Result<Self, RuleError> {
        let mut all: BTreeMap<Vec<u8>, Vec<Detector>> = BTreeMap::new();
        let mut add = |literal: &[u8], name: &str, format| {
            let index = u32::try_from(names.len()).unwrap_or(u32::MAX);
            names.push(name.to_owned());
            all.entry(literal.to_vec()).or_default().push(Detector { name: index, format });
        };
        for (index, Rule { name, literal, pattern, max }) in rules.iter().enumerate() {
            let regex = Regex::new(&format!(r"\A(?:{pattern})"))
                .map_err(|error| RuleError { index, reason: error.to_string() })?;
            add(literal.as_bytes(), name, Format::Pattern { regex, max: *max });
        }
        if has_tokens {
            for token in TOKENS {
                add(token.literal.as_bytes(), token.name, Format::Token(token));
            }
            add(KEY.1, KEY.0, Format::Key);
        }
        let mut literals = Patterns::default();
        for (index, literal) in (0..).zip(all.keys()) {
            literals.add(literal, index);
        }
        Ok(Self { literals: literals.matcher(), by_literal: all.into_values().collect() })
    }

    /// Adds the matches in a text to `hits`, up to the first place that more text decides.
    pub(super) fn scan(&self, text: &[u8], is_final: bool, hits: &mut Vec<Hit>) -> Detected {
        if self.literals.is_empty() {
            return Detected::default();
        }
        let mut found = Vec::new();
        let undecided = self.literals.scan(text, is_final, &mut found);
        for Hit { start, .. } in found {
            let rest = &text[start..];
            for detector in self.literals.all_at(rest).flat_map(|literal| self.of(literal)) {
                let name = detector.name;
                match detector.format.verdict(rest, is_final) {
                    Verdict::Other => {}
                    Verdict::Undecided => return Detected { undecided: Some(start), key: None },
                    Verdict::Match(length) => hits.push(Hit { start, end: start + length, name }),
                    Verdict::Key(length) => {
                        hits.push(Hit { start, end: start + length, name });
                        return Detected { undecided: None, key: Some(start + length) };
                    }
                }
            }
        }
        let undecided = undecided.filter(|_| !is_final).map(|(start, _)| start);
        Detected { undecided, key: None }
    }

    fn of(&self, literal: u32) -> &[Detector] {
        self.by_literal.get(literal as usize).map_or(&[], Vec::as_slice)
    }
}

impl Format {
    /// Decides about a text that begins with the literal.
    fn verdict(&self, text: &[u8], is_final: bool) -> Verdict {
        match self {
            Self::Token(token) => token_at(text, token, is_final),
            Self::Pattern { regex, max } => match_at(text, regex, *max, is_final),
            Self::Key => key_at(text, is_final),
        }
    }
}

fn token_at(text: &[u8], token: &Token, is_final: bool) -> Verdict {
    let rest = &text[token.literal.len()..];
    let length = rest.iter().take_while(|byte| token.characters.has(**byte)).take(token.max + 1).count();
    if length > token.max {
        return Verdict::Other;
    }
    if length == rest.len() && !is_final {
        return Verdict::Undecided;
    }
    if length < token.min { Verdict::Other } else { Verdict::Match(token.literal.len() + length) }
}

fn match_at(text: &[u8], regex: &Regex, max: usize, is_final: bool) -> Verdict {
    let line = memchr::memchr2(b'\n', b'\r', text);
    let window = &text[..line.unwrap_or(text.len()).min(max)];
    if line.is_none() && window.len() < max && !is_final {
        return Verdict::Undecided;
    }
    let valid = window.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    match regex.find(valid) {
        Some(found) if found.end() > 0 => Verdict::Match(found.end()),
        _ => Verdict::Other,
    }
}

fn key_at(text: &[u8], is_final: bool) -> Verdict {
    let rest = &text[KEY.1.len()..];
    let label = rest.iter().take_while(|byte| byte.is_ascii_uppercase() || b" 0123456789".contains(byte));
    let length = label.take(MAX_KEY_LINE).count();
    let (label, end) = rest.split_at(length);
    if b"-----".starts_with(end) && end.len() < 5 && length < MAX_KEY_LINE && !is_final {
        return Verdict::Undecided;
    }
    let is_private = label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK");
    if is_private && end.starts_with(b"-----") {
        Verdict::Key(KEY.1.len() + length + 5)
    } else {
        Verdict::Other
    }
}

/// Returns the end of a private key in a text.
pub(super) fn end_of_key(text: &[u8]) -> Option<usize> {
    let last = b"-----END ";
    let start = memchr::memmem::find(text, last)? + last.len();
    let line = &text[start..text.len().min(start + MAX_KEY_LINE)];
    Some(start + memchr::memmem::find(line, b"-----")? + 5)
}
