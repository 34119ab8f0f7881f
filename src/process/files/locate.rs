//! Opens the directory that has the last name of a path.
//!
//! The part of a path whose links are followed is opened as a whole, and then the root must be one of its
//! ancestors (`directory::is_inside`): by descriptor, so a link that is replaced after the check has no
//! effect. The names below that are opened one by one, and none may be a link.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, open, openat, readlinkat, statat};
use rustix::io::Errno as SystemError;

use super::request::{FileError, RootedPath};
use crate::process::directory::{DIRECTORY_ONLY, is_inside};

/// The most links that are followed, as the kernel has it.
const MAX_LINKS: usize = 40;

/// The resolved place of a path: a name in an open directory. The name is `.` for a directory without a
/// name, such as `/`.
#[derive(Debug)]
pub(super) struct Located {
    pub(super) parent: OwnedFd,
    pub(super) name: Vec<u8>,
}

/// Whether the last name of a place may be a symbolic link that is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    Followed,
    Itself,
}

/// Opens the directory with the last name of a place.
pub(super) fn locate(place: &RootedPath, last: Last) -> Result<Located, FileError> {
    let root = place.root.as_deref().map(|root| open(os(root), DIRECTORY_ONLY, Mode::empty())).transpose()?;
    let Some((name, names)) = place.below.split_last() else {
        return locate_path(root.as_ref(), &place.path, last);
    };
    let mut parent = open_inside(root.as_ref(), &place.path)?;
    for name in names {
        check_name(name)?;
        parent = openat(&parent, os(name), DIRECTORY_ONLY | OFlags::NOFOLLOW, Mode::empty())?;
    }
    check_name(name)?;
    Ok(Located { parent, name: name.clone() })
}

/// Refuses what is no single name: only a hostile list of a directory has such an entry.
fn check_name(name: &[u8]) -> Result<(), FileError> {
    let is_name = !matches!(name, b"" | b"." | b"..") && !name.contains(&b'/') && !name.contains(&0);
    if is_name { Ok(()) } else { Err(FileError::Outside) }
}

fn locate_path(root: Option<&OwnedFd>, path: &[u8], last: Last) -> Result<Located, FileError> {
    let mut path = path.to_vec();
    for _ in 0..MAX_LINKS {
        let (parent, name) = split(&path);
        let directory = open_inside(root, parent)?;
        if matches!(name, b"." | b"..") {
            // The last part of the path is no name of an entry.
            let parent = open_inside(root, &path)?;
            return Ok(Located { parent, name: b".".to_vec() });
        }
        let is_link = last == Last::Followed
            && statat(&directory, os(name), AtFlags::SYMLINK_NOFOLLOW)
                .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
        if !is_link {
            return Ok(Located { parent: directory, name: name.to_vec() });
        }
        let target = readlinkat(&directory, os(name), Vec::new())?.into_bytes();
        path = if target.starts_with(b"/") { target } else { [parent, b"/", &target].concat() };
    }
    Err(SystemError::LOOP.into())
}

/// Splits a path into its directory and its last name, which is `.` for the root directory.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    let end = path.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
    let path = &path[..end];
    match path.iter().rposition(|&byte| byte == b'/') {
        _ if path.is_empty() => (b"/", b"."),
        Some(0) => (b"/", &path[1..]),
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (b".", path),
    }
}

/// Opens a directory, of which the root must be an ancestor. A relative path is below the root.
fn open_inside(root: Option<&OwnedFd>, path: &[u8]) -> Result<OwnedFd, FileError> {
    let path = if path.is_empty() { b"." } else { path };
    let Some(root) = root else { return Ok(open(os(path), DIRECTORY_ONLY, Mode::empty())?) };
    let directory = openat(root, os(path), DIRECTORY_ONLY, Mode::empty())?;
    if is_inside(&directory, root)? { Ok(directory) } else { Err(FileError::Outside) }
}

/// Opens the directory itself to which a place leads.
pub(super) fn open_directory_at(located: &Located) -> Result<OwnedFd, FileError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(&located.parent, os(&located.name), flags, Mode::empty())?)
}

pub(super) fn os(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_path_is_a_directory_and_a_name() {
        for (path, parts) in [
            ("/a/b", ("/a", "b")),
            ("/a", ("/", "a")),
            ("a", (".", "a")),
            ("a//b//", ("a/", "b")),
            ("/", ("/", ".")),
            ("//", ("/", ".")),
            ("", ("/", ".")),
        ] {
            let (parent, name) = split(path.as_bytes());
            assert_eq!((str::from_utf8(parent), str::from_utf8(name)), (Ok(parts.0), Ok(parts.1)), "{path}");
        }
    }
}
