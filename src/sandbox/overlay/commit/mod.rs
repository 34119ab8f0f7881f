//! Applies the changes of the layer to the workspace, beneath its directory and through no link.
//!
//! An applied change is no difference between layer and workspace, so the next commit finishes one that was
//! interrupted. Objects of git are written before the references to them, and the rest of `.git` last: a
//! repository is consistent at every step.
//!
//! [`order`] has the order of the changes, and [`apply`] applies them, if their paths have the [`expected`]
//! states. [`content`] copies files, [`place`] gives them their names ([`entry`]), and [`directories`] sets
//! permissions at the end.

mod apply;
mod content;
mod directories;
mod entry;
mod expected;
mod order;
mod place;

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, syncfs, unlinkat};

pub(super) use self::apply::Written;
use self::apply::{ApplyFailure, ApplyReport, CommitTask, apply};
use self::expected::{Expected, Stopped};
use super::change::Change;
use super::conflict::Conflict;
use super::error::{OverlayError, failed};
use super::layer::{Layer, SHORT_DEADLINE};
use super::tree::Tree;
use super::{Overlay, refuse_unknown, renames, selection};
use crate::process::errno::Errno;

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
    /// Applies the changes at these paths (`None`: all) to the workspace. If no change is left and no command
    /// uses the overlay, removes the layer.
    ///
    /// # Errors
    ///
    /// [`OverlayError::Conflict`], [`OverlayError::Protected`] and [`OverlayError::Unknown`]: no change was
    /// applied. [`OverlayError::Interrupted`] and [`OverlayError::Overtaken`]: the changes before a path were
    /// applied.
    pub fn commit(
        &self,
        paths: Option<&[PathBuf]>,
        on_conflict: OnConflict,
    ) -> Result<Committed, OverlayError> {
        let mut held = self.lock();
        let Some(layer) = self.existing(&mut held)? else {
            refuse_unknown(&[], paths, &[&self.root_tree()?])?;
            return Ok(Committed::default());
        };
        let found = self.found(layer)?;
        let (opened, root) = self.trees(layer)?;
        let changes = found.iter().map(|found| found.change.clone()).collect();
        let changes = renames::find(changes, &opened, &root).map_err(failed)?;
        refuse_unknown(&changes, paths, &[&opened, &root])?;
        let mut chosen = selection::select(&changes, paths);
        layer.refuse_protected(&chosen)?;
        let mut conflicts = layer.conflicts_of(&chosen, &found, &root);
        match on_conflict {
            OnConflict::Fail if !conflicts.is_empty() => return Err(OverlayError::Conflict(conflicts)),
            OnConflict::Skip => selection::skip(&mut chosen, &conflicts),
            OnConflict::Fail | OnConflict::Overwrite => {}
        }
        layer.record()?;
        let expected = (on_conflict != OnConflict::Overwrite).then(|| Expected::of(&found));
        let skips = on_conflict == OnConflict::Skip;
        let temporary = PathBuf::new();
        let task = CommitTask { changes: &chosen, layer: &opened, root: &root, temporary, expected, skips };
        let report = run(layer, task)?;
        // Directories that are open for a time look as if their permissions had changed.
        drop((opened, root));
        layer.directory.end_journal().map_err(failed)?;
        conflicts.extend(report.overtaken);
        self.settle_or_remove(&mut held, &report.applied)?;
        Ok(Committed { applied: report.applied, conflicts })
    }

    /// Removes a layer without changes if no command uses it. Otherwise, lets the commands go on.
    fn settle_or_remove(&self, held: &mut Option<Layer>, applied: &[Change]) -> Result<(), OverlayError> {
        let Some(layer) = held.as_mut() else { return Ok(()) };
        let left = self.found(layer)?;
        let is_unused = left.is_empty()
            && layer.directory.is_unused(SHORT_DEADLINE).map_err(failed)?
            // A command may have written until its end.
            && self.found(layer)?.is_empty();
        if is_unused {
            return Self::remove(held);
        }
        let (opened, root) = self.trees(layer)?;
        layer.settle(applied, &left, &opened, &root)
    }
}

/// Applies changes with the journal of the layer, and records what was written.
fn run(layer: &mut Layer, mut task: CommitTask<'_>) -> Result<ApplyReport, OverlayError> {
    let begun = layer.directory.begun();
    let mut journal = layer.directory.journal().map_err(failed)?;
    task.temporary.clone_from(&journal.temporary);
    remove_unfinished(&begun, &task);
    let report = apply(&task, |path| journal.begin(path));
    if !report.written.is_empty() {
        // A record that outlives what it says is committed would make the changes unneeded, and so does the
        // removal of the layer.
        sync(task.root).map_err(|error| OverlayError::Unsynced {
            errno: Errno::of(&error),
            applied: report.applied.clone(),
        })?;
    }
    // Also after an error: what was written is the state of the workspace.
    layer.accept(&report.written, task.layer, task.root);
    layer.record()?;
    let ApplyReport { applied, failed: Some(ApplyFailure { path, reason }), .. } = report else {
        return Ok(report);
    };
    // The caller knows where it failed: what others change there is a conflict again.
    let _ = journal.begin(Path::new(""));
    Err(match reason {
        Stopped::Overtaken(_) => OverlayError::Overtaken { path, applied },
        Stopped::Failed(error) => OverlayError::Interrupted { path, errno: Errno::of(&error), applied },
    })
}

/// Writes the file system of a tree to its disk.
fn sync(tree: &Tree) -> io::Result<()> {
    let directory = tree.directory(Path::new(""))?;
    Ok(syncfs(directory)?)
}

/// Removes the unfinished file that a killed commit has left beside the last path that it has begun.
fn remove_unfinished(begun: &[PathBuf], task: &CommitTask<'_>) {
    if let Some(last) = begun.last()
        && let Ok(Some(directory)) = task.root.parent_of(last)
    {
        let _ = unlinkat(directory, &task.temporary, AtFlags::empty());
    }
}
