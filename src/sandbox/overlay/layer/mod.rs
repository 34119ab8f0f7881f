//! The layer of an overlay: its `directory`, and the state by which its changes are told apart.

mod directory;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use self::directory::LayerDirectory;
pub(super) use self::directory::{END_DEADLINE, SHORT_DEADLINE};
use super::change::{Change, Kind};
use super::commit::Written;
use super::conflict::{Committed, Conflict, Notes, Record, SeenFile, Version, paths_of};
use super::error::{OverlayError, failed};
use super::settle;
use super::tree::Tree;
use super::tree::opened::{OpenedLog, OverlayTree};
use super::tree::{beneath, root};
use super::walk::{Depth, Found};
use crate::sandbox::kept_mount::KeptMount;

/// The changes of the commands: their files, and what the engine knows of them.
#[derive(Debug)]
pub(super) struct Layer {
    /// The path of the workspace.
    root: PathBuf,
    pub(super) directory: LayerDirectory,
    /// The directories that are open for a time; `None` for a layer that no later process reads.
    log: Option<Arc<OpenedLog>>,
    /// The mount, from the first command on.
    pub(super) mount: Option<Arc<KeptMount>>,
    /// When the mount began to show the workspace of that time.
    refreshed: Option<SystemTime>,
    pub(super) notes: Notes,
    /// The paths that sandboxes have protected, and their stubs, below the root.
    pub(super) protected: BTreeSet<PathBuf>,
    pub(super) stubs: BTreeSet<PathBuf>,
    /// The states of the committed paths.
    committed: BTreeMap<PathBuf, Committed>,
}

impl Layer {
    /// Opens the layer of a root in the caller's directory, or creates one.
    pub(super) fn open(path: Option<&Path>, root: &Path) -> Result<Self, OverlayError> {
        let directory = match path {
            Some(path) => LayerDirectory::open(path),
            None => LayerDirectory::create(),
        };
        let directory = directory.map_err(failed)?;
        let record = directory.read_record().map_err(failed)?;
        if let (Some(path), Some(record)) = (path, record.as_ref().filter(|record| record.root != root)) {
            let [layer, root, other] = [path, root, &record.root].map(Path::display);
            return Err(OverlayError::Layer(format!(
                "'{layer}' is a layer over '{other}', and not over '{root}'"
            )));
        }
        let mut layer = Self {
            root: root.to_owned(),
            directory,
            log: None,
            mount: None,
            refreshed: None,
            notes: Notes::default(),
            protected: BTreeSet::new(),
            stubs: BTreeSet::new(),
            committed: BTreeMap::new(),
        };
        if let Some(Record { notes, protected, stubs, committed, .. }) = record {
            layer.notes.0.extend(notes);
            layer.protected.extend(protected);
            layer.stubs.extend(stubs);
            // A layer that was emptied by another program has deleted nothing: only a deletion that the
            // engine has seen counts.
            let upper = layer.directory.upper();
            let is_known = |path: &PathBuf| {
                upper.join(path).symlink_metadata().is_ok()
                    || layer.notes.0.get(path).is_some_and(|note| note.is_deletion)
            };
            layer.committed.extend(committed.into_iter().filter(|(path, _)| is_known(path)));
        }
        // From the beginning, so that no overlay of another root takes the layer for its own.
        layer.record()?;
        Ok(layer)
    }

    /// Returns the layer and the workspace as trees.
    pub(super) fn trees(&self, root: OwnedFd) -> Result<(Tree, Tree), OverlayError> {
        Ok((self.tree()?, Tree::new(root, OverlayTree::Workspace, self.log.clone())))
    }

    /// Returns the layer as a tree.
    pub(super) fn tree(&self) -> Result<Tree, OverlayError> {
        let upper = self.directory.upper();
        let top = root::open(&upper).map_err(|error| OverlayError::at(&upper, &error))?;
        Ok(Tree::new(top, OverlayTree::Layer, self.log.clone()))
    }

    /// Begins the log of open directories, and closes those that a killed process has left open.
    pub(super) fn close_left_open(&mut self, root: OwnedFd) -> Result<(), OverlayError> {
        let Some(path) = self.directory.opened_log() else { return Ok(()) };
        let (log, left) = OpenedLog::open(&path).map_err(failed)?;
        let (layer, root) = self.trees(root)?;
        // Parents were opened before what is in them.
        for entry in left.iter().rev() {
            let tree = if entry.place == OverlayTree::Layer { &layer } else { &root };
            // A directory that this user no longer reaches must not make the layer useless.
            let _ = entry.close(tree.top());
        }
        log.clear().map_err(failed)?;
        self.log = Some(Arc::new(log));
        Ok(())
    }

    /// Writes what a later host needs to go on with the layer.
    pub(super) fn record(&mut self) -> Result<(), OverlayError> {
        let record = || Record {
            root: self.root.clone(),
            notes: self.notes.0.iter().map(|(path, note)| (path.clone(), note.clone())).collect(),
            protected: self.protected.iter().cloned().collect(),
            stubs: self.stubs.iter().cloned().collect(),
            committed: self.committed.iter().map(|(path, states)| (path.clone(), states.clone())).collect(),
        };
        self.directory.write_record(record).map_err(failed)
    }

    pub(super) fn mount_by(
        &mut self,
        mount: impl FnOnce() -> Result<KeptMount, OverlayError>,
    ) -> Result<Arc<KeptMount>, OverlayError> {
        self.refreshed = Some(SystemTime::now());
        let mount = Arc::new(mount()?);
        self.mount = Some(Arc::clone(&mount));
        Ok(mount)
    }

    /// Makes the mount, if there is one, show the present workspace and layer to the next command.
    pub(super) fn refresh(&mut self) -> Result<(), OverlayError> {
        // Before the refresh: a change in between is then taken for one that commands have not seen.
        self.refreshed = Some(SystemTime::now());
        self.show_present()
    }

    /// Makes the mount show the present workspace and layer. Commands that run may have read what was there
    /// before, so the time of the last refresh stays.
    pub(super) fn show_present(&self) -> Result<(), OverlayError> {
        self.mount.as_ref().map_or(Ok(()), |mount| mount.refresh().map_err(failed))
    }

    /// Adds notes for new changes, and with [`Depth::Names`] removes those of paths that no longer differ.
    pub(super) fn take_notes(&mut self, found: &[Found], depth: Depth, layer: &Tree, root: &Tree) {
        let committed = &self.committed;
        let seen = SeenFile { layer, root, refreshed: self.refreshed, committed };
        match depth {
            Depth::Names => self.notes.take(found, &seen),
            Depth::Content => self.notes.add(found, &seen),
        }
    }

    /// Returns the changes without those that were committed. A directory that another program has removed or
    /// replaced is a change only if something below it is.
    pub(super) fn without_committed(&self, found: Vec<Found>, layer: &Tree) -> Vec<Found> {
        let mut kept: Vec<Found> = Vec::with_capacity(found.len());
        // Backwards, so that what is below a directory comes before it.
        for found in found.into_iter().rev() {
            let path = &found.change.path;
            let is_needed = || kept.last().is_some_and(|next| next.change.path.starts_with(path));
            let is_change =
                if self.is_removed_parent(&found, layer) { is_needed() } else { !self.is_committed(&found) };
            if is_change {
                kept.push(found);
            }
        }
        kept.reverse();
        kept
    }

    /// Returns whether a path of the layer is unchanged since its commit: a difference is then a change of
    /// the workspace.
    fn is_committed(&self, found: &Found) -> bool {
        let Some(committed) = self.committed.get(&found.change.path) else { return false };
        found.after.as_ref().is_some_and(|after| Version::of(after) == committed.layer)
    }

    /// Returns whether a directory was in the workspace too, and is no longer.
    fn is_removed_parent(&self, found: &Found, layer: &Tree) -> bool {
        let is_directory = |status| beneath::kind(status) == Kind::Directory;
        found.after.as_ref().is_some_and(is_directory)
            && !found.before.as_ref().is_some_and(is_directory)
            && (self.is_committed(found) || layer.is_copied_directory(&found.change.path))
    }

    /// Returns the deletions of committed paths for which the kernel wrote no whiteout, and writes those that
    /// it can.
    pub(super) fn lost_deletions(&mut self, layer: &Tree, root: &Tree) -> Result<Vec<Found>, OverlayError> {
        // A path that neither tree has any more may be created again by anybody.
        let has = |tree: &Tree, path: &Path| !matches!(tree.status(path), Ok(None));
        self.committed.retain(|path, _| has(layer, path) || has(root, path));
        if self.committed.is_empty() {
            return Ok(Vec::new());
        }
        let mount = self.mount.as_deref();
        let lost = settle::lost_deletions(self.committed.keys(), layer, root, mount);
        let (lost, has_written) = lost.map_err(|(error, path)| OverlayError::at(&path, &error))?;
        if has_written {
            self.show_present()?;
        }
        Ok(lost)
    }

    /// Removes from the layer what a commit has made unneeded: it would hide later files of the workspace.
    pub(super) fn settle(
        &mut self,
        applied: &[Change],
        left: &[Found],
        layer: &Tree,
        root: &Tree,
    ) -> Result<(), OverlayError> {
        settle::settle(applied, left, layer, root)
            .map_err(|(error, path)| OverlayError::at(&path, &error))?;
        self.show_present()
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

    /// Returns the conflicts of these changes, except at the path at which a commit was interrupted, and at
    /// the directories that it has made: they get their permissions last.
    pub(super) fn conflicts_of(&self, chosen: &[Change], found: &[Found], root: &Tree) -> Vec<Conflict> {
        let begun = self.directory.begun();
        let is_unfinished = |found: &Found| {
            let path = &found.change.path;
            let is_directory =
                found.before.as_ref().is_some_and(|found| beneath::kind(found) == Kind::Directory);
            begun.last() == Some(path) || (is_directory && begun.contains(path))
        };
        let paths: HashSet<&Path> = chosen.iter().flat_map(paths_of).collect();
        let chosen = found.iter().filter(|found| paths.contains(found.change.path.as_path()));
        let chosen = chosen.filter(|found| !is_unfinished(found));
        chosen.filter_map(|found| self.notes.conflict(found, root)).collect()
    }

    /// Records what a commit has written. A path that a command has changed since it was read is not
    /// committed.
    pub(super) fn accept(&mut self, written: &[Written], layer: &Tree, root: &Tree) {
        for Written { path, source, root: now } in written {
            self.notes.set(path, now.clone(), root);
            let after = layer.status(path).ok().flatten().filter(|after| !beneath::is_whiteout(after));
            let source = source.as_ref().map(Version::of);
            match after.as_ref().map(Version::of).filter(|after| source.as_ref() == Some(after)) {
                Some(layer) => {
                    self.committed.insert(path.clone(), Committed { layer, root: now.clone() });
                }
                None => {
                    self.committed.remove(path);
                }
            }
        }
    }
}
