//! Directories for this user alone, on Windows: in the directory of the user's temporary files, whose rights
//! they take.
//!
//! Dropping a directory removes it. The owner holds a file of it open without sharing as long as it lives, so
//! the next host knows the directories of a killed one, also where it does not see the other's process.

use std::fs::{DirEntry, File, OpenOptions, create_dir, read_dir, remove_dir_all};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use windows_sys::Win32::Storage::FileSystem::GetTempPathW;

use crate::process::thread::named;

/// The beginning of each name; the owner's pid and a random part follow.
pub const PREFIX: &str = "agent-bash.";

/// The file that the owner holds open.
const LOCK: &str = "lock";

/// The age up to which a directory without the file is no orphan: its owner makes the file shortly after it.
const UNLOCKED_AT_MOST: Duration = Duration::from_secs(60);

/// The longest path of the directory of temporary files (UTF-16 code units).
const MAX_PATH: usize = 261;

/// A directory. Dropping it removes it with its content.
#[derive(Debug)]
pub struct PrivateDirectory {
    path: PathBuf,
    /// The open file; `None` only while this is dropped.
    lock: Option<File>,
}

impl PrivateDirectory {
    /// Makes a directory for files, which `fill` creates.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn create<T>(fill: impl Fn(Self) -> io::Result<T>) -> io::Result<T> {
        fill(Self::create_in(&temporary_directory()?)?)
    }

    /// Makes a directory in this parent.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn create_in(parent: &Path) -> io::Result<Self> {
        let random = RandomState::new().hash_one(());
        let path = parent.join(format!("{PREFIX}{}.{random:x}", std::process::id()));
        create_dir(&path)?;
        let lock = OpenOptions::new().write(true).create_new(true).share_mode(0).open(path.join(LOCK));
        // On an error, the drop removes the directory.
        let mut directory = Self { path, lock: None };
        directory.lock = Some(lock?);
        Ok(directory)
    }

    /// Returns the path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        drop(self.lock.take());
        // A program may still have a file of it open.
        let _ = remove_dir_all(&self.path);
    }
}

/// Removes the directories of dead owners, on a separate thread: in `parent`, or in the directory of the
/// user's temporary files.
///
/// If no thread can be started, the next host removes them.
pub fn remove_orphans(parent: Option<PathBuf>) {
    let _ = named("agent-bash-clean").spawn(|| {
        if let Ok(parent) = parent.map_or_else(temporary_directory, Ok) {
            remove_orphans_in(&parent);
        }
    });
}

/// Removes the directories of dead owners in `parent`, on this thread.
pub fn remove_orphans_in(parent: &Path) {
    let entries = read_dir(parent);
    for entry in entries.into_iter().flatten().flatten().filter(is_orphan) {
        // A program may still have a file of it open.
        let _ = remove_dir_all(entry.path());
    }
}

fn is_orphan(entry: &DirEntry) -> bool {
    let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
    if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
        return false;
    }
    match OpenOptions::new().read(true).share_mode(0).open(entry.path().join(LOCK)) {
        Ok(_) => true,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let made = entry.metadata().and_then(|metadata| metadata.created());
            made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age > UNLOCKED_AT_MOST))
        }
        Err(_) => false,
    }
}

/// Returns the directory of the user's temporary files.
fn temporary_directory() -> io::Result<PathBuf> {
    let mut path = [0_u16; MAX_PATH];
    let size = u32::try_from(path.len()).unwrap_or(u32::MAX);
    // SAFETY: `path` has `size` code units, and the call writes no more.
    let length = unsafe { GetTempPathW(size, path.as_mut_ptr()) };
    let written = path.get(..length as usize).filter(|written| !written.is_empty());
    written.map(|path| PathBuf::from(String::from_utf16_lossy(path))).ok_or_else(io::Error::last_os_error)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{LOCK, PREFIX, PrivateDirectory, remove_orphans_in};

    /// Makes a directory as a host that was killed has left it.
    fn left_behind(parent: &Path, name: &str) {
        fs::create_dir(parent.join(name)).expect("a directory");
        for file in [LOCK, "file"] {
            fs::write(parent.join(name).join(file), "").expect("a file");
        }
    }

    fn names(parent: &Path) -> Vec<String> {
        let entries = fs::read_dir(parent).expect("a directory").flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().into_string().expect("a name")).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_host_left_behind_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().expect("a directory");
        let own = PrivateDirectory::create_in(parent.path()).expect("a directory");
        // The pid tells nothing: it may be that of a host that this one does not see.
        left_behind(parent.path(), &format!("{PREFIX}{}.ab", std::process::id()));
        left_behind(parent.path(), "other");
        fs::create_dir(parent.path().join(format!("{PREFIX}1.new"))).expect("a directory");
        remove_orphans_in(parent.path());
        let name = own.path().file_name().and_then(|name| name.to_str()).expect("a name");
        let mut left = [&*format!("{PREFIX}1.new"), name, "other"];
        left.sort_unstable();
        assert_eq!(names(parent.path()), left);
    }

    #[test]
    fn a_directory_is_removed_with_its_owner() {
        let parent = tempfile::tempdir().expect("a directory");
        let own = PrivateDirectory::create_in(parent.path()).expect("a directory");
        fs::write(own.path().join("file"), "").expect("a file");
        drop(own);
        assert_eq!(names(parent.path()), [""; 0]);
    }
}
