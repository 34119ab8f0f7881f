//! Finds lines that share a name with a failure: `open("/etc/app.toml") = -1 ENOENT` far above `cannot read
//! /etc/app.toml`.
//!
//! The line with the cause of a failure often has no failure word, or one that hundreds of lines have. The
//! name of a file, a test or a function that only a few lines have connects the cause with the failure.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::text::view::class::Class;
use crate::text::view::order::best_first;
use crate::text::view::store::line::{Body, StoredLine};

/// The number of lines whose names count: the best failures, and the last one.
const MAX_SOURCES: usize = 4;

/// The most names taken from a line.
const MAX_NAMES: usize = 6;

/// The shortest name (bytes).
const MIN_NAME: usize = 6;

/// The most lines that may have a name: a name in more lines means little.
const MAX_LINES_OF_NAME: usize = 40;

/// The score of a name for the first line that has it, and for the last one.
const FIRST_SCORE: f64 = 30.0;
const LAST_SCORE: f64 = 20.0;

/// Returns the score of each line for the names that it shares with a failure.
pub(super) fn named_by_failures(lines: &[&StoredLine], ranks: &[f64]) -> Vec<f64> {
    let mut worth = vec![0.0_f64; lines.len()];
    let sources = sources(lines, ranks);
    let mut names: Vec<&str> =
        sources.iter().flat_map(|&index| names(text(lines[index])).take(MAX_NAMES)).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return worth;
    }
    let Ok(finder) = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&names) else {
        return worth;
    };
    let mut having: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, line) in lines.iter().enumerate() {
        let text = text(line);
        for hit in finder.find_iter(text).filter(|hit| is_word(text, hit.start(), hit.end())) {
            let lines = having.entry(hit.pattern().as_usize()).or_default();
            if lines.len() <= MAX_LINES_OF_NAME && lines.last() != Some(&index) {
                lines.push(index);
            }
        }
    }
    for lines in having.values().filter(|lines| (2..=MAX_LINES_OF_NAME).contains(&lines.len())) {
        for (index, part) in
            [(lines[0], FIRST_SCORE), (lines[1], FIRST_SCORE / 2.0), (lines[lines.len() - 1], LAST_SCORE)]
        {
            if !sources.contains(&index) {
                worth[index] = worth[index].max(part);
            }
        }
    }
    worth
}

/// Returns the best failures, and the last line that may be a failure.
fn sources(lines: &[&StoredLine], ranks: &[f64]) -> Vec<usize> {
    let mut failures: Vec<usize> =
        (0..lines.len()).filter(|&index| lines[index].class >= Class::Likely && ranks[index] > 0.0).collect();
    let last = failures.last().copied();
    best_first(&mut failures, ranks);
    failures.truncate(MAX_SOURCES);
    failures.extend(last);
    failures
}

fn text(line: &StoredLine) -> &str {
    match &line.body {
        Body::Whole(text) => text,
        Body::Pieces(pieces) => &pieces.head,
    }
}

/// Returns the words of a line that look like names: with a dot, a slash or an underscore, or a capital after
/// the first letter.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !(character.is_alphanumeric() || "_./-:".contains(character)))
        .map(|word| word.trim_matches(['.', ':', '-', '/']))
        .filter(|word| {
            let has_letters = word.bytes().filter(u8::is_ascii_alphabetic).count() >= 3;
            let is_name =
                word.bytes().skip(1).any(|byte| b"_./".contains(&byte) || byte.is_ascii_uppercase());
            word.len() >= MIN_NAME && has_letters && is_name
        })
}

fn is_word(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    !start.checked_sub(1).and_then(|offset| bytes.get(offset)).is_some_and(is_part)
        && !bytes.get(end).is_some_and(is_part)
}
