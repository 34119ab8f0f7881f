//! Directories for this user alone: for the files through which a shell and the engine communicate, and for
//! spill files.
//!
//! The first kind lies where commands rarely clean up ([`temporary_directories`]), and never in the
//! workspace. The second kind lies on a disk, in a directory that the caller names.
//!
//! Dropping a directory removes it. If the host was killed, the guardian removes it, or else the next host
//! that makes such a directory. The owner holds a lock on the directory (`flock`) as long as it lives, which
//! also works across PID namespaces. A directory that the owner shares has several holders of its lock: the
//! last one removes it.

use std::ffi::CString;
use std::fs::{self, DirBuilder, File, FileType, OpenOptions, Permissions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, flock};

use super::remove::remove_tree;
use super::temporary::{large_directories, temporary_directories};
use crate::process::fd::above_standard_streams;
use crate::process::thread::named;

/// The beginning of each name; the owner's pid and a random part follow.
pub const PREFIX: &str = "agent-bash.";

/// The age up to which a directory without a lock is no orphan: its owner locks it shortly after making it.
const UNLOCKED_AT_MOST: Duration = Duration::from_secs(60);

/// The number of attempts to remove the directories of a dead host, and the pause between two attempts.
///
/// The kernel closes a dead host's descriptors one by one, so the guardian may notice the end before the lock
/// is released.
const ATTEMPTS: u32 = 20;
const ATTEMPT_INTERVAL: Duration = Duration::from_millis(10);

/// A directory of mode 0700. Dropping it removes it with its content, unless another process shares it.
#[derive(Debug)]
pub struct PrivateDirectory {
    path: PathBuf,
    /// The open directory, which holds the lock; `None` only while this is dropped.
    lock: Option<OwnedFd>,
    is_shared: AtomicBool,
}

/// The directory of another process, which stays at least as long as this.
#[derive(Debug)]
pub struct SharedDirectory {
    path: PathBuf,
    lock: Option<OwnedFd>,
}

/// An end of a named pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipeEnd {
    Reading,
    Writing,
}

impl PrivateDirectory {
    /// Makes a directory for small files, which `fill` creates. Tries the next parent directory if a file
    /// system is full.
    ///
    /// # Errors
    ///
    /// The system's error for the last parent directory tried.
    pub fn create<T>(fill: impl Fn(Self) -> io::Result<T>) -> io::Result<T> {
        Self::create_in_first(temporary_directories(), fill)
    }

    /// Makes a directory for files that may become large, as [`create`](Self::create) does one for small
    /// ones.
    ///
    /// # Errors
    ///
    /// The system's error for the last parent directory tried.
    pub fn create_large<T>(fill: impl Fn(Self) -> io::Result<T>) -> io::Result<T> {
        Self::create_in_first(large_directories(), fill)
    }

    fn create_in_first<T>(parents: Vec<PathBuf>, fill: impl Fn(Self) -> io::Result<T>) -> io::Result<T> {
        let mut error = io::Error::from(io::ErrorKind::NotFound);
        for parent in parents {
            match Self::create_in(&parent).and_then(&fill) {
                Ok(filled) => return Ok(filled),
                Err(other) => error = other,
            }
        }
        Err(error)
    }

    /// Makes a directory in this parent. After a host was killed, the guardian finds it only in
    /// [`large_directories`].
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn create_in(parent: &Path) -> io::Result<Self> {
        let path = parent.join(format!("{PREFIX}{}.{:x}", process::id(), random()));
        DirBuilder::new().mode(0o700).create(&path)?;
        let locked = lock(&path).and_then(|file| above_standard_streams(file.into()));
        // The host's umask may have removed permissions that the owner needs.
        let is_usable = fs::set_permissions(&path, Permissions::from_mode(0o700));
        match is_usable.and(locked) {
            Ok(lock) => Ok(Self { path, lock: Some(lock), is_shared: AtomicBool::new(false) }),
            Err(error) => {
                let _ = fs::remove_dir(&path);
                Err(error)
            }
        }
    }

    /// Returns a copy of the lock for another process, with which the directory stays as long as that
    /// process holds it ([`SharedDirectory`]).
    ///
    /// # Errors
    ///
    /// The system's error, such as `EMFILE`.
    pub fn share(&self) -> io::Result<OwnedFd> {
        let lock = self.lock.as_ref().ok_or(io::ErrorKind::NotFound)?.try_clone()?;
        self.is_shared.store(true, Ordering::Release);
        Ok(lock)
    }

    /// Returns the path, which has no characters that a shell treats specially.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file, and follows no link: commands can change the directory.
    ///
    /// # Errors
    ///
    /// The system's error; `AlreadyExists` for anything but a file with that name.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file = self.open(name, options.write(true).create(true).truncate(true).mode(0o600))?;
        if !file.metadata()?.is_file() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        file.write_all(bytes)
    }

    /// Moves anything but a file to another name, which takes no longer for a large directory.
    pub fn make_way(&self, name: &str) {
        if self.type_of(name).is_some_and(|kind| !kind.is_file()) {
            let _ = fs::rename(self.path.join(name), self.other_name(name));
        }
    }

    /// Returns the type of what has this name.
    #[must_use]
    pub fn type_of(&self, name: &str) -> Option<FileType> {
        fs::symlink_metadata(self.path.join(name)).ok().map(|metadata| metadata.file_type())
    }

    /// Opens an end of a named pipe, which does not block. Opening the writing end fails while no process has
    /// the pipe open for reading.
    ///
    /// # Errors
    ///
    /// The system's error; `AlreadyExists` for anything but a named pipe with that name.
    pub fn open_pipe(&self, name: &str, end: PipeEnd) -> io::Result<OwnedFd> {
        let mut options = OpenOptions::new();
        let file = self.open(name, options.read(end == PipeEnd::Reading).write(end == PipeEnd::Writing))?;
        if !file.metadata()?.file_type().is_fifo() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        above_standard_streams(file.into())
    }

    fn open(&self, name: &str, options: &mut OpenOptions) -> io::Result<File> {
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(self.path.join(name))
    }

    fn other_name(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}-{:x}", random()))
    }

    /// Makes a named pipe in the directory, in place of any file with that name. Makes a removed directory
    /// again first.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn make_pipe(&self, name: &str) -> io::Result<()> {
        let path = self.path.join(name);
        match fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                DirBuilder::new().recursive(true).mode(0o700).create(&self.path)?;
            }
            // The entry is a directory, which may be large.
            Err(_) => fs::rename(&path, self.other_name(name))?,
        }
        make_fifo(&path)
    }
}

impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        if self.is_shared.load(Ordering::Acquire) {
            return remove_as_last(&self.path, self.lock.take());
        }
        // A command may have removed it already.
        let _ = remove_tree(&self.path);
    }
}

impl SharedDirectory {
    /// Takes the path and the lock of a directory that another process shares.
    #[must_use]
    pub const fn new(path: PathBuf, lock: OwnedFd) -> Self {
        Self { path, lock: Some(lock) }
    }

    /// Returns the lock.
    #[must_use]
    pub const fn lock(&self) -> Option<&OwnedFd> {
        self.lock.as_ref()
    }
}

impl Drop for SharedDirectory {
    fn drop(&mut self) {
        remove_as_last(&self.path, self.lock.take());
    }
}

/// Gives up a copy of a lock, and removes the directory if no other process holds one.
fn remove_as_last(path: &Path, lock: Option<OwnedFd>) {
    drop(lock);
    remove_unlocked(path);
}

/// Makes a named pipe for this user alone. Both systems use the older call, because macOS has no `mknodat`
/// for pipes.
fn make_fifo(path: &Path) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the path is a string that ends with a NUL and lives for as long as the call.
    if unsafe { libc::mkfifo(path.as_ptr(), 0o600) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Removes the directories of dead owners, on a separate thread: in `parent`, or in the usual parent
/// directories.
///
/// If no thread can be started, the next host removes them.
pub fn remove_orphans(parent: Option<PathBuf>) {
    let _ = named("agent-bash-clean")
        .spawn(|| remove_old(parent.map_or_else(left_behind, |parent| left_behind_in([parent]))));
}

/// Removes the directories of dead owners in `parent`, on this thread.
pub fn remove_orphans_in(parent: &Path) {
    remove_old(left_behind_in([parent.to_owned()]));
}

fn remove_old(left_behind: Vec<(PathBuf, u32)>) {
    for (path, _) in left_behind {
        let is_old = fs::symlink_metadata(&path)
            .and_then(|metadata| metadata.modified())
            .is_ok_and(|time| SystemTime::now().duration_since(time).is_ok_and(|age| age > UNLOCKED_AT_MOST));
        if is_old {
            remove_unlocked(&path);
        }
    }
}

/// Removes the directories of this host, which has just ended.
pub fn remove_orphans_of(host: u32) {
    for _ in 0..ATTEMPTS {
        let mut are_gone = true;
        for (path, _) in left_behind().into_iter().filter(|(_, owner)| *owner == host) {
            are_gone &= remove_unlocked(&path);
        }
        if are_gone {
            return;
        }
        thread::sleep(ATTEMPT_INTERVAL);
    }
}

/// Removes a directory unless its owner holds the lock. Returns whether it was removed.
fn remove_unlocked(path: &Path) -> bool {
    let Ok(_lock) = lock(path) else { return false };
    remove_tree(path).is_ok()
}

fn lock(path: &Path) -> io::Result<File> {
    let file = File::open(path).or_else(|_| {
        // A command may have taken its own directory's permissions away.
        fs::set_permissions(path, Permissions::from_mode(0o700))?;
        File::open(path)
    })?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    Ok(file)
}

/// Returns the directories of this user in the usual parent directories, with their owners' pids.
fn left_behind() -> Vec<(PathBuf, u32)> {
    left_behind_in(large_directories())
}

fn left_behind_in(parents: impl IntoIterator<Item = PathBuf>) -> Vec<(PathBuf, u32)> {
    let own = rustix::process::geteuid().as_raw();
    let entries = parents.into_iter().filter_map(|parent| fs::read_dir(parent).ok()).flatten().flatten();
    entries
        .filter_map(|entry| {
            let name = entry.file_name();
            let (pid, _) = name.to_str()?.strip_prefix(PREFIX)?.split_once('.')?;
            let metadata = fs::symlink_metadata(entry.path()).ok()?;
            (metadata.is_dir() && metadata.uid() == own).then_some((entry.path(), pid.parse().ok()?))
        })
        .collect()
}

/// Returns a random number from the system's entropy, different on each call.
#[must_use]
pub fn random() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    static KEY: std::sync::LazyLock<RandomState> = std::sync::LazyLock::new(RandomState::new);
    KEY.hash_one(NEXT.fetch_add(1, Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};
    use std::path::Path;

    use super::{PrivateDirectory, SharedDirectory, left_behind, random, remove_orphans_of};

    #[test]
    fn a_directory_is_for_this_user_alone_and_goes_when_it_is_dropped() {
        let directory = PrivateDirectory::create(Ok).expect("made");
        let path = directory.path().to_owned();
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o700);
        fs::write(path.join("file"), "text").expect("written");
        drop(directory);
        assert!(!path.exists());
    }

    #[test]
    fn a_pipe_takes_the_place_of_whatever_has_its_name() {
        let directory = PrivateDirectory::create(Ok).expect("made");
        let path = directory.path().join("o");
        fs::write(&path, "text").expect("written");
        directory.make_pipe("o").expect("made");
        assert!(fs::metadata(&path).expect("there").file_type().is_fifo());
    }

    #[test]
    fn a_pipe_can_be_made_in_a_directory_that_was_removed() {
        let directory = PrivateDirectory::create(Ok).expect("made");
        fs::remove_dir_all(directory.path()).expect("removed");
        directory.make_pipe("o").expect("made");
        assert!(directory.path().join("o").exists());
    }

    #[test]
    fn a_directory_in_use_is_no_orphan() {
        let directory = PrivateDirectory::create(Ok).expect("made");
        remove_orphans_of(std::process::id());
        assert!(directory.path().exists());
    }

    #[test]
    fn a_shared_directory_goes_with_the_last_of_its_holders() {
        for is_owner_last in [false, true] {
            let directory = PrivateDirectory::create(Ok).expect("made");
            let path = directory.path().to_owned();
            let shared = SharedDirectory::new(path.clone(), directory.share().expect("shared"));
            let (first, last): (Box<dyn Send>, Box<dyn Send>) = if is_owner_last {
                (Box::new(shared), Box::new(directory))
            } else {
                (Box::new(directory), Box::new(shared))
            };
            drop(first);
            remove_orphans_of(std::process::id());
            assert!(path.exists());
            drop(last);
            assert!(!path.exists());
        }
    }

    #[test]
    fn a_directory_for_large_files_is_found_too() {
        let directory = PrivateDirectory::create_in(Path::new("/var/tmp")).expect("made");
        assert!(left_behind().contains(&(directory.path().to_owned(), std::process::id())));
    }

    #[test]
    fn an_unlocked_directory_is_found_by_the_pid_of_its_owner() {
        let directory = PrivateDirectory::create(Ok).expect("made");
        let path = directory.path().with_file_name(format!("{}4194999.{:x}", super::PREFIX, random()));
        fs::create_dir(&path).expect("made");
        assert!(left_behind().contains(&(path.clone(), 4_194_999)));
        remove_orphans_of(4_194_999);
        assert!(!path.exists());
    }
}
