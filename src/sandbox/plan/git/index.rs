//! Finds the nested repositories in git's index.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The mode of an entry that is a repository of its own (a submodule), in which `git status` runs git.
const REPOSITORY: u32 = 0o160_000;

/// The sizes of the part of an entry before its hash, and of its flags (bytes).
const BEFORE_HASH: usize = 40;
const FLAGS: usize = 2;

/// The position of the mode in an entry.
const MODE: usize = 24;

/// The flag of an entry with two more bytes of flags.
const EXTENDED: u16 = 0x4000;

/// Returns the paths of repositories in an index, at most `limit`. `hash` is the length of a hash (bytes).
/// Stops at an entry that git would refuse.
pub(super) fn repositories(index: &[u8], hash: usize, limit: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Some((version, count, mut entries)) = header(index) else { return found };
    let mut name = Vec::new();
    for _ in 0..count {
        let Some((mode, rest)) = entry(entries, version, hash, &mut name) else { break };
        if mode == REPOSITORY && found.len() < limit {
            found.push(PathBuf::from(OsStr::from_bytes(&name)));
        }
        entries = rest;
    }
    found
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn header(index: &[u8]) -> Option<(u32, u32, &[u8])> {
    let rest = index.strip_prefix(b"DIRC")?;
    let (version, count) = (number(rest, 0)?, number(rest, 4)?);
    (2..=4).contains(&version).then_some((version, count, rest.get(8..)?))
}

/// Parses an entry. Returns its mode and the bytes after it. `name` is the name of the previous entry, and
/// becomes that of this one.
fn entry<'a>(bytes: &'a [u8], version: u32, hash: usize, name: &mut Vec<u8>) -> Option<(u32, &'a [u8])> {
    let flags_at = BEFORE_HASH + hash;
    let flags = u16::from_be_bytes(bytes.get(flags_at..flags_at + FLAGS)?.try_into().ok()?);
    let name_at = flags_at + FLAGS * if flags & EXTENDED == 0 { 1 } else { 2 };
    let (kept, suffix_at) = if version == 4 {
        let (removed, length) = variable_number(bytes.get(name_at..)?)?;
        (name.len().checked_sub(removed)?, name_at + length)
    } else {
        (0, name_at)
    };
    let suffix = bytes.get(suffix_at..)?;
    let length = suffix.iter().position(|&byte| byte == 0)?;
    name.truncate(kept);
    name.extend_from_slice(&suffix[..length]);
    // Before version 4, one to eight zeros fill an entry up to a multiple of eight bytes.
    let end = if version == 4 { suffix_at + length + 1 } else { (suffix_at + length + 8) & !7 };
    Some((number(bytes, MODE)?, bytes.get(end..)?))
}

/// Reads a number of variable length, as git writes offsets; returns its length, too.
fn variable_number(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = usize::from(bytes.first()? & 0x7f);
    let mut length = 1;
    while bytes.get(length - 1)? & 0x80 != 0 {
        let byte = usize::from(bytes.get(length)? & 0x7f);
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(byte)?;
        length += 1;
    }
    Some((value, length))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert, proptest};

    use super::repositories;

    fn git(directory: &Path, words: &[&str]) {
        let settings = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
        let run =
            Command::new("git").current_dir(directory).args(settings).args(words).output().expect("git runs");
        assert!(run.status.success(), "{words:?}: {}", String::from_utf8_lossy(&run.stderr));
    }

    #[test]
    fn repositories_are_found_in_each_version_and_with_each_hash() {
        for (format, hash) in [("sha1", 20), ("sha256", 32)] {
            for version in ["2", "3", "4"] {
                let place = tempfile::tempdir().expect("a directory");
                let at = |name: &str| place.path().join(name);
                git(place.path(), &["init", "-q", &format!("--object-format={format}")]);
                for name in ["a/sub", "a/submarine", "b"] {
                    fs::create_dir_all(at(name)).expect("a directory");
                    git(&at(name), &["init", "-q", &format!("--object-format={format}")]);
                    git(&at(name), &["commit", "-q", "--allow-empty", "-m", "a"]);
                }
                for name in ["a/file", "a/sub-file", "c/d/e/file", "z"] {
                    fs::create_dir_all(at(name).parent().expect("a parent")).expect("a directory");
                    fs::write(at(name), name).expect("a file");
                }
                git(place.path(), &["add", "-A"]);
                git(place.path(), &["update-index", "--index-version", version]);
                git(place.path(), &["update-index", "--skip-worktree", "a/file"]);
                let index = fs::read(at(".git/index")).expect("a file");
                let expected = ["a/sub", "a/submarine", "b"].map(PathBuf::from);
                assert_eq!(repositories(&index, hash, 10), expected, "{format} {version}");
                assert_eq!(repositories(&index, hash, 2).len(), 2);
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_within_bounds(version in 0_u32..6, bytes in vec(any::<u8>(), 0..300)) {
            let head = [&b"DIRC"[..], &version.to_be_bytes(), &u32::MAX.to_be_bytes(), &bytes].concat();
            prop_assert!(repositories(&head, 20, 10).len() <= 10);
        }
    }
}
