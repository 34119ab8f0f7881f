//! The engine's directories for private `/tmp` and home: one set for each root and host process.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

use super::plan::make::PrivatePaths;
use crate::process::directory::private::PrivateDirectory;

/// Where the directories are: on a disk, since a home's layer may become large, and where the guardian cleans after a host that was
/// killed.
pub const PARENT: &str = "/var/tmp";

/// The private directories of a root. They are removed when this is dropped.
#[derive(Debug)]
pub struct PrivateDirectories {
    paths: PrivatePaths,
    /// Removes everything when it is dropped.
    _directory: PrivateDirectory,
}

impl PrivateDirectories {
    /// Makes the directories. `has_overlays` says whether the kernel mounts copies of directories, by the probe.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn create(has_overlays: bool) -> io::Result<Self> {
        let directory = PrivateDirectory::create_in(Path::new(PARENT))?;
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
        Ok(Self { paths, _directory: directory })
    }

    /// Returns the paths, for a plan.
    #[must_use]
    pub const fn paths(&self) -> &PrivatePaths {
        &self.paths
    }
}

impl Drop for PrivateDirectories {
    fn drop(&mut self) {
        // The kernel gives the overlay's work directory mode 000, which an ordinary user can't remove.
        if let Some((_, work)) = &self.paths.home {
            let _ = fs::set_permissions(work.join("work"), Permissions::from_mode(0o700));
        }
    }
}
