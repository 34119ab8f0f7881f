//! Gives finished files their names, so that no program sees a partial file under the name.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, RenameFlags, Stat, fstat, linkat, openat, renameat, renameat_with, unlinkat,
};
use rustix::io::Errno;

use super::super::change::Kind;
use super::super::conflict::ConflictReason;
use super::super::tree::attributes::by_descriptor;
use super::super::tree::beneath::{kind, open_path};
use super::entry::CommitEntry;
use super::expected::Stopped;

/// A new file, which has no name yet or one that no other file has.
pub(super) struct UnfinishedFile<'a> {
    pub(super) file: File,
    temporary: Option<Temporary<'a>>,
    target: CommitEntry<'a>,
}

impl<'a> UnfinishedFile<'a> {
    /// Creates a file in the directory of its target, for this user alone. It has a name only on file systems
    /// that have no files without: a name is what a killed process leaves behind.
    pub(super) fn create(target: CommitEntry<'a>) -> io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        match openat(target.directory, ".", flags | OFlags::TMPFILE, mode) {
            Ok(file) => return Ok(Self { file: file.into(), temporary: None, target }),
            // ISDIR and INVAL: from kernels and file systems that do not know the flag.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOSYS) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = flags | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let (temporary, file) = Temporary::make(target, |name| openat(target.directory, name, flags, mode))?;
        Ok(Self { file: file.into(), temporary: Some(temporary), target })
    }

    /// Gives the file its name, in place of the file that has it. Returns its status then.
    pub(super) fn finish(self) -> Result<Stat, Stopped> {
        let Self { file, temporary, target } = self;
        let link = |name: &Path| {
            linkat(CWD, by_descriptor(file.as_fd()), target.directory, name, AtFlags::SYMLINK_FOLLOW)
        };
        let temporary = match temporary {
            Some(temporary) => temporary,
            None if target.check()?.is_some() => Temporary::make(target, link)?.0,
            None => match link(target.name) {
                Ok(()) => return Ok(fstat(&file)?),
                Err(Errno::EXIST) if target.expected.is_some() => {
                    return Err(Stopped::Overtaken(ConflictReason::Created));
                }
                Err(Errno::EXIST) => Temporary::make(target, link)?.0,
                Err(error) => return Err(error.into()),
            },
        };
        temporary.rename()?;
        Ok(fstat(&file)?)
    }
}

/// Creates a file of another kind under a temporary name, and renames it then. Returns its status.
pub(super) fn made(
    target: CommitEntry<'_>,
    mut make: impl FnMut(BorrowedFd<'_>, &Path) -> io::Result<()>,
) -> Result<Stat, Stopped> {
    target.check()?;
    let (temporary, file) = Temporary::make(target, |name| {
        let file = make(target.directory, name).and_then(|()| open_path(target.directory, name));
        file.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
    })?;
    temporary.rename()?;
    Ok(fstat(&file)?)
}

/// A file under a name that is removed unless the file is renamed.
struct Temporary<'a> {
    target: CommitEntry<'a>,
    is_renamed: bool,
}

impl<'a> Temporary<'a> {
    fn make<T>(
        target: CommitEntry<'a>,
        mut make: impl FnMut(&Path) -> rustix::io::Result<T>,
    ) -> io::Result<(Self, T)> {
        let result = match make(target.temporary) {
            // A commit that was killed has left it.
            Err(Errno::EXIST) => {
                unlinkat(target.directory, target.temporary, AtFlags::empty())?;
                make(target.temporary)
            }
            other => other,
        };
        Ok((Self { target, is_renamed: false }, result?))
    }

    /// Gives the file the name of its target.
    fn rename(mut self) -> Result<(), Stopped> {
        let CommitEntry { directory, name, temporary, .. } = self.target;
        let before = self.target.check()?;
        let is_directory = before.is_some_and(|before| kind(&before) == Kind::Directory);
        if is_directory {
            self.target.remove()?;
        }
        let is_new = (before.is_none() || is_directory) && self.target.expected.is_some();
        let flags = if is_new { RenameFlags::NOREPLACE } else { RenameFlags::empty() };
        match renameat_with(directory, temporary, directory, name, flags) {
            Err(Errno::EXIST) if is_new => return Err(Stopped::Overtaken(ConflictReason::Created)),
            // Some file systems have no flags.
            Err(Errno::INVAL) if is_new => renameat(directory, temporary, directory, name)?,
            other => other?,
        }
        self.is_renamed = true;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_renamed {
            let _ = unlinkat(self.target.directory, self.target.temporary, AtFlags::empty());
        }
    }
}
