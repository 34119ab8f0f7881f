//! A piece of a job's latest text.

use napi_derive::napi;

use super::javascript_number;
use crate::job::io::observer::StreamName;

/// Text of a job's ring, from a cursor on.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct Piece {
    /// The text, in the order of arrival.
    pub chunks: Vec<Chunk>,
    /// The cursor after the text (bytes).
    pub cursor: f64,
    /// The amount of text that left the ring before it was read (bytes).
    pub dropped: f64,
}

/// A stream, as Node names it.
#[napi(string_enum = "lowercase")]
#[derive(Clone, Copy, Debug)]
pub enum StreamSpec {
    Stdout,
    Stderr,
}

impl From<StreamName> for StreamSpec {
    fn from(stream: StreamName) -> Self {
        match stream {
            StreamName::Stdout => Self::Stdout,
            StreamName::Stderr => Self::Stderr,
        }
    }
}

/// Text of one stream.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct Chunk {
    /// The stream of the text.
    pub stream: StreamSpec,
    /// The text.
    pub text: String,
}

impl From<crate::text::Piece<StreamName>> for Piece {
    fn from(piece: crate::text::Piece<StreamName>) -> Self {
        let chunks = piece.chunks.into_iter();
        Self {
            chunks: chunks.map(|(stream, text)| Chunk { stream: stream.into(), text }).collect(),
            cursor: javascript_number(piece.cursor),
            dropped: javascript_number(piece.dropped),
        }
    }
}
