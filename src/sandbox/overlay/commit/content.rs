//! Writes the content of files.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{
    FallocateFlags, Mode, OFlags, Stat, Timespec, Timestamps, fallocate, fstat, futimens, seek,
};
use rustix::io::Errno;

use super::super::change::Kind;
use super::super::tree::attributes::{give, permissions, set_permissions};
use super::super::tree::beneath::{is_missing, kind, next_data};
use super::super::tree::reopen;
use super::entry::CommitEntry;
use super::expected::Stopped;
use super::place::UnfinishedFile;

/// The states of a file before it was read in the layer, and after it was written in the workspace.
pub(super) struct Copied {
    pub(super) source: Stat,
    pub(super) written: Stat,
}

/// Writes a file beside its target and gives it the name then, so that no program sees a partial file. A file
/// with several names (hard links) is written in place, so that all of them change, as they would without an
/// overlay. Returns `None` if the source is no regular file.
pub(super) fn write(source: BorrowedFd<'_>, target: CommitEntry<'_>) -> Result<Option<Copied>, Stopped> {
    let mut content = match reopen(source, OFlags::RDONLY, Mode::RUSR) {
        Err(error) if is_missing(&error) => return Ok(None),
        other => other?,
    };
    let found = fstat(&content)?;
    let before = match target.open() {
        Err(error) if is_missing(&error) => None,
        other => {
            let before = other?;
            let status = fstat(&before)?;
            (kind(&status) == Kind::File).then_some((before, status))
        }
    };
    if let Some((before, status)) = before.as_ref().filter(|(_, status)| status.st_nlink > 1) {
        target.check_status(Some(status))?;
        write_in_place(&mut content, &found, source, before.as_fd(), status)?;
        let written = fstat(before)?;
        target.record_own(Some(&written));
        return Ok(Some(Copied { source: found, written }));
    }
    let mut unfinished = UnfinishedFile::create(target)?;
    for range in ranges(&content, size_of(&found))? {
        copy(&mut content, &mut unfinished.file, range)?;
    }
    unfinished.file.set_len(size_of(&found))?;
    let replaced = before.as_ref().map(|(before, _)| before.as_fd());
    give(unfinished.file.as_fd(), permissions(&found), source, &found, replaced)?;
    set_times(&unfinished.file, &found)?;
    Ok(Some(Copied { source: found, written: unfinished.finish()? }))
}

/// A part of a file with data: where it begins and ends. What is between two parts is a hole, which takes no
/// space.
#[derive(Clone, Copy)]
struct Range {
    start: u64,
    end: u64,
}

/// Returns the parts of a file with data.
fn ranges(file: &File, size: u64) -> io::Result<Vec<Range>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < size {
        let start = next_data(file, at, size)?;
        let end = seek(file, rustix::fs::SeekFrom::Hole(start)).unwrap_or(size).min(size);
        if end <= start {
            break;
        }
        ranges.push(Range { start, end });
        at = end;
    }
    Ok(ranges)
}

fn copy(from: &mut File, to: &mut File, range: Range) -> io::Result<()> {
    from.seek(SeekFrom::Start(range.start))?;
    to.seek(SeekFrom::Start(range.start))?;
    io::copy(&mut from.take(range.end - range.start), to)?;
    Ok(())
}

/// Writes over a file. The space is reserved first, so that a full disk leaves the file as it was.
fn write_in_place(
    content: &mut File,
    found: &Stat,
    source: BorrowedFd<'_>,
    target: BorrowedFd<'_>,
    before: &Stat,
) -> io::Result<()> {
    let mut file = reopen(target, OFlags::WRONLY, Mode::WUSR)?;
    let ranges = ranges(content, size_of(found))?;
    for range in &ranges {
        match fallocate(&file, FallocateFlags::KEEP_SIZE, range.start, range.end - range.start) {
            Ok(()) | Err(Errno::OPNOTSUPP) => {}
            Err(error) => {
                // Frees what was reserved behind the end.
                file.set_len(size_of(before))?;
                return Err(error.into());
            }
        }
    }
    let mut at = 0;
    for range in &ranges {
        clear(&mut file, Range { start: at, end: range.start.min(size_of(before)) })?;
        copy(content, &mut file, *range)?;
        at = range.end;
    }
    clear(&mut file, Range { start: at, end: size_of(found).min(size_of(before)) })?;
    file.set_len(size_of(found))?;
    set_permissions(target, permissions(found), source, Some(target))?;
    set_times(&file, found)
}

/// Makes a hole, or writes zeros where the file system has no holes.
fn clear(file: &mut File, range: Range) -> io::Result<()> {
    if range.start >= range.end {
        return Ok(());
    }
    let length = range.end - range.start;
    match fallocate(&*file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, range.start, length) {
        Err(Errno::OPNOTSUPP) => {
            file.seek(SeekFrom::Start(range.start))?;
            io::copy(&mut io::repeat(0).take(length), file)?;
            file.flush()
        }
        other => Ok(other?),
    }
}

/// Sets the times of a file to those in the layer: programs such as `make` compare them.
fn set_times(file: &File, found: &Stat) -> io::Result<()> {
    let time = |tv_sec, nanoseconds| Timespec { tv_sec, tv_nsec: i64::try_from(nanoseconds).unwrap_or(0) };
    let times = Timestamps {
        last_access: time(found.st_atime, found.st_atime_nsec),
        last_modification: time(found.st_mtime, found.st_mtime_nsec),
    };
    Ok(futimens(file, &times)?)
}

fn size_of(status: &Stat) -> u64 {
    u64::try_from(status.st_size).unwrap_or(0)
}
