//! A piece of a stream for its consumer.

/// A piece of a stream: text of whole characters, or bytes as they were written.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Chunk {
    Text(String),
    Bytes(Vec<u8>),
}

impl Chunk {
    /// Returns the length (bytes).
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    /// Returns whether the chunk has no bytes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the chunk as text. Invalid bytes become U+FFFD.
    #[must_use]
    pub fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}
