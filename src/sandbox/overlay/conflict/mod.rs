//! Conflicts: changes of the workspace at paths that commands have changed in the layer.
//!
//! The engine notes the state of the workspace when it first sees a change: at the end of the command. By
//! then, the workspace may have changed already. That shows in its times: a copy in the layer has a birth
//! time, and a path that was replaced after the last refresh of the mount may have been invisible to the
//! command. Later, contents decide.

mod digest;

use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::path::{Component, Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FileType, Stat, StatxFlags, fstat, statx};
use serde::{Deserialize, Serialize};

use self::digest::Digests;
use super::change::{Action, Change, Kind};
use super::tree::Tree;
use super::tree::beneath::{is_opaque, is_whiteout, kind};
use super::walk::Found;
use crate::wire::raw;

/// How another program has changed a path of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ConflictReason {
    /// The content, target, kind or permissions differ.
    Changed,
    /// The path was removed.
    Deleted,
    /// The path was created.
    Created,
}

impl ConflictReason {
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
    pub reason: ConflictReason,
}

/// The state of a path, which differs after each change of it. Times are seconds and nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    pub inode: u64,
    pub mode: u32,
    pub size: u64,
    pub modified: (u64, u64),
    pub changed: (u64, u64),
}

impl Version {
    /// Returns the state. Of a directory, only the permissions count: each entry has a state of its own.
    pub(super) fn of(status: &Stat) -> Self {
        let time = |seconds: i64, nanoseconds: u64| (seconds.cast_unsigned(), nanoseconds);
        if FileType::from_raw_mode(status.st_mode).is_dir() {
            let none = (0, 0);
            return Self { inode: 0, mode: status.st_mode, size: 0, modified: none, changed: none };
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

/// The state of a path in the workspace when the engine first saw a change of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// `None` for a missing path.
    pub before: Option<Version>,
    /// The digest of the content of a file or the target of a link; empty if it is unknown.
    #[serde(with = "raw")]
    pub digest: Vec<u8>,
    /// The workspace had changed before the engine saw the change.
    pub conflict: Option<ConflictReason>,
    /// Whether the path was deleted when it was last seen.
    pub is_deletion: bool,
}

/// The states of a path after its commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Committed {
    pub layer: Version,
    /// `None` if the path was gone already.
    pub root: Option<Version>,
}

/// The engine's data about a layer, besides its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The path of the workspace.
    #[serde(with = "raw")]
    pub root: PathBuf,
    #[serde(with = "raw")]
    pub notes: Vec<(PathBuf, Note)>,
    /// The paths below the root that the sandboxes of the commands have protected.
    #[serde(with = "raw")]
    pub protected: Vec<PathBuf>,
    /// The stubs in place of missing protected paths.
    #[serde(with = "raw")]
    pub stubs: Vec<PathBuf>,
    /// The paths of earlier commits, with their state right after them.
    #[serde(with = "raw")]
    pub committed: Vec<(PathBuf, Committed)>,
}

/// The knowledge of the engine when it records a change.
pub(super) struct SeenFile<'a> {
    pub(super) layer: &'a Tree,
    pub(super) root: &'a Tree,
    /// When the mount was last refreshed.
    pub(super) refreshed: Option<SystemTime>,
    /// The committed paths.
    pub(super) committed: &'a BTreeMap<PathBuf, Committed>,
}

/// A time of a file: seconds and nanoseconds.
type Time = (i64, u32);

/// The notes of an overlay, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes(pub(super) BTreeMap<PathBuf, Note>);

impl Notes {
    /// Adds notes for new changes, and removes the notes of paths that no longer differ.
    pub(super) fn take(&mut self, found: &[Found], seen: &SeenFile<'_>) {
        let mut digests = Digests::default();
        let mut new = BTreeMap::new();
        for found in found {
            let path = &found.change.path;
            let note = match self.0.remove(path) {
                Some(note) => note,
                None => self.first(found, seen, &mut digests),
            };
            new.insert(path.clone(), Note { is_deletion: found.after.is_none(), ..note });
        }
        // A whiteout whose path the workspace has lost too hides what is created there later.
        for (path, note) in std::mem::take(&mut self.0) {
            let is_hidden =
                || seen.layer.status(&path).ok().flatten().is_some_and(|found| is_whiteout(&found));
            if note.is_deletion && !new.contains_key(&path) && is_hidden() {
                new.insert(
                    path,
                    Note { before: None, digest: Vec::new(), conflict: None, is_deletion: true },
                );
            }
        }
        self.0 = new;
    }

    /// Adds notes for changes without one, which commands have made during a walk that began before.
    pub(super) fn add(&mut self, found: &[Found], seen: &SeenFile<'_>) {
        let mut digests = Digests::default();
        for found in found {
            if !self.0.contains_key(&found.change.path) {
                let note = self.first(found, seen, &mut digests);
                self.0.insert(found.change.path.clone(), note);
            }
        }
    }

    /// Sets the note of a committed path to the state that the commit has given it in the workspace.
    pub(super) fn set(&mut self, path: &Path, before: Option<Version>, root: &Tree) {
        let digest = before.as_ref().map(|before| Digests::default().of(root, path, before));
        let digest = digest.unwrap_or_default();
        self.0.insert(path.to_owned(), Note { before, digest, conflict: None, is_deletion: false });
    }

    fn first(&self, found: &Found, seen: &SeenFile<'_>, digests: &mut Digests) -> Note {
        let is_deletion = found.after.is_none();
        let path = &found.change.path;
        let conflict = match &found.before {
            None => seen.was_in_workspace(found).then_some(ConflictReason::Deleted),
            Some(before) if seen.is_as_committed(path, before) => None,
            // Another program has replaced what was committed.
            Some(_) if is_deletion && seen.committed.contains_key(path) => Some(ConflictReason::Changed),
            Some(before) if kind(before) != Kind::Directory && seen.was_in_workspace(found) => {
                Some(ConflictReason::Changed)
            }
            // The parent was deleted before the path was created. Notes of directories are taken after those
            // of their entries.
            Some(_) if is_deletion && self.is_parent_deleted(path) => Some(ConflictReason::Created),
            Some(before) => seen.change(path, before, is_deletion),
        };
        let digest = match &found.before {
            Some(before) if conflict.is_none() => digests.of(seen.root, path, &Version::of(before)),
            _ => Vec::new(),
        };
        Note { before: found.before.as_ref().map(Version::of), digest, conflict, is_deletion }
    }

    fn is_parent_deleted(&self, path: &Path) -> bool {
        path.parent().and_then(|parent| self.0.get(parent)).is_some_and(|note| note.is_deletion)
    }

    /// Returns how the workspace has changed at the path of a change since the note.
    pub(super) fn conflict(&self, found: &Found, root: &Tree) -> Option<Conflict> {
        let path = &found.change.path;
        // The name says what is written, not that it may be removed.
        if is_object(path) && found.after.is_some() {
            return None;
        }
        let conflict = |reason| Conflict { path: path.clone(), reason };
        // Without a note, nobody knows what the command has read.
        let Some(note) = self.0.get(path) else { return Some(conflict(ConflictReason::Changed)) };
        match (&note.before, &found.before) {
            (Some(_), None) => Some(conflict(ConflictReason::Deleted)),
            _ if note.conflict.is_some() => note.conflict.map(conflict),
            (None, Some(_)) => Some(conflict(ConflictReason::Created)),
            (Some(before), Some(now)) if !is_same(path, before, &note.digest, now, root) => {
                Some(conflict(ConflictReason::Changed))
            }
            _ => None,
        }
    }
}

/// Returns whether a path of the workspace has the noted content and permissions, whatever its times are.
fn is_same(path: &Path, before: &Version, digest: &[u8], now: &Stat, root: &Tree) -> bool {
    let version = Version::of(now);
    if version == *before {
        return true;
    }
    if version.mode != before.mode || version.size != before.size {
        return false;
    }
    match kind(now) {
        Kind::File | Kind::Link => {
            !digest.is_empty() && Digests::default().of(root, path, &version) == digest
        }
        _ => true,
    }
}

impl Committed {
    fn is_directory(&self) -> bool {
        FileType::from_raw_mode(self.layer.mode).is_dir()
    }
}

impl SeenFile<'_> {
    /// Returns how a path of the workspace has changed after the commands have read or hidden it. A directory
    /// is compared with its note.
    fn change(&self, path: &Path, before: &Stat, is_deletion: bool) -> Option<ConflictReason> {
        if FileType::from_raw_mode(before.st_mode).is_dir() {
            return None;
        }
        let time = |seconds, nanoseconds| (seconds, u32::try_from(nanoseconds).unwrap_or(0));
        let changed: Time = time(before.st_ctime, before.st_ctime_nsec);
        let modified: Time = time(before.st_mtime, before.st_mtime_nsec);
        let born = birth(self.root, path);
        let is_after = |limit: &Time| changed > *limit;
        let taken = if is_deletion { self.hidden_since(path) } else { birth(self.layer, path) };
        if let Some(taken) = taken.filter(is_after) {
            return Some(if born > Some(taken) { ConflictReason::Created } else { ConflictReason::Changed });
        }
        let refreshed = self.refreshed.and_then(|time| time.duration_since(UNIX_EPOCH).ok())?;
        let refreshed = (i64::try_from(refreshed.as_secs()).ok()?, refreshed.subsec_nanos());
        // Writing to a file sets both times. The mount shows the new content at once.
        let is_written = born.is_some_and(|born| born <= refreshed) && modified == changed;
        (is_after(&refreshed) && (is_deletion || !is_written)).then_some(ConflictReason::Changed)
    }

    /// Returns whether a commit has given the workspace this version.
    fn is_as_committed(&self, path: &Path, before: &Stat) -> bool {
        let committed = self.committed.get(path).and_then(|committed| committed.root.as_ref());
        committed.is_some_and(|committed| *committed == Version::of(before))
    }

    /// Returns since when, at the latest, a whiteout or a directory of the layer hides a path.
    fn hidden_since(&self, path: &Path) -> Option<Time> {
        if self.layer.status(path).ok()?.is_some() {
            // A whiteout is no younger than the last change of its directory.
            let status = fstat(self.layer.parent_of(path).ok()??).ok()?;
            return Some((status.st_mtime, u32::try_from(status.st_mtime_nsec).unwrap_or(0)));
        }
        path.ancestors().skip(1).find_map(|parent| {
            let directory = self.layer.directory(parent).ok()?;
            is_opaque(directory.as_fd()).ok()?.then(|| birth(self.layer, parent))?
        })
    }

    /// Returns whether a directory of the layer was in the workspace too.
    fn was_in_workspace(&self, found: &Found) -> bool {
        let path = &found.change.path;
        found.after.is_some()
            && found.change.kind == Kind::Directory
            && (self.committed.get(path).is_some_and(Committed::is_directory)
                || self.layer.is_copied_directory(path))
    }
}

/// Returns the birth time of a path, where the file system records it.
fn birth(tree: &Tree, path: &Path) -> Option<Time> {
    let parent = tree.parent_of(path).ok()??;
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
