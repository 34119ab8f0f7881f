//! The paths of private directories, as a plan has them.

use std::path::PathBuf;

/// Directories of the engine, outside of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivatePaths {
    /// The parent of the directories below. It is hidden.
    pub directory: PathBuf,
    /// The private `/tmp`.
    pub tmp: PathBuf,
    /// The layer and the work directory of the private home; `None` where the kernel has no such mounts.
    pub home: Option<(PathBuf, PathBuf)>,
    /// The home of isolated commands.
    pub empty_home: PathBuf,
}
