//! Converts a stream's bytes to text for its consumer: decodes them, and makes plain text if the plan says
//! so.

use super::{PlainText, Utf8Decoder};

/// The number of bytes decoded at a time on the way to plain text: bounds the intermediate text.
const WINDOW: usize = 4 * 1024;

/// Turns the bytes of a stream into text, as they are or as plain text, piece by piece.
///
/// A transcoder is a [`Utf8Decoder`], followed by a [`PlainText`] if the text should be plain.
///
/// ```
/// use agent_bash::text::Transcoder;
///
/// let mut transcoder = Transcoder::new(true);
/// let mut text = String::new();
/// transcoder.push(b"\x1b[31mcaf\xc3", &mut text);
/// transcoder.push(b"\xa9\x1b[0m\n50%\r100%", &mut text);
/// assert_eq!(text, "café\n");
///
/// let mut so_far = text.clone();
/// transcoder.peek(&mut so_far);
/// assert_eq!(so_far, "café\n100%");
///
/// transcoder.finish(&mut text);
/// assert_eq!(text, so_far);
/// ```
#[derive(Debug)]
pub struct Transcoder {
    decoder: Utf8Decoder,
    // Boxed, because a `PlainText` is large and most streams have none.
    plain: Option<Box<PlainText>>,
    /// The text between the decoder and the plain text; empty between two calls.
    decoded: String,
}

impl Transcoder {
    /// Creates a transcoder at the beginning of a stream. With `plain`, output for a terminal becomes plain
    /// text.
    #[must_use]
    pub fn new(plain: bool) -> Self {
        Self { decoder: Utf8Decoder::default(), plain: plain.then(Box::default), decoded: String::new() }
    }

    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.plain.is_some()
    }

    /// Appends the text of `bytes` to `text`, except for what later bytes may change: an unfinished character
    /// and, with plain text, the current line.
    pub fn push(&mut self, bytes: &[u8], text: &mut String) {
        let Some(plain) = &mut self.plain else {
            self.decoder.push(bytes, text);
            return;
        };
        for window in bytes.chunks(WINDOW) {
            self.decoder.push(window, &mut self.decoded);
            plain.push(&self.decoded, text);
            self.decoded.clear();
        }
    }

    /// Decodes `bytes` as [`Transcoder::push`] does, and reuses their memory for the text.
    ///
    /// # Errors
    ///
    /// Returns the bytes, without any effect, if they end inside a character, if plain text is wanted, or if
    /// an unfinished character is held back.
    pub fn take(&self, bytes: Vec<u8>) -> Result<String, Vec<u8>> {
        if self.plain.is_some() { Err(bytes) } else { self.decoder.take(bytes) }
    }

    /// Skips `bytes` without returning their text. The text of the next push still begins with a whole
    /// character. With plain text this costs as much as [`Transcoder::push`], and a line that began in
    /// skipped bytes is returned whole.
    pub fn skip(&mut self, bytes: &[u8]) {
        if self.plain.is_none() {
            self.decoder.skip(bytes);
            return;
        }
        let mut unwanted = String::new();
        for window in bytes.chunks(WINDOW) {
            self.push(window, &mut unwanted);
            unwanted.clear();
        }
    }

    /// Ends the stream: appends the text that was held back. The next push starts a new stream.
    pub fn finish(&mut self, text: &mut String) {
        let Some(plain) = &mut self.plain else {
            self.decoder.finish(text);
            return;
        };
        self.decoder.finish(&mut self.decoded);
        plain.push(&self.decoded, text);
        plain.finish(text);
        self.decoded.clear();
    }

    /// Appends the current line of plain text, without an unfinished character, and changes nothing. Without
    /// plain text, nothing but an unfinished character is held back.
    pub fn peek_line(&self, text: &mut String) {
        if let Some(plain) = &self.plain {
            plain.peek_after(None, text);
        }
    }

    /// Appends what [`Transcoder::finish`] would append, and changes nothing.
    pub fn peek(&self, text: &mut String) {
        let Some(plain) = &self.plain else {
            self.decoder.peek(text);
            return;
        };
        let mut unfinished = String::new();
        self.decoder.peek(&mut unfinished);
        plain.peek_after(unfinished.chars().next(), text);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Transcoder, WINDOW};
    use crate::text::{PlainText, Utf8Decoder};

    fn transcode<'a>(plain: bool, pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
        let mut transcoder = Transcoder::new(plain);
        let mut text = String::new();
        for piece in pieces {
            transcoder.push(piece, &mut text);
        }
        transcoder.finish(&mut text);
        text
    }

    fn peek(transcoder: &Transcoder) -> String {
        let mut text = String::new();
        transcoder.peek(&mut text);
        text
    }

    #[test]
    fn sequences_stay_unless_plain_text_is_wanted() {
        let bytes = b"\x1b[1ma\r\n".as_slice();
        assert_eq!(transcode(false, [bytes]), "\x1b[1ma\r\n");
        assert_eq!(transcode(true, [bytes]), "a\n");
        assert!(!Transcoder::new(false).is_plain());
        assert!(Transcoder::new(true).is_plain());
    }

    #[test]
    fn a_character_that_is_split_is_whole() {
        for plain in [false, true] {
            assert_eq!(transcode(plain, [b"caf\xc3".as_slice(), b"\xa9"]), "café");
        }
    }

    #[test]
    fn bytes_become_the_text_unless_plain_text_is_wanted() {
        assert_eq!(Transcoder::new(false).take(b"a".to_vec()), Ok("a".to_owned()));
        assert_eq!(Transcoder::new(true).take(b"a".to_vec()), Err(b"a".to_vec()));
    }

    #[test]
    fn a_push_after_the_end_starts_a_new_stream() {
        for plain in [false, true] {
            let mut transcoder = Transcoder::new(plain);
            let mut text = String::new();
            transcoder.push(b"a\xf0", &mut text);
            transcoder.finish(&mut text);
            transcoder.push(b"b", &mut text);
            transcoder.finish(&mut text);
            assert_eq!(text, "a\u{fffd}b");
        }
    }

    #[test]
    fn a_character_that_began_in_skipped_bytes_is_whole() {
        let mut transcoder = Transcoder::new(false);
        let mut text = String::new();
        transcoder.skip(b"abc\xf0\x9f");
        transcoder.push("\u{1f980}z".as_bytes()[2..].as_ref(), &mut text);
        assert_eq!(text, "\u{1f980}z");
    }

    #[test]
    fn a_sequence_that_began_in_skipped_bytes_is_dropped() {
        let mut transcoder = Transcoder::new(true);
        let mut text = String::new();
        transcoder.skip(b"gone\n\x1b[3");
        transcoder.push(b"1mred\n", &mut text);
        assert_eq!(text, "red\n");
    }

    #[test]
    fn a_line_that_began_in_skipped_bytes_is_returned_whole() {
        let mut transcoder = Transcoder::new(true);
        let mut text = String::new();
        transcoder.skip(b"gone\n 50%");
        transcoder.push(b"\r100", &mut text);
        transcoder.finish(&mut text);
        assert_eq!(text, "100%");
    }

    #[test]
    fn an_unfinished_character_is_shown_at_the_cursor() {
        let mut transcoder = Transcoder::new(true);
        transcoder.push(b"abc\r\xf0\x9f", &mut String::new());
        assert_eq!(peek(&transcoder), "\u{fffd}bc");
    }

    #[test]
    fn the_current_line_is_shown_without_an_unfinished_character() {
        for (plain, expected) in [(true, "abc"), (false, "")] {
            let mut transcoder = Transcoder::new(plain);
            transcoder.push(b"done\n\x1b[1mabc\xf0\x9f", &mut String::new());
            let mut line = String::new();
            transcoder.peek_line(&mut line);
            assert_eq!(line, expected);
        }
    }

    #[test]
    fn an_unfinished_character_in_a_sequence_is_not_shown() {
        for sequence in ["\x1b", "\x1b[", "\x1b[3", "\x1b[3 ", "\x1b]0;", "\x1bP", "\x1bPq", "\x1b_", "\x1b("]
        {
            let mut transcoder = Transcoder::new(true);
            transcoder.push(&[b"a", sequence.as_bytes(), b"\xf0"].concat(), &mut String::new());
            assert_eq!(peek(&transcoder), "a");
        }
    }

    #[test]
    fn the_intermediate_text_is_bounded() {
        let mut transcoder = Transcoder::new(true);
        let mut text = String::new();
        for _ in 0..4 {
            transcoder.push(&vec![0xff; 64 * 1024], &mut text);
        }
        // Each invalid byte takes three bytes of text, and the buffer doubles.
        assert!(transcoder.decoded.capacity() <= 6 * WINDOW);
    }

    #[test]
    fn a_stream_that_is_not_plain_needs_no_intermediate_text() {
        let mut transcoder = Transcoder::new(false);
        let mut text = String::new();
        transcoder.push(b"a\xff\xf0", &mut text);
        transcoder.skip(b"b\xf0");
        transcoder.finish(&mut text);
        assert_eq!(transcoder.decoded.capacity(), 0);
    }

    /// Generates bytes with many sequences and parts of characters.
    fn terminal_output() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            any::<u8>().prop_map(|byte| vec![byte]),
            prop::sample::select(vec![
                "\n", "\r", "\t", "\x08", "\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1bPq", "\x1b\\", "\x07",
                "\x7f", "a", "é", "✓✨", "🦀", ";", "1", "K", "m", "\x1b[2K", "\x1b[1K", "\x1b[8G",
                "\x1b[31m",
            ])
            .prop_map(|text| text.as_bytes().to_vec()),
            (0xc2..=0xf4_u8).prop_map(|byte| vec![byte]),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
                fn plain_text_comes_after_the_decoder(bytes in terminal_output()) {
            let mut decoded = String::new();
            let mut decoder = Utf8Decoder::default();
            decoder.push(&bytes, &mut decoded);
            decoder.finish(&mut decoded);
            let mut text = String::new();
            let mut plain = PlainText::default();
            plain.push(&decoded, &mut text);
            plain.finish(&mut text);
            prop_assert_eq!(transcode(false, [bytes.as_slice()]), decoded);
            prop_assert_eq!(transcode(true, [bytes.as_slice()]), text);
        }

        #[test]
        fn the_pieces_of_the_stream_do_not_matter(bytes in terminal_output(), plain: bool) {
            prop_assert_eq!(transcode(plain, bytes.chunks(1)), transcode(plain, [bytes.as_slice()]));
        }

        #[test]
        fn peeking_equals_finishing_without_its_effects(bytes in terminal_output(), plain: bool) {
            let mut transcoder = Transcoder::new(plain);
            let mut text = String::new();
            for (offset, byte) in bytes.iter().enumerate() {
                let finished = transcode(plain, [&bytes[..offset]]);
                prop_assert_eq!([text.as_str(), &peek(&transcoder)].concat(), finished);
                transcoder.push(&[*byte], &mut text);
            }
            transcoder.finish(&mut text);
            prop_assert_eq!(text, transcode(plain, [bytes.as_slice()]));
        }

        #[test]
                fn skipping_has_the_same_effect_on_plain_text_as_pushing(
            skipped in terminal_output(),
            bytes in terminal_output(),
        ) {
            let mut one = Transcoder::new(true);
            let mut other = Transcoder::new(true);
            one.skip(&skipped);
            other.push(&skipped, &mut String::new());
            let (mut from_one, mut from_other) = (String::new(), String::new());
            one.push(&bytes, &mut from_one);
            other.push(&bytes, &mut from_other);
            one.finish(&mut from_one);
            other.finish(&mut from_other);
            prop_assert_eq!(from_one, from_other);
        }
    }
}
