//! Writes files: in place, or as a partial copy with a name of its own, which then takes the place at once.

use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{
    AtFlags, CWD, FileType, Gid, Mode, OFlags, RawMode, Timespec, Timestamps, UTIME_OMIT, Uid, fchmod,
    fchown, fstat, ftruncate, futimens, linkat, openat, renameat, statat, unlinkat, utimensat,
};
use rustix::io::{Errno as SystemError, pwrite};

use super::locate::{Last, Located, locate, os};
use super::platform::unnamed;
use super::read::stat_of;
use super::request::{Attributes, FileError, Piece, RootedPath, Time};
use crate::process::directory::private::random;

/// The permissions that a copy keeps: not set-user-ID, set-group-ID and sticky.
const PERMISSIONS: u32 = 0o777;

/// The permissions of a file that is not complete.
const PRIVATE: Mode = Mode::RUSR.union(Mode::WUSR);

/// Returns the name of a partial copy.
#[must_use]
pub fn partial_name(tag: u64) -> Vec<u8> {
    format!(".agent-bash-partial-{tag:016x}").into_bytes()
}

/// Locates the place of a partial copy, which is beside the file that it becomes.
fn locate_partial(place: &RootedPath, tag: u64) -> Result<(Located, Vec<u8>), FileError> {
    let Located { parent, name } = locate(place, last(place))?;
    Ok((Located { parent, name: partial_name(tag) }, name))
}

/// A path of a caller may lead through a link; a name below it may not.
const fn last(place: &RootedPath) -> Last {
    if place.below.is_empty() { Last::Followed } else { Last::Itself }
}

pub(super) fn write(place: &RootedPath, piece: &Piece) -> Result<(), FileError> {
    let located = match piece.tag {
        Some(tag) => locate_partial(place, tag)?.0,
        None => locate(place, last(place))?,
    };
    let create = match (piece.begins, piece.tag) {
        (true, Some(_)) => OFlags::CREATE | OFlags::TRUNC,
        (true, None) => OFlags::CREATE,
        (false, _) => OFlags::empty(),
    };
    let file = open_to_write(&located, create, new_mode(piece.mode))?;
    if piece.begins && piece.tag.is_none() {
        // A pipe was refused by now.
        ftruncate(&file, 0)?;
        if let Some(mode) = piece.mode {
            fchmod(&file, permissions(mode))?;
        }
    }
    write_all(&file, &piece.bytes, piece.at)
}

/// Returns the mode with which a new file is made, of which the umask takes its part.
fn new_mode(mode: Option<u32>) -> Mode {
    mode.map_or(Mode::from_raw_mode(0o666), |_| PRIVATE)
}

/// Opens a file for writing: never a link, and nothing that could block.
fn open_to_write(located: &Located, creation: OFlags, permissions: Mode) -> Result<OwnedFd, FileError> {
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match openat(&located.parent, os(&located.name), flags | creation, permissions) {
        Err(SystemError::NXIO) => return Err(FileError::NotFile),
        opened => opened?,
    };
    let is_file = FileType::from_raw_mode(fstat(&file)?.st_mode) == FileType::RegularFile;
    if is_file { Ok(file) } else { Err(FileError::NotFile) }
}

fn write_all(file: &OwnedFd, bytes: &[u8], at: u64) -> Result<(), FileError> {
    let mut written = 0;
    while written < bytes.len() {
        match pwrite(file, &bytes[written..], at + written as u64) {
            Ok(count) => written += count,
            Err(SystemError::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

pub(super) fn put(place: &RootedPath, bytes: &[u8], attributes: &Attributes) -> Result<(), FileError> {
    let (located, name) = locate_partial(place, random())?;
    if let Some(file) = unnamed(&located, new_mode(attributes.mode)) {
        write_all(&file, bytes, 0)?;
        set_attributes(&located, &name, &file, attributes)?;
        return link_unnamed(&located, &name, &file);
    }
    let begun = open_to_write(&located, OFlags::CREATE | OFlags::EXCL, new_mode(attributes.mode));
    let file = begun.map_err(|error| of_full_name(error, &located, &name))?;
    let whole = write_all(&file, bytes, 0);
    let result = whole.and_then(|()| take_place(&located, &name, &file, attributes));
    remove_failed(&located, result)
}

/// Gives a file without a name its name, or else the name of a partial copy, which takes the place of what
/// has the name.
fn link_unnamed(located: &Located, name: &[u8], file: &OwnedFd) -> Result<(), FileError> {
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    let link = |name: &[u8]| linkat(CWD, &path, &located.parent, os(name), AtFlags::SYMLINK_FOLLOW);
    match link(name) {
        Err(SystemError::EXIST) => {
            link(&located.name)?;
            let moved = renameat(&located.parent, os(&located.name), &located.parent, os(name));
            remove_failed(located, moved.map_err(FileError::from))
        }
        linked => Ok(linked?),
    }
}

/// Returns the error of a file that is in the way, which says more than that of the directory.
fn of_full_name(error: FileError, located: &Located, name: &[u8]) -> FileError {
    match statat(&located.parent, os(name), AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => SystemError::ISDIR.into(),
        _ => error,
    }
}

/// Returns the size of a partial copy; 0 if there is none.
pub(super) fn partial(place: &RootedPath, tag: u64) -> Result<u64, FileError> {
    let (Located { parent, name }, _) = locate_partial(place, tag)?;
    match statat(&parent, os(&name), AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {
            Ok(u64::try_from(stat.st_size).unwrap_or(0))
        }
        Ok(_) => Err(FileError::NotFile),
        Err(SystemError::NOENT) => Ok(0),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn finish(
    place: &RootedPath,
    tag: u64,
    size: u64,
    attributes: &Attributes,
) -> Result<(), FileError> {
    let (located, name) = locate_partial(place, tag)?;
    let file = open_to_write(&located, OFlags::empty(), PRIVATE)?;
    // A file may end with a hole.
    ftruncate(&file, size)?;
    remove_failed(&located, take_place(&located, &name, &file, attributes))
}

/// Gives a complete file its attributes and its name, in place of what has the name.
fn take_place(
    located: &Located,
    name: &[u8],
    file: &OwnedFd,
    attributes: &Attributes,
) -> Result<(), FileError> {
    set_attributes(located, name, file, attributes)?;
    Ok(renameat(&located.parent, os(&located.name), &located.parent, os(name))?)
}

/// Sets the attributes of a complete file, and the owner of the file that it replaces.
fn set_attributes(
    located: &Located,
    name: &[u8],
    file: &OwnedFd,
    attributes: &Attributes,
) -> Result<(), FileError> {
    let old = statat(&located.parent, os(name), AtFlags::SYMLINK_NOFOLLOW).ok();
    let old = old.filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
    if let Some(old) = &old {
        // Only root can do that, and only root may have to.
        let _ = fchown(file, Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid)));
    }
    if let Some(mode) = attributes.mode.or(old.map(|old| stat_of(&old).mode)) {
        fchmod(file, permissions(mode))?;
    }
    if let Some(times) = timestamps(attributes) {
        futimens(file, &times)?;
    }
    Ok(())
}

/// Removes what could not take its place.
fn remove_failed(located: &Located, result: Result<(), FileError>) -> Result<(), FileError> {
    if result.is_err() {
        let _ = unlinkat(&located.parent, os(&located.name), AtFlags::empty());
    }
    result
}

pub(super) fn drop_partial(place: &RootedPath, tag: u64) -> Result<(), FileError> {
    let (Located { parent, name }, _) = locate_partial(place, tag)?;
    match unlinkat(&parent, os(&name), AtFlags::empty()) {
        Ok(()) | Err(SystemError::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Changes the attributes of what has the name, also of a symbolic link.
pub(super) fn change(place: &RootedPath, attributes: &Attributes) -> Result<(), FileError> {
    let Located { parent, name } = locate(place, Last::Itself)?;
    if let Some(mode) = attributes.mode {
        // An open descriptor makes sure that no link is followed.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        fchmod(openat(&parent, os(&name), flags, Mode::empty())?, permissions(mode))?;
    }
    if let Some(times) = timestamps(attributes) {
        utimensat(&parent, os(&name), &times, AtFlags::SYMLINK_NOFOLLOW)?;
    }
    Ok(())
}

const fn permissions(mode: u32) -> Mode {
    Mode::from_raw_mode((mode & PERMISSIONS) as RawMode)
}

fn timestamps(attributes: &Attributes) -> Option<Timestamps> {
    let Attributes { accessed, modified, .. } = attributes;
    let timespec = |time: &Option<Time>| match *time {
        Some(Time { seconds, nanoseconds }) => {
            Timespec { tv_sec: seconds, tv_nsec: nanoseconds.min(999_999_999).into() }
        }
        None => Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
    };
    let is_any = accessed.is_some() || modified.is_some();
    is_any.then(|| Timestamps { last_access: timespec(accessed), last_modification: timespec(modified) })
}
