//! Short files of the kernel, such as those in `/proc`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::reserve::with_reserve;

/// Reads the beginning of a file of the kernel, which returns all there is at once: three system calls, where
/// `std::fs::read` takes five. Returns `None` for a missing file.
#[must_use]
pub fn read_once<'a>(path: &Path, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    let length = with_reserve(|| File::open(path)?.read(buffer)).ok()?;
    Some(&buffer[..length])
}
