//! Copy-on-write mounts (overlayfs) over a workspace or a home.

use std::ffi::CStr;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::mount::{FsMountFlags, UnmountFlags, fsmount, unmount};
use rustix::process::geteuid;

use super::super::namespaces;
use super::make_private;
use super::tree::{self, WRITABLE, new_context, open_path, open_root};
use crate::sandbox::kept_mount::table::mounts_below;
use crate::sandbox::plan::OverlayMount;

/// Mounts a layer over its root. Returns the context by which the mount is reconfigured.
pub(in super::super) fn attach(mount: &OverlayMount) -> io::Result<OwnedFd> {
    let host = open_root()?;
    let root = open_path(host.as_fd(), &mount.root)?;
    let upper = open_path(host.as_fd(), &mount.upper)?;
    let work = open_path(host.as_fd(), &new_work_directory(&mount.work)?)?;
    // The kernel takes paths of at most 255 bytes, and reads colons in them as separators.
    let [lower, upper, work] =
        [&root, &upper, &work].map(|place| format!("/proc/self/fd/{}", place.as_raw_fd()));
    let mut settings: Vec<(&CStr, Option<&[u8]>)> = vec![
        (c"lowerdir", Some(lower.as_bytes())),
        (c"upperdir", Some(upper.as_bytes())),
        (c"workdir", Some(work.as_bytes())),
        (c"userxattr", None),
        // With an index, the kernel would not show changes of the workspace.
        (c"index", Some(b"off")),
    ];
    if mount.is_volatile {
        // Otherwise, the end of the mount syncs the whole file system of the layer.
        settings.push((c"volatile", None));
    }
    let context = new_context(c"overlay", &settings)?;
    let tree = fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, WRITABLE)?;
    tree::attach(tree.as_fd(), root.as_fd())?;
    Ok(context)
}

/// Makes a work directory. The kernel refuses that of an earlier mount.
fn new_work_directory(parent: &Path) -> io::Result<PathBuf> {
    for number in 0_u32.. {
        let path = parent.join(number.to_string());
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|()| path),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Removes the mounts below a directory from the view of this process, as root: the kernel makes no overlay
/// of a directory with mounts that belong to another user namespace. Where this fails, so does the mount.
pub(in super::super) fn uncover(root: &Path) {
    if !geteuid().is_root() {
        return;
    }
    let table = fs::read("/proc/self/mountinfo").unwrap_or_default();
    let below = mounts_below(&table, root);
    if below.is_empty() || namespaces::unshare_mounts().and_then(|()| make_private()).is_err() {
        return;
    }
    for path in below.iter().rev() {
        let _ = unmount(path, UnmountFlags::DETACH | UnmountFlags::NOFOLLOW);
    }
}
