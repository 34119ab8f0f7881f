//! Bytes to text: pure, no system calls.
//!
//! * [`decoder`] turns a stream of bytes into text, whatever the chunk borders.
//! * [`capture`] keeps a bounded part of a stream and counts the rest.

pub mod capture;
pub mod decoder;

pub use capture::Capture;
pub use decoder::Utf8Decoder;
