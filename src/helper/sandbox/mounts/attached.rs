//! Files of the engine in place of others: certificates, and settings with placeholders.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::fstat;

use super::super::failure::FailureContext;
use super::places::attach;
use super::tree::{READ_ONLY, copy_of};
use crate::sandbox::plan::AttachedFile;
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// The files with the paths at which they are attached.
pub(in super::super) type PreparedFiles = Vec<(PathBuf, OwnedFd)>;

/// Clones the mounts of the files.
pub(super) fn prepare(files: &[AttachedFile]) -> Result<PreparedFiles, SandboxFailure> {
    let prepare = |file: &AttachedFile| {
        let tree = copy_of(&file.source, READ_ONLY).at_path(SandboxStep::File, &file.source)?;
        Ok((file.path.clone(), tree))
    };
    files.iter().map(prepare).collect()
}

/// Attaches the files. A missing place is made.
pub(super) fn attach_all(files: &PreparedFiles, root: BorrowedFd<'_>) -> Result<(), SandboxFailure> {
    let attach =
        |(path, tree): &(PathBuf, OwnedFd)| attach(path, tree, root).at_path(SandboxStep::File, path);
    files.iter().try_for_each(attach)
}

/// Returns whether a path has a file of the engine, and `place` is that file.
pub(super) fn is_attached(files: &PreparedFiles, path: &Path, place: BorrowedFd<'_>) -> bool {
    let identity = |file: BorrowedFd<'_>| fstat(file).ok().map(|status| (status.st_dev, status.st_ino));
    let is_same = |tree: &OwnedFd| {
        let own = identity(tree.as_fd());
        own.is_some() && own == identity(place)
    };
    files.iter().any(|(attached, tree)| attached == path && is_same(tree))
}
