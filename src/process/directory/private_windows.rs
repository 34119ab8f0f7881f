//! Directories for this user alone, on Windows: in the directory of the user's temporary files, whose rights
//! they take.
//!
//! Dropping a directory removes it. The directories of a killed host are removed by the next one.

use std::fs::{DirEntry, create_dir, read_dir, remove_dir_all, remove_file};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use windows_sys::Win32::Storage::FileSystem::GetTempPathW;

use crate::process::thread::named;
use crate::process::windows::image::is_gone;

/// The beginning of each name; the owner's pid and a random part follow.
pub const PREFIX: &str = "agent-bash.";

/// The longest path of the directory of temporary files (UTF-16 code units).
const MAX_PATH: usize = 261;

/// A directory. Dropping it removes it with its content.
#[derive(Debug)]
pub struct PrivateDirectory(PathBuf);

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
        Ok(Self(path))
    }

    /// Returns the path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        // A program may still have a file of it open.
        let _ = remove_dir_all(&self.0);
    }
}

/// Removes the directories and files of dead owners, on a separate thread: in `parent`, or in the directory
/// of the user's temporary files.
///
/// If no thread can be started, the next host removes them.
pub fn remove_orphans(parent: Option<PathBuf>) {
    let _ = named("agent-bash-clean").spawn(|| {
        if let Ok(parent) = parent.map_or_else(temporary_directory, Ok) {
            remove_orphans_in(&parent);
        }
    });
}

/// Removes the directories and files of dead owners in `parent`, on this thread.
///
/// An entry whose pid belongs to another process by now stays until that process has ended too.
pub fn remove_orphans_in(parent: &Path) {
    let entries = read_dir(parent);
    for entry in entries.into_iter().flatten().flatten().filter(is_orphan) {
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        // A program may still have a file of it open.
        let _ = if is_directory { remove_dir_all(entry.path()) } else { remove_file(entry.path()) };
    }
}

fn is_orphan(entry: &DirEntry) -> bool {
    entry.file_name().to_str().and_then(owner_of).is_some_and(is_gone)
}

/// Returns the pid in a name that begins with [`PREFIX`].
fn owner_of(name: &str) -> Option<u32> {
    name.strip_prefix(PREFIX)?.split_once('.')?.0.parse().ok()
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

    use super::{PREFIX, owner_of, remove_orphans_in};

    #[test]
    fn the_owner_is_in_the_name() {
        assert_eq!(["agent-bash.12.ab", "agent-bash.7.x.sh"].map(owner_of), [Some(12), Some(7)]);
        assert_eq!(["agent-bash.12", "agent-bash.x.y", "other.12.ab"].map(owner_of), [None; 3]);
    }

    #[test]
    fn what_a_host_that_has_ended_left_behind_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().expect("a directory");
        let mut ended =
            std::process::Command::new("cmd.exe").args(["/d", "/c", "exit"]).spawn().expect("started");
        ended.wait().expect("an exit");
        let pid = ended.id();
        drop(ended);
        let own = format!("{PREFIX}{}.ab", std::process::id());
        for name in [&*format!("{PREFIX}{pid}.ab"), &*own, "other"] {
            fs::create_dir(parent.path().join(name)).expect("a directory");
            fs::write(parent.path().join(name).join("file"), "").expect("a file");
        }
        fs::write(parent.path().join(format!("{PREFIX}{pid}.ab.sh")), "").expect("a file");
        remove_orphans_in(parent.path());
        let mut left: Vec<_> = fs::read_dir(parent.path()).expect("a directory").flatten().collect();
        left.sort_by_key(fs::DirEntry::file_name);
        assert_eq!(left.iter().map(fs::DirEntry::file_name).collect::<Vec<_>>(), [&*own, "other"]);
    }
}
