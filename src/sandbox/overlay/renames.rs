//! Finds files that were moved: the kernel copies what a command renames, so a layer has a deletion and a
//! creation.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::change::{Action, Change, Kind};
use super::tree::Tree;
use super::tree::beneath::is_missing;

/// Combines the deletion of a file and the creation of one with equal content into one change. Empty files
/// are never combined: many are equal by chance. Nor are files that can't be read, or vanish meanwhile.
///
/// # Errors
///
/// The system's error.
pub(super) fn find(changes: Vec<Change>, layer: &Tree, root: &Tree) -> io::Result<Vec<Change>> {
    let sizes: HashSet<u64> = created(&changes).filter_map(|change| change.bytes).collect();
    let mut deleted: HashMap<Content, VecDeque<PathBuf>> = HashMap::new();
    for change in changes.iter().filter(|change| is_file(change) && change.action == Action::Deleted) {
        let Some(status) = root.status(&change.path)? else { continue };
        let size = u64::try_from(status.st_size).unwrap_or(0);
        // Only files that may have a counterpart are read.
        if size > 0
            && sizes.contains(&size)
            && let Some(content) = content(root, &change.path)?
        {
            deleted.entry(content).or_default().push_back(change.path.clone());
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
            && let Some(content) = content(layer, &change.path)?
            && let Some(from) = deleted.get_mut(&content).and_then(VecDeque::pop_front)
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

/// Reads a file; `None` for one that can't be read.
fn content(tree: &Tree, path: &Path) -> io::Result<Option<Content>> {
    let mut file = match tree.file(path) {
        Err(error) if is_missing(&error) || error.kind() == ErrorKind::PermissionDenied => return Ok(None),
        other => other?,
    };
    digest(&mut file).map(Some)
}

fn digest(file: &mut File) -> io::Result<Content> {
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
