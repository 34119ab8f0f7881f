//! Finds files that were moved: the kernel copies what a command renames, so a layer has a deletion and a
//! creation.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{self, Read};
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::beneath::open_file;
use super::change::{Action, Change, Kind};

/// Combines the deletion of a file and the creation of one with equal content into one change. Empty files
/// are never combined: many are equal by chance.
///
/// # Errors
///
/// The system's error.
pub fn find(changes: Vec<Change>, layer: BorrowedFd<'_>, root: BorrowedFd<'_>) -> io::Result<Vec<Change>> {
    let sizes: HashSet<u64> = created(&changes).filter_map(|change| change.bytes).collect();
    let mut deleted: HashMap<Content, VecDeque<PathBuf>> = HashMap::new();
    for change in changes.iter().filter(|change| is_file(change) && change.action == Action::Deleted) {
        let size = open_file(root, &change.path)?.metadata()?.len();
        // Only files that may have a counterpart are read.
        if size > 0 && sizes.contains(&size) {
            deleted.entry(content(root, &change.path)?).or_default().push_back(change.path.clone());
        }
    }
    if deleted.is_empty() {
        return Ok(changes);
    }
    let sizes: HashSet<u64> = deleted.keys().map(|content| content.size).collect();
    let mut moved = HashSet::new();
    let mut found = Vec::with_capacity(changes.len());
    for mut change in changes {
        let is_candidate = is_file(&change)
            && change.action == Action::Created
            && change.bytes.is_some_and(|size| sizes.contains(&size));
        if is_candidate
            && let Some(from) = deleted.get_mut(&content(layer, &change.path)?).and_then(VecDeque::pop_front)
        {
            moved.insert(from.clone());
            change.action = Action::Renamed(from);
        }
        found.push(change);
    }
    found.retain(|change| change.action != Action::Deleted || !moved.contains(&change.path));
    Ok(found)
}

/// The content of a file, for comparison.
#[derive(PartialEq, Eq, Hash)]
struct Content {
    size: u64,
    digest: [u8; 32],
}

fn is_file(change: &Change) -> bool {
    change.kind == Kind::File
}

fn created(changes: &[Change]) -> impl Iterator<Item = &Change> {
    changes.iter().filter(|change| is_file(change) && change.action == Action::Created)
}

fn content(directory: BorrowedFd<'_>, path: &Path) -> io::Result<Content> {
    let mut file = open_file(directory, path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    let mut size = 0;
    loop {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            return Ok(Content { size, digest: hash.finalize().into() });
        }
        hash.update(buffer.get(..length).unwrap_or_default());
        size += length as u64;
    }
}
