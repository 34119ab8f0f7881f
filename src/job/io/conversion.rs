//! The way from the bytes of a stream to the chunks for its consumer.

use crate::job::io::observer::StreamName;
use crate::job::model::plan::Form;
use crate::text::{Chunk, Ring, Transcoder};

/// Converts the bytes of one stream, and holds what has not gone to the consumer yet.
#[derive(Debug)]
pub(super) enum Conversion {
    Text { transcoder: Transcoder, pending: String },
    Bytes { pending: Vec<u8> },
}

impl Conversion {
    pub(super) fn new(form: Form) -> Self {
        let text = |is_plain| Self::Text { transcoder: Transcoder::new(is_plain), pending: String::new() };
        match form {
            Form::Text => text(false),
            Form::Plain => text(true),
            Form::Bytes => Self::Bytes { pending: Vec::new() },
        }
    }

    /// Returns whether the chunks are plain text, which is kept in place of the bytes.
    pub(super) const fn is_plain(&self) -> bool {
        matches!(self, Self::Text { transcoder, .. } if transcoder.is_plain())
    }

    /// Converts the buffer for a consumer, and empties it. A buffer of at least `large` bytes becomes the
    /// chunk itself: a copy would take longer than the read.
    pub(super) fn push(&mut self, buffer: &mut Vec<u8>, large: usize) {
        let is_large = self.pending().is_empty() && buffer.len() >= large;
        match self {
            Self::Bytes { pending } if is_large => *pending = taken(buffer),
            Self::Bytes { pending } => pending.extend_from_slice(buffer),
            Self::Text { transcoder, pending } if is_large => match transcoder.take(taken(buffer)) {
                Ok(text) => *pending = text,
                Err(bytes) => transcoder.push(&bytes, pending),
            },
            Self::Text { transcoder, pending } => transcoder.push(buffer, pending),
        }
        buffer.clear();
    }

    /// Skips bytes that no consumer wants. The next chunk of text still begins with a whole character.
    pub(super) fn skip(&mut self, bytes: &[u8]) {
        if let Self::Text { transcoder, .. } = self {
            transcoder.skip(bytes);
        }
    }

    /// Ends the stream: makes what was held back pending.
    pub(super) fn finish(&mut self) {
        if let Self::Text { transcoder, pending } = self {
            transcoder.finish(pending);
        }
    }

    /// Returns the text that [`Self::finish`] would add.
    pub(super) fn unfinished(&self) -> String {
        let mut text = String::new();
        if let Self::Text { transcoder, .. } = self {
            transcoder.peek(&mut text);
        }
        text
    }

    /// Returns the line that is not finished, which goes to the consumer when it is.
    pub(super) fn unfinished_line(&self) -> String {
        let mut line = String::new();
        if let Self::Text { transcoder, .. } = self {
            transcoder.peek_line(&mut line);
        }
        line
    }

    /// Returns what has not gone to the consumer yet.
    pub(super) const fn pending(&self) -> &[u8] {
        match self {
            Self::Text { pending, .. } => pending.as_bytes(),
            Self::Bytes { pending } => pending.as_slice(),
        }
    }

    /// Adds what is pending to a ring, which has the same form.
    pub(super) fn push_to(&self, ring: &mut Ring<StreamName>, stream: StreamName) {
        ring.push_bytes(stream, self.pending());
    }

    /// Takes the next chunk of at most `most` bytes. Decoded text may be longer than its bytes: each invalid
    /// byte becomes three.
    pub(super) fn next_chunk(&mut self, most: usize) -> Chunk {
        match self {
            Self::Text { pending, .. } => {
                let cut = (0..=most.min(pending.len())).rev().find(|&at| pending.is_char_boundary(at));
                let rest = pending.split_off(cut.unwrap_or(pending.len()));
                Chunk::Text(std::mem::replace(pending, rest))
            }
            Self::Bytes { pending } => {
                let rest = pending.split_off(pending.len().min(most));
                Chunk::Bytes(std::mem::replace(pending, rest))
            }
        }
    }

    /// Drops what is pending.
    pub(super) fn drop_pending(&mut self) {
        match self {
            Self::Text { pending, .. } => *pending = String::new(),
            Self::Bytes { pending } => *pending = Vec::new(),
        }
    }
}

/// Takes the bytes out of a buffer, which gets new memory of the same size.
fn taken(buffer: &mut Vec<u8>) -> Vec<u8> {
    let capacity = buffer.capacity();
    std::mem::replace(buffer, Vec::with_capacity(capacity))
}

#[cfg(test)]
mod tests {
    use super::{Chunk, Conversion, Form};

    #[test]
    fn bytes_are_passed_on_as_they_are_and_split_anywhere() {
        let mut bytes = Conversion::new(Form::Bytes);
        bytes.push(&mut b"\xc3\xa9\0".to_vec(), 1);
        bytes.push(&mut b"\xff".to_vec(), 1);
        bytes.finish();
        assert_eq!(bytes.next_chunk(1), Chunk::Bytes(b"\xc3".to_vec()));
        assert_eq!(bytes.next_chunk(9), Chunk::Bytes(b"\xa9\0\xff".to_vec()));
        assert!(bytes.pending().is_empty());
    }

    #[test]
    fn text_is_split_between_characters() {
        let mut text = Conversion::new(Form::Text);
        text.push(&mut "aé".as_bytes().to_vec(), 9);
        assert_eq!(text.next_chunk(2), Chunk::Text("a".to_owned()));
        assert_eq!(text.next_chunk(2), Chunk::Text("é".to_owned()));
    }

    #[test]
    fn text_after_skipped_bytes_begins_with_a_whole_character() {
        let mut text = Conversion::new(Form::Text);
        text.skip(b"abc\xc3");
        text.push(&mut b"\xa9".to_vec(), 9);
        text.push(&mut b"d".to_vec(), 9);
        assert_eq!(text.next_chunk(9), Chunk::Text("éd".to_owned()));
    }
}
