//! The kernel's table of mounts, `/proc/self/mountinfo`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Returns the mount points below a directory, in the order of the table: parents first.
#[must_use]
pub fn mounts_below(table: &[u8], root: &Path) -> Vec<PathBuf> {
    let points = table.split(|&byte| byte == b'\n').filter_map(|line| {
        let point = line.split(|&byte| byte == b' ').nth(MOUNT_POINT)?;
        Some(PathBuf::from(OsString::from_vec(unescaped(point))))
    });
    points.filter(|point| point != root && point.starts_with(root)).collect()
}

/// The field of a line with the mount point.
const MOUNT_POINT: usize = 4;

/// Replaces the octal escapes of spaces, tabs, newlines and backslashes.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut found = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, after @ ..] = rest {
        rest = after;
        let escape = after.split_at_checked(3).filter(|_| *first == b'\\');
        let code =
            escape.and_then(|(digits, _)| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match (code, escape) {
            (Some(code), Some((_, after))) => {
                found.push(code);
                rest = after;
            }
            _ => found.push(*first),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::mounts_below;

    #[test]
    fn mounts_below_a_directory_are_found_with_spaces_in_their_names() {
        let table = b"1 0 8:1 / / rw - ext4 d rw\n2 1 8:1 / /w rw - ext4 d rw\n3 2 0:5 / /w/a\\040b rw - tmpfs t rw\n\
                      4 3 0:6 / /w/a\\040b/c rw - tmpfs t rw\n5 1 0:7 / /wide rw - tmpfs t rw\n";
        assert_eq!(mounts_below(table, Path::new("/w")), [Path::new("/w/a b"), Path::new("/w/a b/c")]);
    }
}
