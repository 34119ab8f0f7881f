//! Bytes to text: pure, no system calls.
//!
//! * [`decoder`] turns a stream of bytes into text, whatever the chunk borders.
//! * [`plain`] turns what is written for a terminal into plain text.
//! * [`transcoder`] does the one, or both, on the way from a stream to its consumer.
//! * [`capture`] keeps the first bytes of a stream and counts the rest.
//! * [`excerpt`] keeps the beginning and the end of a stream, cut between lines, and marks what is left out.
//! * [`marker`] is what stands there, in the caller's own words.
//! * [`kept`] is a capture or an excerpt, whichever was asked for.
//! * [`ring`] keeps the latest text of several streams, to be read from a place on.
//! * `growth` tells how the buffers of all these grow.

pub mod capture;
pub mod decoder;
pub mod excerpt;
mod growth;
pub mod kept;
pub mod marker;
pub mod plain;
pub mod ring;
pub mod transcoder;

pub use capture::Capture;
pub use decoder::Utf8Decoder;
pub use excerpt::{Cut, Excerpt, ExcerptText, Keep, Omitted, Shape};
pub use kept::{Keeping, Kept};
pub use marker::Marker;
pub use plain::PlainText;
pub use ring::{Piece, Ring};
pub use transcoder::Transcoder;
