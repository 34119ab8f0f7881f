//! What the workspace had when a command changed a path, and what has become of it since.
//!
//! A copy in the layer was made at a known time, so a file of the workspace that has changed later is a
//! conflict. What is deleted has no copy, and what is created none in the workspace; so the engine notes what
//! the workspace has there when it first sees a change: at the end of the command.

use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Stat, StatxFlags, statx};

use super::beneath::open_directory;
use super::change::{Action, Change};
use super::walk::Found;
use crate::sandbox::wire::{wire_enum, wire_struct};

wire_enum! {
    /// What somebody else did to a path of the workspace meanwhile.
    pub enum Reason {
        /// It has another content, target or kind, or other permissions.
        Changed,
        /// It was removed.
        Deleted,
        /// It was made.
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

/// A change of a path that somebody else has changed too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub path: PathBuf,
    pub reason: Reason,
}

wire_struct! {
    /// The state of a path, as far as a change of it can be told. Times are seconds and nanoseconds.
    pub struct Version {
        pub inode: u64,
        pub mode: u32,
        pub size: u64,
        pub modified: (u64, u64),
        pub changed: (u64, u64),
    }
}

impl Version {
    /// Returns the state. Of a directory, what is in it does not count: each path there has its own.
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
    /// What the workspace had at a path when its change was first seen.
    pub struct Note {
        /// `None` for nothing.
        pub before: Option<Version>,
        /// The workspace had changed before the change was seen.
        pub conflict: Option<Reason>,
        /// Whether the path was deleted when it was last seen.
        pub is_deletion: bool,
    }
}

wire_struct! {
    /// What the engine knows of a layer besides its files.
    pub struct Record {
        pub notes: Vec<(PathBuf, Note)>,
        /// The paths that the sandboxes of its commands have protected, below the root.
        pub protected: Vec<PathBuf>,
        /// The stubs of those.
        pub stubs: Vec<PathBuf>,
        /// Paths that were committed, with what the layer had there.
        pub committed: Vec<(PathBuf, Version)>,
    }
}

/// The notes of an overlay, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes(pub(super) BTreeMap<PathBuf, Note>);

impl Notes {
    /// Notes what is new among the changes, and forgets what is none any more.
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

    /// Notes what the workspace has now, for a path that was committed.
    pub(super) fn set(&mut self, path: &Path, before: Option<&Stat>) {
        let note = Note { before: before.map(Version::of), conflict: None, is_deletion: false };
        self.0.insert(path.to_owned(), note);
    }

    fn first(&self, found: &Found, layer: BorrowedFd<'_>, root: BorrowedFd<'_>) -> Note {
        let is_deletion = found.after.is_none();
        let Some(before) = &found.before else { return Note { before: None, conflict: None, is_deletion } };
        let path = &found.change.path;
        let conflict = if is_deletion {
            // Its directory was deleted before it was made. The notes of directories are taken after those of
            // what is in them.
            let was_deleted = |parent: &Path| self.0.get(parent).is_some_and(|note| note.is_deletion);
            path.parent().is_some_and(was_deleted).then_some(Reason::Created)
        } else {
            changed_after_copy(path, before, layer, root)
        };
        Note { before: Some(Version::of(before)), conflict, is_deletion }
    }

    /// Returns how the workspace has changed at the path of a change since that was noted.
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

/// Returns whether a file was changed, or made, after the layer had its copy. A directory is compared by what
/// was noted.
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

/// Returns when a path was made, where the file system knows it.
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

/// Returns the paths of a change: its own, and that from which a file was moved.
pub(super) fn paths_of(change: &Change) -> impl Iterator<Item = &Path> {
    let from = match &change.action {
        Action::Renamed(from) => Some(from.as_path()),
        _ => None,
    };
    std::iter::once(change.path.as_path()).chain(from)
}
