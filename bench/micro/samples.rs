//! Samples of the output of commands.

/// The size of a sample (bytes): large enough that starting a measurement does not count.
pub(crate) const SIZE: usize = 1024 * 1024;

/// The size of one read (bytes): the default capacity of a pipe.
pub(crate) const READ: usize = 64 * 1024;

/// Returns lines of ASCII, such as a compiler's.
pub(crate) fn ascii() -> Vec<u8> {
    repeated(b"   Compiling parser v1.4.2 (/home/user/project/crates/parser)\n")
}

/// Returns characters of three bytes, so that reads end at different bytes of a character.
pub(crate) fn wide() -> Vec<u8> {
    repeated("日本語の文字列、三バイトの文字。".as_bytes())
}

/// Returns invalid UTF-8: continuation bytes without a character, and characters that are cut off.
pub(crate) fn broken() -> Vec<u8> {
    repeated(b"abcdefgh\x80i\xe6\x97jk\xff\xfelmnop\xf0\x9f\x98 q\n")
}

/// Returns colours, and a line that is overwritten again and again.
pub(crate) fn coloured() -> Vec<u8> {
    repeated(b"\x1b[1m\x1b[32m    Checking\x1b[0m parser v1.4.2\n\r\x1b[K 12% [====>      ] 12/100")
}

fn repeated(part: &[u8]) -> Vec<u8> {
    part.iter().copied().cycle().take(SIZE).collect()
}
