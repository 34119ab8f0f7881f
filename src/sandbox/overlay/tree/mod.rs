//! A directory tree: paths below a directory, opened without following a link, also those that their owner
//! has closed.
//!
//! A directory without permissions for its owner (`chmod 555 d`) stops an ordinary user, who may change these
//! permissions. So a directory of this user is opened while the engine needs it, and gets its permissions
//! back at the end.

pub(super) mod attributes;
pub(super) mod beneath;
pub(super) mod opened;
pub(super) mod root;

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Access, AtFlags, CWD, Gid, Mode, OFlags, Stat, accessat, fstat, openat};
use rustix::process::{getegid, geteuid, getgroups};

use self::attributes::{by_descriptor, change_mode};
use self::beneath::{is_missing, open_directory, open_path};
use self::opened::{Opened, OpenedLog, OverlayTree};
use self::root::identity;
use super::change::Kind;

/// A directory tree, and the directories in it that are open at present.
#[derive(Debug)]
pub(super) struct Tree {
    top: OwnedFd,
    place: OverlayTree,
    opened: RefCell<Vec<Opened>>,
    log: Option<Arc<OpenedLog>>,
}

impl Tree {
    /// The tree of a layer or a workspace. What it opens is logged, if a later process reads the log.
    pub(super) fn new(top: OwnedFd, place: OverlayTree, log: Option<Arc<OpenedLog>>) -> Self {
        Self { top, place, opened: RefCell::default(), log }
    }

    pub(super) fn top(&self) -> BorrowedFd<'_> {
        self.top.as_fd()
    }

    /// Opens a directory for reading, and for the status of what is in it.
    pub(super) fn directory(&self, path: &Path) -> io::Result<OwnedFd> {
        match open_directory(self.top(), path) {
            Err(error) if is_denied(&error) => self.opened_directory(path),
            // `chmod 600 d`: its names can be read, and nothing else.
            Ok(directory)
                if accessat(&directory, ".", Access::EXEC_OK, AtFlags::EACCESS)
                    == Err(rustix::io::Errno::ACCESS) =>
            {
                self.opened_directory(path)
            }
            other => other,
        }
    }

    /// Opens a directory to change its entries.
    pub(super) fn directory_for_changes(&self, path: &Path) -> io::Result<OwnedFd> {
        let directory = self.directory(path)?;
        match accessat(&directory, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS) {
            Err(rustix::io::Errno::ACCESS) => self.opened_directory(path),
            _ => Ok(directory),
        }
    }

    /// Opens the directory of a path; `None` if there is none.
    pub(super) fn parent_of(&self, path: &Path) -> io::Result<Option<OwnedFd>> {
        match self.directory(path.parent().unwrap_or(Path::new(""))) {
            Ok(directory) => Ok(Some(directory)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the status of a path; `None` if there is none.
    pub(super) fn status(&self, path: &Path) -> io::Result<Option<Stat>> {
        let Some(parent) = self.parent_of(path)? else { return Ok(None) };
        self.status_in(parent.as_fd(), name_of(path))
    }

    /// Returns the status of a name in a directory of this tree, with the permissions that it has when no
    /// directory is open; `None` if there is none.
    pub(super) fn status_in(&self, parent: BorrowedFd<'_>, name: &Path) -> io::Result<Option<Stat>> {
        Ok(beneath::status(parent, name)?.map(|status| self.closed(status)))
    }

    fn closed(&self, mut status: Stat) -> Stat {
        let found = identity(status);
        if let Some(opened) = self.opened.borrow().iter().find(|opened| opened.identity == found) {
            status.st_mode = opened.entry.kind_and_mode;
        }
        status
    }

    /// Opens a path for its status and attributes alone; `None` if there is none.
    pub(super) fn path(&self, path: &Path) -> io::Result<Option<OwnedFd>> {
        let Some(parent) = self.parent_of(path)? else { return Ok(None) };
        match open_path(parent.as_fd(), name_of(path)) {
            Err(error) if is_missing(&error) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Returns the status of an open file of this tree, with the permissions that it has when no directory is
    /// open.
    pub(super) fn status_of(&self, file: BorrowedFd<'_>) -> io::Result<Stat> {
        Ok(self.closed(fstat(file)?))
    }

    /// Returns whether a path of a layer is a directory that the kernel has copied from the workspace.
    pub(super) fn is_copied_directory(&self, path: &Path) -> bool {
        self.directory(path).is_ok_and(|directory| beneath::is_copied(directory.as_fd()))
    }

    /// Opens a regular file for reading.
    pub(super) fn file(&self, path: &Path) -> io::Result<File> {
        let Some(parent) = self.parent_of(path)? else {
            return Err(io::Error::from_raw_os_error(libc::ENOENT));
        };
        self.file_in(parent.as_fd(), name_of(path))
    }

    /// Opens a regular file in a directory of this tree for reading.
    pub(super) fn file_in(&self, parent: BorrowedFd<'_>, name: &Path) -> io::Result<File> {
        match beneath::open_file(parent, name) {
            // The engine changes no file of the workspace to read it.
            Err(error) if self.place == OverlayTree::Layer && is_denied(&error) => {
                reopen(open_path(parent, name)?.as_fd(), OFlags::RDONLY, Mode::RUSR)
            }
            other => other,
        }
    }

    /// Returns the directories that are open at present, which the caller closes from now on.
    pub(super) fn take_opened(&self) -> Vec<Opened> {
        self.opened.take()
    }

    /// Opens each directory of a path that is closed, and the last one.
    fn opened_directory(&self, path: &Path) -> io::Result<OwnedFd> {
        self.grant(self.top(), Path::new(""))?;
        let mut at = open_path(self.top(), Path::new(""))?;
        let mut done = PathBuf::new();
        for part in path.components() {
            let Component::Normal(name) = part else { continue };
            done.push(name);
            at = open_path(at.as_fd(), Path::new(name))?;
            self.grant(at.as_fd(), &done)?;
        }
        open_directory(at.as_fd(), Path::new(""))
    }

    /// Gives the owner all permissions for a directory, if this user is the owner and can take them back.
    fn grant(&self, directory: BorrowedFd<'_>, path: &Path) -> io::Result<()> {
        let status = fstat(directory)?;
        let mode = Mode::from_raw_mode(status.st_mode);
        let is_open = mode.contains(Mode::RWXU) || status.st_uid != geteuid().as_raw();
        // The kernel takes the bit away with any change of the mode, unless the user is in the group.
        let is_lost = mode.contains(Mode::SGID) && !is_in_group(status.st_gid);
        if is_open || is_lost || beneath::kind(&status) != Kind::Directory {
            return Ok(());
        }
        let opened = Opened::open(directory, status, (self.place, path), self.log.as_ref())?;
        self.opened.borrow_mut().push(opened);
        Ok(())
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // Parents were opened before what is in them.
        for opened in self.take_opened().iter().rev() {
            let _ = opened.close(self.top());
        }
    }
}

/// Opens a regular file by an `O_PATH` descriptor: the same file, whatever its name means by now. If this
/// user is the owner, permissions of the owner that are missing are given for a moment.
pub(super) fn reopen(file: BorrowedFd<'_>, flags: OFlags, needed: Mode) -> io::Result<File> {
    let status = fstat(file)?;
    if beneath::kind(&status) != Kind::File {
        return Err(io::Error::from_raw_os_error(libc::ENOENT));
    }
    let open = || openat(CWD, by_descriptor(file), flags | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty());
    let opened = match open() {
        Err(rustix::io::Errno::ACCESS) if status.st_uid == geteuid().as_raw() => {
            let mode = Mode::from_raw_mode(status.st_mode);
            change_mode(file, mode | needed)?;
            let opened = open();
            change_mode(file, mode)?;
            opened
        }
        other => other,
    };
    Ok(File::from(opened?))
}

/// Returns whether this user is in a group, or is root.
fn is_in_group(group: u32) -> bool {
    let is = |own: Gid| own.as_raw() == group;
    geteuid().is_root() || is(getegid()) || getgroups().is_ok_and(|groups| groups.into_iter().any(is))
}

/// Returns the last component of a path.
pub(super) fn name_of(path: &Path) -> &Path {
    Path::new(path.file_name().unwrap_or_default())
}

fn is_denied(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EACCES)
}
