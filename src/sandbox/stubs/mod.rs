//! Stubs: empty files and directories in place of missing protected paths, so that a mount can make these
//! read-only.
//!
//! A stub is an empty directory, which git does not list, or a file with a fixed content. Each command that
//! needs a stub holds a shared lock on it; the stub is removed when no lock is left. A process that creates
//! or removes stubs holds the lock of the `journal`, which lists every stub, so that [`clean`] finds those
//! that a crash has left.

mod journal;
mod place;

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, flock};
use rustix::io::Errno;

use super::plan::Stub;
use journal::StubEntry;
pub use journal::{Journal, directory};
use place::{StubPlace, identity};

/// The mode of a stub that is a directory, by which other processes recognize that it may be a stub.
const DIRECTORY_MODE: Mode = Mode::from_raw_mode(0o555);

/// The mode of a stub that is a file.
const FILE_MODE: Mode = Mode::from_raw_mode(0o444);

/// The number of attempts to create or lock a path that other processes create and remove at the same time.
const ATTEMPTS: u32 = 20;

/// Stubs that stay while this value lives.
#[derive(Debug)]
pub struct HeldStubs {
    /// The paths of the held stubs. A path that this user can't create needs no stub.
    pub paths: Vec<PathBuf>,
    /// Open files with shared locks.
    locks: Vec<File>,
    journal: PathBuf,
}

/// Creates the missing stubs, and locks them and those that other processes have created. A path that exists
/// and is no stub is left alone.
///
/// # Errors
///
/// The system's error, and the path.
pub fn hold(stubs: &[Stub], journal: &Path) -> Result<HeldStubs, (io::Error, PathBuf)> {
    let locked = Journal::open(journal).map_err(|error| (error, journal.to_owned()))?;
    let mut made = Vec::new();
    let mut locks = Vec::new();
    let mut result = Ok(());
    let mut held = Vec::new();
    for stub in stubs {
        match hold_one(stub, &locked, &mut made, &mut locks) {
            Ok(()) => held.push(stub.path.clone()),
            // The command has no more rights than this process.
            Err(error) if is_impossible(&error) => {}
            Err(error) => {
                result = Err((error, stub.path.clone()));
                break;
            }
        }
    }
    // Also after a failure: the stubs that were created must be in the journal.
    let noted = locked.add(&made).map_err(|error| (error, journal.to_owned()));
    match result.and(noted) {
        Ok(()) => Ok(HeldStubs { paths: held, locks, journal: journal.to_owned() }),
        Err(error) => {
            drop(locks);
            for entry in made.iter().rev() {
                if let Ok(place) = StubPlace::of(&entry.path) {
                    remove(entry, &place);
                }
            }
            Err(error)
        }
    }
}

impl HeldStubs {
    /// Returns the numbers of the descriptors with the locks.
    pub fn descriptors(&self) -> impl Iterator<Item = i32> {
        self.locks.iter().map(AsRawFd::as_raw_fd)
    }

    /// Removes the stubs that no other process has locked.
    pub fn release(self) {
        let Self { locks, journal, .. } = self;
        drop(locks);
        clean(&journal);
    }
}

/// Removes the unlocked stubs of this journal: those of commands that have ended, and those that a crash has
/// left.
pub fn clean(journal: &Path) {
    let mut kept: Vec<PathBuf> = Vec::new();
    if let Ok(locked) = Journal::open(journal) {
        locked.retain(|entry| {
            // A directory stays if an entry below it stays. The innermost entries come first.
            let stays = kept.iter().any(|path| path.starts_with(&entry.path)) || !remove_unlocked(entry);
            if stays {
                kept.push(entry.path.clone());
            }
            stays
        });
    }
}

/// Returns whether an error means that this user can't create a path.
fn is_impossible(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EACCES | libc::EPERM | libc::EROFS))
}

/// Creates one stub with its missing parents, and takes a shared lock on it.
fn hold_one(
    stub: &Stub,
    journal: &Journal,
    made: &mut Vec<StubEntry>,
    locks: &mut Vec<File>,
) -> io::Result<()> {
    let mut missing: Vec<&Path> =
        stub.path.ancestors().skip(1).take_while(|parent| fs::symlink_metadata(parent).is_err()).collect();
    missing.reverse();
    for parent in missing {
        // The parent must stay writable: only the stub itself is protected.
        make(parent, None, Mode::from_raw_mode(0o755), journal, made, locks)?;
    }
    let permissions = if stub.content.is_some() { FILE_MODE } else { DIRECTORY_MODE };
    make(&stub.path, stub.content.as_deref(), permissions, journal, made, locks)
}

fn make(
    path: &Path,
    content: Option<&[u8]>,
    permissions: Mode,
    journal: &Journal,
    made: &mut Vec<StubEntry>,
    locks: &mut Vec<File>,
) -> io::Result<()> {
    for _ in 0..ATTEMPTS {
        let place = StubPlace::of(path)?;
        match place.make(content, permissions) {
            Ok(()) => made.push(StubEntry {
                path: path.to_owned(),
                content: content.map(<[u8]>::to_vec),
                identity: place.identity()?,
            }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        match lock(&place, content, journal) {
            Ok(lock) => {
                locks.extend(lock);
                return Ok(());
            }
            // Another process has removed the path in the meantime.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::from_raw_os_error(libc::EBUSY))
}

/// Takes a shared lock on a path that may be a stub; `None` for any other path. Another process's exclusive
/// lock on a stub is an error: waiting for it would stop all commands of this user.
fn lock(place: &StubPlace, content: Option<&[u8]>, journal: &Journal) -> io::Result<Option<File>> {
    if !place.has(content)? {
        return Ok(None);
    }
    let file = place.open()?;
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => {}
        // The directory is the user's own and not removed.
        Err(Errno::WOULDBLOCK) if !journal.has(identity(&file)?) => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    if identity(&file)? == place.identity()? { Ok(Some(file)) } else { Err(ErrorKind::NotFound.into()) }
}

/// Returns whether a path looks like a stub: an empty directory, or a file with this content.
///
/// # Errors
///
/// The system's error, [`ErrorKind::NotFound`] for a missing path.
pub fn may_be_stub(path: &Path, content: Option<&[u8]>) -> io::Result<bool> {
    StubPlace::of(path)?.has(content)
}

/// Removes a stub unless a process has locked it. Returns whether the path is no stub afterwards.
fn remove_unlocked(entry: &StubEntry) -> bool {
    let opened = StubPlace::of(&entry.path).and_then(|place| Ok((place.open()?, place)));
    match opened {
        // A command has removed the stub or a parent, or replaced it by a link.
        Err(error) => {
            matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR | libc::ELOOP))
        }
        Ok((file, _)) if !identity(&file).is_ok_and(|identity| identity == entry.identity) => true,
        Ok((file, place)) => {
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
                return false;
            }
            remove(entry, &place);
            true
        }
    }
}

/// Removes a stub. A directory with entries, or a file with other content, belongs to the user and stays.
fn remove(entry: &StubEntry, place: &StubPlace) {
    let content = entry.content.as_deref();
    if content.is_none() || place.has(content).unwrap_or(false) {
        let _ = place.remove(content.is_none());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::{ErrorKind, FlockOperation, Stub, clean, flock, hold, may_be_stub};

    fn stub(path: &Path) -> Stub {
        Stub { path: path.to_owned(), content: None }
    }

    #[test]
    fn a_stub_lives_as_long_as_it_is_held() {
        let place = tempfile::tempdir().expect("a directory");
        let journal = place.path().join("journal");
        let path = place.path().join("a/b/c");
        let held = hold(&[stub(&path)], &journal).expect("held");
        assert!(path.is_dir());
        held.release();
        assert!(!place.path().join("a").exists());
        assert_eq!(fs::read_dir(&journal).expect("a list").count(), 1, "its lock alone");
    }

    #[test]
    fn the_last_holder_removes_it_in_each_order() {
        for first_ends_first in [true, false] {
            let place = tempfile::tempdir().expect("a directory");
            let journal = place.path().join("journal");
            let path = place.path().join("a");
            let first = hold(&[stub(&path)], &journal).expect("held");
            let second = hold(&[stub(&path)], &journal).expect("held");
            let (earlier, later) = if first_ends_first { (first, second) } else { (second, first) };
            earlier.release();
            assert!(path.is_dir());
            later.release();
            assert!(!path.exists());
        }
    }

    #[test]
    fn what_is_left_by_a_crash_is_cleaned_and_the_users_own_is_not() {
        let place = tempfile::tempdir().expect("a directory");
        let journal = place.path().join("journal");
        let (path, real, used) =
            (place.path().join("a"), place.path().join("real"), place.path().join("used/a"));
        fs::create_dir(&real).expect("a directory");
        let held = hold(&[stub(&path), stub(&real), stub(&used)], &journal).expect("held");
        fs::write(place.path().join("used/file"), "").expect("a file");
        clean(&journal);
        assert!(path.is_dir(), "it is held");
        // The kernel releases the locks of a process that crashes.
        drop(held);
        clean(&journal);
        assert!(!path.exists() && !used.exists());
        assert!(real.is_dir());
        assert!(place.path().join("used/file").exists());
    }

    #[test]
    fn a_lock_of_somebody_else_is_not_waited_for() {
        let place = tempfile::tempdir().expect("a directory");
        let journal = place.path().join("journal");
        let path = place.path().join("a");
        let locked = || {
            let file = fs::File::open(&path).expect("a directory");
            flock(&file, FlockOperation::NonBlockingLockExclusive).expect("locked");
            file
        };
        fs::create_dir(&path).expect("a directory");
        let own = locked();
        hold(&[stub(&path)], &journal).expect("the user's own").release();
        assert!(path.is_dir());
        drop(own);
        fs::remove_dir(&path).expect("removed");
        // A remover that crashes leaves its stub.
        drop(hold(&[stub(&path)], &journal).expect("held"));
        let _other = locked();
        let (error, _) = hold(&[stub(&path)], &journal).expect_err("it may be removed at any moment");
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
    }

    #[test]
    fn a_link_in_the_place_of_a_parent_is_not_followed() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |name: &str| place.path().join(name);
        let elsewhere = at("elsewhere");
        fs::create_dir(&elsewhere).expect("a directory");
        std::os::unix::fs::symlink(&elsewhere, at("link")).expect("a link");
        for content in [None, Some(b".".to_vec())] {
            let stub = Stub { path: at("link/made"), content };
            hold(&[stub], &at("journal")).expect_err("a link");
            assert_eq!(fs::read_dir(&elsewhere).expect("a list").count(), 0);
        }
        let held = hold(&[stub(&at("a/b"))], &at("journal")).expect("held");
        fs::rename(at("a"), at("moved")).expect("renamed");
        // Only root may rename a directory that it may not write.
        let mode = fs::metadata(at("moved/b")).expect("a mode").permissions();
        fs::set_permissions(at("moved/b"), PermissionsExt::from_mode(0o700)).expect("another mode");
        fs::rename(at("moved/b"), elsewhere.join("b")).expect("renamed");
        fs::set_permissions(elsewhere.join("b"), mode).expect("its mode");
        std::os::unix::fs::symlink(&elsewhere, at("a")).expect("a link");
        held.release();
        assert!(elsewhere.join("b").is_dir(), "it has the stub's inode, and another path");
    }

    #[test]
    fn a_file_keeps_its_content_while_it_is_a_stub() {
        let place = tempfile::tempdir().expect("a directory");
        let journal = place.path().join("journal");
        let path = place.path().join("commondir");
        let stub = Stub { path: path.clone(), content: Some(b".".to_vec()) };
        let held = hold(std::slice::from_ref(&stub), &journal).expect("held");
        assert!(may_be_stub(&path, Some(b".")).expect("a file"));
        held.release();
        assert!(!path.exists());
        fs::write(&path, "..").expect("a file");
        hold(&[stub], &journal).expect("held").release();
        assert_eq!(fs::read_to_string(&path).expect("a file"), "..");
    }
}
