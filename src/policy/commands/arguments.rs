//! Arguments: options, and where the words behind them begin.

use crate::policy::commands::field::{Field, UNKNOWN};

/// Returns the value of a word, if it is exactly known.
pub(super) fn word(words: &[Field], at: usize) -> Option<&str> {
    words.get(at).and_then(Field::known)
}

/// Returns the index behind the options. `short` are the letters and `long` the names of those that take the
/// next word.
pub(super) fn skip_options(words: &[Field], start: usize, short: &str, long: &[&str]) -> usize {
    let mut at = start;
    while let Some(text) = word(words, at) {
        if text == "--" {
            return at + 1;
        }
        if let Some(name) = text.strip_prefix("--") {
            // GNU programs accept abbreviations.
            let takes_value = !name.contains('=') && long.iter().any(|long| long.starts_with(name));
            at += if takes_value { 2 } else { 1 };
        } else if text.len() > 1 && text.starts_with('-') {
            let takes_value = text.chars().skip(1).position(|letter| short.contains(letter));
            at += if takes_value.is_some_and(|index| index + 2 == text.chars().count()) { 2 } else { 1 };
        } else {
            break;
        }
    }
    at
}

pub(super) fn skip_separator(words: &[Field], at: usize) -> usize {
    if word(words, at) == Some("--") { at + 1 } else { at }
}

/// Reads `NAME=value` words from `start` on, and returns the index behind them.
pub(super) fn skip_assignments(words: &[Field], start: usize) -> (usize, Vec<(String, Option<String>)>) {
    let mut at = start;
    let mut assignments = Vec::new();
    while let Some(field) = words.get(at) {
        let Some((name, value)) = field.text.split_once('=') else { break };
        if field.is_many || name.is_empty() || name.contains('/') {
            break;
        }
        let is_known = !value.contains(UNKNOWN);
        assignments.push((name.to_owned(), is_known.then(|| value.to_owned())));
        at += 1;
    }
    (at, assignments)
}

/// Quotes a text for a shell.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

pub(super) fn known(text: &str) -> Option<String> {
    (!text.contains(UNKNOWN)).then(|| text.to_owned())
}
