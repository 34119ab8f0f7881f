//! Moves the content of a directory into a new one.

use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, Gid, Mode, OFlags, RenameFlags, Stat, StatxFlags, Timespec, Timestamps, Uid,
    fchmod, fchown, fstat, futimens, mkdirat, openat, renameat_with, statat, statx, unlinkat,
};
use rustix::io::{Errno, Result};
use rustix::thread::gettid;

/// The deepest tree that is moved. Each level takes three descriptors.
pub(super) const MAX_DEPTH: usize = 200;

/// How often the content is moved again, while another process adds files.
const ATTEMPTS: u32 = 8;

/// The permissions of a directory whose entries can be moved.
const OWN: u32 = 0o700;

type EntryAt<'a> = (BorrowedFd<'a>, &'a Path);

/// Returns whether a directory can be moved: everything below it is on one mount, and can be read.
pub(super) fn is_movable(parent: BorrowedFd<'_>, name: &Path) -> bool {
    let mount = mount_of(parent, Path::new("."));
    mount.is_some_and(|mount| is_on(mount, parent, name, 0).unwrap_or(false))
}

fn is_on(mount: u64, parent: BorrowedFd<'_>, name: &Path, depth: usize) -> Result<bool> {
    if depth > MAX_DEPTH || mount_of(parent, name) != Some(mount) {
        return Ok(false);
    }
    let directory = open(parent, name)?;
    for name in names(directory.as_fd())? {
        let is_one = if is_directory(directory.as_fd(), &name)? {
            is_on(mount, directory.as_fd(), &name, depth + 1)?
        } else {
            mount_of(directory.as_fd(), &name) == Some(mount)
        };
        if !is_one {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Renames a directory by moving its content. After an error, the content is where it was.
pub(super) fn move_directory(from: EntryAt<'_>, to: EntryAt<'_>, flags: RenameFlags) -> Result<()> {
    let temporary = PathBuf::from(format!(".agent-bash-rename-{}", gettid().as_raw_nonzero()));
    let moved = (from.0, temporary.as_path());
    let result = replace(from, moved).and_then(|()| renameat_with(moved.0, moved.1, to.0, to.1, flags));
    if result.is_err() {
        undo(from, moved);
    }
    result
}

/// Moves a directory back, whose content may be in two places.
fn undo(from: EntryAt<'_>, moved: EntryAt<'_>) {
    if renameat_with(moved.0, moved.1, from.0, from.1, RenameFlags::NOREPLACE) == Err(Errno::EXIST) {
        let back = || -> Result<()> {
            let (source, target) = (open(moved.0, moved.1)?, open(from.0, from.1)?);
            move_entries(source.as_fd(), target.as_fd())?;
            unlinkat(moved.0, moved.1, AtFlags::REMOVEDIR)
        };
        let _ = back();
    }
}

/// Moves a directory to a name in the same file system that does not exist.
fn replace(from: EntryAt<'_>, to: EntryAt<'_>) -> Result<()> {
    let source = open(from.0, from.1)?;
    let before = fstat(&source)?;
    mkdirat(to.0, to.1, Mode::from_raw_mode(OWN))?;
    let target = open(to.0, to.1)?;
    let mode = Mode::from_raw_mode(before.st_mode);
    if before.st_mode & OWN != OWN {
        fchmod(&source, mode | Mode::from_raw_mode(OWN))?;
    }
    let moved = move_all(from, source.as_fd(), target.as_fd());
    if moved.is_err() {
        let _ = fchmod(&source, mode);
    }
    moved.and_then(|()| give(&target, &before))
}

/// Moves all entries, and removes the empty directory.
fn move_all(from: EntryAt<'_>, source: BorrowedFd<'_>, target: BorrowedFd<'_>) -> Result<()> {
    for _ in 1..ATTEMPTS {
        move_entries(source, target)?;
        match unlinkat(from.0, from.1, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            other => return other,
        }
    }
    Err(Errno::BUSY)
}

fn move_entries(source: BorrowedFd<'_>, target: BorrowedFd<'_>) -> Result<()> {
    for name in names(source)? {
        match renameat_with(source, &name, target, &name, RenameFlags::empty()) {
            Err(Errno::XDEV) => replace((source, &name), (target, &name))?,
            // A directory that its owner can't write can't get another parent.
            Err(Errno::ACCESS) if is_directory(source, &name)? => {
                replace((source, &name), (target, &name))?;
            }
            // Another process has removed the file.
            Err(Errno::NOENT) => {}
            other => other?,
        }
    }
    Ok(())
}

/// Gives a directory the owner, the permissions and the times of another one.
fn give(directory: &OwnedFd, before: &Stat) -> Result<()> {
    let _ = fchown(directory, Some(Uid::from_raw(before.st_uid)), Some(Gid::from_raw(before.st_gid)));
    fchmod(directory, Mode::from_raw_mode(before.st_mode))?;
    let time = |tv_sec, nanoseconds| Timespec { tv_sec, tv_nsec: i64::try_from(nanoseconds).unwrap_or(0) };
    let times = Timestamps {
        last_access: time(before.st_atime, before.st_atime_nsec),
        last_modification: time(before.st_mtime, before.st_mtime_nsec),
    };
    futimens(directory, &times)
}

pub(super) fn names(directory: BorrowedFd<'_>) -> Result<Vec<PathBuf>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let name = entry?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            names.push(OsString::from_vec(name).into());
        }
    }
    Ok(names)
}

fn open(parent: BorrowedFd<'_>, name: &Path) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(parent, name, flags, Mode::empty())
}

fn is_directory(parent: BorrowedFd<'_>, name: &Path) -> Result<bool> {
    let status = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(FileType::from_raw_mode(status.st_mode).is_dir())
}

/// Returns the id of the mount that a path is on (Linux 5.8).
fn mount_of(parent: BorrowedFd<'_>, name: &Path) -> Option<u64> {
    let status = statx(parent, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::MNT_ID).ok()?;
    (status.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(status.stx_mnt_id)
}
