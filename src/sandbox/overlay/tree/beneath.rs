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
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use memchr::memrchr;
use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, SeekFrom, Stat, openat2, readlinkat, seek, statat,
};

use crate::sandbox::overlay::change::Kind;

/// Resolution stops at mounts below the directory: commands do not see what is mounted there.
const RESOLVE: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_XDEV);

/// Opens a directory below another one.
pub(in crate::sandbox::overlay) fn open_directory(
    directory: BorrowedFd<'_>,
    path: &Path,
) -> io::Result<OwnedFd> {
    open(directory, path, OFlags::RDONLY | OFlags::DIRECTORY)
}

/// Opens a regular file for reading. Any other kind of file is an error: opening a named pipe could block
/// forever.
pub(in crate::sandbox::overlay) fn open_file(directory: BorrowedFd<'_>, path: &Path) -> io::Result<File> {
    let file = File::from(open(directory, path, OFlags::RDONLY | OFlags::NONBLOCK)?);
    // The file was replaced by another kind of file: the expected one is gone.
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::from_raw_os_error(libc::ENOENT)) }
}

/// Opens a path of any length and kind for its status and permissions alone (`O_PATH`), which needs no
/// permission for the file.
pub(in crate::sandbox::overlay) fn open_path(directory: BorrowedFd<'_>, path: &Path) -> io::Result<OwnedFd> {
    open(directory, path, OFlags::PATH)
}

/// Opens a path of any length: one that is longer than the kernel takes is opened in parts.
fn open(directory: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let mut rest = path.as_os_str().as_bytes();
    let mut part: Option<OwnedFd> = None;
    while rest.len() > MAX_PATH {
        let end =
            rest.get(..MAX_PATH).and_then(|start| memrchr(b'/', start)).ok_or(ErrorKind::InvalidInput)?;
        let (start, more) = rest.split_at(end);
        let from = part.as_ref().map_or(directory, AsFd::as_fd);
        let next = open_part(from, start, OFlags::PATH | OFlags::DIRECTORY)?;
        (part, rest) = (Some(next), more.get(1..).unwrap_or_default());
    }
    open_part(part.as_ref().map_or(directory, AsFd::as_fd), rest, flags)
}

/// The longest path that one system call gets (bytes, `PATH_MAX` without the NUL).
const MAX_PATH: usize = 4095;

fn open_part(directory: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
    let path = if path.is_empty() { b"." } else { path };
    Ok(openat2(directory, path, flags | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::empty(), RESOLVE)?)
}

/// Returns whether an error says that a path does not exist: a parent may be missing, no directory, or a
/// mount.
pub(in crate::sandbox::overlay) fn is_missing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR | libc::ELOOP | libc::EXDEV))
}

/// Returns the status of a name in a directory; `None` if there is none.
pub(in crate::sandbox::overlay) fn status(
    directory: BorrowedFd<'_>,
    name: &Path,
) -> io::Result<Option<Stat>> {
    match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(status) => Ok(Some(status)),
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns the status of a path below a directory; `None` if there is none.
pub(in crate::sandbox::overlay) fn status_of(
    directory: BorrowedFd<'_>,
    path: &Path,
) -> io::Result<Option<Stat>> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
    match open_directory(directory, parent) {
        Ok(parent) => status(parent.as_fd(), Path::new(name)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the names in a directory, in order.
pub(in crate::sandbox::overlay) fn names(directory: BorrowedFd<'_>) -> io::Result<Vec<OsString>> {
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
pub(in crate::sandbox::overlay) fn target(directory: BorrowedFd<'_>, name: &Path) -> io::Result<PathBuf> {
    let target = readlinkat(directory.as_fd(), name, Vec::new())?;
    Ok(OsString::from_vec(target.into_bytes()).into())
}

/// Returns the kind of the file with this status.
pub(in crate::sandbox::overlay) fn kind(status: &Stat) -> Kind {
    match FileType::from_raw_mode(status.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        FileType::Fifo => Kind::Fifo,
        FileType::Socket => Kind::Socket,
        _ => Kind::Device,
    }
}

/// Returns whether a status is that of a whiteout, which stands for a deleted path: a character device 0:0.
pub(in crate::sandbox::overlay) fn is_whiteout(status: &Stat) -> bool {
    FileType::from_raw_mode(status.st_mode) == FileType::CharacterDevice && status.st_rdev == 0
}

/// Returns whether a directory of a layer is opaque: it hides everything that the workspace has there.
pub(in crate::sandbox::overlay) fn is_opaque(directory: BorrowedFd<'_>) -> io::Result<bool> {
    let mut value = [0; 1];
    match rustix::fs::fgetxattr(directory, c"user.overlay.opaque", &mut value[..]) {
        Ok(length) => Ok(length == 1 && value == *b"y"),
        // The kernel writes no longer value.
        Err(rustix::io::Errno::NODATA | rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::RANGE) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Returns whether a directory of a layer is one that the kernel has copied from the workspace: it marks
/// copies.
pub(in crate::sandbox::overlay) fn is_copied(directory: BorrowedFd<'_>) -> bool {
    let mut none: [u8; 0] = [];
    rustix::fs::fgetxattr(directory, c"user.overlay.origin", &mut none[..]).is_ok()
}

/// Compares two files by content. What is a hole in both is not read.
pub(in crate::sandbox::overlay) fn have_equal_content(one: &File, other: &File) -> io::Result<bool> {
    const BUFFER: usize = 256 << 10;
    let size = one.metadata()?.len();
    if other.metadata()?.len() != size {
        return Ok(false);
    }
    let mut buffers = [vec![0; BUFFER], vec![0; BUFFER]];
    let [left, right] = &mut buffers;
    let mut at = 0;
    loop {
        at = next_data(one, at, size)?.min(next_data(other, at, size)?);
        let length = usize::try_from(size - at).unwrap_or(BUFFER).min(BUFFER);
        if length == 0 {
            return Ok(true);
        }
        let (Some(left), Some(right)) = (left.get_mut(..length), right.get_mut(..length)) else {
            return Ok(false);
        };
        match one.read_exact_at(left, at).and_then(|()| other.read_exact_at(right, at)) {
            // A command has made a file smaller.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            other => other?,
        }
        if left != right {
            return Ok(false);
        }
        at += length as u64;
    }
}

/// Returns where the next data of a file begin; the size if the rest is a hole.
pub(in crate::sandbox::overlay) fn next_data(file: &File, at: u64, size: u64) -> io::Result<u64> {
    match seek(file, SeekFrom::Data(at)) {
        Err(rustix::io::Errno::NXIO) => Ok(size),
        // The file system does not know its holes.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::OPNOTSUPP) => Ok(at),
        other => Ok(other?.min(size)),
    }
}
