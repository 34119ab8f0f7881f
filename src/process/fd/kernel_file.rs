//! Short files of the kernel, such as those in `/proc`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::reserve::with_reserve;

/// Reads a file of the kernel into `buffer` and returns the filled part, or `None` for a missing file.
///
/// A single `read` returns the whole content of such a file, so this takes three system calls, where
/// `std::fs::read` takes five. The part of a file that exceeds the buffer is lost.
#[must_use]
pub fn read_once<'a>(path: &Path, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    let length = with_reserve(|| File::open(path)?.read(buffer)).ok()?;
    Some(&buffer[..length])
}
