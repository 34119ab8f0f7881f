//! Bytes to lines in their plain form.
//!
//! [`plain`] has the plain form of a line, `splitter` cuts a stream into lines, and `long` takes a line over
//! 64 KiB block by block.

pub(crate) mod long;
pub mod plain;
pub(super) mod splitter;
