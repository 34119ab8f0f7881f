//! Applies the changes of the layer to the workspace, beneath its directory and through no link.
//!
//! An applied change is no difference between layer and workspace, so the next commit finishes one that was
//! interrupted. Objects of git are written before the references to them, and the rest of `.git` last: a
//! repository is consistent at every step. Directories get their permissions at the end, deepest first, so
//! that a directory that is closed for its owner gets its entries before.
//!
//! [`order`] has the order of the changes, [`content`] copies files, and [`place`] gives them their names.

mod content;
mod order;
mod place;

use std::collections::BTreeMap;
use std::io;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, FileType, Gid, Mode, Stat, Uid, chownat, fstat, mkdirat, mknodat, symlinkat, unlinkat,
};

use self::order::{Ordered, ordered};
use super::attributes::{changed_permissions, give, permissions, set_permissions};
use super::beneath::{is_missing, kind, open_path, status, target as leads_to};
use super::change::{Action, Change, Kind};
use super::root::identity;
use super::tree::{Opened, Tree, name_of};

/// A change that was applied.
#[derive(Debug)]
pub(super) struct Applied {
    pub(super) change: Change,
    /// The status in the layer before the file was read: a later one has a change that was not applied.
    pub(super) source: Option<Stat>,
}

/// The change at which a commit failed, and the error.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) path: PathBuf,
    pub(super) error: io::Error,
}

/// Applies changes. Calls `begin` before each change and before each removal of a moved file, and `done`
/// after it. A change whose file a command has removed meanwhile is left out. A file has the name `temporary`
/// until it is complete.
///
/// # Errors
///
/// The first path that can't be changed. The changes before it stay applied.
pub(super) fn apply(
    changes: &[Change],
    layer: &Tree,
    root: &Tree,
    temporary: &Path,
    mut begin: impl FnMut(&Path) -> io::Result<()>,
    mut done: impl FnMut(Applied),
) -> Result<(), Failed> {
    let mut commit = Commit { layer, root, temporary, directories: Vec::new() };
    let mut failed = None;
    for Ordered { change, is_whole, .. } in ordered(changes) {
        match begin(&change.path).and_then(|()| commit.apply(&change)) {
            Ok(Outcome::Applied(source)) if is_whole => done(Applied { change: change.into_owned(), source }),
            Ok(_) => {}
            Err(error) => {
                failed = Some(Failed { path: change.path.clone(), error });
                break;
            }
        }
    }
    // Also after an error, so that no directory keeps permissions that nobody has chosen.
    let finished = commit.finish();
    failed.map_or(finished, Err)
}

/// Removes the unfinished file that a killed commit has left beside the last path that it has begun.
pub(super) fn remove_unfinished(root: &Tree, begun: &[PathBuf], temporary: &Path) {
    if let Some(last) = begun.last()
        && let Ok(Some(directory)) = root.parent_of(last)
    {
        let _ = unlinkat(directory, temporary, AtFlags::empty());
    }
}

/// What became of a change.
enum Outcome {
    /// With the status of its version in the layer, if it has one.
    Applied(Option<Stat>),
    /// The layer no longer has the change.
    Vanished,
}

/// A name in an open directory.
#[derive(Clone, Copy)]
struct Entry<'a> {
    directory: BorrowedFd<'a>,
    name: &'a Path,
    /// The name of a file in the same directory until it is complete.
    temporary: &'a Path,
}

impl Entry<'_> {
    /// Opens the file for its status and attributes, whatever its kind and its permissions.
    fn open(self) -> io::Result<OwnedFd> {
        open_path(self.directory, self.name)
    }
}

struct Commit<'a> {
    layer: &'a Tree,
    root: &'a Tree,
    temporary: &'a Path,
    /// The directories that get the permissions of the layer at the end.
    directories: Vec<(PathBuf, (u64, u64))>,
}

impl<'a> Commit<'a> {
    fn apply(&mut self, change: &Change) -> io::Result<Outcome> {
        let path = &change.path;
        let name = name_of(path);
        if change.action == Action::Deleted {
            // A command has created it again meanwhile. A socket or a whiteout stands for a deletion.
            let again = self.layer.status(path)?.map(|found| kind(&found));
            if again.is_some_and(|kind| !matches!(kind, Kind::Socket | Kind::Device)) {
                return Ok(Outcome::Vanished);
            }
            return match self.directory_of(path) {
                Err(error) if is_missing(&error) => Ok(Outcome::Applied(None)),
                other => remove(other?.as_fd(), name).map(|()| Outcome::Applied(None)),
            };
        }
        let Some((source, found)) = self.source(path, change.kind)? else {
            return Ok(Outcome::Vanished);
        };
        let target = match self.directory_of(path) {
            Err(error) if is_missing(&error) => {
                self.make_parents(path)?;
                self.directory_of(path)?
            }
            other => other?,
        };
        let target = self.entry(target.as_fd(), name);
        let is_applied = match (&change.action, change.kind) {
            (Action::Created | Action::Modified | Action::Renamed(_), Kind::File) => {
                let read = content::write(source.as_fd(), target)?;
                return Ok(read.map_or(Outcome::Vanished, |status| Outcome::Applied(Some(status))));
            }
            (Action::Mode, _) => self.change_permissions(path, source.as_fd(), target, &found),
            (_, Kind::Directory) => self.make_directory(path, target).map(|()| true),
            (_, Kind::Link) => make_link(source.as_fd(), target, &found).map(|()| true),
            _ => make_fifo(source.as_fd(), target, &found).map(|()| true),
        }?;
        Ok(if is_applied { Outcome::Applied(Some(found)) } else { Outcome::Vanished })
    }

    fn entry<'b>(&self, directory: BorrowedFd<'b>, name: &'b Path) -> Entry<'b>
    where
        'a: 'b,
    {
        Entry { directory, name, temporary: self.temporary }
    }

    /// Opens the version of a path in the layer, for its status and attributes; `None` if it is gone.
    fn source(&self, path: &Path, expected: Kind) -> io::Result<Option<(OwnedFd, Stat)>> {
        let Some(source) = self.layer.path(path)? else { return Ok(None) };
        let found = self.layer.status_of(source.as_fd())?;
        Ok((kind(&found) == expected).then_some((source, found)))
    }

    fn directory_of(&self, path: &Path) -> io::Result<OwnedFd> {
        self.root.directory_for_changes(path.parent().unwrap_or(Path::new("")))
    }

    /// Creates the missing directories above a path, as the layer has them: the host has removed them.
    fn make_parents(&mut self, path: &Path) -> io::Result<()> {
        let parents: Vec<&Path> =
            path.ancestors().skip(1).filter(|path| path.file_name().is_some()).collect();
        for parent in parents.into_iter().rev() {
            let directory = self.directory_of(parent)?;
            if status(directory.as_fd(), name_of(parent))?.is_none() {
                let target = self.entry(directory.as_fd(), name_of(parent));
                self.make_directory(parent, target)?;
            }
        }
        Ok(())
    }

    /// Creates a directory, which only its owner can use until it gets its permissions.
    fn make_directory(&mut self, path: &Path, target: Entry<'_>) -> io::Result<()> {
        let before = status(target.directory, target.name)?;
        if before.is_some_and(|before| kind(&before) == Kind::Directory) {
            return Ok(());
        }
        if before.is_some() {
            remove(target.directory, target.name)?;
        }
        mkdirat(target.directory, target.name, Mode::RWXU)?;
        let made = target.open()?;
        self.directories.push((path.to_owned(), identity(fstat(&made)?)));
        Ok(())
    }

    /// Changes the permissions of a file, or plans that for a directory.
    fn change_permissions(
        &mut self,
        path: &Path,
        source: BorrowedFd<'_>,
        target: Entry<'_>,
        found: &Stat,
    ) -> io::Result<bool> {
        let file = target.open()?;
        let before = fstat(&file)?;
        if kind(&before) != kind(found) {
            return Ok(false);
        }
        if kind(found) == Kind::Directory {
            self.directories.push((path.to_owned(), identity(before)));
            return Ok(true);
        }
        set_permissions(file.as_fd(), changed_permissions(found, &before), source, Some(file.as_fd()))?;
        Ok(true)
    }

    /// Gives directories their permissions, those of the layer or their former ones, deepest first.
    fn finish(mut self) -> Result<(), Failed> {
        let opened = self
            .root
            .take_opened()
            .into_iter()
            .rev()
            .map(|opened| (opened.path.clone(), Last::Opened(opened)));
        let made =
            mem::take(&mut self.directories).into_iter().map(|(path, identity)| (path, Last::Made(identity)));
        let last: BTreeMap<PathBuf, Last> = opened.chain(made).collect();
        let mut first_failed = None;
        for (path, last) in last.into_iter().rev() {
            let closed = match last {
                Last::Opened(opened) => opened.close(self.root.top()),
                Last::Made(identity) => self.give_to_directory(&path, identity),
            };
            if let Err(error) = closed {
                first_failed.get_or_insert(Failed { path, error });
            }
        }
        first_failed.map_or(Ok(()), Err)
    }

    /// Gives a directory of the workspace the attributes that it has in the layer, unless others have
    /// replaced one of both.
    fn give_to_directory(&self, path: &Path, made: (u64, u64)) -> io::Result<()> {
        let directory = match open_path(self.root.top(), path) {
            Err(error) if is_missing(&error) => return Ok(()),
            other => other?,
        };
        let before = fstat(&directory)?;
        let source = self.source(path, Kind::Directory)?;
        let Some((source, found)) = source.filter(|_| identity(before) == made) else { return Ok(()) };
        give(directory.as_fd(), changed_permissions(&found, &before), source.as_fd(), &found, None)
    }
}

/// What happens to a directory at the end.
enum Last {
    /// The directory gets its former permissions.
    Opened(Opened),
    /// The directory gets those of the layer.
    Made((u64, u64)),
}

fn make_link(source: BorrowedFd<'_>, target: Entry<'_>, found: &Stat) -> io::Result<()> {
    let leads_to = leads_to(source, Path::new(""))?;
    place::made(target, |directory, name| {
        symlinkat(&leads_to, directory, name)?;
        let (owner, group) = (Uid::from_raw(found.st_uid), Gid::from_raw(found.st_gid));
        // Only root can change the owner.
        let _ = chownat(directory, name, Some(owner), Some(group), AtFlags::SYMLINK_NOFOLLOW);
        Ok(())
    })
}

fn make_fifo(source: BorrowedFd<'_>, target: Entry<'_>, found: &Stat) -> io::Result<()> {
    place::made(target, |directory, name| {
        mknodat(directory, name, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        let file = open_path(directory, name)?;
        // A command may have put another file in its place.
        if kind(&fstat(&file)?) == Kind::Fifo {
            give(file.as_fd(), permissions(found), source, found, None)?;
        }
        Ok(())
    })
}

/// Removes a file or an empty directory. A directory in which another program has created files stays, with
/// an error. A missing path is no error.
fn remove(directory: BorrowedFd<'_>, name: &Path) -> io::Result<()> {
    let Some(found) = status(directory, name)? else { return Ok(()) };
    let flags = if kind(&found) == Kind::Directory { AtFlags::REMOVEDIR } else { AtFlags::empty() };
    match unlinkat(directory, name, flags) {
        Err(rustix::io::Errno::NOENT) => Ok(()),
        other => Ok(other?),
    }
}
