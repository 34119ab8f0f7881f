//! The journal of stubs: a directory of this user with a file for each command that has created stubs.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;

use rustix::fs::{Access, FlockOperation, access, flock};
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};

use crate::process::directory::temporary::large_directories;
use crate::wire::{self, raw};

/// The file that is locked during each change of stubs.
const LOCK: &str = ".lock";

/// A stub, or a parent of one, that was created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StubEntry {
    #[serde(with = "raw")]
    pub path: PathBuf,
    /// The content of a file; `None` for a directory.
    #[serde(with = "raw")]
    pub content: Option<Vec<u8>>,
    /// Device and inode, which identify the file later.
    pub identity: (u64, u64),
}

/// The number of names that are tried for a journal: every user can create directories in its parent.
const NAMES: u32 = 8;

/// Returns the directory of this user's journal, in the first directory that can be written: the best one
/// survives a crash of the machine.
#[must_use]
pub fn directory() -> PathBuf {
    directory_in_first(&large_directories())
}

fn directory_in_first(parents: &[PathBuf]) -> PathBuf {
    let mut directories = parents.iter().map(|parent| directory_in(parent));
    let is_usable = |directory: &PathBuf| {
        let place = if directory.exists() { Some(directory.as_path()) } else { directory.parent() };
        place.is_some_and(|place| access(place, Access::WRITE_OK).is_ok())
    };
    let usable = directories.find(is_usable);
    usable.or_else(|| parents.first().map(|parent| directory_in(parent))).unwrap_or_default()
}

/// Returns the first name that no other user has taken.
fn directory_in(parent: &Path) -> PathBuf {
    let user = geteuid().as_raw();
    let first = parent.join(format!("agent-bash-stubs.{user}"));
    let others = (1..NAMES).map(|number| parent.join(format!("agent-bash-stubs.{user}.{number}")));
    let is_free = |path: &PathBuf| match fs::symlink_metadata(path) {
        Ok(status) => is_own(&status),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    std::iter::once(first.clone()).chain(others).find(is_free).unwrap_or(first)
}

/// Returns whether a directory is this user's, and no other user can write it.
fn is_own(status: &Metadata) -> bool {
    status.is_dir() && status.uid() == geteuid().as_raw() && status.mode() & 0o022 == 0
}

/// A journal, locked against all other processes.
#[derive(Debug)]
pub struct Journal {
    directory: PathBuf,
    _lock: File,
}

impl Journal {
    /// Opens and locks a journal. Waits while another process changes stubs.
    ///
    /// # Errors
    ///
    /// The system's error; `EPERM` for a directory of another user, or one that others may write.
    pub fn open(directory: &Path) -> io::Result<Self> {
        match DirBuilder::new().mode(0o700).create(directory) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        if !is_own(&fs::symlink_metadata(directory)?) {
            return Err(io::Error::from_raw_os_error(libc::EPERM));
        }
        let mut options = OpenOptions::new();
        let lock = options.write(true).create(true).truncate(false).mode(0o600).open(directory.join(LOCK))?;
        rustix::io::retry_on_intr(|| flock(&lock, FlockOperation::LockExclusive))?;
        Ok(Self { directory: directory.to_owned(), _lock: lock })
    }

    /// Records created paths.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn add(&self, made: &[StubEntry]) -> io::Result<()> {
        if made.is_empty() {
            return Ok(());
        }
        let name = format!("{}.{:x}", process::id(), RandomState::new().hash_one(process::id()));
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(self.directory.join(name))?;
        file.write_all(&wire::encode(made))
    }

    /// Calls `stays` with each entry, the latest of a command first, and removes it from the journal unless
    /// `stays` returns true.
    pub fn retain(&self, mut stays: impl FnMut(&StubEntry) -> bool) {
        for path in self.files() {
            let Some(entries) = read(&path) else {
                // A file that a crash has truncated can't be trusted.
                let _ = fs::remove_file(&path);
                continue;
            };
            let mut left: Vec<StubEntry> = entries.into_iter().rev().filter(&mut stays).collect();
            if left.is_empty() {
                let _ = fs::remove_file(&path);
            } else {
                left.reverse();
                let _ = fs::write(&path, wire::encode(&left));
            }
        }
    }

    /// Returns whether the path with this device and inode is a stub.
    pub(super) fn has(&self, identity: (u64, u64)) -> bool {
        self.files().iter().filter_map(|path| read(path)).flatten().any(|entry| entry.identity == identity)
    }

    fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(&self.directory) else { return Vec::new() };
        entries.flatten().filter(|entry| entry.file_name() != LOCK).map(|entry| entry.path()).collect()
    }
}

fn read(path: &Path) -> Option<Vec<StubEntry>> {
    wire::decode(&fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::{Journal, directory_in};

    #[test]
    fn a_directory_that_is_not_the_users_alone_is_refused_and_avoided() {
        let place = tempfile::tempdir().expect("a directory");
        let first = directory_in(place.path());
        fs::create_dir(&first).expect("a directory");
        assert_eq!(directory_in(place.path()), first);
        fs::set_permissions(&first, Permissions::from_mode(0o777)).expect("a mode");
        Journal::open(&first).expect_err("others can write it");
        let second = directory_in(place.path());
        assert_ne!(second, first);
        symlink(place.path(), &second).expect("a link");
        Journal::open(&second).expect_err("a link");
        let third = directory_in(place.path());
        Journal::open(&third).expect("a journal of its own");
        assert_eq!(directory_in(place.path()), third);
    }

    #[test]
    #[ignore = "needs root"]
    fn a_directory_of_another_user_is_avoided() {
        let place = tempfile::tempdir().expect("a directory");
        let first = directory_in(place.path());
        fs::create_dir(&first).expect("a directory");
        std::os::unix::fs::chown(&first, Some(12345), None).expect("another owner");
        Journal::open(&first).expect_err("another user's");
        assert_ne!(directory_in(place.path()), first);
    }
}
