//! Directories whose permissions are changed for a time, and the log by which a later process gives them
//! their former ones if this one is killed.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{Mode, Stat, fstat};
use serde::{Deserialize, Serialize};

use super::attributes::change_mode;
use super::beneath::{is_missing, open_path};
use super::root::identity;
use crate::wire::{self, raw};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(in crate::sandbox::overlay) enum OverlayTree {
    Layer,
    Workspace,
}

/// A directory that was opened, by its path below the top of its tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::sandbox::overlay) struct OpenedDirectory {
    pub(in crate::sandbox::overlay) place: OverlayTree,
    #[serde(with = "raw")]
    pub(in crate::sandbox::overlay) path: PathBuf,
    pub(in crate::sandbox::overlay) inode: u64,
    /// The mode as in a status, from before the entry was opened.
    pub(in crate::sandbox::overlay) kind_and_mode: u32,
}

/// The log of the open directories of both trees: empty while none is open.
#[derive(Debug)]
pub(in crate::sandbox::overlay) struct OpenedLog(Mutex<Logged>);

#[derive(Debug)]
struct Logged {
    file: File,
    /// The number of directories that are open.
    open: usize,
}

impl OpenedLog {
    /// Opens a log, and returns what a killed process has left open.
    pub(in crate::sandbox::overlay) fn open(path: &Path) -> io::Result<(Self, Vec<OpenedDirectory>)> {
        let bytes = match std::fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            other => other?,
        };
        // The last one may be incomplete: then its directory was not opened.
        let left = wire::decode_each(&bytes);
        let file = File::options().create(true).append(true).open(path)?;
        Ok((Self(Mutex::new(Logged { file, open: 0 })), left))
    }

    /// Forgets what was left open.
    pub(in crate::sandbox::overlay) fn clear(&self) -> io::Result<()> {
        self.lock().file.set_len(0)
    }

    fn add(&self, entry: &OpenedDirectory) -> io::Result<()> {
        let mut logged = self.lock();
        logged.file.write_all(&wire::encode(entry))?;
        logged.file.sync_data()?;
        logged.open += 1;
        Ok(())
    }

    fn remove(&self) {
        let mut logged = self.lock();
        logged.open = logged.open.saturating_sub(1);
        if logged.open == 0 {
            // An entry that stays has no effect on a directory that has its former permissions.
            let _ = logged.file.set_len(0);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Logged> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A directory whose permissions were changed for a time.
#[derive(Debug)]
pub(in crate::sandbox::overlay) struct Opened {
    pub(in crate::sandbox::overlay) entry: OpenedDirectory,
    pub(in crate::sandbox::overlay) identity: (u64, u64),
    log: Option<Arc<OpenedLog>>,
}

impl Opened {
    /// Logs a directory with this status, and gives its owner all permissions.
    pub(in crate::sandbox::overlay) fn open(
        directory: BorrowedFd<'_>,
        status: Stat,
        (place, path): (OverlayTree, &Path),
        log: Option<&Arc<OpenedLog>>,
    ) -> io::Result<Self> {
        let entry = OpenedDirectory {
            place,
            path: path.to_owned(),
            inode: status.st_ino,
            kind_and_mode: status.st_mode,
        };
        if let Some(log) = log {
            log.add(&entry)?;
        }
        let opened = Self { entry, identity: identity(status), log: log.cloned() };
        change_mode(directory, Mode::from_raw_mode(status.st_mode) | Mode::RWXU)?;
        Ok(opened)
    }

    /// Gives a directory its former permissions, unless another directory is at its path.
    pub(in crate::sandbox::overlay) fn close(&self, top: BorrowedFd<'_>) -> io::Result<()> {
        self.entry.close(top)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(log) = &self.log {
            log.remove();
        }
    }
}

impl OpenedDirectory {
    /// Gives a directory its former permissions, unless another directory is at its path, or others have
    /// changed its permissions meanwhile.
    pub(in crate::sandbox::overlay) fn close(&self, top: BorrowedFd<'_>) -> io::Result<()> {
        let directory = match open_path(top, &self.path) {
            Err(error) if is_missing(&error) => return Ok(()),
            other => other?,
        };
        let status = fstat(&directory)?;
        let is_as_opened = status.st_mode == self.kind_and_mode | Mode::RWXU.bits();
        if status.st_ino == self.inode && is_as_opened {
            change_mode(directory.as_fd(), Mode::from_raw_mode(self.kind_and_mode))?;
        }
        Ok(())
    }
}
