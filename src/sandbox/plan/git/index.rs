//! Finds the nested repositories in git's index.
//!
//! The index is read once from its start to its end, in pieces that fit into the processor's cache: each
//! command in a sandbox reads it, and that of a large repository has megabytes.

use std::fmt::Write as _;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;

use memchr::memchr;

use crate::wire::path_bytes::path_of;

/// The mode of an entry that is a repository of its own (a submodule), in which `git status` runs git, and
/// the bits of a mode that decide.
const REPOSITORY: u32 = 0o160_000;
const KIND: u32 = 0o170_000;

/// The sizes of the part of an entry before its hash, and of its flags (bytes).
const BEFORE_HASH: usize = 40;
const FLAGS: usize = 2;

/// The position of the mode in an entry.
const MODE: usize = 24;

/// The flag of an entry with two more bytes of flags.
const EXTENDED: u16 = 0x4000;

/// The bits of the flags with the length of the name. All are set for a longer name, which ends with a zero.
const NAME_LENGTH: u16 = 0xfff;

/// The extension whose first bytes are the hash of the shared file of a split index.
const SPLIT: [u8; 4] = *b"link";

/// The size of a piece (bytes). A longer entry makes it grow.
const PIECE: usize = 64 << 10;

/// The entries of an index that matter to a plan.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Index {
    /// The paths of the entries that are repositories themselves (submodules).
    pub(super) repositories: Vec<PathBuf>,
    /// The name of the file with the other entries of a split index (`git update-index --split-index`).
    pub(super) shared: Option<String>,
}

/// Reads an index, with at most `limit` repositories. `hash` is the length of a hash (bytes). Stops at an
/// entry that git would refuse.
pub(super) fn read(index: impl Read, hash: usize, limit: usize) -> Index {
    let mut found = Index::default();
    let mut window = Window { source: index, bytes: vec![0; PIECE], start: 0, end: 0 };
    let Some((version, count)) = window.next(header) else { return found };
    let mut name = Vec::new();
    for _ in 0..count {
        let Some(mode) = window.next(|bytes| entry(bytes, version, hash, &mut name)) else { return found };
        if mode & KIND == REPOSITORY && found.repositories.len() < limit {
            let length = memchr(0, &name).unwrap_or(name.len());
            found.repositories.push(path_of(name[..length].to_vec()));
        }
    }
    while let Some((name, size)) = window.next(extension) {
        if name == SPLIT {
            found.shared = window.next(|bytes| Some((shared_file(bytes.get(..hash)?), hash)));
            break;
        }
        if window.skip(size).is_none() {
            break;
        }
    }
    found
}

/// Parses the head of an extension. Returns its name and its size (bytes).
fn extension(bytes: &[u8]) -> Option<(([u8; 4], u64), usize)> {
    Some(((bytes.get(..4)?.try_into().ok()?, number(bytes, 4)?.into()), 8))
}

fn shared_file(hash: &[u8]) -> String {
    hash.iter().fold("sharedindex.".to_owned(), |mut name, byte| {
        let _ = write!(name, "{byte:02x}");
        name
    })
}

/// The part of a source that has been read and not parsed.
struct Window<R> {
    source: R,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl<R: Read> Window<R> {
    /// Returns what `parse` makes of the next bytes, and goes on behind the number of bytes that it returns.
    /// Reads more where it returns `None`; at the end, that is the result.
    fn next<T>(&mut self, mut parse: impl FnMut(&[u8]) -> Option<(T, usize)>) -> Option<T> {
        loop {
            if let Some((parsed, length)) = parse(&self.bytes[self.start..self.end]) {
                self.start += length;
                return Some(parsed);
            }
            self.read_more()?;
        }
    }

    fn skip(&mut self, mut size: u64) -> Option<()> {
        loop {
            let step = size.min((self.end - self.start) as u64);
            self.start += usize::try_from(step).ok()?;
            size -= step;
            if size == 0 {
                return Some(());
            }
            self.read_more()?;
        }
    }

    fn read_more(&mut self) -> Option<()> {
        self.bytes.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.end == self.bytes.len() {
            self.bytes.resize(self.end * 2, 0);
        }
        loop {
            match self.source.read(&mut self.bytes[self.end..]) {
                Ok(0) => return None,
                Ok(length) => {
                    self.end += length;
                    return Some(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Parses the header. Returns the version and the number of entries.
fn header(bytes: &[u8]) -> Option<((u32, u32), usize)> {
    let rest = bytes.strip_prefix(b"DIRC")?;
    let (version, count) = (number(rest, 0)?, number(rest, 4)?);
    (2..=4).contains(&version).then_some(((version, count), 12))
}

/// Parses an entry as git does. Returns its mode and its length. `name` is the name of the previous entry,
/// and becomes that of this one, if `bytes` has all of it.
fn entry(bytes: &[u8], version: u32, hash: usize, name: &mut Vec<u8>) -> Option<(u32, usize)> {
    let flags_at = BEFORE_HASH + hash;
    let flags = u16::from_be_bytes(bytes.get(flags_at..flags_at + FLAGS)?.try_into().ok()?);
    let name_at = flags_at + FLAGS * if flags & EXTENDED == 0 { 1 } else { 2 };
    let (kept, suffix_at) = if version == 4 {
        let (removed, length) = variable_number(bytes.get(name_at..)?)?;
        (name.len().checked_sub(removed)?, name_at + length)
    } else {
        (0, name_at)
    };
    let length = match flags & NAME_LENGTH {
        NAME_LENGTH => memchr(0, bytes.get(suffix_at..)?)?,
        length => usize::from(length).checked_sub(kept)?,
    };
    // Before version 4, one to eight zeros fill an entry up to a multiple of eight bytes.
    let end = if version == 4 { suffix_at + length + 1 } else { (suffix_at + length + 8) & !7 };
    if end > bytes.len() {
        return None;
    }
    let mode = number(bytes, MODE)?;
    // Only version 4 needs the names of other entries.
    if version == 4 || mode & KIND == REPOSITORY {
        name.truncate(kept);
        name.extend_from_slice(&bytes[suffix_at..suffix_at + length]);
    }
    Some((mode, end))
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
    use std::io::{self, Read, Write};
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};

    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert, proptest};

    use super::read;

    fn repositories(index: impl Read, hash: usize, limit: usize) -> Vec<PathBuf> {
        read(index, hash, limit).repositories
    }

    fn git(directory: &Path, words: &[&str]) {
        let settings = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
        let run =
            Command::new("git").current_dir(directory).args(settings).args(words).output().expect("git runs");
        assert!(run.status.success(), "{words:?}: {}", String::from_utf8_lossy(&run.stderr));
    }

    #[test]
    #[cfg_attr(windows, ignore = "there is no git under wine")]
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
                assert_eq!(repositories(index.as_slice(), hash, 10), expected, "{format} {version}");
                assert_eq!(repositories(index.as_slice(), hash, 2).len(), 2);
            }
        }
    }

    /// A file of which each call reads a few bytes.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let length = into.len().min(777);
            self.0.read(&mut into[..length])
        }
    }

    #[test]
    #[cfg_attr(windows, ignore = "there is no git under wine")]
    fn an_index_of_many_pieces_and_a_long_name_is_read_to_its_end() {
        let long = "d/".repeat(2100) + "end";
        let hash = "0123456789012345678901234567890123456789";
        let files = (0..3000).map(|number| format!("100644 {hash}\tdirectory-{number}/file\n"));
        let others = [("directory-1/sub", 160_000), (&long, 160_000), ("z", 160_000), ("zz", 100_644)];
        let others = others.iter().map(|(path, mode)| format!("{mode} {hash}\t{path}\n"));
        let lines: String = files.chain(others).collect();
        let expected = [&long, "directory-1/sub", "z"].map(PathBuf::from);
        for version in ["2", "4"] {
            let place = tempfile::tempdir().expect("a directory");
            git(place.path(), &["init", "-q"]);
            git(place.path(), &["update-index", "--index-version", version]);
            let mut add = Command::new("git")
                .current_dir(place.path())
                .args(["update-index", "--index-info"])
                .stdin(Stdio::piped())
                .spawn()
                .expect("git runs");
            add.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("written");
            assert!(add.wait().expect("it ends").success());
            let index = fs::read(place.path().join(".git/index")).expect("a file");
            let mut found = repositories(index.as_slice(), 20, 10);
            assert_eq!(found, repositories(Slow(&index), 20, 10), "{version}");
            found.sort();
            assert_eq!(found.len(), 3, "{version}");
            assert!(expected.iter().all(|path| found.contains(path)), "{version}");
        }
    }

    /// Returns an entry of version 2 with a hash of 20 bytes, and with this length in its flags.
    fn entry(mode: u32, name: &[u8], length: u16) -> Vec<u8> {
        let mut entry = vec![0; 40 + 20];
        entry[24..28].copy_from_slice(&mode.to_be_bytes());
        entry.extend(length.to_be_bytes());
        entry.extend(name);
        entry.resize((entry.len() + 8) & !7, 0);
        entry
    }

    #[test]
    fn an_entry_ends_and_is_a_repository_where_git_says_so() {
        // A zero in a name ends the name, but not the entry.
        let hidden = entry(0o100_644, b"a\0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 33);
        let odd = entry(0o160_755, b"sub\0x", 5);
        let head = [&b"DIRC"[..], &2_u32.to_be_bytes(), &2_u32.to_be_bytes()].concat();
        let index = [head, hidden, odd].concat();
        assert_eq!(repositories(index.as_slice(), 20, 10), [PathBuf::from("sub")]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_within_bounds(version in 0_u32..6, bytes in vec(any::<u8>(), 0..300)) {
            let head = [&b"DIRC"[..], &version.to_be_bytes(), &u32::MAX.to_be_bytes(), &bytes].concat();
            prop_assert!(repositories(head.as_slice(), 20, 10).len() <= 10);
        }
    }
}
