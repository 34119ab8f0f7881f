//! Output, as commands write it.

/// How much one measurement reads (bytes).
pub(crate) const SIZE: usize = 1024 * 1024;

/// How much one read of a pipe gives (bytes).
pub(crate) const READ: usize = 64 * 1024;

/// Lines of ASCII, such as of a compiler.
pub(crate) fn ascii() -> Vec<u8> {
    repeated(b"   Compiling parser v1.4.2 (/home/user/project/crates/parser)\n")
}

/// Three bytes each, and no two reads are cut at the same place of a character.
pub(crate) fn wide() -> Vec<u8> {
    repeated("日本語の文字列、三バイトの文字。".as_bytes())
}

/// What is no UTF-8: a byte in ten that continues nothing, and characters that are cut off.
pub(crate) fn broken() -> Vec<u8> {
    repeated(b"abcdefgh\x80i\xe6\x97jk\xff\xfelmnop\xf0\x9f\x98 q\n")
}

/// Colours, and a line that is written again and again.
pub(crate) fn coloured() -> Vec<u8> {
    repeated(b"\x1b[1m\x1b[32m    Checking\x1b[0m parser v1.4.2\n\r\x1b[K 12% [====>      ] 12/100")
}

fn repeated(part: &[u8]) -> Vec<u8> {
    part.iter().copied().cycle().take(SIZE).collect()
}
