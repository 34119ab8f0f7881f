//! Applies the changes of the layer to the workspace.
//!
//! An applied change is no difference between layer and workspace, so the next commit finishes one that was
//! interrupted. Objects of git are written before the references to them, and the rest of `.git` last: a
//! repository is consistent at every step.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Component, Path};

use rustix::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, Stat, Timespec, Timestamps, Uid, chmodat, chownat, fchmod, fchown,
    fstat, futimens, mkdirat, mknodat, openat, renameat, symlinkat, unlinkat,
};

use super::beneath::{kind, open_directory, open_file, status, target};
use super::change::{Action, Change, Kind};
use super::conflict::is_object;

/// The name of a file while it is written, in the directory of its target. A commit that was interrupted
/// leaves it, and the next one replaces it.
const UNFINISHED: &str = ".agent-bash-commit";

/// The permissions that a commit gives: no set-uid and no set-gid bit.
const PERMISSIONS: u32 = 0o1777;

/// Applies changes. Calls `begin` before each change and before each removal of a moved file, and `done`
/// after it.
///
/// # Errors
///
/// The system's error for the first path that can't be changed. The changes before it stay applied.
pub fn apply(
    changes: &[Change],
    layer: BorrowedFd<'_>,
    root: BorrowedFd<'_>,
    mut begin: impl FnMut(&Change) -> io::Result<()>,
    mut done: impl FnMut(&Change),
) -> Result<(), (Change, io::Error)> {
    let becomes_other =
        |change: &&Change| change.action == Action::Modified && change.kind != Kind::Directory;
    let others: HashSet<&Path> =
        changes.iter().filter(becomes_other).map(|change| change.path.as_path()).collect();
    let is_in_the_way = |change: &Change| {
        change.action == Action::Deleted && change.path.ancestors().any(|parent| others.contains(parent))
    };
    let step = |change: &Change| if is_in_the_way(change) { Step::Replaced } else { step(change) };
    // Before the deletions of directories: in the order of the walk, they are deepest first.
    let moved: Vec<Change> = changes.iter().filter_map(removal_of_moved).collect();
    let moved = moved.iter().map(|change| (step(change), change, false));
    let mut ordered: Vec<(Step, &Change, bool)> =
        moved.chain(changes.iter().map(|change| (step(change), change, true))).collect();
    ordered.sort_by_key(|(step, _, _)| *step);
    for (_, change, is_whole) in ordered {
        begin(change)
            .and_then(|()| apply_one(change, layer, root))
            .map_err(|error| (change.clone(), error))?;
        if is_whole {
            done(change);
        }
    }
    Ok(())
}

/// Returns the removal of a file that was moved, from its old path.
fn removal_of_moved(change: &Change) -> Option<Change> {
    let Action::Renamed(from) = &change.action else { return None };
    let (path, action) = (from.clone(), Action::Deleted);
    Some(Change { path, action, kind: change.kind, mode: None, bytes: None })
}

/// The order in which changes are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// Paths below a directory that is replaced by another kind of file.
    Replaced,
    Directories,
    Objects,
    Files,
    Modes,
    Git,
    Deletions,
}

fn step(change: &Change) -> Step {
    let is_git = change.path.components().any(|part| part == Component::Normal(".git".as_ref()));
    let is_object = is_object(&change.path);
    match (&change.action, change.kind) {
        (Action::Deleted, _) => Step::Deletions,
        (Action::Mode, _) if !is_git => Step::Modes,
        (_, Kind::Directory) => Step::Directories,
        _ if is_object => Step::Objects,
        _ if is_git => Step::Git,
        _ => Step::Files,
    }
}

fn apply_one(change: &Change, layer: BorrowedFd<'_>, root: BorrowedFd<'_>) -> io::Result<()> {
    let parent = change.path.parent().unwrap_or(Path::new(""));
    let name = Path::new(change.path.file_name().ok_or(ErrorKind::InvalidInput)?);
    let target = match open_directory(root, parent) {
        Err(error) if change.action == Action::Deleted && is_missing(&error) => return Ok(()),
        other => other?,
    };
    let target = target.as_fd();
    if change.action == Action::Deleted {
        return remove(target, name);
    }
    let source = open_directory(layer, parent)?;
    let source = source.as_fd();
    let found = status(source, name)?.ok_or(ErrorKind::NotFound)?;
    if change.action == Action::Mode {
        return chmodat(target, name, mode_of(&found), AtFlags::empty()).map_err(Into::into);
    }
    let before = status(target, name)?;
    match change.kind {
        Kind::Directory => make_directory(target, name, &found, before.as_ref()),
        Kind::File => write_file(source, target, name, before.as_ref()),
        Kind::Link | Kind::Fifo => make_special(source, target, name, &found, before.as_ref()),
    }
}

fn make_directory(
    target: BorrowedFd<'_>,
    name: &Path,
    found: &Stat,
    before: Option<&Stat>,
) -> io::Result<()> {
    let is_directory = before.is_some_and(|before| kind(before) == Some(Kind::Directory));
    if before.is_some() && !is_directory {
        remove(target, name)?;
    }
    if !is_directory {
        mkdirat(target, name, Mode::from_raw_mode(0o700))?;
        let made = open_directory(target, name)?;
        give(made.as_fd(), found)?;
    }
    Ok(())
}

/// Writes a file beside its target and renames it over the target, so that no program sees a partial file. A
/// file with several names (hard links) is written in place, so that all of them change, as they would
/// without an overlay.
fn write_file(
    source: BorrowedFd<'_>,
    target: BorrowedFd<'_>,
    name: &Path,
    before: Option<&Stat>,
) -> io::Result<()> {
    let mut content = open_file(source, name)?;
    let found = fstat(&content)?;
    let is_file = before.is_some_and(|before| kind(before) == Some(Kind::File));
    if is_file && before.is_some_and(|before| before.st_nlink > 1) {
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut file = File::from(openat(target, name, flags, Mode::empty())?);
        file.set_len(0)?;
        io::copy(&mut content, &mut file)?;
        fchmod(&file, mode_of(&found))?;
        return set_times(&file, &found);
    }
    let mut file = File::from(unfinished(target, |unfinished| {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(target, unfinished, flags, Mode::from_raw_mode(0o600))
    })?);
    io::copy(&mut content, &mut file)?;
    give(file.as_fd(), &found)?;
    set_times(&file, &found)?;
    finish(target, name, before)
}

/// Sets the times of a file to those in the layer: programs such as `make` compare them.
fn set_times(file: &File, found: &Stat) -> io::Result<()> {
    let time = |tv_sec, nanoseconds| Timespec { tv_sec, tv_nsec: i64::try_from(nanoseconds).unwrap_or(0) };
    let times = Timestamps {
        last_access: time(found.st_atime, found.st_atime_nsec),
        last_modification: time(found.st_mtime, found.st_mtime_nsec),
    };
    Ok(futimens(file, &times)?)
}

fn make_special(
    source: BorrowedFd<'_>,
    directory: BorrowedFd<'_>,
    name: &Path,
    found: &Stat,
    before: Option<&Stat>,
) -> io::Result<()> {
    if kind(found) == Some(Kind::Link) {
        let leads_to = target(source, name)?;
        unfinished(directory, |unfinished| symlinkat(&leads_to, directory, unfinished))?;
    } else {
        unfinished(directory, |unfinished| {
            mknodat(directory, unfinished, FileType::Fifo, mode_of(found), 0)
        })?;
    }
    let owners = (Some(Uid::from_raw(found.st_uid)), Some(Gid::from_raw(found.st_gid)));
    // Only root can change the owner.
    let _ = chownat(directory, UNFINISHED, owners.0, owners.1, AtFlags::SYMLINK_NOFOLLOW);
    finish(directory, name, before)
}

/// Creates a file under the temporary name, in place of one that an interrupted commit has left.
fn unfinished<T>(
    directory: BorrowedFd<'_>,
    mut make: impl FnMut(&str) -> rustix::io::Result<T>,
) -> io::Result<T> {
    match make(UNFINISHED) {
        Err(rustix::io::Errno::EXIST) => {
            remove(directory, Path::new(UNFINISHED))?;
            Ok(make(UNFINISHED)?)
        }
        other => Ok(other?),
    }
}

/// Renames the finished file to its name.
fn finish(directory: BorrowedFd<'_>, name: &Path, before: Option<&Stat>) -> io::Result<()> {
    if before.is_some_and(|before| kind(before) == Some(Kind::Directory)) {
        remove(directory, name)?;
    }
    Ok(renameat(directory, UNFINISHED, directory, name)?)
}

/// Sets the owner and the permissions to those in the layer.
fn give(file: BorrowedFd<'_>, found: &Stat) -> io::Result<()> {
    // Only root can change the owner. The mode is set afterwards, because a change of the owner clears bits
    // of it.
    let _ = fchown(file, Some(Uid::from_raw(found.st_uid)), Some(Gid::from_raw(found.st_gid)));
    Ok(fchmod(file, mode_of(found))?)
}

fn mode_of(status: &Stat) -> Mode {
    Mode::from_raw_mode(status.st_mode & PERMISSIONS)
}

/// Removes a file or an empty directory. A directory in which another program has created files stays. A
/// missing path is no error.
fn remove(directory: BorrowedFd<'_>, name: &Path) -> io::Result<()> {
    let Some(found) = status(directory, name)? else { return Ok(()) };
    let is_directory = kind(&found) == Some(Kind::Directory);
    let flags = if is_directory { AtFlags::REMOVEDIR } else { AtFlags::empty() };
    match unlinkat(directory, name, flags) {
        Err(rustix::io::Errno::NOENT) => Ok(()),
        other => Ok(other?),
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
