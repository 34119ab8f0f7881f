//! Attaches the writable places of a plan.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::super::failure::At;
use super::layer::WorkDirectory;
use super::tree::{self, READ_ONLY, WRITABLE, copy_of, new_file_system, open_path, open_root};
use crate::sandbox::plan::{OverlayMount, Place, Source};
use crate::sandbox::protocol::report::{Failure, SandboxStep};

/// A copy-on-write mount.
pub(in super::super) struct Layer {
    pub(in super::super) path: PathBuf,
    /// The upper directory, which gets the writes.
    pub(in super::super) upper: OwnedFd,
    /// A lock that keeps the next sandbox from removing the work directory, or marks the layer of an overlay
    /// as used.
    pub(in super::super) lock: OwnedFd,
}

impl Layer {
    /// Returns the layer of an overlay.
    pub(super) fn shared(mount: &OverlayMount, lock: OwnedFd) -> io::Result<Self> {
        let upper = open_path(open_root()?.as_fd(), &mount.upper)?;
        Ok(Self { path: mount.root.clone(), upper, lock })
    }
}

/// A place, ready to be attached.
pub(super) struct Prepared {
    path: PathBuf,
    tree: OwnedFd,
    layer: Option<Layer>,
    /// Whether the kernel refused a copy-on-write mount.
    is_weaker: bool,
}

/// Clones the mounts of the places, before the host's mounts become read-only.
pub(super) fn prepare(places: &[Place]) -> Result<Vec<Prepared>, Failure> {
    places.iter().map(|place| prepare_one(place).at_path(SandboxStep::Source, &place.path)).collect()
}

fn prepare_one(place: &Place) -> io::Result<Prepared> {
    let path = place.path.clone();
    let writable = |tree| Prepared { path: path.clone(), tree, layer: None, is_weaker: false };
    Ok(match &place.source {
        Source::Host => writable(copy_of(&place.path, WRITABLE)?),
        Source::Directory(source) => writable(copy_of(source, WRITABLE)?),
        Source::Memory(size) => {
            let size = size.to_string();
            let settings: [(&CStr, Option<&[u8]>); 2] =
                [(c"mode", Some(b"1777")), (c"size", Some(size.as_bytes()))];
            writable(new_file_system(c"tmpfs", &settings, WRITABLE)?)
        }
        Source::Overlay { upper, work } => {
            if let Ok((tree, lock)) = overlay(&place.path, upper, work) {
                let upper = open_path(open_root()?.as_fd(), upper)?;
                let layer = Layer { path: path.clone(), upper, lock };
                Prepared { path, tree, layer: Some(layer), is_weaker: false }
            } else {
                let tree = copy_of(&place.path, READ_ONLY)?;
                Prepared { path, tree, layer: None, is_weaker: true }
            }
        }
    })
}

/// Mounts a copy-on-write view of a directory, with a work directory in `works`. Returns the mount and the
/// lock of the work directory. Colons and commas in paths are escaped, because the kernel reads them as
/// separators.
fn overlay(lower: &Path, upper: &Path, works: &Path) -> io::Result<(OwnedFd, OwnedFd)> {
    let lower = escaped(lower.as_os_str().as_bytes());
    let WorkDirectory { path: work, lock } = WorkDirectory::create(works)?;
    let settings: [(&CStr, Option<&[u8]>); 6] = [
        (c"lowerdir", Some(&lower)),
        (c"upperdir", Some(upper.as_os_str().as_bytes())),
        (c"workdir", Some(work.as_os_str().as_bytes())),
        (c"userxattr", None),
        // With an index, the kernel refuses a layer that another mount uses.
        (c"index", Some(b"off")),
        // Without `volatile`, each unmount, so each end of a command, syncs the whole file system of the
        // layer. The layer does not outlive the host.
        (c"volatile", None),
    ];
    Ok((new_file_system(c"overlay", &settings, WRITABLE)?, lock))
}

/// Mounts an overlay over its workspace.
pub(in super::super) fn attach_overlay(mount: &OverlayMount) -> io::Result<()> {
    let OverlayMount { root, upper, work } = mount;
    // The engine's lock of the layer excludes other users of it.
    let (tree, _) = overlay(root, upper, work)?;
    tree::attach(tree.as_fd(), open_path(open_root()?.as_fd(), root)?.as_fd())
}

/// Escapes the separator of a list of lower directories.
fn escaped(path: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(path.len());
    for &byte in path {
        if matches!(byte, b':' | b'\\') {
            escaped.push(b'\\');
        }
        escaped.push(byte);
    }
    escaped
}

/// Attaches the places in order. Returns whether all are as planned, and the layers.
pub(super) fn attach_all(places: Vec<Prepared>, root: BorrowedFd<'_>) -> Result<(bool, Vec<Layer>), Failure> {
    let mut layers = Vec::new();
    let mut is_as_planned = true;
    for Prepared { path, tree, layer, is_weaker } in places {
        attach(&path, &tree, root).at_path(SandboxStep::Place, &path)?;
        is_as_planned &= !is_weaker;
        layers.extend(layer);
    }
    Ok((is_as_planned, layers))
}

fn attach(path: &Path, tree: &OwnedFd, root: BorrowedFd<'_>) -> io::Result<()> {
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

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn a_colon_in_a_lower_directory_is_escaped() {
        assert_eq!(escaped(b"/a:b\\c"), b"/a\\:b\\\\c");
    }
}
