//! Makes a text visible for a person who decides by it.

#![allow(clippy::must_use_candidate, reason = "JavaScript calls these")]
#![allow(clippy::needless_pass_by_value, reason = "napi-derive hands arguments over by value")]

use napi_derive::napi;

use crate::text;

/// Returns a text on one line: each character that a person can't see as its escape sequence.
#[napi(catch_unwind)]
pub fn visible(text: String) -> String {
    text::visible(&text).into_owned()
}

/// Returns a text with each character that a person can't see as its escape sequence, but tabs and line
/// breaks.
#[napi(catch_unwind)]
pub fn visible_lines(text: String) -> String {
    text::visible_lines(&text).into_owned()
}
