//! Binary patches, as `git diff --binary` writes them, and the names of git's objects.

use std::fmt::Write;
use std::io::{self, Read};

use sha1::{Digest, Sha1};

/// The digits of a binary patch: five for four bytes.
const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// The bytes of a line.
const LINE: usize = 52;

/// The bytes of a block of a zlib stream that is not compressed.
const BLOCK: usize = u16::MAX as usize;

/// The name of the object of a file that does not exist.
pub(super) const NO_OBJECT: &str = "0000000000000000000000000000000000000000";

/// Returns the name that git gives to a content.
pub(super) fn object_name(size: u64, content: &mut impl Read) -> io::Result<String> {
    let mut hash = Sha1::new().chain_update(format!("blob {size}\0"));
    let mut buffer = vec![0; 64 << 10];
    loop {
        let length = content.read(&mut buffer)?;
        if length == 0 {
            let mut name = String::new();
            for byte in hash.finalize() {
                let _ = write!(name, "{byte:02x}");
            }
            return Ok(name);
        }
        hash.update(buffer.get(..length).unwrap_or_default());
    }
}

/// Writes a patch between two contents, which can be applied in both directions.
pub(super) fn write_binary(before: &[u8], after: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"GIT binary patch\n");
    for content in [after, before] {
        out.extend_from_slice(format!("literal {}\n", content.len()).as_bytes());
        for line in stored(content).chunks(LINE) {
            write_line(line, out);
        }
        out.push(b'\n');
    }
}

/// Returns the size of a patch between contents of these sizes, or more.
pub(super) const fn largest_size(before: u64, after: u64) -> u64 {
    // Digits take 5/4 of the bytes, and a line two bytes for 52; the rest is for heads.
    (before + after) / 4 * 5 + (before + after) / 20 + 1024
}

fn write_line(bytes: &[u8], out: &mut Vec<u8>) {
    let length = u8::try_from(bytes.len()).unwrap_or(0);
    out.push(if length <= 26 { b'A' + length - 1 } else { b'a' + length - 27 });
    for group in bytes.chunks(4) {
        let mut word = [0; 4];
        for (to, from) in word.iter_mut().zip(group) {
            *to = *from;
        }
        let mut rest = u32::from_be_bytes(word);
        let mut digits = [0; 5];
        for digit in digits.iter_mut().rev() {
            *digit = DIGITS.get((rest % 85) as usize).copied().unwrap_or(b'0');
            rest /= 85;
        }
        out.extend_from_slice(&digits);
    }
    out.push(b'\n');
}

/// Returns a zlib stream of a content, not compressed: a patch is read once, and a compressor would be larger
/// than the rest of overlays.
fn stored(content: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let mut blocks = content.chunks(BLOCK).peekable();
    if blocks.peek().is_none() {
        out.extend_from_slice(&[1, 0, 0, 0xff, 0xff]);
    }
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
        out.push(u8::from(blocks.peek().is_none()));
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(block);
    }
    out.extend_from_slice(&adler32(content).to_be_bytes());
    out
}

/// Returns the checksum of a zlib stream.
fn adler32(content: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    /// The most bytes whose sums fit in 32 bits.
    const CHUNK: usize = 5_552;
    let (mut low, mut high) = (1, 0);
    for chunk in content.chunks(CHUNK) {
        for byte in chunk {
            low += u32::from(*byte);
            high += low;
        }
        low %= MODULUS;
        high %= MODULUS;
    }
    high << 16 | low
}

#[cfg(test)]
mod tests {
    use super::{adler32, largest_size, object_name, write_binary};

    #[test]
    fn names_and_checksums_are_those_of_git_and_zlib() {
        let name = object_name(6, &mut b"hello\n".as_slice()).expect("read");
        assert_eq!(name, "ce013625030ba8dba906f756967f9e9ca394464a");
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
    }

    #[test]
    fn a_patch_is_no_larger_than_announced() {
        for size in [0, 1, 51, 52, 53, 4_000, 70_000, 200_000] {
            let content = vec![0xa5; size];
            let mut out = Vec::new();
            write_binary(&content, b"", &mut out);
            assert!(out.len() as u64 <= largest_size(size as u64, 0), "{size}: {}", out.len());
        }
    }
}
