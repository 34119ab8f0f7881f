//! Finds the end of a request's body, so that nothing after it reaches the server (request smuggling).

/// The longest line of a chunk's size or of a trailer (bytes).
const MAX_LINE: usize = 8192;

/// The body does not follow the protocol exactly, so a server might find another end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MalformedBody;

/// The state of a body whose bytes pass through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// The number of remaining bytes.
    Length(u64),
    /// The state of a chunked body.
    Chunked(Chunks),
}

impl Body {
    /// Returns the state at the start of a chunked body.
    #[must_use]
    pub fn chunked() -> Self {
        Self::Chunked(Chunks { state: ChunkState::Size, size: 0, digits: 0, line: 0 })
    }

    /// Returns whether the whole body has passed.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        match self {
            Self::Length(left) => *left == 0,
            Self::Chunked(chunks) => matches!(chunks.state, ChunkState::End),
        }
    }

    /// Takes the next bytes. Returns how many of them belong to the body.
    ///
    /// # Errors
    ///
    /// [`MalformedBody`] chunks.
    pub fn take(&mut self, bytes: &[u8]) -> Result<usize, MalformedBody> {
        match self {
            Self::Length(left) => {
                let taken = bytes.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= taken as u64;
                Ok(taken)
            }
            Self::Chunked(chunks) => chunks.take(bytes),
        }
    }
}

/// The state of a chunked body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunks {
    state: ChunkState,
    /// The remaining bytes of the chunk.
    size: u64,
    /// The number of digits of its size.
    digits: u8,
    /// The length of the line so far.
    line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChunkState {
    Size,
    Extension,
    SizeEnd,
    Data,
    DataReturn,
    DataEnd,
    TrailerStart,
    Trailer,
    TrailerEnd,
    LastEnd,
    End,
}

impl Chunks {
    fn take(&mut self, bytes: &[u8]) -> Result<usize, MalformedBody> {
        let mut at = 0;
        while at < bytes.len() && self.state != ChunkState::End {
            if self.state == ChunkState::Data {
                let taken = (bytes.len() - at).min(usize::try_from(self.size).unwrap_or(usize::MAX));
                self.size -= taken as u64;
                at += taken;
                if self.size == 0 {
                    self.state = ChunkState::DataReturn;
                }
            } else if let Some(&byte) = bytes.get(at) {
                self.step(byte)?;
                at += 1;
            }
        }
        Ok(at)
    }

    /// Takes a byte outside of the chunks' data. CR and LF may only end a line.
    fn step(&mut self, byte: u8) -> Result<(), MalformedBody> {
        self.line += 1;
        let next = match (self.state, byte) {
            (ChunkState::Size, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') if self.digits < 16 => {
                let digit = char::from(byte).to_digit(16).ok_or(MalformedBody)?;
                self.size = self.size << 4 | u64::from(digit);
                self.digits += 1;
                ChunkState::Size
            }
            (ChunkState::Size, b';') if self.digits > 0 => ChunkState::Extension,
            (ChunkState::Size, b'\r') if self.digits > 0 => ChunkState::SizeEnd,
            (ChunkState::Extension, b'\r') => ChunkState::SizeEnd,
            (ChunkState::SizeEnd, b'\n') if self.size == 0 => ChunkState::TrailerStart,
            (ChunkState::SizeEnd, b'\n') => ChunkState::Data,
            (ChunkState::DataReturn, b'\r') => ChunkState::DataEnd,
            (ChunkState::DataEnd, b'\n') => ChunkState::Size,
            (ChunkState::TrailerStart, b'\r') => ChunkState::LastEnd,
            (ChunkState::Trailer, b'\r') => ChunkState::TrailerEnd,
            (ChunkState::TrailerEnd, b'\n') => ChunkState::TrailerStart,
            (ChunkState::LastEnd, b'\n') => ChunkState::End,
            (ChunkState::Extension, 9 | 32..=126 | 128..) if self.line <= MAX_LINE => ChunkState::Extension,
            (ChunkState::TrailerStart | ChunkState::Trailer, 9 | 32..=126 | 128..)
                if self.line <= MAX_LINE =>
            {
                ChunkState::Trailer
            }
            _ => return Err(MalformedBody),
        };
        if next != self.state && matches!(next, ChunkState::Size | ChunkState::TrailerStart) {
            (self.size, self.digits) = (0, 0);
            // The bound is for all trailers together.
            self.line = if next == ChunkState::Size { 0 } else { self.line };
        }
        self.state = next;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};

    use super::{Body, MalformedBody};

    fn chunked(bytes: &[u8]) -> Result<(usize, bool), MalformedBody> {
        let mut body = Body::chunked();
        body.take(bytes).map(|taken| (taken, body.has_ended()))
    }

    #[test]
    fn a_body_of_a_length_ends_there() {
        let mut body = Body::Length(5);
        assert_eq!((body.take(b"abc"), body.has_ended()), (Ok(3), false));
        assert_eq!((body.take(b"deGET /"), body.has_ended()), (Ok(2), true));
        assert!(Body::Length(0).has_ended());
    }

    #[test]
    fn a_body_in_chunks_ends_after_the_empty_one() {
        assert_eq!(chunked(b"3\r\nabc\r\n0\r\n\r\nGET /"), Ok((13, true)));
        assert_eq!(chunked(b"00A;name=value\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n"), Ok((45, true)));
        assert_eq!(chunked(b"3\r\nabc\r\n0\r\n"), Ok((11, false)));
    }

    #[test]
    fn lines_that_a_server_might_read_differently_are_refused() {
        for bytes in [
            &b"3\nabc\n0\n\n"[..],
            b"\r\n",
            b"x\r\n",
            b"+3\r\n",
            b" 3\r\n",
            b"3 \r\n",
            b"0x3\r\n",
            b"3\rabc",
            b"3\r\nabcd\r\n",
            b"3;a\nb\r\n",
            b"3\r\nabc\n0\r\n\r\n",
            b"11112222333344445\r\n",
            b"0\r\na\nb\r\n\r\n",
            b"-1\r\n",
        ] {
            assert_eq!(chunked(bytes), Err(MalformedBody), "{}", String::from_utf8_lossy(bytes));
        }
        let long = [&b"0\r\n"[..], &b"a: b\r\n".repeat(3000)].concat();
        assert_eq!(chunked(&long), Err(MalformedBody));
    }

    proptest! {
        #[test]
        fn the_end_does_not_depend_on_how_the_bytes_arrive(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..40), 0..5),
            cut in 1_usize..20,
        ) {
            let mut bytes = Vec::new();
            for chunk in &chunks {
                bytes.extend(format!("{:x}\r\n", chunk.len()).bytes());
                bytes.extend(chunk);
                bytes.extend(b"\r\n");
            }
            bytes.extend(b"0\r\n\r\n");
            let length = bytes.len();
            bytes.extend(b"more");
            let mut body = Body::chunked();
            let mut taken = 0;
            for part in bytes.chunks(cut) {
                taken += body.take(part).expect("chunks");
            }
            prop_assert!(body.has_ended());
            prop_assert_eq!(taken, length);
        }

        #[test]
        fn any_bytes_are_a_body_or_none(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok((taken, has_ended)) = chunked(&bytes) {
                prop_assert!(taken == bytes.len() || has_ended);
            }
        }
    }
}
