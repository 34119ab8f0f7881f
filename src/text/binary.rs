//! Recognizes output that is no text, and its kind by its first bytes.

use std::fmt::Write;

use super::view::class;

/// The number of bytes kept from the beginning of a stream: lines of text may come before the data.
pub const START: usize = 64;

/// The number of bytes that a description shows: enough to look up a signature.
const DESCRIBED_BYTES: usize = 16;

/// The fewest invalid UTF-8 bytes in binary output. Text has fewer: some in another encoding, or by mistake.
const MIN_INVALID_BYTES: usize = 64;

/// Signatures at the beginning of files, and the kinds of these files.
const SIGNATURES: [(&[u8], &str); 22] = [
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"BM", "BMP image"),
    (b"II*\0", "TIFF image"),
    (b"MM\0*", "TIFF image"),
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "zip archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\0", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"\x7fELF", "ELF program"),
    (b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (b"MZ", "Windows program"),
    (b"\0asm", "WebAssembly module"),
    (b"\xca\xfe\xba\xbe", "Java class"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"OggS", "Ogg file"),
    (b"ID3", "MP3 file"),
    (b"RIFF", "RIFF file"),
];

/// Returns whether a text has so many replacement characters that the output was no text.
///
/// ```
/// use agent_bash::text::binary::is_binary;
///
/// assert!(is_binary(&"a\u{fffd}".repeat(1_000)));
/// assert!(!is_binary("a name in Latin-1: M\u{fffd}ller"));
/// ```
#[must_use]
pub fn is_binary(text: &str) -> bool {
    class::is_binary(text) && text.matches('\u{fffd}').nth(MIN_INVALID_BYTES - 1).is_some()
}

/// Describes the kind of a stream by its first bytes.
///
/// ```
/// use agent_bash::text::binary::kind_of;
///
/// assert_eq!(kind_of(b"\x1f\x8b\x08"), "gzip data, first bytes 1f 8b 08");
/// ```
#[must_use]
pub fn kind_of(start: &[u8]) -> String {
    let lines = start.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let known = [0].into_iter().chain(lines).find_map(|at| {
        let (_, kind) = SIGNATURES.iter().find(|(signature, _)| start[at..].starts_with(signature))?;
        Some((at, *kind))
    });
    let (at, mut text) = known.map_or((0, String::new()), |(at, kind)| (at, format!("{kind}, ")));
    text.push_str("first bytes");
    for byte in start[at..].iter().take(DESCRIBED_BYTES) {
        // Writing to a string does not fail.
        let _ = write!(text, " {byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{SIGNATURES, START, is_binary, kind_of};

    #[test]
    fn text_in_utf_8_is_never_binary() {
        assert!(!is_binary(&"größer, 大きい, 🦀\n".repeat(1_000)));
        assert!(!is_binary(""));
    }

    #[test]
    fn some_bytes_of_another_encoding_are_not_binary() {
        assert!(!is_binary(&format!("{}\n{}", "\u{fffd}".repeat(10), "text ".repeat(2))));
        assert!(!is_binary(&"M\u{fffd}ller wohnt in K\u{f6}ln\n".repeat(1_000)));
    }

    #[test]
    fn every_signature_fits_into_what_is_kept() {
        for (signature, kind) in SIGNATURES {
            assert!(signature.len() <= START && kind_of(signature).starts_with(kind), "{kind}");
        }
        assert_eq!(kind_of(b"xy"), "first bytes 78 79");
        assert_eq!(kind_of(b"get it\n\x1f\x8b\x08"), "gzip data, first bytes 1f 8b 08");
    }
}
