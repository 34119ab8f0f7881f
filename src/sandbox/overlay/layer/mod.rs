//! The layer of an overlay: its `directory`, and the state by which its changes are told apart.

mod directory;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use self::directory::LayerDirectory;
pub(super) use self::directory::{END_DEADLINE, SHORT_DEADLINE};
use super::change::Change;
use super::commit::Applied;
use super::conflict::{Conflict, Notes, Record, Version, paths_of};
use super::error::{OverlayError, failed};
use super::tree::Tree;
use super::walk::Found;
use crate::sandbox::protocol::report::NAMESPACES;

/// The changes of the commands: their files, and what the engine knows of them.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) directory: LayerDirectory,
    /// The namespaces with the mount, from the first command on.
    pub(super) namespaces: Option<[OwnedFd; NAMESPACES]>,
    pub(super) notes: Notes,
    /// The paths that sandboxes have protected, and their stubs, below the root.
    pub(super) protected: BTreeSet<PathBuf>,
    pub(super) stubs: BTreeSet<PathBuf>,
    /// The states of the committed paths in the layer.
    committed: BTreeMap<PathBuf, Version>,
}

impl Layer {
    /// Opens the layer in the caller's directory, or creates one.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, OverlayError> {
        let directory = match path {
            Some(path) => LayerDirectory::open(path),
            None => LayerDirectory::create(),
        };
        let directory = directory.map_err(failed)?;
        let record = directory.read_record().map_err(failed)?;
        let mut layer = Self {
            directory,
            namespaces: None,
            notes: Notes::default(),
            protected: BTreeSet::new(),
            stubs: BTreeSet::new(),
            committed: BTreeMap::new(),
        };
        if let Some(Record { notes, protected, stubs, committed }) = record {
            layer.notes.0.extend(notes);
            layer.protected.extend(protected);
            layer.stubs.extend(stubs);
            layer.committed.extend(committed);
        }
        Ok(layer)
    }

    /// Writes what a later host needs to go on with the layer.
    pub(super) fn record(&self) -> Result<(), OverlayError> {
        let record = || Record {
            notes: self.notes.0.iter().map(|(path, note)| (path.clone(), note.clone())).collect(),
            protected: self.protected.iter().cloned().collect(),
            stubs: self.stubs.iter().cloned().collect(),
            committed: self.committed.iter().map(|(path, version)| (path.clone(), version.clone())).collect(),
        };
        self.directory.write_record(record).map_err(failed)
    }

    /// Returns whether a path of the layer is unchanged since its commit: a difference is then a change of
    /// the workspace.
    pub(super) fn is_committed(&self, found: &Found) -> bool {
        let Some(committed) = self.committed.get(&found.change.path) else { return false };
        found.after.as_ref().is_some_and(|after| Version::of(after) == *committed)
    }

    /// Removes the stubs of running commands from the changes, with the directories that exist only for
    /// stubs.
    pub(super) fn hide_stubs(&self, found: &mut Vec<Found>) {
        found.retain(|found| !self.stubs.contains(&found.change.path) || found.before.is_some());
        let paths: Vec<PathBuf> = found.iter().map(|found| found.change.path.clone()).collect();
        found.retain(|found| {
            let path = &found.change.path;
            let is_parent = found.before.is_none() && self.stubs.iter().any(|stub| stub.starts_with(path));
            !is_parent || paths.iter().any(|other| other != path && other.starts_with(path))
        });
    }

    /// Checks that no chosen change is at a path that the sandboxes protect.
    pub(super) fn refuse_protected(&self, chosen: &[Change]) -> Result<(), OverlayError> {
        let is_protected = |path: &Path| path.ancestors().any(|parent| self.protected.contains(parent));
        let paths = chosen.iter().flat_map(paths_of).filter(|path| is_protected(path));
        let refused: Vec<PathBuf> = paths.map(Path::to_owned).collect();
        if refused.is_empty() { Ok(()) } else { Err(OverlayError::Protected(refused)) }
    }

    /// Returns the conflicts of these changes, except at the path at which a commit was interrupted.
    pub(super) fn conflicts_of(&self, chosen: &[Change], found: &[Found]) -> Vec<Conflict> {
        let interrupted = self.directory.interrupted();
        let was_begun =
            |path: &Path| interrupted.as_ref().is_some_and(|interrupted| path.starts_with(interrupted));
        let paths: HashSet<&Path> = chosen.iter().flat_map(paths_of).collect();
        let chosen = found.iter().filter(|found| paths.contains(found.change.path.as_path()));
        let conflicts = chosen.filter_map(|found| self.notes.conflict(found));
        conflicts.filter(|conflict| !was_begun(&conflict.path)).collect()
    }

    /// Records that the workspace equals the layer at these paths, unless a command has changed one since it
    /// was read.
    pub(super) fn accept(&mut self, applied: &[Applied], layer: &Tree, root: &Tree) {
        let status = |tree: &Tree, path: &Path| tree.status(path).ok().flatten();
        for Applied { change, source } in applied {
            for path in paths_of(change) {
                self.notes.set(path, status(root, path).as_ref());
            }
            let source = source.as_ref().map(Version::of);
            let after = status(layer, &change.path).as_ref().map(Version::of);
            if let Some(source) = source.filter(|source| after.as_ref() == Some(source)) {
                self.committed.insert(change.path.clone(), source);
            }
        }
    }
}
