//! The error of bytes that are no message.

/// The bytes are no frame of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these bytes are no message of this version")]
pub struct Malformed;
