//! The workspace of an overlay: the directory that its path led to when the overlay was created.

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, Stat, fstat, openat};

use super::beneath::is_missing;
use crate::sandbox::overlay::error::OverlayError;

/// A workspace: its path, and a descriptor of the directory.
///
/// A command of another sandbox may replace the directory or a parent by a link. The open descriptor keeps
/// the inode, so no other directory can have its number.
#[derive(Debug)]
pub(in crate::sandbox::overlay) struct Root {
    path: PathBuf,
    directory: OwnedFd,
}

impl Root {
    /// Opens a directory by its real path.
    pub(in crate::sandbox::overlay) fn open(path: PathBuf) -> io::Result<Self> {
        let directory = open(&path)?;
        Ok(Self { path, directory })
    }

    pub(in crate::sandbox::overlay) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a descriptor of the directory, for the paths below it (`O_PATH`).
    ///
    /// # Errors
    ///
    /// [`OverlayError::Replaced`] if the path leads to another directory, or to none.
    pub(in crate::sandbox::overlay) fn directory(&self) -> Result<OwnedFd, OverlayError> {
        let found = open(&self.path).and_then(|found| {
            let [one, other] = [fstat(&found)?, fstat(&self.directory)?].map(identity);
            Ok((one == other).then_some(found))
        });
        match found {
            Ok(Some(directory)) => Ok(directory),
            Err(error) if !is_missing(&error) => Err(OverlayError::at(&self.path, &error)),
            _ => Err(OverlayError::Replaced(self.path.clone())),
        }
    }

    /// Returns the metadata of the directory.
    pub(in crate::sandbox::overlay) fn metadata(&self) -> Result<Metadata, OverlayError> {
        let directory = File::from(self.directory()?);
        directory.metadata().map_err(|error| OverlayError::at(&self.path, &error))
    }
}

/// Returns what identifies a file while it is open: its file system and its inode.
pub(in crate::sandbox::overlay) fn identity(status: Stat) -> (u64, u64) {
    (status.st_dev, status.st_ino)
}

/// Opens a directory for the paths below it, which needs no permission for it.
pub(in crate::sandbox::overlay) fn open(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}
