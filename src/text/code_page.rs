//! Decodes other encodings than UTF-8, by tables that the caller has: so the program has none.

use std::fmt::{self, Debug, Formatter};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The first bytes of pairs.
const LEADS: RangeInclusive<u8> = 0x81..=0xfe;

/// The second bytes of pairs.
const TRAILS: RangeInclusive<u8> = 0x40..=0xfe;

/// The number of bytes that are not ASCII.
const HIGH: usize = 128;

const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// An encoding.
#[derive(Debug, PartialEq, Eq)]
pub enum CodePage {
    /// An encoding that contains ASCII, with one byte or two bytes for each other character.
    Tables(Box<Tables>),
    /// UTF-16 in little endian.
    Utf16,
}

/// The characters of bytes.
#[derive(PartialEq, Eq)]
pub struct Tables {
    /// The characters of the bytes that are not ASCII: U+FFFD for a byte that begins a pair, or has none.
    singles: [char; HIGH],
    /// The texts of all pairs, in order, one after another.
    pairs: String,
    /// The ends of the texts of the pairs; empty without pairs.
    ends: Vec<usize>,
}

impl Debug for Tables {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tables").finish_non_exhaustive()
    }
}

impl CodePage {
    /// Returns an encoding by its tables: the characters of the bytes from 0x80 to 0xFF; and a line for each
    /// pair of a byte from 0x81 to 0xFE and one from 0x40 to 0xFE, or none. Returns `None` for tables of
    /// another size.
    #[must_use]
    pub fn of_tables(singles: &str, lines: &str) -> Option<Self> {
        let singles = <[char; HIGH]>::try_from(singles.chars().collect::<Vec<_>>()).ok()?;
        let mut tables = Tables { singles, pairs: String::new(), ends: Vec::new() };
        if !lines.is_empty() {
            for line in lines.split('\n') {
                tables.pairs.push_str(line);
                tables.ends.push(tables.pairs.len());
            }
            if tables.ends.len() != LEADS.len() * TRAILS.len() {
                return None;
            }
        }
        Some(Self::Tables(Box::new(tables)))
    }
}

impl Tables {
    fn single(&self, byte: u8) -> char {
        self.singles[usize::from(byte) % HIGH]
    }

    fn begins_pair(&self, byte: u8) -> bool {
        !self.ends.is_empty() && LEADS.contains(&byte) && self.single(byte) == char::REPLACEMENT_CHARACTER
    }

    /// Returns the text of a pair, if it has one.
    fn pair(&self, lead: u8, trail: u8) -> Option<&str> {
        if !TRAILS.contains(&trail) {
            return None;
        }
        let at = usize::from(lead - LEADS.start()) * TRAILS.len() + usize::from(trail - TRAILS.start());
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.pairs[begin..self.ends[at]]).filter(|text| !text.is_empty())
    }
}

/// Turns a stream into UTF-8, however it is cut into chunks. What has no character becomes U+FFFD.
///
/// ```
/// use std::sync::Arc;
/// use agent_bash::text::code_page::{CodePage, PageDecoder};
///
/// let mut decoder = PageDecoder::new(Arc::new(CodePage::Utf16));
/// let mut text = Vec::new();
/// decoder.push(b"h\0\xe9", &mut text);
/// decoder.push(b"\0", &mut text);
/// decoder.finish(&mut text);
/// assert_eq!(text, "hé".as_bytes());
/// ```
#[derive(Debug)]
pub struct PageDecoder {
    page: Arc<CodePage>,
    /// The first byte of a pair, or of a UTF-16 unit, whose second one is still missing.
    lead: Option<u8>,
    /// The first half of a character of two UTF-16 units.
    half: Option<u16>,
}

impl PageDecoder {
    /// Creates a decoder at the beginning of a stream.
    #[must_use]
    pub const fn new(page: Arc<CodePage>) -> Self {
        Self { page, lead: None, half: None }
    }

    /// Appends the text of more bytes.
    pub fn push(&mut self, bytes: &[u8], text: &mut Vec<u8>) {
        let page = Arc::clone(&self.page);
        match &*page {
            CodePage::Tables(tables) => bytes.iter().for_each(|&byte| self.push_byte(tables, byte, text)),
            CodePage::Utf16 => bytes.iter().for_each(|&byte| match self.lead.take() {
                Some(low) => self.push_unit(u16::from_le_bytes([low, byte]), text),
                None => self.lead = Some(byte),
            }),
        }
    }

    /// Appends what stands for a character that the end has cut.
    pub fn finish(&mut self, text: &mut Vec<u8>) {
        let is_cut = [self.lead.take().is_some(), self.half.take().is_some()].contains(&true);
        if is_cut {
            text.extend(REPLACEMENT);
        }
    }

    fn push_byte(&mut self, tables: &Tables, byte: u8, text: &mut Vec<u8>) {
        match self.lead.take() {
            Some(lead) => {
                if let Some(pair) = tables.pair(lead, byte) {
                    text.extend(pair.as_bytes());
                } else {
                    text.extend(REPLACEMENT);
                    // A byte of ASCII is no part of a broken pair, so that no line break is lost.
                    text.extend(Some(byte).filter(u8::is_ascii));
                }
            }
            None if byte.is_ascii() => text.push(byte),
            None if tables.begins_pair(byte) => self.lead = Some(byte),
            None => extend(text, tables.single(byte)),
        }
    }

    fn push_unit(&mut self, unit: u16, text: &mut Vec<u8>) {
        if let Some(high) = self.half.take() {
            if let Some(Ok(character)) = char::decode_utf16([high, unit]).next() {
                return extend(text, character);
            }
            text.extend(REPLACEMENT);
        }
        match char::from_u32(u32::from(unit)) {
            Some(character) => extend(text, character),
            None if (0xd800..0xdc00).contains(&unit) => self.half = Some(unit),
            None => text.extend(REPLACEMENT),
        }
    }
}

fn extend(text: &mut Vec<u8>, character: char) {
    text.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_16LE, WINDOWS_1252};
    use proptest::prelude::*;

    use super::{CodePage, LEADS, PageDecoder, TRAILS};

    /// Returns the tables of an encoding of the other implementation, as a caller makes them.
    fn page_of(encoding: &'static Encoding) -> CodePage {
        let decoded = |bytes: &[u8]| encoding.decode_without_bom_handling(bytes).0.into_owned();
        let first = |bytes: &[u8]| decoded(bytes).chars().next().expect("a character");
        let singles: String = (0x80..=0xff).map(|byte| first(&[byte, b'\n'])).collect();
        let pairs = LEADS.flat_map(|lead| TRAILS.map(move |trail| [lead, trail]));
        let line = |pair: [u8; 2]| Some(decoded(&pair)).filter(|text| !text.contains('\u{fffd}'));
        let lines: Vec<_> = pairs.map(|pair| line(pair).unwrap_or_default()).collect();
        let lines = if encoding.is_single_byte() { String::new() } else { lines.join("\n") };
        CodePage::of_tables(&singles, &lines).expect("tables of the right size")
    }

    fn decoded(page: &Arc<CodePage>, chunks: &[&[u8]]) -> String {
        let (mut decoder, mut text) = (PageDecoder::new(Arc::clone(page)), Vec::new());
        for chunk in chunks {
            decoder.push(chunk, &mut text);
        }
        decoder.finish(&mut text);
        String::from_utf8(text).expect("UTF-8")
    }

    #[test]
    fn the_text_of_each_encoding_is_what_was_encoded() {
        let cases = [
            (WINDOWS_1252, "Müller: 3 €\n"),
            (SHIFT_JIS, "日本語ｶﾅ ~\n"),
            (GBK, "简体中文\n"),
            (BIG5, "繁體中文\n"),
            (EUC_KR, "한국어\n"),
        ];
        for (encoding, text) in cases {
            let (bytes, ..) = encoding.encode(text);
            let page = Arc::new(page_of(encoding));
            assert_eq!(decoded(&page, &[&bytes]), text, "{}", encoding.name());
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(decoded(&page, &single), text, "{} by bytes", encoding.name());
        }
    }

    #[test]
    fn a_broken_pair_keeps_the_line_break_after_it() {
        let page = Arc::new(page_of(SHIFT_JIS));
        assert_eq!(decoded(&page, &[b"a\x93\nb\x93"]), "a\u{fffd}\nb\u{fffd}");
    }

    #[test]
    fn half_a_character_of_utf_16_is_replaced() {
        let page = Arc::new(CodePage::Utf16);
        assert_eq!(decoded(&page, &[b"\x3d\xd8", b"\x00\xde!\0"]), "😀!");
        assert_eq!(decoded(&page, &[b"\x3d\xd8a\0\x00\xdeb"]), "\u{fffd}a\u{fffd}\u{fffd}");
    }

    #[test]
    fn tables_of_another_size_are_refused() {
        let full: String = (0..128).map(|_| 'x').collect();
        assert_eq!(CodePage::of_tables(&full[1..], ""), None);
        assert_eq!(CodePage::of_tables(&full, "a\nb"), None);
        assert!(CodePage::of_tables(&full, "").is_some());
    }

    proptest! {
        #[test]
        fn utf_16_is_decoded_as_by_another_implementation(
            bytes in proptest::collection::vec(any::<u8>(), 0..40), cut in 0_usize..40
        ) {
            let (before, after) = bytes.split_at(cut.min(bytes.len()));
            let expected = UTF_16LE.decode_without_bom_handling(&bytes).0;
            prop_assert_eq!(decoded(&Arc::new(CodePage::Utf16), &[before, after]), expected);
        }

        #[test]
        fn any_bytes_of_one_for_a_character_are_decoded_as_by_another_implementation(
            bytes in proptest::collection::vec(any::<u8>(), 0..40)
        ) {
            let expected = WINDOWS_1252.decode_without_bom_handling(&bytes).0;
            prop_assert_eq!(decoded(&Arc::new(page_of(WINDOWS_1252)), &[&bytes]), expected);
        }
    }
}
