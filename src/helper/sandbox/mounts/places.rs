//! Attaches the writable places of a plan.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use super::super::failure::FailureContext;
use super::tree::{self, WRITABLE, copy_of, new_file_system, open_path, open_root};
use crate::sandbox::plan::{Place, Source};
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// The layer of a copy-on-write mount.
pub(in super::super) struct OpenLayer {
    pub(in super::super) path: PathBuf,
    /// The upper directory, which gets the writes.
    pub(in super::super) upper: OwnedFd,
    /// Marks the layer of an overlay as used.
    pub(in super::super) lock: Option<OwnedFd>,
}

impl OpenLayer {
    /// Opens the layer of the mount at a path.
    pub(super) fn open(path: &Path, upper: &Path, lock: Option<OwnedFd>) -> io::Result<Self> {
        let upper = open_path(open_root()?.as_fd(), upper)?;
        Ok(Self { path: path.to_owned(), upper, lock })
    }
}

/// A place, ready to be attached.
pub(super) struct PreparedMount {
    path: PathBuf,
    tree: OwnedFd,
    layer: Option<OpenLayer>,
}

/// Clones the mounts of the places, before the host's mounts become read-only. `home` is that of the private
/// home.
pub(super) fn prepare(
    places: &[Place],
    home: &mut Option<OwnedFd>,
) -> Result<Vec<PreparedMount>, SandboxFailure> {
    places.iter().map(|place| prepare_one(place, home).at_path(SandboxStep::Source, &place.path)).collect()
}

fn prepare_one(place: &Place, home: &mut Option<OwnedFd>) -> io::Result<PreparedMount> {
    let path = place.path.clone();
    let tree = match &place.source {
        Source::Host => copy_of(&place.path, WRITABLE)?,
        Source::Directory(source) => copy_of(source, WRITABLE)?,
        Source::Memory(size) => {
            let size = size.to_string();
            let settings: [(&CStr, Option<&[u8]>); 2] =
                [(c"mode", Some(b"1777")), (c"size", Some(size.as_bytes()))];
            new_file_system(c"tmpfs", &settings, WRITABLE)?
        }
        Source::Overlay { upper, .. } => {
            let layer = OpenLayer::open(&path, upper, None)?;
            let tree = home.take().ok_or(io::ErrorKind::InvalidInput)?;
            return Ok(PreparedMount { path, tree, layer: Some(layer) });
        }
    };
    Ok(PreparedMount { path, tree, layer: None })
}

/// Attaches the places in order. Returns the layers.
pub(super) fn attach_all(
    places: Vec<PreparedMount>,
    root: BorrowedFd<'_>,
) -> Result<Vec<OpenLayer>, SandboxFailure> {
    let mut layers = Vec::new();
    for PreparedMount { path, tree, layer } in places {
        attach(&path, &tree, root).at_path(SandboxStep::Place, &path)?;
        layers.extend(layer);
    }
    Ok(layers)
}

pub(super) fn attach(path: &Path, tree: &OwnedFd, root: BorrowedFd<'_>) -> io::Result<()> {
    let place = match open_path(root, path) {
        // Below a private `/tmp`, or in the new root directory.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_place(path, tree, root);
            open_path(root, path)?
        }
        other => other?,
    };
    tree::attach(tree.as_fd(), place.as_fd())
}

/// Makes a missing path of the same kind as the tree.
fn make_place(path: &Path, tree: &OwnedFd, root: BorrowedFd<'_>) {
    let is_file = rustix::fs::fstat(tree)
        .is_ok_and(|status| !rustix::fs::FileType::from_raw_mode(status.st_mode).is_dir());
    if is_file {
        tree::make_directories(root, path.parent().unwrap_or(Path::new("/")));
        tree::make_file(root, path);
    } else {
        tree::make_directories(root, path);
    }
}
