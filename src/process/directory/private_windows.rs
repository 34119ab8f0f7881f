//! Directories for this user alone, on Windows: in the directory of the user's temporary files, whose rights
//! they take.
//!
//! Dropping a directory removes it. A killed host leaves its directories to the system's cleaning.

use std::fs::{create_dir, remove_dir_all};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use windows_sys::Win32::Storage::FileSystem::GetTempPathW;

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

/// Removes nothing: a directory here does not tell whether its host lives.
pub fn remove_orphans(_parent: Option<PathBuf>) {}

/// Returns the directory of the user's temporary files.
fn temporary_directory() -> io::Result<PathBuf> {
    let mut path = [0_u16; MAX_PATH];
    let size = u32::try_from(path.len()).unwrap_or(u32::MAX);
    // SAFETY: `path` has `size` code units, and the call writes no more.
    let length = unsafe { GetTempPathW(size, path.as_mut_ptr()) };
    let written = path.get(..length as usize).filter(|written| !written.is_empty());
    written.map(|path| PathBuf::from(String::from_utf16_lossy(path))).ok_or_else(io::Error::last_os_error)
}
