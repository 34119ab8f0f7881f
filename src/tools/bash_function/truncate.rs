//! The limit of an answer of `bash()`, 102,400 bytes of output, and the marker that follows longer output.

/// The most output that an answer has (bytes of UTF-8). A marker follows longer output.
pub const LIMIT: usize = 102_400;

/// The truncation marker of `bash()`: the text in place of the rest.
pub const TRUNCATION_MARKER: &str = "\n[Output truncated at 100KB]";

/// The bytes of each stream that must be captured for [`LIMIT`] bytes of text.
///
/// Decoding never makes bytes fewer, so `LIMIT` bytes are enough, with 4 more for a whole last character.
pub const CAPTURE_LIMIT: usize = LIMIT + 4;

/// Returns a text of at most [`LIMIT`] bytes, with the marker if the text was longer.
#[must_use]
pub fn truncated(text: String) -> String {
    if text.len() <= LIMIT {
        return text;
    }
    String::from_utf8_lossy(&text.as_bytes()[..LIMIT]).into_owned() + TRUNCATION_MARKER
}
