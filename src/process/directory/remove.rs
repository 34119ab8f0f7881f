//! Removes a directory with everything in it, however deep that is.
//!
//! A command can make a tree that is deeper than this process has descriptors, or space on its stack. So no
//! function here recurses: the subdirectories of a directory are moved to the top before the directory is
//! removed.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, chmodat, fchmod, openat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::path::Arg;

use crate::process::directory::private::random;

/// Removes a directory of this user, also if it has directories that the user may not read, such as the one
/// that the kernel makes for a copy-on-write mount.
///
/// # Errors
///
/// The system's error.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    let top = open(CWD, path)?;
    for _ in 0..MAX_DEPTH {
        let names = names(top.as_fd())?;
        if names.is_empty() {
            break;
        }
        for name in names {
            if !unlink(top.as_fd(), &name)? {
                empty(top.as_fd(), &name)?;
                unlinkat(&top, &name, AtFlags::REMOVEDIR)?;
            }
        }
    }
    fs::remove_dir(path)
}

/// The deepest tree that is removed: a process that goes on making directories must not keep this one.
const MAX_DEPTH: u32 = 1 << 18;

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Removes the files of a directory, and moves its directories to the top.
fn empty(top: BorrowedFd<'_>, name: &CString) -> rustix::io::Result<()> {
    let directory = open(top, name)?;
    for child in names(directory.as_fd())? {
        if unlink(directory.as_fd(), &child)? {
            continue;
        }
        let moved = format!("{:x}", random());
        if renameat(&directory, &child, top, &moved).is_err() {
            // A rename to another parent changes `..` in the child, which needs write permission for it.
            chmodat(&directory, &child, Mode::RWXU, AtFlags::empty())?;
            renameat(&directory, &child, top, &moved)?;
        }
    }
    Ok(())
}

/// Opens a directory whose names can be changed then.
fn open(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> rustix::io::Result<OwnedFd> {
    let directory = match openat(parent, name, DIRECTORY, Mode::empty()) {
        Err(Errno::ACCESS) => {
            chmodat(parent, name, Mode::RWXU, AtFlags::empty())?;
            openat(parent, name, DIRECTORY, Mode::empty())?
        }
        other => other?,
    };
    fchmod(&directory, Mode::RWXU)?;
    Ok(directory)
}

/// Removes a file. Returns `false` for a directory.
fn unlink(directory: BorrowedFd<'_>, name: &CString) -> rustix::io::Result<bool> {
    match unlinkat(directory, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        // macOS reports EPERM.
        Err(Errno::ISDIR | Errno::PERM) => Ok(false),
        Err(error) => Err(error),
    }
}

fn names(directory: BorrowedFd<'_>) -> rustix::io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
            names.push(entry.file_name().to_owned());
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

    use super::remove_tree;

    #[test]
    fn a_tree_that_is_deeper_than_there_are_descriptors_is_removed() {
        // The test uses memory: a disk takes milliseconds to remove a directory.
        let place = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a directory");
        let top = place.path().join("top");
        fs::create_dir(&top).expect("made");
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let mut directory = openat(CWD, &top, flags, Mode::empty()).expect("opened");
        for _ in 0..30_000 {
            mkdirat(&directory, c"d", Mode::RWXU).expect("made");
            directory = openat(&directory, c"d", flags, Mode::empty()).expect("opened");
        }
        remove_tree(&top).expect("removed");
        assert!(!top.exists());
    }

    #[test]
    fn what_can_not_be_read_is_removed_and_what_links_lead_to_is_not() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("top/work/inner/more")).expect("made");
        fs::create_dir(at("other")).expect("made");
        for name in ["top/file", "top/work/inner/file", "other/file"] {
            fs::write(at(name), "text").expect("written");
        }
        symlink(at("other"), at("top/link")).expect("linked");
        symlink(at("other"), at("top/work/inner/link")).expect("linked");
        for name in ["top/work/inner/more", "top/work/inner", "top/work", "top"] {
            fs::set_permissions(at(name), Permissions::from_mode(0o000)).expect("changed");
        }
        remove_tree(&at("top")).expect("removed");
        assert!(!at("top").exists());
        assert!(at("other/file").exists());
    }
}
