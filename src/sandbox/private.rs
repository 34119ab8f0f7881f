//! The engine's directories for private `/tmp` and home: one set for each root and host process.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::PathBuf;

pub use super::plan::machine::PrivatePaths;
use crate::process::directory::private::{PREFIX, PrivateDirectory};
use crate::process::directory::temporary::large_directories;

/// Returns the existing directories of all hosts of this user: a command must not read the files of another
/// one there, or data from a pipe of another session. Directories in `/tmp` count if the sandbox has the
/// host's `/tmp`.
#[must_use]
pub fn existing(has_host_tmp: bool) -> Vec<PathBuf> {
    let is_own = |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes());
    // A sandbox has a `/dev/shm` of its own.
    let is_visible = |parent: &PathBuf| match parent.to_str() {
        Some("/tmp") => has_host_tmp,
        Some("/dev/shm") => false,
        _ => true,
    };
    let parents = large_directories().into_iter().filter(is_visible);
    let entries = parents.filter_map(|parent| fs::read_dir(parent).ok());
    entries.flat_map(|entries| entries.flatten().filter(is_own).map(|entry| entry.path())).collect()
}

/// The private directories of a root. They are removed when this is dropped.
#[derive(Debug)]
pub struct PrivateDirectories {
    paths: PrivatePaths,
    /// Removes everything when it is dropped, unless a durable job shares it.
    directory: PrivateDirectory,
}

impl PrivateDirectories {
    /// Creates the directories. `has_overlays` says whether the kernel mounts overlays.
    ///
    /// # Errors
    ///
    /// The system's error for the last parent directory tried.
    pub fn create(has_overlays: bool) -> io::Result<Self> {
        PrivateDirectory::create_large(|directory| Self::fill(directory, has_overlays))
    }

    fn fill(directory: PrivateDirectory, has_overlays: bool) -> io::Result<Self> {
        let at = |name: &str| directory.path().join(name);
        let make = |name: &str, mode: u32| -> io::Result<_> {
            let path = at(name);
            DirBuilder::new().mode(mode).create(&path)?;
            fs::set_permissions(&path, Permissions::from_mode(mode))?;
            Ok(path)
        };
        let paths = PrivatePaths {
            directory: directory.path().to_owned(),
            tmp: make("tmp", 0o1777)?,
            empty_home: make("empty-home", 0o700)?,
            home: if has_overlays { Some((make("home", 0o700)?, make("work", 0o700)?)) } else { None },
        };
        Ok(Self { paths, directory })
    }

    /// Creates a layer and a work directory for the home with this number: the commands of a root may have
    /// several homes.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn create_layer(&self, number: usize) -> io::Result<(PathBuf, PathBuf)> {
        let [layer, work] =
            ["home", "work"].map(|name| self.paths.directory.join(format!("{name}-{number}")));
        for path in [&layer, &work] {
            DirBuilder::new().mode(0o700).create(path)?;
        }
        Ok((layer, work))
    }

    /// Returns a copy of the lock, with which the directories stay for another process.
    ///
    /// # Errors
    ///
    /// The system's error, such as `EMFILE`.
    pub fn share(&self) -> io::Result<OwnedFd> {
        self.directory.share()
    }

    /// Returns the paths, for a plan.
    #[must_use]
    pub const fn paths(&self) -> &PrivatePaths {
        &self.paths
    }
}
