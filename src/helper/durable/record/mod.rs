//! The small files of a durable job, as lines `key=value`: pure. Each later version reads them, and ignores
//! the keys that it does not know.
//!
//! * [`facts`] is the file `job`, which never changes after the start.
//! * [`end`] is the file `end`, which has its room from the start on and is written once.
//! * [`limited`] is the file `limits` of a job with limits of all its processes together.
//! * [`refused`] is the file `refused` of a job in a sandbox, which grows with what the sandbox refuses.

pub mod end;
pub mod facts;
pub mod limited;
pub mod refused;

use std::collections::BTreeMap;

/// Lines `key=value`. A line end and a backslash in a value are escaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines(BTreeMap<String, String>);

impl Lines {
    /// Sets a value, which may be any text.
    pub fn set(&mut self, key: &str, value: impl Into<String>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// Sets a number.
    pub fn set_number(&mut self, key: &str, number: impl Into<i128>) {
        self.set(key, number.into().to_string());
    }

    /// Returns a value.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Returns a value that is a number, or of another type with a text.
    #[must_use]
    pub fn parsed<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.get(key)?.parse().ok()
    }

    /// Returns the bytes of the lines.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let escaped = |value: &str| value.replace('\\', "\\\\").replace('\n', "\\n");
        self.0.iter().flat_map(|(key, value)| format!("{key}={}\n", escaped(value)).into_bytes()).collect()
    }

    /// Reads lines. What is none is ignored.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let lines = text.split_terminator('\n').filter_map(|line| line.split_once('='));
        Self(lines.map(|(key, value)| (key.to_owned(), unescaped(value))).collect())
    }
}

fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => {}
            },
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;

    use super::Lines;

    proptest! {
        #[test]
        fn lines_are_read_as_they_were_written(values in btree_map("[a-z_]{1,9}", "(?s).{0,30}", 0..9)) {
            let mut lines = Lines::default();
            for (key, value) in &values {
                lines.set(key, value);
            }
            prop_assert_eq!(Lines::decode(&lines.encode()), lines);
        }

        #[test]
        fn any_bytes_are_lines(bytes in vec(any::<u8>(), 0..300)) {
            let lines = Lines::decode(&bytes);
            prop_assert_eq!(Lines::decode(&lines.encode()), lines);
        }
    }
}
