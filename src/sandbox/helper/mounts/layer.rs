//! The layer of a copy-on-write mount (overlayfs): the upper directory, which all commands of a root share,
//! and a work directory for each mount.
//!
//! The kernel empties a work directory when it is mounted. If another mount used the same directory, that
//! mount could not change files from then on.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock, fstat};
use rustix::process::getpid;

/// A work directory. It is locked while a copy of the descriptor is open, so that other sandboxes don't
/// remove it.
pub(super) struct WorkDirectory {
    pub(super) path: PathBuf,
    pub(super) lock: OwnedFd,
}

impl WorkDirectory {
    /// Creates a work directory in `parent`, and removes those that no mount uses.
    pub(super) fn create(parent: &Path) -> io::Result<Self> {
        for entry in fs::read_dir(parent)?.flatten() {
            if let Ok(Some(_lock)) = locked(&entry.path()) {
                // Remaining files are removed with the private directories.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let path = parent.join(getpid().as_raw_nonzero().to_string());
        loop {
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            // `None`: another sandbox has found the directory without a lock, and removes it.
            if let Some(lock) = locked(&path)? {
                return Ok(Self { path, lock });
            }
        }
    }
}

/// Locks a directory. Returns `None` if another process has locked or removed it.
fn locked(path: &Path) -> io::Result<Option<OwnedFd>> {
    let directory = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    match flock(&directory, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
        other => other?,
    }
    let exists = fstat(&directory)?.st_nlink > 0;
    Ok(exists.then(|| directory.into()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{WorkDirectory, locked};

    #[test]
    fn a_work_directory_that_nobody_uses_is_removed_by_the_next() {
        let parent = tempfile::tempdir().expect("a directory");
        let stale = parent.path().join("1");
        fs::create_dir_all(stale.join("work")).expect("a stale one");
        let own = WorkDirectory::create(parent.path()).expect("a work directory");
        assert!(!stale.exists());
        assert!(own.path.exists());
    }

    #[test]
    fn a_work_directory_in_use_stays() {
        let parent = tempfile::tempdir().expect("a directory");
        let used = parent.path().join("1");
        fs::create_dir(&used).expect("one in use");
        let lock = locked(&used).expect("it can be opened").expect("it can be locked");
        WorkDirectory::create(parent.path()).expect("a work directory");
        assert!(used.exists());
        drop(lock);
    }
}
