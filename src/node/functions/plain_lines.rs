//! Converts a stream to plain text line by line, for the search for a pattern.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use napi_derive::napi;

use crate::text::PlainText;

/// Converts output for a terminal to plain text, line by line.
#[derive(Debug, Default)]
#[napi]
pub struct PlainLines {
    text: PlainText,
}

#[napi]
impl PlainLines {
    /// Creates a converter at the beginning of a stream.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next piece, and returns the lines that have ended.
    #[napi(catch_unwind)]
    pub fn push(&mut self, text: String) -> String {
        let mut lines = String::new();
        self.text.push(&text, &mut lines);
        lines
    }

    /// Returns the unfinished line so far.
    #[napi(catch_unwind)]
    pub fn unfinished(&self) -> String {
        let mut line = String::new();
        self.text.peek(&mut line);
        line
    }
}
