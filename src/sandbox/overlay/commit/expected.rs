//! The states of the workspace on which a commit is based. A commit of many files takes its time, and others
//! save files meanwhile: each path is compared once more right before it is changed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::Stat;
use rustix::io::Errno;

use super::super::conflict::{ConflictReason, Version, is_object};
use super::super::tree::root::identity;
use super::super::walk::Found;

/// Why a change was not applied.
#[derive(Debug)]
pub(super) enum Stopped {
    /// Another program has changed the path in the workspace since the changes were found.
    Overtaken(ConflictReason),
    Failed(io::Error),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Errno> for Stopped {
    fn from(error: Errno) -> Self {
        Self::Failed(error.into())
    }
}

/// The expected states of the workspace, by path.
#[derive(Debug)]
pub(in super::super) struct Expected {
    /// `None` for a path that must be missing.
    states: HashMap<PathBuf, Option<Version>>,
    /// The files with several names that the commit has changed by another name, by file system and inode.
    own: RefCell<HashMap<(u64, u64), Version>>,
}

impl Expected {
    /// The states in which the changes were found.
    pub(in super::super) fn of(found: &[Found]) -> Self {
        // The name of an object of git says what is written there.
        let has_state = |found: &&Found| !is_object(&found.change.path) || found.after.is_none();
        let state = |found: &Found| (found.change.path.clone(), found.before.as_ref().map(Version::of));
        Self { states: found.iter().filter(has_state).map(state).collect(), own: RefCell::default() }
    }

    /// Compares the state that a path has now.
    pub(super) fn check(&self, path: &Path, now: Option<&Stat>) -> Result<(), Stopped> {
        let Some(expected) = self.states.get(path) else { return Ok(()) };
        match (expected, now) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(Stopped::Overtaken(ConflictReason::Created)),
            (Some(_), None) => Err(Stopped::Overtaken(ConflictReason::Deleted)),
            (Some(expected), Some(now)) if self.is_same(expected, now) => Ok(()),
            (Some(_), Some(_)) => Err(Stopped::Overtaken(ConflictReason::Changed)),
        }
    }

    fn is_same(&self, expected: &Version, now: &Stat) -> bool {
        let version = Version::of(now);
        if version == *expected {
            return true;
        }
        let own = self.own.borrow();
        let is_own = |own: &Version| Version { changed: version.changed, ..own.clone() } == version;
        version.inode == expected.inode && own.get(&identity(*now)).is_some_and(is_own)
    }

    /// Returns whether a path is known to be missing.
    pub(super) fn is_missing(&self, path: &Path) -> bool {
        self.states.get(path).is_some_and(Option::is_none)
    }

    /// Records the state of a file of which the commit changes the content or the number of names.
    pub(super) fn record_own(&self, status: &Stat) {
        if status.st_nlink > 1 {
            self.own.borrow_mut().insert(identity(*status), Version::of(status));
        }
    }
}
