//! A path whose parents are not symbolic links.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, mkdirat, openat, statat, unlinkat};

use crate::process::directory::DIRECTORY_ONLY;

/// A name in an open directory. A process with the rights of the host creates stubs where commands can
/// replace a directory by a link at any moment. So no link is followed: a plan's paths have none.
#[derive(Debug)]
pub(super) struct StubPlace {
    parent: OwnedFd,
    name: OsString,
}

impl StubPlace {
    /// Opens the parent of an absolute path.
    ///
    /// # Errors
    ///
    /// The system's error: `ENOTDIR` for a link among the parents.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?.to_owned();
        let flags = DIRECTORY_ONLY | OFlags::NOFOLLOW;
        let mut parent = openat(CWD, c"/", flags, Mode::empty())?;
        for component in path.parent().unwrap_or(Path::new("/")).components() {
            match component {
                Component::RootDir => {}
                Component::Normal(name) => parent = openat(&parent, name, flags, Mode::empty())?,
                _ => return Err(ErrorKind::InvalidInput.into()),
            }
        }
        Ok(Self { parent, name })
    }

    /// Creates a directory, or a file with this content.
    pub(super) fn make(&self, content: Option<&[u8]>, permissions: Mode) -> io::Result<()> {
        let Some(content) = content else { return Ok(mkdirat(&self.parent, &self.name, permissions)?) };
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        File::from(openat(&self.parent, &self.name, flags, permissions)?).write_all(content)
    }

    /// Opens the path, unless it is a link. A named pipe does not block.
    pub(super) fn open(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(openat(&self.parent, &self.name, flags, Mode::empty())?.into())
    }

    /// Returns the device and inode of the path.
    pub(super) fn identity(&self) -> io::Result<(u64, u64)> {
        let status = statat(&self.parent, &self.name, AtFlags::SYMLINK_NOFOLLOW)?;
        #[allow(clippy::unnecessary_cast, clippy::cast_sign_loss, reason = "macOS has other types")]
        Ok((status.st_dev as u64, status.st_ino as u64))
    }

    /// Returns whether an empty directory, or a file with this content, is there.
    pub(super) fn has(&self, content: Option<&[u8]>) -> io::Result<bool> {
        let status = statat(&self.parent, &self.name, AtFlags::SYMLINK_NOFOLLOW)?;
        match (content, FileType::from_raw_mode(status.st_mode)) {
            (None, FileType::Directory) => is_empty(&self.open()?),
            (Some(content), FileType::RegularFile) => has_content(&self.open()?, content),
            _ => Ok(false),
        }
    }

    /// Removes an empty directory, or a file.
    pub(super) fn remove(&self, is_directory: bool) -> io::Result<()> {
        let flags = if is_directory { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        Ok(unlinkat(&self.parent, &self.name, flags)?)
    }
}

/// Returns device and inode of an open file.
pub(super) fn identity(file: &File) -> io::Result<(u64, u64)> {
    file.metadata().map(|status| (status.dev(), status.ino()))
}

fn is_empty(directory: &File) -> io::Result<bool> {
    for entry in Dir::read_from(directory)? {
        if !matches!(entry?.file_name().to_bytes(), b"." | b"..") {
            return Ok(false);
        }
    }
    Ok(true)
}

fn has_content(file: &File, content: &[u8]) -> io::Result<bool> {
    let status = file.metadata()?;
    if !status.is_file() || status.len() != content.len() as u64 {
        return Ok(false);
    }
    let mut found = Vec::with_capacity(content.len());
    file.take(content.len() as u64 + 1).read_to_end(&mut found)?;
    Ok(found == content)
}
