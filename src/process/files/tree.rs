//! Directories: lists, creation, links and removal.

use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RawMode, fchmod, linkat, mkdirat, openat, readlinkat, renameat,
    statat, symlinkat, unlinkat,
};
use rustix::io::Errno as SystemError;

use super::locate::{Last, Located, locate, open_directory_at, os};
use super::read::stat_of;
use super::request::{DirectoryEntry, FileError, FileKind, Response, RootedPath};
use crate::process::directory::private::random;

/// The permissions that a new directory can be given.
const PERMISSIONS: u32 = 0o777;

/// The size of names and link targets after which a page of a list ends (bytes), and its most entries: 1 MiB
/// of a message.
const PAGE_BYTES: usize = 512 * 1024;
const PAGE_ENTRIES: usize = 4096;

/// Lists a page of a directory, in the order of the names.
pub(super) fn list(place: &RootedPath, after: Option<&[u8]>) -> Result<Response, FileError> {
    let last = if place.below.is_empty() { Last::Followed } else { Last::Itself };
    let directory = open_directory_at(&locate(place, last)?)?;
    let mut names = names(directory.as_fd())?;
    names.retain(|name| after.is_none_or(|after| name.to_bytes() > after));
    names.sort_unstable();
    let mut entries: Vec<DirectoryEntry> = Vec::new();
    let mut size = 0;
    for name in names {
        if entries.len() == PAGE_ENTRIES || size > PAGE_BYTES {
            return Ok(Response::Listed { entries, has_more: true });
        }
        match entry(directory.as_fd(), name) {
            Ok(entry) => {
                size += entry.name.len() + entry.link.as_ref().map_or(0, Vec::len);
                entries.push(entry);
            }
            // The entry was removed meanwhile.
            Err(SystemError::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Response::Listed { entries, has_more: false })
}

fn entry(directory: BorrowedFd<'_>, name: CString) -> Result<DirectoryEntry, SystemError> {
    let stat = stat_of(&statat(directory, &name, AtFlags::SYMLINK_NOFOLLOW)?);
    let link = match stat.kind {
        FileKind::Link => Some(readlinkat(directory, &name, Vec::new())?.into_bytes()),
        _ => None,
    };
    Ok(DirectoryEntry { name: name.into_bytes(), stat, link })
}

fn names(directory: BorrowedFd<'_>) -> Result<Vec<CString>, SystemError> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
            names.push(entry.file_name().to_owned());
        }
    }
    Ok(names)
}

/// Makes a directory. Returns whether it is new: with `recursive`, one that is there is no error.
pub(super) fn make_directory(
    place: &RootedPath,
    recursive: bool,
    mode: Option<u32>,
) -> Result<bool, FileError> {
    if !recursive {
        return make_one(place, mode).map(|()| true);
    }
    let mut missing = Vec::new();
    let mut place = place.clone();
    loop {
        match make_one(&place, mode) {
            Ok(()) if missing.is_empty() => return Ok(true),
            Ok(()) => {}
            Err(FileError::System(errno)) if errno.0 == libc::ENOENT => {
                let Some(parent) = place.parent() else { return Err(FileError::System(errno)) };
                missing.push(std::mem::replace(&mut place, parent));
                continue;
            }
            Err(error) => {
                if !is_directory(&place) {
                    return Err(error);
                }
                if missing.is_empty() {
                    return Ok(false);
                }
            }
        }
        match missing.pop() {
            Some(next) => place = next,
            None => return Ok(true),
        }
    }
}

fn make_one(place: &RootedPath, mode: Option<u32>) -> Result<(), FileError> {
    let located = locate(place, Last::Itself)?;
    // A path such as `a/..` leads to what is there already.
    if located.name == b"." {
        return Err(SystemError::EXIST.into());
    }
    let wanted = mode.map(|mode| Mode::from_raw_mode((mode & PERMISSIONS) as RawMode));
    mkdirat(
        &located.parent,
        os(&located.name),
        wanted.map_or(Mode::from_raw_mode(0o777), |mode| mode & Mode::RWXU),
    )?;
    if let Some(mode) = wanted {
        fchmod(open_directory_at(&located)?, mode)?;
    }
    Ok(())
}

fn is_directory(place: &RootedPath) -> bool {
    let last = if place.below.is_empty() { Last::Followed } else { Last::Itself };
    locate(place, last).is_ok_and(|located| open_searched(&located).is_ok())
}

fn open_searched(located: &Located) -> Result<OwnedFd, SystemError> {
    let flags = crate::process::directory::DIRECTORY_ONLY | OFlags::NOFOLLOW;
    openat(&located.parent, os(&located.name), flags, Mode::empty())
}

/// Makes a symbolic link.
pub(super) fn link(place: &RootedPath, to: &[u8]) -> Result<(), FileError> {
    replace(place, |parent, name| symlinkat(os(to), parent, name))
}

/// Gives a file another name.
pub(super) fn hard_link(place: &RootedPath, existing: &RootedPath) -> Result<(), FileError> {
    let existing = locate(existing, Last::Itself)?;
    replace(place, |parent, name| {
        linkat(&existing.parent, os(&existing.name), parent, name, AtFlags::empty())
    })
}

/// Makes something under another name, and moves it into its place: what is no directory there goes.
fn replace(
    place: &RootedPath,
    make: impl Fn(BorrowedFd<'_>, &str) -> Result<(), SystemError>,
) -> Result<(), FileError> {
    let Located { parent, name } = locate(place, Last::Itself)?;
    let new = format!(".agent-bash-partial-{:016x}", random());
    make(parent.as_fd(), &new)?;
    let moved = renameat(&parent, &new, &parent, os(&name));
    // A rename onto another name of the same file leaves both.
    let _ = unlinkat(&parent, &new, AtFlags::empty());
    Ok(moved?)
}

/// Removes a file, a link or an empty directory; with `recursive`, everything in it too.
pub(super) fn remove(place: &RootedPath, recursive: bool) -> Result<(), FileError> {
    let Located { parent, name } = locate(place, Last::Itself)?;
    if name == b"." {
        return Err(SystemError::INVAL.into());
    }
    match unlinkat(&parent, os(&name), AtFlags::empty()) {
        // macOS reports EPERM.
        Err(SystemError::ISDIR | SystemError::PERM) => {}
        other => return Ok(other?),
    }
    let stat = statat(&parent, os(&name), AtFlags::SYMLINK_NOFOLLOW)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
        return Err(SystemError::PERM.into());
    }
    if recursive {
        return remove_below(&parent, &name);
    }
    Ok(unlinkat(&parent, os(&name), AtFlags::REMOVEDIR)?)
}

/// The depth up to which each level of a tree keeps a descriptor.
const MAX_OPEN: usize = 200;

/// A directory that is being removed.
struct Level {
    directory: OwnedFd,
    /// The names of its directories that the walk has not entered yet.
    left: Vec<CString>,
    /// The directory's name in the level above.
    name: CString,
}

impl Level {
    /// Opens a directory, and removes its files.
    fn open(parent: &OwnedFd, name: CString) -> Result<Self, SystemError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = match openat(parent, &name, flags, Mode::empty()) {
            // A file that must not be removed.
            Err(SystemError::NOTDIR) => return Err(SystemError::PERM),
            opened => opened?,
        };
        let mut left = Vec::new();
        for name in names(directory.as_fd())? {
            match unlinkat(&directory, &name, AtFlags::empty()) {
                Ok(()) | Err(SystemError::NOENT) => {}
                Err(SystemError::ISDIR | SystemError::PERM) => left.push(name),
                Err(error) => return Err(error),
            }
        }
        Ok(Self { directory, left, name })
    }
}

/// Removes a directory with everything in it. Changes no permissions: what the user may not remove stays.
///
/// Directories deeper than [`MAX_OPEN`] levels are moved up to the top first.
fn remove_below(parent: &OwnedFd, name: &[u8]) -> Result<(), FileError> {
    let name = CString::new(name).map_err(|_| SystemError::INVAL)?;
    let mut levels = vec![Level::open(parent, name)?];
    while let Some(level) = levels.last_mut() {
        if let Some(name) = level.left.pop() {
            if levels.len() < MAX_OPEN {
                let next = Level::open(&levels[levels.len() - 1].directory, name)?;
                levels.push(next);
                continue;
            }
            let moved = CString::new(format!(".agent-bash-removed-{:016x}", random())).unwrap_or_default();
            renameat(&levels[levels.len() - 1].directory, &name, &levels[0].directory, &moved)?;
            levels[0].left.push(moved);
        } else if let Some(Level { name, .. }) = levels.pop() {
            let above = levels.last().map_or(parent, |level| &level.directory);
            unlinkat(above, &name, AtFlags::REMOVEDIR)?;
        }
    }
    Ok(())
}
