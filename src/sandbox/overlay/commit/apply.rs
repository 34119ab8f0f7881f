//! Applies changes one by one: each step compares its path with the expected state, changes it, and reports
//! what it has written.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Gid, Mode, Stat, Uid, chownat, fstat, mkdirat, mknodat, symlinkat};
use rustix::io::Errno;

use super::super::change::{Action, Change, Kind};
use super::super::conflict::{Conflict, ConflictReason, Version};
use super::super::tree::attributes::{changed_permissions, give, permissions, set_permissions};
use super::super::tree::beneath::{is_missing, kind, open_path, status, target as leads_to};
use super::super::tree::root::identity;
use super::super::tree::{Tree, name_of};
use super::entry::CommitEntry;
use super::expected::{Expected, Stopped};
use super::order::{Ordered, ordered};
use super::{content, place};

/// The changes to apply, and where.
#[derive(Debug)]
pub(super) struct CommitTask<'a> {
    pub(super) changes: &'a [Change],
    pub(super) layer: &'a Tree,
    pub(super) root: &'a Tree,
    /// The name of a file until it is complete.
    pub(super) temporary: PathBuf,
    /// The states that the workspace must have; `None` to overwrite whatever is there.
    pub(super) expected: Option<Expected>,
    /// Whether a change whose path has another state is left out. Otherwise, it ends the commit.
    pub(super) skips: bool,
}

/// The result of a commit.
#[derive(Debug, Default)]
pub(super) struct ApplyReport {
    pub(super) applied: Vec<Change>,
    /// The written and removed paths, also the former paths of moved files.
    pub(super) written: Vec<Written>,
    /// The paths that were left out because others have changed them meanwhile.
    pub(super) overtaken: Vec<Conflict>,
    /// Why the commit has ended early.
    pub(super) failed: Option<ApplyFailure>,
}

/// A path that a commit has changed.
#[derive(Debug)]
pub(in super::super) struct Written {
    pub(in super::super) path: PathBuf,
    /// The status in the layer before the file was read: a later one has a change that was not applied.
    pub(in super::super) source: Option<Stat>,
    /// The state that the commit has given the path in the workspace; `None` for a removed one.
    pub(in super::super) root: Option<Version>,
}

/// The change at which a commit failed, and the reason.
#[derive(Debug)]
pub(super) struct ApplyFailure {
    pub(super) path: PathBuf,
    pub(super) reason: Stopped,
}

/// Applies changes. Calls `begin` before each change and before each removal of a moved file. A change whose
/// file a command has removed meanwhile is left out. The changes before one that fails stay applied.
pub(super) fn apply(task: &CommitTask<'_>, mut begin: impl FnMut(&Path) -> io::Result<()>) -> ApplyReport {
    let mut commit = Commit { task, directories: Vec::new() };
    let mut report = ApplyReport::default();
    for step in ordered(task.changes) {
        if report.is_in_the_way(&step) {
            continue;
        }
        let path = &step.change.path;
        let mut apply = || commit.apply(&step.change).map_err(|reason| task.classified(reason));
        match begin(path).map_err(Stopped::from).and_then(|()| apply()) {
            Ok(None) => {}
            Ok(Some(written)) => {
                report.written.push(written);
                if step.moved_to.is_none() {
                    report.applied.push(step.change.into_owned());
                }
            }
            Err(Stopped::Overtaken(reason)) if task.skips => {
                report.overtaken.push(Conflict { path: path.clone(), reason });
                report.separate(step.moved_to);
            }
            Err(reason) => {
                report.failed = Some(ApplyFailure { path: path.clone(), reason });
                break;
            }
        }
    }
    // Also after an error, so that no directory keeps permissions that nobody has chosen.
    if let Err(failed) = commit.finish(&mut report.written) {
        report.failed.get_or_insert(failed);
    }
    report
}

impl CommitTask<'_> {
    /// Returns the reason of an error: a directory that others remove while a file is created in it is
    /// missing then.
    fn classified(&self, reason: Stopped) -> Stopped {
        match reason {
            Stopped::Failed(error) if self.expected.is_some() && error.kind() == io::ErrorKind::NotFound => {
                Stopped::Overtaken(ConflictReason::Deleted)
            }
            other => other,
        }
    }
}

impl ApplyReport {
    /// Returns whether a change needs one that was left out: it is below such a path, removes the directory
    /// of one, or removes a file that was not created at its new path.
    fn is_in_the_way(&self, step: &Ordered<'_>) -> bool {
        let path = &step.change.path;
        let removes = step.change.action == Action::Deleted;
        self.overtaken.iter().any(|other| {
            path.starts_with(&other.path)
                || (removes && other.path.starts_with(path))
                || step.moved_to == Some(other.path.as_path())
        })
    }

    /// Reports a moved file that stays at its old path too as a new one.
    fn separate(&mut self, moved_to: Option<&Path>) {
        let moved = self.applied.iter_mut().find(|change| Some(change.path.as_path()) == moved_to);
        if let Some(change) = moved {
            change.action = Action::Created;
        }
    }
}

pub(super) struct Commit<'a> {
    pub(super) task: &'a CommitTask<'a>,
    /// The directories that get the permissions of the layer at the end.
    pub(super) directories: Vec<(PathBuf, (u64, u64))>,
}

impl<'a> Commit<'a> {
    /// Applies a change. Returns `None` if the layer no longer has it.
    fn apply(&mut self, change: &Change) -> Result<Option<Written>, Stopped> {
        let path = &change.path;
        let wrote = |source, root: &Stat| {
            Some(Written { path: path.clone(), source: Some(source), root: Some(Version::of(root)) })
        };
        if change.action == Action::Deleted {
            return self.delete(path);
        }
        let Some((source, found)) = self.source(path, change.kind)? else { return Ok(None) };
        let target = match self.directory_of(path) {
            Err(error) if is_missing(&error) => {
                self.make_parents(path)?;
                self.directory_of(path)?
            }
            other => other?,
        };
        let target = self.entry(target.as_fd(), path);
        let written = match (&change.action, change.kind) {
            (Action::Created | Action::Modified | Action::Renamed(_), Kind::File) => {
                let copied = content::write(source.as_fd(), target)?;
                return Ok(copied.and_then(|copied| wrote(copied.source, &copied.written)));
            }
            (Action::Mode, _) => match self.change_permissions(source.as_fd(), target, &found)? {
                Some(written) => written,
                None => return Ok(None),
            },
            (_, Kind::Directory) => self.make_directory(target)?,
            (_, Kind::Link) => make_link(source.as_fd(), target, &found)?,
            _ => make_fifo(source.as_fd(), target, &found)?,
        };
        Ok(wrote(found, &written))
    }

    fn delete(&self, path: &Path) -> Result<Option<Written>, Stopped> {
        // A command has created it again meanwhile. A socket or a whiteout stands for a deletion.
        let again = self.task.layer.status(path)?.map(|found| kind(&found));
        if again.is_some_and(|kind| !matches!(kind, Kind::Socket | Kind::Device)) {
            return Ok(None);
        }
        let removed = Written { path: path.to_owned(), source: None, root: None };
        let directory = match self.directory_of(path) {
            Err(error) if is_missing(&error) => return Ok(Some(removed)),
            other => other?,
        };
        let target = self.entry(directory.as_fd(), path);
        match target.check() {
            Err(Stopped::Overtaken(ConflictReason::Deleted)) => {}
            other => {
                other?;
                target.remove()?;
            }
        }
        Ok(Some(removed))
    }

    /// Returns a name in an open directory.
    fn entry<'b>(&self, directory: BorrowedFd<'b>, path: &'b Path) -> CommitEntry<'b>
    where
        'a: 'b,
    {
        let CommitTask { root, temporary, expected, .. } = self.task;
        CommitEntry { root, path, directory, name: name_of(path), temporary, expected: expected.as_ref() }
    }

    /// Opens the version of a path in the layer, for its status and attributes; `None` if it is gone.
    pub(super) fn source(&self, path: &Path, expected: Kind) -> io::Result<Option<(OwnedFd, Stat)>> {
        let Some(source) = self.task.layer.path(path)? else { return Ok(None) };
        let found = self.task.layer.status_of(source.as_fd())?;
        Ok((kind(&found) == expected).then_some((source, found)))
    }

    fn directory_of(&self, path: &Path) -> io::Result<OwnedFd> {
        self.task.root.directory_for_changes(path.parent().unwrap_or(Path::new("")))
    }

    /// Creates the missing directories above a path, as the layer has them. Those that the host has removed
    /// are created only if the commit overwrites what others have done.
    fn make_parents(&mut self, path: &Path) -> Result<(), Stopped> {
        let parents: Vec<&Path> =
            path.ancestors().skip(1).filter(|path| path.file_name().is_some()).collect();
        for parent in parents.into_iter().rev() {
            let directory = self.directory_of(parent)?;
            let found = status(directory.as_fd(), name_of(parent))?;
            let expected = self.task.expected.as_ref();
            match found.map(|found| kind(&found)) {
                None if expected.is_some_and(|expected| !expected.is_missing(parent)) => {
                    return Err(Stopped::Overtaken(ConflictReason::Deleted));
                }
                None => {
                    self.make_directory(self.entry(directory.as_fd(), parent))?;
                }
                Some(Kind::Directory) => {}
                Some(_) if expected.is_some() => return Err(Stopped::Overtaken(ConflictReason::Changed)),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Creates a directory, which only its owner can use until it gets its permissions.
    fn make_directory(&mut self, target: CommitEntry<'_>) -> Result<Stat, Stopped> {
        let before = target.root.status_in(target.directory, target.name)?;
        let is_own = |before: &Stat| {
            self.directories.iter().any(|(path, made)| path == target.path && *made == identity(*before))
        };
        if let Some(before) = before.filter(is_own) {
            return Ok(before);
        }
        target.check_status(before.as_ref())?;
        match before {
            Some(before) if kind(&before) == Kind::Directory => return Ok(before),
            Some(_) => target.remove()?,
            None => {}
        }
        match mkdirat(target.directory, target.name, Mode::RWXU) {
            Err(Errno::EXIST) if target.expected.is_some() => {
                return Err(Stopped::Overtaken(ConflictReason::Created));
            }
            other => other?,
        }
        let made = fstat(target.open()?)?;
        self.directories.push((target.path.to_owned(), identity(made)));
        Ok(made)
    }

    /// Changes the permissions of a file, or plans that for a directory. Returns the status then; `None` if
    /// the kinds differ.
    fn change_permissions(
        &mut self,
        source: BorrowedFd<'_>,
        target: CommitEntry<'_>,
        found: &Stat,
    ) -> Result<Option<Stat>, Stopped> {
        let Some(before) = target.check()? else { return Ok(None) };
        let file = target.open()?;
        if kind(&before) != kind(found) || identity(fstat(&file)?) != identity(before) {
            return Ok(None);
        }
        if kind(found) == Kind::Directory {
            self.directories.push((target.path.to_owned(), identity(before)));
            return Ok(Some(before));
        }
        set_permissions(file.as_fd(), changed_permissions(found, &before), source, Some(file.as_fd()))?;
        let changed = fstat(&file)?;
        target.record_own(Some(&changed));
        Ok(Some(changed))
    }
}

fn make_link(source: BorrowedFd<'_>, target: CommitEntry<'_>, found: &Stat) -> Result<Stat, Stopped> {
    let leads_to = leads_to(source, Path::new(""))?;
    place::made(target, |directory, name| {
        symlinkat(&leads_to, directory, name)?;
        let (owner, group) = (Uid::from_raw(found.st_uid), Gid::from_raw(found.st_gid));
        // Only root can change the owner.
        let _ = chownat(directory, name, Some(owner), Some(group), AtFlags::SYMLINK_NOFOLLOW);
        Ok(())
    })
}

fn make_fifo(source: BorrowedFd<'_>, target: CommitEntry<'_>, found: &Stat) -> Result<Stat, Stopped> {
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
