//! Messages in a stream of bytes: the length (`u32`, little-endian), and what [`crate::wire`] makes of the
//! request or answer.

use serde::{Deserialize, Serialize};

use crate::wire::{self, Malformed};

/// The longest message (bytes). One has a piece of a file, or a page of a list.
pub const MAX_MESSAGE: usize = 4 * 1024 * 1024;

const LENGTH: usize = 4;

/// Appends a message.
pub fn put(message: &impl Serialize, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; LENGTH]);
    wire::encode_onto(message, out);
    let length = out.len() - start - LENGTH;
    out[start..start + LENGTH].copy_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
}

/// Joins the pieces of a stream to messages.
#[derive(Debug, Default)]
pub struct MessageReader {
    buffer: Vec<u8>,
    /// The beginning of the first message that was not returned.
    at: usize,
}

impl MessageReader {
    /// Adds the next piece of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.at);
        self.at = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next whole message; `None` until more bytes are pushed.
    ///
    /// # Errors
    ///
    /// The bytes are no message. The stream can't be read on.
    pub fn next_message<T: for<'a> Deserialize<'a>>(&mut self) -> Result<Option<T>, Malformed> {
        let rest = &self.buffer[self.at..];
        let Some(length) = rest.first_chunk::<LENGTH>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > MAX_MESSAGE {
            return Err(Malformed);
        }
        let Some(message) = rest.get(LENGTH..LENGTH + length) else { return Ok(None) };
        let message = wire::decode(message)?;
        self.at += LENGTH + length;
        Ok(Some(message))
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::{MessageReader, put};
    use crate::process::files::request::{FileError, FileStat, Request, Response, RootedPath};
    use crate::wire::Malformed;

    fn requests() -> impl Strategy<Value = Request> {
        let name = || vec(any::<u8>(), 0..20);
        let place = (proptest::option::of(name()), name(), vec(name(), 0..3));
        let place = place.prop_map(|(root, path, below)| RootedPath { root, path, below });
        prop_oneof![
            (place.clone(), any::<u64>()).prop_map(|(place, from)| Request::Read { place, from, most: 9 }),
            (place, name()).prop_map(|(place, to)| Request::Link { place, to }),
        ]
    }

    proptest! {
        #[test]
        fn messages_arrive_unchanged_however_the_stream_is_split(
            requests in vec(requests(), 0..6), size in 1_usize..60,
        ) {
            let mut stream = Vec::new();
            for request in &requests {
                put(request, &mut stream);
            }
            let (mut reader, mut read) = (MessageReader::default(), Vec::new());
            for piece in stream.chunks(size) {
                reader.push(piece);
                while let Some(request) = reader.next_message::<Request>().expect("messages") {
                    read.push(request);
                }
            }
            prop_assert_eq!(read, requests);
        }

        #[test]
        fn any_bytes_are_messages_or_malformed(bytes in vec(any::<u8>(), 0..200)) {
            let mut reader = MessageReader::default();
            reader.push(&bytes);
            while let Ok(Some(_)) = reader.next_message::<Response>() {}
        }
    }

    #[test]
    fn a_message_that_is_too_long_is_malformed_before_it_has_come() {
        let mut reader = MessageReader::default();
        reader.push(&u32::MAX.to_le_bytes());
        assert_eq!(reader.next_message::<Response>(), Err(Malformed));
    }

    #[test]
    fn an_error_is_read_as_it_was_written() {
        let mut stream = Vec::new();
        put(&Response::Failed(FileError::Outside), &mut stream);
        let mut reader = MessageReader::default();
        reader.push(&stream);
        assert_eq!(reader.next_message(), Ok(Some(Response::Failed(FileError::Outside))));
        assert_eq!(reader.next_message::<FileStat>(), Ok(None));
    }
}
