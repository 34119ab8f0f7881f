//! The names that a commit changes.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, Stat, unlinkat};
use rustix::io::Errno;

use super::super::change::Kind;
use super::super::conflict::ConflictReason;
use super::super::tree::Tree;
use super::super::tree::beneath::{kind, open_path, status};
use super::expected::{Expected, Stopped};

/// A name in an open directory of the workspace.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommitEntry<'a> {
    pub(super) root: &'a Tree,
    /// The path below the root.
    pub(super) path: &'a Path,
    pub(super) directory: BorrowedFd<'a>,
    pub(super) name: &'a Path,
    /// The name of a file in the same directory until it is complete.
    pub(super) temporary: &'a Path,
    pub(super) expected: Option<&'a Expected>,
}

impl CommitEntry<'_> {
    /// Opens the file for its status and attributes, whatever its kind and its permissions.
    pub(super) fn open(self) -> io::Result<OwnedFd> {
        open_path(self.directory, self.name)
    }

    /// Checks that the name has the expected state. Returns its status; `None` for a missing one.
    pub(super) fn check(self) -> Result<Option<Stat>, Stopped> {
        let now = self.root.status_in(self.directory, self.name)?;
        self.check_status(now.as_ref())?;
        Ok(now)
    }

    pub(super) fn check_status(self, now: Option<&Stat>) -> Result<(), Stopped> {
        let Some(expected) = self.expected else { return Ok(()) };
        expected.check(self.path, now)?;
        self.record_own(now);
        Ok(())
    }

    /// Records the state of a file with several names that the commit changes.
    pub(super) fn record_own(self, status: Option<&Stat>) {
        if let (Some(expected), Some(status)) = (self.expected, status) {
            expected.record_own(status);
        }
    }

    /// Removes a file or an empty directory. A directory in which another program has created files stays.
    /// A missing path is no error.
    pub(super) fn remove(self) -> Result<(), Stopped> {
        let Some(found) = status(self.directory, self.name)? else { return Ok(()) };
        let flags = if kind(&found) == Kind::Directory { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        match unlinkat(self.directory, self.name, flags) {
            Err(Errno::NOENT) => Ok(()),
            Err(Errno::NOTEMPTY | Errno::EXIST) if self.expected.is_some() => {
                Err(Stopped::Overtaken(ConflictReason::Changed))
            }
            other => Ok(other?),
        }
    }
}
