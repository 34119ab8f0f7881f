//! A layer that commands go on to use after a commit.
//!
//! A commit gives the workspace what the layer has, while the mount takes the layer's own directories for
//! complete. So a later deletion there writes no whiteout ([`lost_deletions`]), and what has hidden the old
//! files of the workspace would hide new ones ([`settle`]).

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, FileType, Mode, RenameFlags, fremovexattr, makedev, mknodat, renameat_with, unlinkat,
};

use super::change::{Action, Change, Kind};
use super::conflict::paths_of;
use super::tree::Tree;
use super::tree::beneath::{is_opaque, is_whiteout, kind, names, status, status_of};
use super::walk::Found;
use crate::sandbox::kept_mount::KeptMount;

/// The name of a whiteout while it is removed.
const REMOVED: &str = ".agent-bash-whiteout";

type SettleFailure = (io::Error, PathBuf);

/// Finds committed paths that commands have deleted without a whiteout. Writes the whiteouts that the mount
/// can have, and returns the other deletions, those below a directory first, and whether it has written any.
///
/// While a program has a directory open that only the layer had, the mount does not combine it with that of
/// the workspace, and would show a whiteout as a file.
pub(super) fn lost_deletions<'a>(
    committed: impl Iterator<Item = &'a PathBuf>,
    layer: &Tree,
    root: &Tree,
    mount: Option<&KeptMount>,
) -> Result<(Vec<Found>, bool), SettleFailure> {
    let mut lost: Vec<Found> = Vec::new();
    let mut hidden: BTreeSet<&Path> = BTreeSet::new();
    let mut has_written = false;
    for path in committed {
        let failed = |error: io::Error| (error, path.clone());
        let is_below = path.parent().is_some_and(|parent| hidden.contains(parent));
        if !is_below && !is_missing(layer, path).map_err(failed)? {
            continue;
        }
        let Some(before) = root.status(path).map_err(failed)? else { continue };
        let kind = kind(&before);
        let is_combined = || mount.is_none_or(|mount| is_seen(mount, path));
        if !is_below && is_combined() && write_whiteout(layer, path).is_ok() {
            has_written = true;
            continue;
        }
        hidden.insert(path);
        let change = Change { path: path.clone(), action: Action::Deleted, kind, mode: None, bytes: None };
        lost.push(Found { change, before: Some(before), after: None });
    }
    lost.reverse();
    Ok((lost, has_written))
}

/// Returns whether a mount shows a path of the workspace.
fn is_seen(mount: &KeptMount, path: &Path) -> bool {
    mount.refresh().is_ok() && matches!(status_of(mount.root(), path), Ok(Some(_)))
}

/// Returns whether a directory of the layer lacks this path.
fn is_missing(layer: &Tree, path: &Path) -> io::Result<bool> {
    if layer.status(path)?.is_some() {
        return Ok(false);
    }
    Ok(layer.parent_of(path)?.is_some())
}

fn write_whiteout(layer: &Tree, path: &Path) -> io::Result<()> {
    let parent = layer.directory_for_changes(path.parent().unwrap_or(Path::new("")))?;
    let name = path.file_name().unwrap_or_default();
    let mode = Mode::from_raw_mode(0);
    Ok(mknodat(parent, name, FileType::CharacterDevice, mode, makedev(0, 0))?)
}

/// Adds deletions to the changes of a layer, in the order of a walk: each after everything below it.
pub(super) fn add(lost: Vec<Found>, found: &mut Vec<Found>) {
    if lost.is_empty() {
        return;
    }
    let known: HashSet<PathBuf> = found.iter().map(|found| found.change.path.clone()).collect();
    found.extend(lost.into_iter().filter(|lost| !known.contains(&lost.change.path)));
}

/// Removes the whiteouts of applied deletions, and the marks of directories whose replacement was applied.
/// `left` has the changes that were not.
pub(super) fn settle(
    applied: &[Change],
    left: &[Found],
    layer: &Tree,
    root: &Tree,
) -> Result<(), SettleFailure> {
    for path in applied.iter().flat_map(paths_of) {
        remove_whiteout(path, layer, root).map_err(|error| (error, path.to_owned()))?;
    }
    let left: BTreeSet<&Path> = left.iter().map(|found| found.change.path.as_path()).collect();
    remove_marks(layer, &left)
}

fn remove_whiteout(path: &Path, layer: &Tree, root: &Tree) -> io::Result<()> {
    let is_there = layer.status(path)?.is_some_and(|found| is_whiteout(&found));
    if !is_there || root.status(path)?.is_some() {
        return Ok(());
    }
    let directory = layer.directory_for_changes(path.parent().unwrap_or(Path::new("")))?;
    let name = path.file_name().unwrap_or_default();
    // A command may replace the whiteout by a file of its own at any time, so it is moved before it is
    // removed.
    match renameat_with(&directory, name, &directory, REMOVED, RenameFlags::NOREPLACE) {
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::EXIST) => return Ok(()),
        other => other?,
    }
    if status(directory.as_fd(), Path::new(REMOVED))?.is_some_and(|moved| is_whiteout(&moved)) {
        return Ok(unlinkat(&directory, REMOVED, AtFlags::empty())?);
    }
    Ok(renameat_with(&directory, REMOVED, &directory, name, RenameFlags::NOREPLACE)?)
}

/// Removes the marks of opaque directories below which no change is left. Not recursive: commands decide
/// about the depth.
fn remove_marks(layer: &Tree, left: &BTreeSet<&Path>) -> Result<(), SettleFailure> {
    let mut todo = vec![PathBuf::new()];
    while let Some(path) = todo.pop() {
        let below = remove_mark(&path, layer, left).map_err(|error| (error, path.clone()))?;
        todo.extend(below.into_iter().map(|name| path.join(name)));
    }
    Ok(())
}

/// Removes the mark of a directory. Returns the names of the directories in it.
fn remove_mark(path: &Path, layer: &Tree, left: &BTreeSet<&Path>) -> io::Result<Vec<OsString>> {
    // A command may have replaced the directory, or closed it to this user.
    let Ok(directory) = layer.directory(path) else { return Ok(Vec::new()) };
    let directory = directory.as_fd();
    let has_left = left.range(path..).next().is_some_and(|next| next.starts_with(path));
    if !has_left && !path.as_os_str().is_empty() && is_opaque(directory)? {
        fremovexattr(directory, c"user.overlay.opaque")?;
    }
    let mut below = Vec::new();
    for name in names(directory)? {
        if status(directory, Path::new(&name))?.is_some_and(|found| kind(&found) == Kind::Directory) {
            below.push(name);
        }
    }
    Ok(below)
}
