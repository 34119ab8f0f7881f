//! Conflicts: changes of the workspace at paths that commands have changed in the layer.
//!
//! A copy in the layer has a birth time, so a file of the workspace that has changed later is a conflict. A
//! deleted path has no copy, and a created one has no file in the workspace. For these, the engine records
//! the state of the workspace when it first sees the change: at the end of the command.

use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Stat, StatxFlags, statx};

use super::beneath::open_directory;
use super::change::{Action, Change};
use super::walk::Found;
use crate::sandbox::wire::{wire_enum, wire_struct};

wire_enum! {
    /// How another program has changed a path of the workspace.
    pub enum Reason {
        /// The content, target, kind or permissions differ.
        Changed,
        /// The path was removed.
        Deleted,
        /// The path was created.
        Created,
    }
}

impl Reason {
    /// Returns the name that JavaScript gets.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Deleted => "deleted",
            Self::Created => "created",
        }
    }
}

/// A change whose path has also changed in the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub path: PathBuf,
    pub reason: Reason,
}

wire_struct! {
    /// The state of a path, which differs after each change of it. Times are seconds and nanoseconds.
    pub struct Version {
        pub inode: u64,
        pub mode: u32,
        pub size: u64,
        pub modified: (u64, u64),
        pub changed: (u64, u64),
    }
}

impl Version {
    /// Returns the state. The entries of a directory do not count: each has a state of its own.
    pub(super) fn of(status: &Stat) -> Self {
        let time = |seconds: i64, nanoseconds: u64| (seconds.cast_unsigned(), nanoseconds);
        if FileType::from_raw_mode(status.st_mode).is_dir() {
            let none = (0, 0);
            return Self {
                inode: status.st_ino,
                mode: status.st_mode,
                size: 0,
                modified: none,
                changed: none,
            };
        }
        Self {
            inode: status.st_ino,
            mode: status.st_mode,
            size: status.st_size.cast_unsigned(),
            modified: time(status.st_mtime, status.st_mtime_nsec),
            changed: time(status.st_ctime, status.st_ctime_nsec),
        }
    }
}

wire_struct! {
    /// The state of a path in the workspace when the engine first saw a change of it.
    pub struct Note {
        /// `None` for a missing path.
        pub before: Option<Version>,
        /// The workspace had changed before the engine saw the change.
        pub conflict: Option<Reason>,
        /// Whether the path was deleted when it was last seen.
        pub is_deletion: bool,
    }
}

wire_struct! {
    /// The engine's data about a layer, besides its files.
    pub struct Record {
        pub notes: Vec<(PathBuf, Note)>,
        /// The paths below the root that the sandboxes of the commands have protected.
        pub protected: Vec<PathBuf>,
        /// The stubs in place of missing protected paths.
        pub stubs: Vec<PathBuf>,
        /// The committed paths, with their states in the layer.
        pub committed: Vec<(PathBuf, Version)>,
    }
}

/// The notes of an overlay, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes(pub(super) BTreeMap<PathBuf, Note>);

impl Notes {
    /// Adds notes for new changes, and removes the notes of paths that no longer differ.
    pub(super) fn take(&mut self, found: &[Found], layer: BorrowedFd<'_>, root: BorrowedFd<'_>) {
        let mut new = BTreeMap::new();
        for found in found {
            let path = &found.change.path;
            let note = match self.0.remove(path) {
                Some(note) => note,
                None => self.first(found, layer, root),
            };
            new.insert(path.clone(), Note { is_deletion: found.after.is_none(), ..note });
        }
        self.0 = new;
    }

    /// Sets the note of a committed path to the present state of the workspace.
    pub(super) fn set(&mut self, path: &Path, before: Option<&Stat>) {
        let note = Note { before: before.map(Version::of), conflict: None, is_deletion: false };
        self.0.insert(path.to_owned(), note);
    }

    fn first(&self, found: &Found, layer: BorrowedFd<'_>, root: BorrowedFd<'_>) -> Note {
        let is_deletion = found.after.is_none();
        let Some(before) = &found.before else { return Note { before: None, conflict: None, is_deletion } };
        let path = &found.change.path;
        let conflict = if is_deletion {
            // The parent was deleted before the path was created. Notes of directories are taken after those
            // of their entries.
            let was_deleted = |parent: &Path| self.0.get(parent).is_some_and(|note| note.is_deletion);
            path.parent().is_some_and(was_deleted).then_some(Reason::Created)
        } else {
            changed_after_copy(path, before, layer, root)
        };
        Note { before: Some(Version::of(before)), conflict, is_deletion }
    }

    /// Returns how the workspace has changed at the path of a change since the note.
    pub(super) fn conflict(&self, found: &Found) -> Option<Conflict> {
        let path = &found.change.path;
        if is_object(path) {
            return None;
        }
        let conflict = |reason| Conflict { path: path.clone(), reason };
        let note = self.0.get(path)?;
        let now = found.before.as_ref().map(Version::of);
        match (&note.before, &now) {
            (Some(_), None) => Some(conflict(Reason::Deleted)),
            _ if note.conflict.is_some() => note.conflict.map(conflict),
            (None, Some(_)) => Some(conflict(Reason::Created)),
            (Some(before), Some(now)) if before != now => Some(conflict(Reason::Changed)),
            _ => None,
        }
    }
}

/// Returns whether a file was changed or created after its copy in the layer. A directory is compared with
/// its note.
fn changed_after_copy(
    path: &Path,
    before: &Stat,
    layer: BorrowedFd<'_>,
    root: BorrowedFd<'_>,
) -> Option<Reason> {
    if FileType::from_raw_mode(before.st_mode).is_dir() {
        return None;
    }
    let copied = birth(layer, path)?;
    let changed = (before.st_ctime, u32::try_from(before.st_ctime_nsec).unwrap_or(0));
    if changed <= copied {
        return None;
    }
    let is_new = birth(root, path).is_some_and(|made| made > copied);
    Some(if is_new { Reason::Created } else { Reason::Changed })
}

/// Returns the birth time of a path, where the file system records it.
fn birth(directory: BorrowedFd<'_>, path: &Path) -> Option<(i64, u32)> {
    let parent = open_directory(directory, path.parent()?).ok()?;
    let status = statx(parent, path.file_name()?, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BTIME).ok()?;
    let is_known = status.stx_mask & StatxFlags::BTIME.bits() != 0;
    is_known.then_some((status.stx_btime.tv_sec, status.stx_btime.tv_nsec))
}

/// Returns whether a path is one of git's objects, whose names say what they contain.
pub(super) fn is_object(path: &Path) -> bool {
    let mut below = path.components().skip_while(|part| *part != Component::Normal(".git".as_ref()));
    below.next().is_some() && below.next() == Some(Component::Normal("objects".as_ref()))
}

/// Returns the paths of a change: its own, and the former path of a moved file.
pub(super) fn paths_of(change: &Change) -> impl Iterator<Item = &Path> {
    let from = match &change.action {
        Action::Renamed(from) => Some(from.as_path()),
        _ => None,
    };
    std::iter::once(change.path.as_path()).chain(from)
}
