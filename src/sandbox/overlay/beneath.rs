//! Reads and opens paths below a directory, without following any symbolic link.
//!
//! Commands may change the layer and the workspace while the engine reads them. The kernel resolves each path
//! without links (`openat2` with `RESOLVE_NO_SYMLINKS`), so a directory that a command replaces by a link is
//! an error (no TOCTOU race).

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Stat, openat2, readlinkat, statat};

use super::change::Kind;

const RESOLVE: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);

/// Opens a directory below another one.
pub(super) fn open_directory(directory: BorrowedFd<'_>, path: &Path) -> io::Result<OwnedFd> {
    open(directory, path, OFlags::RDONLY | OFlags::DIRECTORY)
}

/// Opens a regular file for reading. Any other kind of file is an error: opening a named pipe could block
/// forever.
pub(super) fn open_file(directory: BorrowedFd<'_>, path: &Path) -> io::Result<File> {
    let file = File::from(open(directory, path, OFlags::RDONLY | OFlags::NONBLOCK)?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(ErrorKind::InvalidInput.into()) }
}

fn open(directory: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    Ok(openat2(directory, path, flags | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::empty(), RESOLVE)?)
}

/// Returns the status of a name in a directory; `None` if there is none.
pub(super) fn status(directory: BorrowedFd<'_>, name: &Path) -> io::Result<Option<Stat>> {
    match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(status) => Ok(Some(status)),
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns the status of a path below a directory; `None` if there is none.
pub(super) fn status_of(directory: BorrowedFd<'_>, path: &Path) -> io::Result<Option<Stat>> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
    match open_directory(directory, parent) {
        Ok(parent) => status(parent.as_fd(), Path::new(name)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the names in a directory, in order.
pub(super) fn names(directory: BorrowedFd<'_>) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let name = entry?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            names.push(OsString::from_vec(name));
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Returns the target of a symbolic link.
pub(super) fn target(directory: BorrowedFd<'_>, name: &Path) -> io::Result<PathBuf> {
    let target = readlinkat(directory.as_fd(), name, Vec::new())?;
    Ok(OsString::from_vec(target.into_bytes()).into())
}

/// Returns the kind of the file with this status; `None` for devices and sockets, which an overlay leaves
/// out.
pub(super) fn kind(status: &Stat) -> Option<Kind> {
    match FileType::from_raw_mode(status.st_mode) {
        FileType::RegularFile => Some(Kind::File),
        FileType::Directory => Some(Kind::Directory),
        FileType::Symlink => Some(Kind::Link),
        FileType::Fifo => Some(Kind::Fifo),
        _ => None,
    }
}

/// Returns whether a status is that of a whiteout, which stands for a deleted path: a character device 0:0.
pub(super) fn is_whiteout(status: &Stat) -> bool {
    FileType::from_raw_mode(status.st_mode) == FileType::CharacterDevice && status.st_rdev == 0
}

/// Returns whether a directory of a layer is opaque: it hides everything that the workspace has there.
pub(super) fn is_opaque(directory: BorrowedFd<'_>) -> io::Result<bool> {
    let mut value = [0; 1];
    match rustix::fs::fgetxattr(directory, c"user.overlay.opaque", &mut value[..]) {
        Ok(length) => Ok(length == 1 && value == *b"y"),
        // The kernel writes no longer value.
        Err(rustix::io::Errno::NODATA | rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::RANGE) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Compares two files by content.
pub(super) fn have_equal_content(one: &mut File, other: &mut File) -> io::Result<bool> {
    use std::io::{BufRead, BufReader};
    const BUFFER: usize = 64 << 10;
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut one, mut other) =
        (BufReader::with_capacity(BUFFER, one), BufReader::with_capacity(BUFFER, other));
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let length = left.len().min(right.len());
        if length == 0 {
            return Ok(left.len() == right.len());
        }
        if left.get(..length) != right.get(..length) {
            return Ok(false);
        }
        one.consume(length);
        other.consume(length);
    }
}

/// Returns a name as a path of one component.
pub(super) fn as_path(name: &OsString) -> &Path {
    debug_assert!(!name.as_bytes().contains(&b'/'));
    Path::new(name)
}
