//! The plain text of a stream, for whoever looks for a pattern in it.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use napi_derive::napi;

use crate::text::PlainText;

/// Makes plain text of what is written for a terminal, line by line.
#[derive(Debug, Default)]
#[napi]
pub struct PlainLines {
    text: PlainText,
}

#[napi]
impl PlainLines {
    /// The beginning of a stream.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece, and gives the lines that have ended.
    #[napi(catch_unwind)]
    pub fn push(&mut self, text: String) -> String {
        let mut lines = String::new();
        self.text.push(&text, &mut lines);
        lines
    }

    /// The line that has not ended, as it is so far.
    #[napi(catch_unwind)]
    pub fn unfinished(&self) -> String {
        let mut line = String::new();
        self.text.peek(&mut line);
        line
    }
}
