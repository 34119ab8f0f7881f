//! Opens the paths of UNIX sockets as a caller sees them, and connects to what was opened.

use std::ffi::OsStr;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2, readlinkat};
use rustix::net::{SocketAddrUnix, connect};

use super::caller::Caller;
use super::calls::CallAnswer;

/// Returns whether a path below a directory is a socket.
pub(super) fn is_socket(directory: BorrowedFd<'_>, path: &Path) -> bool {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::BENEATH;
    let opened = openat2(directory, path, flags, Mode::empty(), resolve);
    let status = opened.and_then(|opened| fstat(&opened));
    status.is_ok_and(|status| FileType::from_raw_mode(status.st_mode).is_socket())
}

/// Opens a path as the caller sees it: a relative one from its working directory. Magic links of `/proc` are
/// not followed, except those to the caller's own descriptors and working directory.
pub(super) fn open_as(caller: &Caller, path: &[u8]) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let directory = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_MAGICLINKS;
    let own = [&b"/proc/self/"[..], b"/proc/thread-self/"].iter().find_map(|own| path.strip_prefix(*own));
    // No process in the sandbox can change its root directory, so an absolute path means the same to all.
    let (from, path) = match own {
        Some(rest) => {
            let (link, rest) = split_link(rest);
            (format!("/proc/{}/{}", caller.thread, String::from_utf8_lossy(link)), rest)
        }
        None => (format!("/proc/{}/cwd", caller.thread), path),
    };
    let from = openat(rustix::fs::CWD, from, directory, Mode::empty())?;
    openat2(from, OsStr::from_bytes(path), flags, Mode::empty(), resolve)
}

/// Splits `fd/7/rest` or `cwd/rest` after the link.
fn split_link(path: &[u8]) -> (&[u8], &[u8]) {
    let skipped = if path.starts_with(b"fd/") { 3 } else { 0 };
    let end = path[skipped..].iter().position(|&byte| byte == b'/').map_or(path.len(), |at| skipped + at);
    (&path[..end], path.get(end + 1..).unwrap_or_default())
}

/// Returns the path of an opened file.
pub(super) fn path_of(place: BorrowedFd<'_>) -> Option<PathBuf> {
    let link = format!("/proc/self/fd/{}", place.as_raw_fd());
    let path = readlinkat(rustix::fs::CWD, link, Vec::new()).ok()?;
    Some(PathBuf::from(OsStr::from_bytes(path.to_bytes())))
}

/// Connects to an opened socket file.
pub(super) fn connect_to(socket: &OwnedFd, target: &OwnedFd) -> CallAnswer {
    let link = format!("/proc/self/fd/{}", target.as_raw_fd());
    match SocketAddrUnix::new(link) {
        Ok(address) => connect(socket, &address).into(),
        Err(error) => CallAnswer::Fail(error.raw_os_error()),
    }
}
