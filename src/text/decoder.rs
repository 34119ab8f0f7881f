//! Decodes UTF-8 incrementally, by the WHATWG rule.
//!
//! A character may be split between two reads. The decoder holds its first bytes back until the rest arrives,
//! so every piece of text that it returns is valid. Each maximal subpart of an invalid sequence becomes one
//! U+FFFD, as in `TextDecoder` and `Buffer.toString('utf8')`. A byte order mark is kept.

use std::str;

/// The longest incomplete character (bytes): one byte less than the longest character.
const MAX_PREFIX: usize = 3;

/// Decodes a byte stream piece by piece.
///
/// ```
/// use agent_bash::text::Utf8Decoder;
///
/// let mut decoder = Utf8Decoder::default();
/// let mut text = String::new();
/// decoder.push(b"caf\xc3", &mut text);
/// assert_eq!(text, "caf");
/// decoder.push(b"\xa9", &mut text);
/// decoder.finish(&mut text);
/// assert_eq!(text, "café");
/// ```
#[derive(Debug, Default)]
pub struct Utf8Decoder {
    held: [u8; MAX_PREFIX + 1],
    held_len: usize,
}

impl Utf8Decoder {
    /// Appends the text of `bytes` to `text`, except for an unfinished character at the end.
    pub fn push(&mut self, bytes: &[u8], text: &mut String) {
        let rest = self.finish_held_character(bytes, text);
        let whole = &rest[..rest.len() - unfinished_end(rest)];
        // The common case: validating all bytes at once is many times faster than chunk by chunk.
        let rest = match str::from_utf8(whole) {
            Ok(valid) => {
                text.push_str(valid);
                &rest[whole.len()..]
            }
            Err(_) => rest,
        };
        let mut chunks = rest.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let invalid = chunk.invalid();
            if chunks.peek().is_none() && is_unfinished(invalid) {
                self.held[..invalid.len()].copy_from_slice(invalid);
                self.held_len = invalid.len();
            } else if !invalid.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
    }

    /// Decodes `bytes` as [`Utf8Decoder::push`] does, and reuses their memory for the text.
    ///
    /// # Errors
    ///
    /// Returns the bytes, without any effect, if they end inside a character, or if an unfinished character
    /// is held back.
    pub fn take(&self, bytes: Vec<u8>) -> Result<String, Vec<u8>> {
        if self.held_len > 0 || unfinished_end(&bytes) > 0 {
            return Err(bytes);
        }
        String::from_utf8(bytes).map_err(std::string::FromUtf8Error::into_bytes)
    }

    /// Skips `bytes` without decoding them. The text of the next push still begins with a whole character.
    pub fn skip(&mut self, bytes: &[u8]) {
        let tail = bytes.len().saturating_sub(MAX_PREFIX);
        if tail > 0 {
            self.held_len = 0;
        }
        self.push(&bytes[tail..], &mut String::new());
    }

    /// Ends the stream: an unfinished character becomes U+FFFD.
    pub fn finish(&mut self, text: &mut String) {
        self.peek(text);
        self.held_len = 0;
    }

    /// Appends what [`Utf8Decoder::finish`] would append, and changes nothing.
    ///
    /// ```
    /// use agent_bash::text::Utf8Decoder;
    ///
    /// let mut decoder = Utf8Decoder::default();
    /// let mut text = String::new();
    /// decoder.push(b"caf\xc3", &mut text);
    /// let mut so_far = text.clone();
    /// decoder.peek(&mut so_far);
    /// assert_eq!(so_far, "caf\u{fffd}");
    /// decoder.push(b"\xa9", &mut text);
    /// assert_eq!(text, "café");
    /// ```
    pub fn peek(&self, text: &mut String) {
        if self.held_len > 0 {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }

    /// Feeds single bytes to the held prefix until it is a character or can't become one. Returns the
    /// remaining bytes.
    fn finish_held_character<'a>(&mut self, mut bytes: &'a [u8], text: &mut String) -> &'a [u8] {
        while self.held_len > 0
            && let [next, rest @ ..] = bytes
        {
            self.held[self.held_len] = *next;
            match str::from_utf8(&self.held[..=self.held_len]) {
                Ok(character) => {
                    text.push_str(character);
                    self.held_len = 0;
                    bytes = rest;
                }
                Err(error) if error.error_len().is_none() => {
                    self.held_len += 1;
                    bytes = rest;
                }
                // The next byte does not belong to the character: the held bytes are one maximal subpart.
                Err(_) => self.finish(text),
            }
        }
        bytes
    }
}

/// Returns the number of bytes at the end that are the beginning of a character.
fn unfinished_end(bytes: &[u8]) -> usize {
    let longest = bytes.len().min(MAX_PREFIX);
    (1..=longest).rev().find(|&length| is_unfinished(&bytes[bytes.len() - length..])).unwrap_or(0)
}

fn is_unfinished(invalid: &[u8]) -> bool {
    str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Utf8Decoder;

    fn decode_in_pieces(bytes: &[u8], cuts: &[usize]) -> String {
        let mut decoder = Utf8Decoder::default();
        let mut text = String::new();
        let mut from = 0;
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
        cuts.sort_unstable();
        for to in cuts.into_iter().chain([bytes.len()]) {
            decoder.push(&bytes[from..to], &mut text);
            from = to;
        }
        decoder.finish(&mut text);
        text
    }

    /// The reference implementation, which Firefox uses.
    fn decode_with_encoding_rs(bytes: &[u8]) -> String {
        encoding_rs::UTF_8.decode_without_bom_handling(bytes).0.into_owned()
    }

    #[test]
    fn a_character_split_at_any_offset_is_whole() {
        for character in ["é", "€", "🦀"] {
            for cut in 0..=character.len() {
                assert_eq!(decode_in_pieces(character.as_bytes(), &[cut]), character);
            }
        }
    }

    #[test]
    fn an_unfinished_character_is_held_back() {
        let mut decoder = Utf8Decoder::default();
        let mut text = String::new();
        decoder.push("🦀".as_bytes()[..3].as_ref(), &mut text);
        assert_eq!(text, "");
        decoder.finish(&mut text);
        assert_eq!(text, "\u{fffd}");
    }

    #[test]
    fn a_character_that_began_in_skipped_bytes_is_whole() {
        for cut in 1..4 {
            let stream = ["abc🦀".as_bytes(), "🦀z".as_bytes()].concat();
            let mut decoder = Utf8Decoder::default();
            let mut text = String::new();
            decoder.skip(&stream[..7 + cut]);
            decoder.push(&stream[7 + cut..], &mut text);
            assert_eq!(text, "🦀z");
        }
    }

    #[test]
    fn skipping_byte_by_byte_is_skipping() {
        let mut decoder = Utf8Decoder::default();
        let mut text = String::new();
        "é€🦀".bytes().for_each(|byte| decoder.skip(&[byte]));
        decoder.push(b"z", &mut text);
        assert_eq!(text, "z");
    }

    #[test]
    fn each_maximal_subpart_is_one_replacement() {
        assert_eq!(
            decode_in_pieces(b"\xf0\x9f\x98A\xc0\xaf\xed\xa0\x80", &[]),
            "\u{fffd}A\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"
        );
        assert_eq!(decode_in_pieces(b"\xc2\0", &[]), "\u{fffd}\0");
    }

    #[test]
    fn a_byte_order_mark_and_nul_are_kept() {
        assert_eq!(decode_in_pieces(b"\xef\xbb\xbfa\0b", &[1, 2]), "\u{feff}a\0b");
    }

    /// Generates bytes with many beginnings and ends of characters.
    fn tricky_bytes() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![
            any::<u8>(),
            Just(b'a'),
            0x80..=0xbf_u8,
            prop::sample::select(vec![0xc2, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5]),
        ];
        prop::collection::vec(byte, 0..64)
    }

    #[test]
    fn bytes_become_the_text_only_where_no_character_is_cut() {
        let mut decoder = Utf8Decoder::default();
        assert_eq!(decoder.take("é".into()), Ok("é".to_owned()));
        assert_eq!(decoder.take(b"a\xc3".to_vec()), Err(b"a\xc3".to_vec()), "it ends in one");
        assert_eq!(decoder.take(b"a\xffb".to_vec()), Err(b"a\xffb".to_vec()), "it is no text");
        decoder.push(b"\xc3", &mut String::new());
        assert_eq!(decoder.take(b"b".to_vec()), Err(b"b".to_vec()), "one was begun");
    }

    proptest! {
        #[test]
        fn peeking_equals_finishing_without_its_effects(bytes in tricky_bytes()) {
            let mut decoder = Utf8Decoder::default();
            let mut text = String::new();
            for (offset, byte) in bytes.iter().enumerate() {
                let mut so_far = text.clone();
                decoder.peek(&mut so_far);
                prop_assert_eq!(so_far, decode_with_encoding_rs(&bytes[..offset]));
                decoder.push(&[*byte], &mut text);
            }
            decoder.finish(&mut text);
            prop_assert_eq!(text, decode_with_encoding_rs(&bytes));
        }

        #[test]
        fn bytes_that_become_the_text_are_the_same_text(
            pieces in prop::collection::vec(tricky_bytes(), 0..6),
        ) {
            let mut decoder = Utf8Decoder::default();
            let mut text = String::new();
            for piece in &pieces {
                match decoder.take(piece.clone()) {
                    Ok(taken) => text.push_str(&taken),
                    Err(bytes) => {
                        prop_assert_eq!(&bytes, piece);
                        decoder.push(&bytes, &mut text);
                    }
                }
            }
            decoder.finish(&mut text);
            prop_assert_eq!(text, decode_with_encoding_rs(&pieces.concat()));
        }

        #[test]
        fn agrees_with_encoding_rs_wherever_the_stream_is_cut(
            bytes in tricky_bytes(),
            cuts in prop::collection::vec(any::<usize>(), 0..8),
        ) {
            prop_assert_eq!(decode_in_pieces(&bytes, &cuts), decode_with_encoding_rs(&bytes));
        }
    }
}
