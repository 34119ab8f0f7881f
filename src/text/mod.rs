//! Bytes to text: pure, no system calls.
//!
//! * [`decoder`] turns a stream of bytes into text, whatever the chunk borders.
//! * [`capture`] keeps a bounded part of a stream and counts the rest.
//! * [`excerpt`] keeps the beginning and the end of a stream, cut between lines, and marks what is left out.
//! * [`plain`] turns what is written for a terminal into plain text.

pub mod capture;
pub mod decoder;
pub mod excerpt;
pub mod plain;

pub use capture::Capture;
pub use decoder::Utf8Decoder;
pub use excerpt::{Excerpt, ExcerptText, Keep, Omitted};
pub use plain::PlainText;
