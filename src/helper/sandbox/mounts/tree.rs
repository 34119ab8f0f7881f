//! Detached mount trees (`open_tree`, `fsmount`): clones of paths, new file systems, and their attachment.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, mkdirat, openat2};
use rustix::io::Errno;
pub(in super::super) use rustix::mount::MountAttrFlags;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MoveMountFlags, OpenTreeFlags, fsconfig_create, fsconfig_set_flag,
    fsconfig_set_string, fsmount, fsopen, move_mount, open_tree,
};

use super::super::failure::check;

/// Attributes of a writable path.
pub(in super::super) const WRITABLE: MountAttrFlags =
    MountAttrFlags::MOUNT_ATTR_NOSUID.union(MountAttrFlags::MOUNT_ATTR_NODEV);

/// Attributes of a path that can only be read.
pub(in super::super) const READ_ONLY: MountAttrFlags = WRITABLE.union(MountAttrFlags::MOUNT_ATTR_RDONLY);

/// Attributes of a device, whose mode and owner stay as they are. Reading and writing it is no change of the
/// file system.
pub(in super::super) const DEVICE: MountAttrFlags = MountAttrFlags::MOUNT_ATTR_NOSUID
    .union(MountAttrFlags::MOUNT_ATTR_NOEXEC)
    .union(MountAttrFlags::MOUNT_ATTR_RDONLY);

/// The argument of `mount_setattr`.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// Changes a mount and all below it.
pub(in super::super) fn set_attributes(
    tree: BorrowedFd<'_>,
    set: MountAttrFlags,
    propagation: u64,
) -> io::Result<()> {
    change(tree, set, propagation, libc::AT_RECURSIVE)
}

/// Changes a mount alone.
pub(in super::super) fn set_own_attributes(tree: BorrowedFd<'_>, set: MountAttrFlags) -> io::Result<()> {
    change(tree, set, 0, 0)
}

fn change(tree: BorrowedFd<'_>, set: MountAttrFlags, propagation: u64, flags: i32) -> io::Result<()> {
    let attributes = MountAttributes { set: u64::from(set.bits()), clear: 0, propagation, user_namespace: 0 };
    // SAFETY: the path is empty and NUL-terminated, the structure is live and its size is passed along.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | flags,
            &raw const attributes,
            size_of::<MountAttributes>(),
        )
    };
    check(result).map(|_| ())
}

/// Opens a path below a directory without following any symbolic link, as a place in the file system only.
///
/// A plan's paths have no links. A link that appears later is another program's.
pub(in super::super) fn open_path(root: BorrowedFd<'_>, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    Ok(openat2(root, relative(path), flags, Mode::empty(), resolve)?)
}

/// Opens a path as [`open_path`] does, but the last component may be a symbolic link, which is opened itself.
pub(in super::super) fn open_link(root: BorrowedFd<'_>, path: &Path) -> io::Result<OwnedFd> {
    match open_path(root, path) {
        Err(error) if error.raw_os_error() == Some(libc::ELOOP) => {
            let parent = open_path(root, path.parent().unwrap_or(Path::new("/")))?;
            let name = path.file_name().ok_or(Errno::INVAL)?;
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            Ok(rustix::fs::openat(parent, name, flags, Mode::empty())?)
        }
        other => other,
    }
}

/// Returns an absolute path relative to the root directory.
pub(in super::super) fn relative(path: &Path) -> &Path {
    let path = path.strip_prefix("/").unwrap_or(path);
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// Returns a detached clone of the mount at this place, with all mounts below it.
pub(in super::super) fn copy(place: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(open_tree(place, c"", flags)?)
}

/// Returns a detached clone of the mount at a path of the host.
pub(in super::super) fn copy_of(path: &Path, attributes: MountAttrFlags) -> io::Result<OwnedFd> {
    let root = open_root()?;
    let tree = copy(open_path(root.as_fd(), path)?.as_fd())?;
    set_attributes(tree.as_fd(), attributes, 0)?;
    Ok(tree)
}

/// Opens the root directory of this process.
pub(in super::super) fn open_root() -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(CWD, c"/", flags, Mode::empty())?)
}

/// Makes a new file system with these settings, as a detached mount. A setting without a value is a flag.
pub(in super::super) fn new_file_system(
    kind: &CStr,
    settings: &[(&CStr, Option<&[u8]>)],
    attributes: MountAttrFlags,
) -> io::Result<OwnedFd> {
    let context = new_context(kind, settings)?;
    Ok(fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?)
}

/// Makes a new file system with these settings, which is not mounted yet.
pub(super) fn new_context(kind: &CStr, settings: &[(&CStr, Option<&[u8]>)]) -> io::Result<OwnedFd> {
    let context = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (key, value) in settings {
        match value {
            Some(value) => fsconfig_set_string(&context, *key, *value)?,
            None => fsconfig_set_flag(&context, *key)?,
        }
    }
    fsconfig_create(&context)?;
    Ok(context)
}

/// Attaches a detached tree at a place.
pub(in super::super) fn attach(tree: BorrowedFd<'_>, place: BorrowedFd<'_>) -> io::Result<()> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(move_mount(tree, c"", place, c"", flags)?)
}

/// Attaches a place onto itself: with other attributes, or only so that it can't be renamed.
pub(in super::super) fn attach_onto_itself(
    place: BorrowedFd<'_>,
    attributes: MountAttrFlags,
) -> io::Result<()> {
    let tree = copy(place)?;
    if !attributes.is_empty() {
        set_attributes(tree.as_fd(), attributes, 0)?;
    }
    attach(tree.as_fd(), place)
}

/// Makes all directories of a path that are missing. Where a directory can't be made (a read-only file
/// system), opening the path fails afterwards.
pub(in super::super) fn make_directories(root: BorrowedFd<'_>, path: &Path) {
    let mut made = PathBuf::new();
    for component in relative(path).components() {
        if let Component::Normal(name) = component {
            made.push(name);
            let _ = mkdirat(root, made.as_os_str().as_bytes(), Mode::from_raw_mode(0o755));
        }
    }
}

/// Makes an empty file, as a place for another one.
pub(in super::super) fn make_file(root: BorrowedFd<'_>, path: &Path) {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    let _ = rustix::fs::openat(root, relative(path), flags, Mode::from_raw_mode(0o600));
}
