//! Digests of contents, by which a change of a file is told apart from a change of its times.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::Stat;
use sha2::{Digest, Sha256};

use super::beneath::{kind, target};
use super::change::Kind;
use super::tree::{Tree, name_of};

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
    /// Returns the digest of a file or a link with this status. Empty for everything else, for a file above
    /// the limit, and for one that can't be read.
    pub(super) fn of(&mut self, tree: &Tree, path: &Path, status: &Stat) -> Vec<u8> {
        let size = u64::try_from(status.st_size).unwrap_or(0);
        let digest = match kind(status) {
            Kind::File if size <= self.left => {
                self.left -= size;
                tree.file(path).and_then(|file| content(file.take(size + 1)))
            }
            Kind::Link => link(tree, path),
            _ => return Vec::new(),
        };
        digest.unwrap_or_default()
    }
}

fn link(tree: &Tree, path: &Path) -> io::Result<Vec<u8>> {
    let parent = tree.directory(path.parent().unwrap_or(Path::new("")))?;
    let leads_to = target(parent.as_fd(), name_of(path))?;
    Ok(Sha256::digest(leads_to.as_os_str().as_bytes()).to_vec())
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
