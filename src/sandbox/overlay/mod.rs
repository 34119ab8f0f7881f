//! Overlays: copy-on-write views of a workspace, which keep the changes of commands apart until they are
//! committed.
//!
//! An [`Overlay`] serves many commands. Its `layer` has the files that they write, with whiteouts for those
//! that they delete; [`mount`] combines both directories by the kernel's overlayfs. [`walk`] compares the
//! layer with the workspace and lists each [`change`], [`renames`] finds moved files, [`diff`] shows the
//! contents, [`conflict`] finds changes of the workspace at the same paths, and [`commit`] applies the
//! changes that [`selection`] selects. [`beneath`] reads both directories without following a link.
//!
//! A commit may be interrupted: applied changes are no differences, and the layer is removed after the last
//! step.

mod beneath;
pub mod change;
pub mod commit;
pub mod conflict;
pub mod diff;
pub mod error;
mod layer;
mod mount;
pub mod renames;
mod selection;
pub mod walk;

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use self::change::Change;
use self::conflict::Conflict;
use self::diff::DiffOptions;
pub use self::error::OverlayError;
use self::error::failed;
use self::layer::{END_DEADLINE, Layer, SHORT_DEADLINE};
use self::walk::{Depth, Found};
use super::plan::{OverlayMount, SandboxPlan};

/// A copy-on-write view of a workspace, for any number of commands.
#[derive(Debug)]
pub struct Overlay {
    root: PathBuf,
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
    /// The descriptors for the helper, in the order of
    /// [`OVERLAY_DESCRIPTORS`](super::protocol::launch::OVERLAY_DESCRIPTORS).
    pub descriptors: Vec<OwnedFd>,
}

/// The treatment of conflicts by a commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnConflict {
    /// No change is applied.
    #[default]
    Fail,
    /// The other changes are applied.
    Skip,
    /// The host's version is lost.
    Overwrite,
}

/// The result of a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    pub applied: Vec<Change>,
    /// The conflicts among the chosen changes.
    pub conflicts: Vec<Conflict>,
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
        Ok(Self { root, directory, max_bytes, layer: Mutex::new(None) })
    }

    /// Returns the workspace.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Creates the layer and its mount for the first command, which takes some milliseconds.
    ///
    /// # Errors
    ///
    /// [`OverlayError::Layer`], [`OverlayError::Mount`] or [`OverlayError::Full`]: the command can't run.
    pub fn enter(&self, helper: &Path, workspace: &Path) -> Result<Entrance, OverlayError> {
        if workspace != self.root {
            return Err(OverlayError::Root(self.root.clone()));
        }
        let mut layer = self.lock();
        let layer = self.opened(&mut layer)?;
        self.check_size(layer)?;
        let mount = layer.directory.mount(&self.root);
        if layer.namespaces.is_none() {
            // The sandboxes of a killed host end soon.
            if !layer.directory.is_unused(END_DEADLINE).map_err(failed)? {
                return Err(OverlayError::Busy);
            }
            layer.directory.copy_permissions(&self.root).map_err(failed)?;
            layer.namespaces = Some(mount::mount(helper, &mount)?);
        }
        let lock = layer.directory.use_lock().map_err(failed)?;
        let namespaces = layer.namespaces.iter().flatten().map(OwnedFd::try_clone);
        let descriptors = std::iter::once(Ok(lock)).chain(namespaces).collect::<io::Result<_>>();
        Ok(Entrance { mount, descriptors: descriptors.map_err(failed)? })
    }

    /// Records the paths that the plan of a command protects: a commit does not change them.
    ///
    /// # Errors
    ///
    /// [`OverlayError::Layer`].
    pub fn protect(&self, plan: &SandboxPlan) -> Result<(), OverlayError> {
        let below = |path: &PathBuf| path.strip_prefix(&self.root).ok().map(Path::to_owned);
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

    /// Returns what the commands have changed.
    ///
    /// # Errors
    ///
    /// The path that can't be read.
    pub fn changes(&self) -> Result<Vec<Change>, OverlayError> {
        let mut layer = self.lock();
        let Some(layer) = self.existing(&mut layer)? else { return Ok(Vec::new()) };
        let (opened, root) = self.directories(layer)?;
        let changes = self.found(layer)?.into_iter().map(|found| found.change).collect();
        renames::find(changes, opened.as_fd(), root.as_fd()).map_err(failed)
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
        Ok(found.iter().filter_map(|found| layer.notes.conflict(found)).collect())
    }

    /// Returns the changes at these paths (`None`: all) as a patch in git's format.
    ///
    /// # Errors
    ///
    /// The path that can't be read.
    pub fn diff(&self, paths: Option<&[PathBuf]>, options: DiffOptions) -> Result<Vec<u8>, OverlayError> {
        let changes = self.changes()?;
        let mut layer = self.lock();
        let Some(layer) = self.existing(&mut layer)? else { return Ok(Vec::new()) };
        let (opened, root) = self.directories(layer)?;
        let chosen = selection::select(&changes, paths);
        diff::write(&chosen, opened.as_fd(), root.as_fd(), options)
            .map_err(|(error, path)| OverlayError::at(&path, &error))
    }

    /// Applies the changes at these paths (`None`: all) to the workspace. If no change is left and no command
    /// uses the overlay, removes the layer.
    ///
    /// # Errors
    ///
    /// [`OverlayError::Conflict`] and [`OverlayError::Protected`]: no change was applied.
    /// [`OverlayError::Path`]: the changes before this path were applied.
    pub fn commit(
        &self,
        paths: Option<&[PathBuf]>,
        on_conflict: OnConflict,
    ) -> Result<Committed, OverlayError> {
        let mut held = self.lock();
        let Some(layer) = self.existing(&mut held)? else { return Ok(Committed::default()) };
        let found = self.found(layer)?;
        let (opened, root) = self.directories(layer)?;
        let changes = found.iter().map(|found| found.change.clone()).collect();
        let changes = renames::find(changes, opened.as_fd(), root.as_fd()).map_err(failed)?;
        let mut chosen = selection::select(&changes, paths);
        layer.refuse_protected(&chosen)?;
        let conflicts = layer.conflicts_of(&chosen, &found);
        match on_conflict {
            OnConflict::Fail if !conflicts.is_empty() => return Err(OverlayError::Conflict(conflicts)),
            OnConflict::Skip => selection::skip(&mut chosen, &conflicts),
            OnConflict::Fail | OnConflict::Overwrite => {}
        }
        layer.record()?;
        let mut journal = layer.directory.journal().map_err(failed)?;
        let mut applied = Vec::with_capacity(chosen.len());
        let end = commit::apply(
            &chosen,
            opened.as_fd(),
            root.as_fd(),
            |change| journal.begin(&change.path),
            |change| applied.push(change.clone()),
        );
        // Also after an error: applied changes are the state of the workspace.
        layer.accept(&applied, opened.as_fd(), root.as_fd());
        layer.record()?;
        end.map_err(|(change, error)| OverlayError::at(&change.path, &error))?;
        layer.directory.end_journal().map_err(failed)?;
        if self.found(layer)?.is_empty() && layer.directory.is_unused(SHORT_DEADLINE).map_err(failed)? {
            Self::remove(&mut held)?;
        }
        Ok(Committed { applied, conflicts })
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
        let size = walk::size(&layer.directory.upper());
        if size > limit { Err(OverlayError::Full { size, limit }) } else { Ok(()) }
    }

    fn remove(held: &mut Option<Layer>) -> Result<(), OverlayError> {
        let Some(Layer { directory, namespaces, .. }) = held.take() else { return Ok(()) };
        // The kernel unmounts the overlay.
        drop(namespaces);
        directory.remove().map_err(failed)
    }

    fn opened<'a>(&self, held: &'a mut Option<Layer>) -> Result<&'a mut Layer, OverlayError> {
        match held {
            Some(layer) => Ok(layer),
            None => Ok(held.insert(Layer::open(self.directory.as_deref())?)),
        }
    }

    /// Returns the layer, if there is one: that of this process, or one that the caller's directory has.
    fn existing<'a>(&self, held: &'a mut Option<Layer>) -> Result<Option<&'a mut Layer>, OverlayError> {
        if held.is_none() && self.directory.as_ref().is_some_and(|path| path.exists()) {
            *held = Some(Layer::open(self.directory.as_deref())?);
        }
        Ok(held.as_mut())
    }

    fn directories(&self, layer: &Layer) -> Result<(File, File), OverlayError> {
        let open = |path: &Path| File::open(path).map_err(|error| OverlayError::at(path, &error));
        Ok((open(&layer.directory.upper())?, open(&self.root)?))
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
        let (opened, root) = self.directories(layer)?;
        let found = walk::find(opened.as_fd(), root.as_fd(), depth);
        let mut found = found.map_err(|(error, path)| OverlayError::at(&path, &error))?;
        if depth == Depth::Names {
            layer.notes.take(&found, opened.as_fd(), root.as_fd());
        }
        found.retain(|found| !layer.is_committed(found));
        Ok(found)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Layer>> {
        self.layer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the real path of a directory that may not exist yet.
fn real_path(path: &Path) -> PathBuf {
    let real = path.canonicalize().ok().or_else(|| {
        let parent = path.parent()?.canonicalize().ok()?;
        Some(parent.join(path.file_name()?))
    });
    real.unwrap_or_else(|| path.to_owned())
}
