//! Digests of contents, by which a change of a file is told apart from a change of its times.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{FileType, fstat};
use sha2::{Digest, Sha256};

use super::Version;
use crate::sandbox::overlay::tree::beneath::target;
use crate::sandbox::overlay::tree::{Tree, name_of};

/// The largest number of bytes that are read at the end of a command: 64 MiB take 50 to 200 ms. Where the
/// content is unknown, times decide.
const MAX_READ: u64 = 64 << 20;

/// Makes digests until the limit is reached.
pub(super) struct Digests {
    left: u64,
}

impl Default for Digests {
    fn default() -> Self {
        Self { left: MAX_READ }
    }
}

impl Digests {
    /// Returns the digest of a file or a link with this state. Empty for everything else, for a file above
    /// the limit, for one that can't be read, and for one that no longer has this state when it was read.
    pub(super) fn of(&mut self, tree: &Tree, path: &Path, state: &Version) -> Vec<u8> {
        let digest = match FileType::from_raw_mode(state.mode) {
            FileType::RegularFile if state.size <= self.left => {
                self.left -= state.size;
                file(tree, path, state)
            }
            FileType::Symlink => link(tree, path, state),
            _ => return Vec::new(),
        };
        digest.unwrap_or_default()
    }
}

fn file(tree: &Tree, path: &Path, state: &Version) -> io::Result<Vec<u8>> {
    let file = tree.file(path)?;
    let digest = content((&file).take(state.size + 1))?;
    // After the content, so that a change while it was read shows too.
    Ok(if Version::of(&fstat(&file)?) == *state { digest } else { Vec::new() })
}

fn link(tree: &Tree, path: &Path, state: &Version) -> io::Result<Vec<u8>> {
    let parent = tree.directory(path.parent().unwrap_or(Path::new("")))?;
    let name = name_of(path);
    let leads_to = target(parent.as_fd(), name)?;
    let now = tree.status_in(parent.as_fd(), name)?;
    let is_same = now.is_some_and(|now| Version::of(&now) == *state);
    Ok(if is_same { Sha256::digest(leads_to.as_os_str().as_bytes()).to_vec() } else { Vec::new() })
}

fn content(mut from: impl Read) -> io::Result<Vec<u8>> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let length = from.read(&mut buffer)?;
        if length == 0 {
            return Ok(hash.finalize().to_vec());
        }
        hash.update(buffer.get(..length).unwrap_or_default());
    }
}
