//! Overlays: copy-on-write views of a workspace, which keep the changes of commands apart until they are
//! committed.
//!
//! An [`Overlay`] serves many commands. Its `layer` has the files that they write, with whiteouts for those
//! that they delete; a [kept mount](super::kept_mount) combines both directories by the kernel's overlayfs.
//! [`walk`] compares the layer with the workspace and lists each [`change`], [`renames`] finds moved files,
//! [`diff`] shows the contents, [`conflict`] finds changes of the workspace at the same paths, and [`commit`]
//! applies the changes that [`selection`] selects. Both directories are a [`tree`], whose paths are opened
//! without following a link.
//!
//! Commands may go on after a commit. `settle` then keeps the layer and the workspace from hiding each
//! other's later changes.
//!
//! A commit may be interrupted: applied changes are no differences, and the layer is removed after the last
//! step. Others may save files while it works: it changes a path only if the workspace still has the state in
//! which the change was found.

pub mod change;
mod commit;
pub mod conflict;
pub mod diff;
pub mod error;
mod layer;
mod renames;
mod selection;
mod settle;
mod tree;
pub mod walk;

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use self::change::Change;
pub use self::commit::{Committed, OnConflict};
use self::conflict::Conflict;
use self::diff::DiffOptions;
pub use self::error::OverlayError;
use self::error::failed;
use self::layer::{END_DEADLINE, Layer};
use self::tree::Tree;
use self::tree::opened::OverlayTree;
use self::tree::root::Root;
use self::walk::{Depth, Found};
use super::kept_mount::KeptMount;
use super::plan::{OverlayMount, SandboxPlan};

/// A copy-on-write view of a workspace, for any number of commands.
#[derive(Debug)]
pub struct Overlay {
    root: Root,
    /// The caller's directory for the layer, which outlives the host.
    directory: Option<PathBuf>,
    /// The most disk space that the commands may use (bytes).
    max_bytes: Option<u64>,
    layer: Mutex<Option<Layer>>,
}

/// The mount and descriptors by which a sandbox enters an overlay.
#[derive(Debug)]
pub struct Entrance {
    /// The mount, for the plan.
    pub mount: OverlayMount,
    /// Marks the layer as used while a copy of it is open.
    pub lock: OwnedFd,
    pub kept: Arc<KeptMount>,
}

impl Overlay {
    /// Creates an overlay over a directory. `directory` is for its layer. Makes nothing on disk.
    ///
    /// # Errors
    ///
    /// The option that is wrong, and what was expected.
    pub fn create(
        root: &Path,
        directory: Option<PathBuf>,
        max_bytes: Option<u64>,
    ) -> Result<Self, (&'static str, String)> {
        let found = root.canonicalize().ok().filter(|root| root.is_dir());
        let missing = || ("root", format!("an existing directory, got '{}'", root.display()));
        let root = found.ok_or_else(missing)?;
        if let Some(directory) = &directory {
            let real = real_path(directory);
            if real.starts_with(&root) || root.starts_with(&real) {
                let got = directory.display();
                return Err(("directory", format!("a directory beside the root, got '{got}'")));
            }
        }
        let directory = directory.map(|directory| real_path(&directory));
        let root =
            Root::open(root).map_err(|error| ("root", format!("a directory that can be opened: {error}")))?;
        Ok(Self { root, directory, max_bytes, layer: Mutex::new(None) })
    }

    /// Returns the workspace.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Creates the layer and its mount for the first command, which takes some milliseconds. For later ones,
    /// makes the mount show the present workspace.
    ///
    /// # Errors
    ///
    /// [`OverlayError::Layer`], [`OverlayError::Mount`] or [`OverlayError::Full`]: the command can't run.
    pub fn enter(&self, helper: &Path, workspace: &Path) -> Result<Entrance, OverlayError> {
        if workspace != self.root() {
            return Err(OverlayError::Root(self.root().to_owned()));
        }
        let metadata = self.root.metadata()?;
        let mut layer = self.lock();
        let layer = self.opened(&mut layer)?;
        self.check_size(layer)?;
        let mount = layer.directory.mount(self.root());
        let kept = if let Some(kept) = layer.mount.clone() {
            self.renew(layer)?;
            kept
        } else {
            // The sandboxes of a killed host end soon.
            if !layer.directory.is_unused(END_DEADLINE).map_err(failed)? {
                return Err(OverlayError::Busy);
            }
            layer.directory.copy_permissions(&metadata).map_err(failed)?;
            layer.mount_by(|| KeptMount::create(helper, &mount).map_err(OverlayError::Mount))?
        };
        let lock = layer.directory.use_lock().map_err(failed)?;
        Ok(Entrance { mount, lock, kept })
    }

    /// Makes the mount show the present workspace, before another command of a running shell.
    ///
    /// # Errors
    ///
    /// [`OverlayError::Layer`].
    pub fn refresh(&self) -> Result<(), OverlayError> {
        let mut layer = self.lock();
        match layer.as_mut() {
            Some(layer) => self.renew(layer),
            None => Ok(()),
        }
    }

    fn renew(&self, layer: &mut Layer) -> Result<(), OverlayError> {
        if !layer.directory.is_unused(Duration::ZERO).map_err(failed)? {
            // Otherwise, what running commands have changed before the refresh would seem to be based on the
            // workspace after it.
            if self.noted(layer).and_then(|_| layer.record()).is_err() {
                return layer.show_present();
            }
        }
        layer.refresh()
    }

    /// Records the paths that the plan of a command protects: a commit does not change them.
    ///
    /// # Errors
    ///
    /// [`OverlayError::Layer`].
    pub fn protect(&self, plan: &SandboxPlan) -> Result<(), OverlayError> {
        let below = |path: &PathBuf| path.strip_prefix(self.root()).ok().map(Path::to_owned);
        let mut layer = self.lock();
        let Some(layer) = layer.as_mut() else { return Ok(()) };
        let known = (layer.protected.len(), layer.stubs.len());
        let stubs: Vec<PathBuf> = plan.stubs.iter().filter_map(|stub| below(&stub.path)).collect();
        layer.protected.extend(plan.protected.iter().filter_map(below).chain(stubs.iter().cloned()));
        layer.stubs.extend(stubs);
        if known == (layer.protected.len(), layer.stubs.len()) {
            return Ok(());
        }
        layer.record()
    }

    /// Records, at the end of a command, the state of the workspace at the paths that the command has
    /// changed.
    pub fn note(&self) {
        if let Some(layer) = self.lock().as_mut() {
            // An unreadable path is an error of the next call.
            let _ = self.noted(layer).and_then(|_| layer.record());
        }
    }

    /// Returns what the commands have changed, except at these paths.
    ///
    /// # Errors
    ///
    /// The path that can't be read.
    pub fn changes(&self, exclude: &[PathBuf]) -> Result<Vec<Change>, OverlayError> {
        let mut layer = self.lock();
        let Some(layer) = self.existing(&mut layer)? else { return Ok(Vec::new()) };
        let (opened, root) = self.trees(layer)?;
        let changes = self.found(layer)?.into_iter().map(|found| found.change).collect();
        let mut changes = renames::find(changes, &opened, &root).map_err(failed)?;
        selection::exclude(&mut changes, exclude);
        Ok(changes)
    }

    /// Returns the changes whose paths have also changed in the workspace.
    ///
    /// # Errors
    ///
    /// The path that can't be read.
    pub fn conflicts(&self) -> Result<Vec<Conflict>, OverlayError> {
        let mut layer = self.lock();
        let Some(layer) = self.existing(&mut layer)? else { return Ok(Vec::new()) };
        let found = self.found(layer)?;
        let (_, root) = self.trees(layer)?;
        Ok(found.iter().filter_map(|found| layer.notes.conflict(found, &root)).collect())
    }

    /// Returns the changes at these paths (`None`: all), except those at others, as a patch in git's format.
    ///
    /// # Errors
    ///
    /// [`OverlayError::Unknown`], or the path that can't be read.
    pub fn diff(
        &self,
        paths: Option<&[PathBuf]>,
        exclude: &[PathBuf],
        options: DiffOptions,
    ) -> Result<Vec<u8>, OverlayError> {
        let changes = self.changes(&[])?;
        let mut layer = self.lock();
        let Some(layer) = self.existing(&mut layer)? else {
            refuse_unknown(&[], paths, &[&self.root_tree()?])?;
            return Ok(Vec::new());
        };
        let (opened, root) = self.trees(layer)?;
        refuse_unknown(&changes, paths, &[&opened, &root])?;
        let mut chosen = selection::select(&changes, paths);
        selection::exclude(&mut chosen, exclude);
        diff::write(&chosen, &opened, &root, options).map_err(|(error, path)| OverlayError::at(&path, &error))
    }

    /// Drops all changes.
    ///
    /// # Errors
    ///
    /// [`OverlayError::Busy`] while a command uses the overlay.
    pub fn discard(&self) -> Result<(), OverlayError> {
        let mut held = self.lock();
        let Some(layer) = self.existing(&mut held)? else { return Ok(()) };
        if !layer.directory.is_unused(END_DEADLINE).map_err(failed)? {
            return Err(OverlayError::Busy);
        }
        Self::remove(&mut held)
    }

    fn check_size(&self, layer: &Layer) -> Result<(), OverlayError> {
        let Some(limit) = self.max_bytes else { return Ok(()) };
        let size = walk::size(&layer.tree()?);
        if size > limit { Err(OverlayError::Full { size, limit }) } else { Ok(()) }
    }

    fn remove(held: &mut Option<Layer>) -> Result<(), OverlayError> {
        let Some(Layer { directory, mount, .. }) = held.take() else { return Ok(()) };
        // The kernel unmounts the overlay.
        drop(mount);
        directory.remove().map_err(failed)
    }

    fn opened<'a>(&self, held: &'a mut Option<Layer>) -> Result<&'a mut Layer, OverlayError> {
        match held {
            Some(layer) => Ok(layer),
            None => Ok(held.insert(self.open_layer()?)),
        }
    }

    /// Returns the layer, if there is one: that of this process, or one that the caller's directory has.
    fn existing<'a>(&self, held: &'a mut Option<Layer>) -> Result<Option<&'a mut Layer>, OverlayError> {
        if held.is_none() && self.directory.as_ref().is_some_and(|path| path.exists()) {
            *held = Some(self.open_layer()?);
        }
        Ok(held.as_mut())
    }

    fn open_layer(&self) -> Result<Layer, OverlayError> {
        let mut layer = Layer::open(self.directory.as_deref(), self.root())?;
        layer.close_left_open(self.root.directory()?)?;
        Ok(layer)
    }

    fn trees(&self, layer: &Layer) -> Result<(Tree, Tree), OverlayError> {
        layer.trees(self.root.directory()?)
    }

    /// Returns the workspace as a tree, where there is no layer.
    fn root_tree(&self) -> Result<Tree, OverlayError> {
        Ok(Tree::new(self.root.directory()?, OverlayTree::Workspace, None))
    }

    /// Adds notes for new changes. Returns each path of the layer that may be a change.
    fn noted(&self, layer: &mut Layer) -> Result<Vec<Found>, OverlayError> {
        self.walk(layer, Depth::Names)
    }

    /// Returns the changes, after adding notes for new ones.
    fn found(&self, layer: &mut Layer) -> Result<Vec<Found>, OverlayError> {
        self.noted(layer)?;
        let mut found = self.walk(layer, Depth::Content)?;
        if !layer.directory.is_unused(Duration::ZERO).map_err(failed)? {
            layer.hide_stubs(&mut found);
        }
        Ok(found)
    }

    fn walk(&self, layer: &mut Layer, depth: Depth) -> Result<Vec<Found>, OverlayError> {
        let (opened, root) = self.trees(layer)?;
        let lost = layer.lost_deletions(&opened, &root)?;
        let found = walk::find(&opened, &root, depth);
        let mut found = found.map_err(|(error, path)| OverlayError::at(&path, &error))?;
        settle::add(lost, &mut found);
        layer.take_notes(&found, depth, &opened, &root);
        Ok(layer.without_committed(found, &opened))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Layer>> {
        self.layer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Refuses paths where neither a change nor a file is: the caller means others.
fn refuse_unknown(
    changes: &[Change],
    paths: Option<&[PathBuf]>,
    trees: &[&Tree],
) -> Result<(), OverlayError> {
    let mut unknown = Vec::new();
    for path in selection::without_change(changes, paths.unwrap_or_default()) {
        let mut exists = path.as_os_str().is_empty();
        for tree in trees {
            let status = tree.status(path).map_err(|error| OverlayError::at(path, &error))?;
            exists |= status.is_some_and(|status| !tree::beneath::is_whiteout(&status));
        }
        if !exists {
            unknown.push(path.clone());
        }
    }
    if unknown.is_empty() { Ok(()) } else { Err(OverlayError::Unknown(unknown)) }
}

/// Returns the real path of a directory that may not exist yet.
fn real_path(path: &Path) -> PathBuf {
    let real = path.canonicalize().ok().or_else(|| {
        let parent = path.parent()?.canonicalize().ok()?;
        Some(parent.join(path.file_name()?))
    });
    real.unwrap_or_else(|| path.to_owned())
}
