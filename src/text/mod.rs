//! Bytes to text: pure, no system calls.
//!
//! * [`decoder`] turns a stream of bytes into text, however the stream is cut into chunks. It uses
//!   `utf8_chunks` of the standard library: `encoding_rs` has 160 KB of tables, and is a second
//!   implementation for the tests. [`code_page`] makes UTF-8 of other encodings before that.
//! * [`plain`] turns output for a terminal into plain text.
//! * [`transcoder`] combines both on the way from a stream to its consumer.
//! * [`chunk`] is a piece for the consumer: text or bytes.
//! * [`capture`] keeps the first bytes of a stream and counts the rest.
//! * [`excerpt`] keeps the beginning and the end of a stream, cut between lines, with a [`Marker`] for the
//!   bytes between.
//! * [`kept`] is a capture or an excerpt, as a plan asks for.
//! * [`ring`] keeps the latest text of several streams, to be read from an offset on.
//! * [`view`] selects the lines of an output that a model reads.
//! * [`binary`] recognizes output that is no text.
//! * [`path`] normalizes paths that a text names.
//! * [`percent`] reads percent-encoding.
//! * [`redact`] replaces secret values by marks.
//! * [`visible`] escapes what a person can't see.
//! * [`screen`] is what a terminal shows.
//! * `growth` sizes the buffers of all these.

pub mod binary;
pub mod capture;
pub mod chunk;
pub mod code_page;
pub mod decoder;
pub mod excerpt;
mod growth;
pub mod kept;
pub mod path;
pub mod percent;
pub mod plain;
pub mod redact;
pub mod ring;
pub mod screen;
pub mod transcoder;
pub mod view;
pub mod visible;

pub use capture::Capture;
pub use chunk::Chunk;
pub use decoder::Utf8Decoder;
pub use excerpt::{Cut, Excerpt, ExcerptText, Keep, Marker, Omitted, Shape};
pub use kept::{Keeping, Kept};
pub use plain::PlainText;
pub use ring::{Piece, Ring};
pub use transcoder::Transcoder;
pub use visible::{visible, visible_lines};
