//! A piece of a job's latest output.

use napi::bindgen_prelude::{BufferSlice, Env, Result};
use napi_derive::napi;

use crate::job::io::observer::StreamName;
use crate::node::result::javascript_number;
use crate::text;
use crate::text::ring::TimedPiece;

/// Output of a job's ring, from a cursor on.
#[napi(object, object_from_js = false)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct Piece {
    /// The output, in the order of arrival.
    pub chunks: Vec<Chunk>,
    /// The cursor after the output (bytes).
    pub cursor: f64,
    /// The amount of output that left the ring before it was read (bytes).
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

/// Output of one stream: text or bytes.
#[napi(object, object_from_js = false)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct Chunk {
    pub stream: StreamSpec,
    pub text: Option<String>,
    pub data: Option<BufferSlice<'static>>,
}

impl From<text::Piece<StreamName>> for Piece {
    fn from(piece: text::Piece<StreamName>) -> Self {
        let chunks = piece.chunks.into_iter();
        Self {
            chunks: chunks
                .map(|(stream, text)| Chunk { stream: stream.into(), text: Some(text), data: None })
                .collect(),
            cursor: javascript_number(piece.cursor),
            dropped: javascript_number(piece.dropped),
        }
    }
}

impl Piece {
    /// Converts a piece of a ring of bytes.
    pub(in crate::node) fn of_bytes(env: Env, piece: text::Piece<StreamName, Vec<u8>>) -> Result<Self> {
        let chunk = |(stream, bytes): (StreamName, Vec<u8>)| {
            let data = Some(BufferSlice::copy_from(&env, bytes)?);
            Ok(Chunk { stream: stream.into(), text: None, data })
        };
        Ok(Self {
            chunks: piece.chunks.into_iter().map(chunk).collect::<Result<_>>()?,
            cursor: javascript_number(piece.cursor),
            dropped: javascript_number(piece.dropped),
        })
    }
}

/// Output of an observed job, from a cursor on.
#[napi(object, object_from_js = false)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct ObservedPiece {
    /// The output, in the order of arrival.
    pub chunks: Vec<ObservedChunk>,
    /// The cursor after the output (bytes).
    pub cursor: f64,
    /// The amount of output that was dropped before it was read (bytes).
    pub dropped: f64,
}

/// Output of one stream that was read at one time.
#[napi(object, object_from_js = false)]
#[allow(missing_debug_implementations, reason = "the bytes of JavaScript have none")]
pub struct ObservedChunk {
    pub stream: StreamSpec,
    pub data: BufferSlice<'static>,
    /// Milliseconds since 1970.
    pub time: f64,
}

impl ObservedPiece {
    pub(in crate::node) fn of(env: Env, piece: TimedPiece<StreamName>) -> Result<Self> {
        let chunk = |(stream, bytes, time): (StreamName, Vec<u8>, u64)| {
            let data = BufferSlice::copy_from(&env, bytes)?;
            Ok(ObservedChunk { stream: stream.into(), data, time: javascript_number(time) })
        };
        Ok(Self {
            chunks: piece.chunks.into_iter().map(chunk).collect::<Result<_>>()?,
            cursor: javascript_number(piece.cursor),
            dropped: javascript_number(piece.dropped),
        })
    }
}
