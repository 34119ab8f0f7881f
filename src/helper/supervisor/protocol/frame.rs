//! Frames: a header of 12 bytes and a payload. Integers are little-endian.
//!
//! The header is the length of the payload (`u32`), the kind (`u8`), three bytes of 0, and the id of the
//! command (`u32`), which is 0 for the connection itself.

/// The longest payload (bytes).
pub const MAX_PAYLOAD: usize = 65_536;

/// The length of a header (bytes).
pub const HEADER: usize = 12;

/// The reasons why bytes are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("a payload of {0} bytes is longer than {MAX_PAYLOAD}")]
    TooLong(u32),
    #[error("the spare bytes of a header are not 0")]
    Spare,
}

/// The header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The length of the payload (bytes).
    pub length: usize,
    /// The kind of the frame, which [`super::message`] knows.
    pub kind: u8,
    /// The id of the command; 0 for the connection.
    pub command: u32,
}

impl Header {
    /// Returns the bytes of the header. `length` is at most [`MAX_PAYLOAD`].
    #[must_use]
    pub fn encode(self) -> [u8; HEADER] {
        debug_assert!(self.length <= MAX_PAYLOAD, "a payload of {} bytes", self.length);
        let mut bytes = [0; HEADER];
        bytes[..4].copy_from_slice(&u32::try_from(self.length).unwrap_or(u32::MAX).to_le_bytes());
        bytes[4] = self.kind;
        bytes[8..].copy_from_slice(&self.command.to_le_bytes());
        bytes
    }

    /// Reads a header.
    ///
    /// # Errors
    ///
    /// When the length is above [`MAX_PAYLOAD`], or a spare byte is not 0.
    pub fn decode(bytes: [u8; HEADER]) -> Result<Self, FrameError> {
        let [l0, l1, l2, l3, kind, spare @ .., c0, c1, c2, c3] = bytes;
        let length = u32::from_le_bytes([l0, l1, l2, l3]);
        match usize::try_from(length) {
            Ok(length) if length <= MAX_PAYLOAD => {
                let command = u32::from_le_bytes([c0, c1, c2, c3]);
                if spare == [0; 3] { Ok(Self { length, kind, command }) } else { Err(FrameError::Spare) }
            }
            _ => Err(FrameError::TooLong(length)),
        }
    }
}

/// A frame, with its payload in the reader's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    pub kind: u8,
    pub command: u32,
    pub payload: &'a [u8],
}

/// Appends a frame to `out`. The payload is at most [`MAX_PAYLOAD`] bytes long.
pub fn put(out: &mut Vec<u8>, kind: u8, command: u32, payload: &[u8]) {
    out.extend_from_slice(&Header { length: payload.len(), kind, command }.encode());
    out.extend_from_slice(payload);
}

/// Joins the pieces of a stream to frames.
#[derive(Debug, Default)]
pub struct FrameReader {
    buffer: Vec<u8>,
    /// The beginning of the first frame that has not been returned.
    at: usize,
}

impl FrameReader {
    /// Adds the next piece of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.at);
        self.at = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next whole frame; `None` until more bytes are pushed.
    ///
    /// # Errors
    ///
    /// The bytes are no frame. The stream can't be read on.
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, FrameError> {
        let Some(header) = self.buffer[self.at..].first_chunk() else { return Ok(None) };
        let Header { length, kind, command } = Header::decode(*header)?;
        let start = self.at + HEADER;
        let Some(payload) = self.buffer.get(start..start + length) else { return Ok(None) };
        self.at = start + length;
        Ok(Some(Frame { kind, command, payload }))
    }

    /// Returns the number of bytes that no frame has used.
    #[must_use]
    pub const fn pending(&self) -> usize {
        self.buffer.len() - self.at
    }
}

/// Gives the first frame of these bytes to a test.
#[cfg(test)]
pub(crate) fn with_frame<T>(bytes: &[u8], act: impl FnOnce(Frame<'_>) -> T) -> T {
    let mut reader = FrameReader::default();
    reader.push(bytes);
    act(reader.next_frame().expect("a frame").expect("a whole one"))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::{FrameError, FrameReader, HEADER, Header, MAX_PAYLOAD, put};

    type Owned = (u8, u32, Vec<u8>);

    fn read_all(reader: &mut FrameReader, frames: &mut Vec<Owned>) -> Result<(), FrameError> {
        while let Some(frame) = reader.next_frame()? {
            frames.push((frame.kind, frame.command, frame.payload.to_vec()));
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn frames_arrive_unchanged_however_the_stream_is_split(
            frames in vec((any::<u8>(), any::<u32>(), vec(any::<u8>(), 0..300)), 0..12),
            sizes in vec(1_usize..200, 1..40),
        ) {
            let mut stream = Vec::new();
            for (kind, command, payload) in &frames {
                put(&mut stream, *kind, *command, payload);
            }
            let (mut reader, mut read) = (FrameReader::default(), Vec::new());
            let (mut rest, mut sizes) = (stream.as_slice(), sizes.iter().cycle());
            while !rest.is_empty() {
                let (piece, after) = rest.split_at(rest.len().min(*sizes.next().expect("a cycle")));
                reader.push(piece);
                read_all(&mut reader, &mut read).expect("they are frames");
                rest = after;
            }
            prop_assert_eq!(read, frames);
            prop_assert_eq!(reader.pending(), 0);
        }

        #[test]
        fn any_bytes_are_frames_or_an_error(bytes in vec(any::<u8>(), 0..2000)) {
            let (mut reader, mut read) = (FrameReader::default(), Vec::new());
            reader.push(&bytes);
            let _ = read_all(&mut reader, &mut read);
            prop_assert!(read.iter().all(|(_, _, payload)| payload.len() <= MAX_PAYLOAD));
        }

        #[test]
        fn a_header_is_read_as_it_was_written(length in 0..=MAX_PAYLOAD, kind: u8, command: u32) {
            let header = Header { length, kind, command };
            prop_assert_eq!(Header::decode(header.encode()), Ok(header));
        }
    }

    #[test]
    fn a_longer_payload_than_the_longest_is_refused_before_it_arrives() {
        let mut bytes = [0; HEADER];
        bytes[..4].copy_from_slice(&65_537_u32.to_le_bytes());
        assert_eq!(Header::decode(bytes), Err(FrameError::TooLong(65_537)));
    }

    #[test]
    fn a_spare_byte_that_is_not_0_is_refused() {
        for spare in 5..8 {
            let mut bytes = Header { length: 0, kind: 1, command: 0 }.encode();
            bytes[spare] = 1;
            assert_eq!(Header::decode(bytes), Err(FrameError::Spare));
        }
    }
}
