//! Reads files.

use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::{Errno as SystemError, pread};

use super::locate::{Last, Located, locate, os};
use super::platform::next_range;
use super::request::{FileError, FileKind, FileStat, PIECE, Response, RootedPath, Time};

/// The most ranges of a file that are told apart. Beyond that, the rest counts as one.
const MAX_RANGES: usize = 10_000;

pub(super) fn stat(place: &RootedPath, follows: bool) -> Result<FileStat, FileError> {
    let located = locate(place, if follows { Last::Followed } else { Last::Itself })?;
    Ok(stat_of(&statat(&located.parent, os(&located.name), AtFlags::SYMLINK_NOFOLLOW)?))
}

pub(super) fn read(
    place: &RootedPath,
    from: u64,
    most: usize,
    mut bytes: Vec<u8>,
) -> Result<Response, FileError> {
    let (file, stat) = open_file(place)?;
    bytes.resize(most.min(PIECE), 0);
    let mut filled = 0;
    while filled < bytes.len() {
        match pread(&file, &mut bytes[filled..], from + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(SystemError::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    bytes.truncate(filled);
    Ok(Response::Data { stat, bytes })
}

/// Opens a file for reading. A pipe could block for ever, and a device may do anything.
fn open_file(place: &RootedPath) -> Result<(OwnedFd, FileStat), FileError> {
    let Located { parent, name } = locate(place, Last::Followed)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match openat(&parent, os(&name), flags, Mode::empty()) {
        // A socket can't be opened.
        Err(SystemError::NXIO) => return Err(FileError::NotFile),
        opened => opened?,
    };
    let stat = stat_of(&fstat(&file)?);
    match stat.kind {
        FileKind::File => Ok((file, stat)),
        FileKind::Directory => Err(SystemError::ISDIR.into()),
        FileKind::Link | FileKind::Other => Err(FileError::NotFile),
    }
}

/// Returns the ranges of a file that have data.
pub(super) fn ranges(place: &RootedPath) -> Result<Vec<(u64, u64)>, FileError> {
    let (file, FileStat { size, .. }) = open_file(place)?;
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < size {
        let Some((begin, end)) = next_range(&file, at) else { break };
        let is_last = ranges.len() + 1 == MAX_RANGES;
        let end = if is_last { size } else { end.min(size) };
        ranges.push((begin, end));
        at = end;
    }
    Ok(ranges)
}

#[allow(
    clippy::unnecessary_cast,
    clippy::useless_conversion,
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "the types of the fields differ between systems"
)]
pub(super) fn stat_of(stat: &Stat) -> FileStat {
    let kind = match FileType::from_raw_mode(stat.st_mode as _) {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Link,
        _ => FileKind::Other,
    };
    let time = |seconds, nanoseconds| Time { seconds, nanoseconds };
    FileStat {
        kind,
        mode: u32::from(stat.st_mode),
        size: stat.st_size as u64,
        blocks: stat.st_blocks as u64,
        device: stat.st_dev as u64,
        inode: stat.st_ino as u64,
        links: stat.st_nlink as u64,
        user: stat.st_uid,
        group: stat.st_gid,
        accessed: time(stat.st_atime as i64, stat.st_atime_nsec as u32),
        modified: time(stat.st_mtime as i64, stat.st_mtime_nsec as u32),
        changed: time(stat.st_ctime as i64, stat.st_ctime_nsec as u32),
    }
}
