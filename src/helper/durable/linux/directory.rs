//! The directory of durable jobs: one directory for each, `name.*` links, and a lock for those who change
//! names. Hosts and supervisors use it.
//!
//! A job is running while its file `lock` is locked (`flock`, which also works across PID namespaces): its
//! supervisor holds the lock, and its reaper, which lives a moment longer. Stored pids are never trusted.
//! Whoever tests the lock of a job holds that of the directory, so that two tests do not take each other for
//! a supervisor.

use std::fs::{self, DirBuilder};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{
    AtFlags, Dir, FlockOperation, Mode, OFlags, flock, fstat, open, openat, readlinkat, renameat, symlinkat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use sha2::{Digest, Sha256};

use crate::helper::durable::record::end::{JobEnd, SIZE};
use crate::helper::durable::record::facts::JobFacts;

/// The beginning of the name of a directory whose job has not begun.
pub const NEW: &str = ".new-";

const LOCK: &str = "lock";
const FACTS: &str = "job";
const END: &str = "end";
const REPLACEMENT: &str = "new";

/// The most bytes of a small file that are read: 100 refusals with paths of at most 4 KiB, and as many other
/// paths.
const MAX_SMALL: u64 = 2 * 1024 * 1024;

/// The most bytes of a file `job` that are read: a command is at most 17 MiB long.
const MAX_FACTS: u64 = 40 * 1024 * 1024;

/// The longest wait for the lock of a directory, and the time between two attempts.
const LOCK_DEADLINE: Duration = Duration::from_secs(10);
const LOCK_INTERVAL: Duration = Duration::from_millis(1);

/// The longest id.
const MAX_ID: usize = 32;

/// An open directory of durable jobs.
#[derive(Debug)]
pub struct JobsDirectory {
    directory: OwnedFd,
}

/// The lock of a directory of durable jobs, which is released by dropping it.
#[derive(Debug)]
pub struct DirectoryLock(#[allow(dead_code, reason = "it is held, not read")] OwnedFd);

/// An open directory of one job.
#[derive(Debug)]
pub struct JobDirectory {
    directory: OwnedFd,
}

/// The reasons why a directory can't have durable jobs.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryFault {
    #[error("it belongs to another user")]
    Foreign,
    #[error("other users may open it (its mode must be 0700)")]
    Open,
    #[error("{0}")]
    System(#[from] io::Error),
}

impl From<Errno> for DirectoryFault {
    fn from(errno: Errno) -> Self {
        Self::System(errno.into())
    }
}

impl JobsDirectory {
    /// Opens a directory, which must be this user's alone. The last part of the path is no link.
    ///
    /// # Errors
    ///
    /// Why there can be no jobs in it.
    pub fn open(path: &Path) -> Result<Self, DirectoryFault> {
        Self::of_descriptor(open_directory(None, path)?)
    }

    /// Opens a directory as [`open`](Self::open) does, and makes it first if it is missing.
    ///
    /// # Errors
    ///
    /// Why there can be no jobs in it.
    pub fn open_or_make(path: &Path) -> Result<Self, DirectoryFault> {
        match Self::open(path) {
            Err(DirectoryFault::System(error)) if error.kind() == io::ErrorKind::NotFound => {
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent)?;
                }
                match DirBuilder::new().mode(0o700).create(path) {
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error.into()),
                    _ => Self::open(path),
                }
            }
            opened => opened,
        }
    }

    /// Takes an open directory.
    ///
    /// # Errors
    ///
    /// Why there can be no jobs in it.
    pub fn of_descriptor(directory: OwnedFd) -> Result<Self, DirectoryFault> {
        let status = fstat(&directory)?;
        if status.st_uid != geteuid().as_raw() {
            return Err(DirectoryFault::Foreign);
        }
        if status.st_mode & 0o077 != 0 {
            return Err(DirectoryFault::Open);
        }
        Ok(Self { directory })
    }

    /// Locks the directory for a change of names, or a test whether jobs run. Waits for others, which hold
    /// the lock for some milliseconds at most.
    ///
    /// # Errors
    ///
    /// `ETIMEDOUT` if the lock is held for too long, as by a stopped process, or the system's error.
    pub fn lock(&self) -> io::Result<DirectoryLock> {
        let file = create(self.directory.as_fd(), LOCK)?;
        let until = Instant::now() + LOCK_DEADLINE;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(DirectoryLock(file)),
                Err(Errno::WOULDBLOCK) if Instant::now() < until => thread::sleep(LOCK_INTERVAL),
                Err(Errno::WOULDBLOCK) => return Err(Errno::TIMEDOUT.into()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns the names of the entries of jobs: ids, and those that begin with [`NEW`].
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn entries(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.directory)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy();
            if is_id(name.strip_prefix(NEW).unwrap_or(&name)) && name != LOCK {
                names.push(name.into_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Opens the directory of a job, or of one that has not begun.
    ///
    /// # Errors
    ///
    /// `ENOENT` for one that is not there, or the system's error.
    pub fn job(&self, entry: &str) -> io::Result<JobDirectory> {
        if !is_id(entry.strip_prefix(NEW).unwrap_or(entry)) || entry == LOCK {
            return Err(Errno::NOENT.into());
        }
        let directory = open_directory(Some(self.directory.as_fd()), Path::new(entry))?;
        Ok(JobDirectory { directory })
    }

    /// Returns the id to which a name leads, whether its job runs or not.
    #[must_use]
    pub fn named(&self, link: &str) -> Option<String> {
        readlinkat(&self.directory, link, Vec::new()).ok()?.into_string().ok()
    }

    /// Lets a name lead to a job.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn set_name(&self, link: &str, id: &str, _: &DirectoryLock) -> io::Result<()> {
        match unlinkat(&self.directory, link, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(symlinkat(id, &self.directory, link)?),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a name that leads to this job.
    fn forget_name(&self, link: &str, id: &str) {
        if self.named(link).as_deref() == Some(id) {
            let _ = unlinkat(&self.directory, link, AtFlags::empty());
        }
    }

    /// Removes the directory of a job, and the name that leads to it.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn remove(&self, entry: &str, _: &DirectoryLock) -> io::Result<()> {
        let job = self.job(entry)?;
        if let Some(link) = job.facts().and_then(|facts| facts.link()) {
            self.forget_name(&link, entry);
        }
        for file in Dir::read_from(&job.directory)? {
            let file = file?;
            if !matches!(file.file_name().to_bytes(), b"." | b"..") {
                unlinkat(&job.directory, file.file_name(), AtFlags::empty())?;
            }
        }
        Ok(unlinkat(&self.directory, entry, AtFlags::REMOVEDIR)?)
    }
}

impl AsFd for JobsDirectory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }
}

impl JobDirectory {
    /// Returns another handle to the same directory.
    ///
    /// # Errors
    ///
    /// The system's error, such as `EMFILE`.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { directory: self.directory.try_clone()? })
    }

    /// Returns the facts; `None` for a directory without them.
    #[must_use]
    pub fn facts(&self) -> Option<JobFacts> {
        JobFacts::decode(&self.read(FACTS, MAX_FACTS).ok()?)
    }

    /// Writes the facts, and makes the room for the end.
    ///
    /// # Errors
    ///
    /// The system's error, such as `ENOSPC`.
    pub fn begin(&self, facts: &JobFacts) -> io::Result<()> {
        super::log::writer::overwrite(&create(self.directory.as_fd(), FACTS)?, &facts.encode())?;
        super::log::writer::overwrite(&create(self.directory.as_fd(), END)?, &[0; SIZE])
    }

    /// Returns the end; `None` if it is not written.
    #[must_use]
    pub fn end(&self) -> Option<JobEnd> {
        JobEnd::decode(&self.read(END, SIZE as u64).ok()?)
    }

    /// Stores the end, once: the caller holds the lock of the job.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn store_end(&self, end: &JobEnd) -> io::Result<()> {
        if self.end().is_some() {
            return Ok(());
        }
        let mut bytes = end.encode();
        bytes.resize(SIZE, 0);
        let file = create(self.directory.as_fd(), END)?;
        super::log::writer::overwrite(&file, &bytes)?;
        Ok(rustix::fs::fdatasync(file)?)
    }

    /// Returns the content of a small file that [`replace`](Self::replace) has written; nothing without one.
    #[must_use]
    pub fn small(&self, name: &str) -> Vec<u8> {
        self.read(name, MAX_SMALL).unwrap_or_default()
    }

    /// Writes a small file in place of an earlier one: readers see the one or the other.
    ///
    /// # Errors
    ///
    /// The system's error, such as `ENOSPC`.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let _ = unlinkat(&self.directory, REPLACEMENT, AtFlags::empty());
        super::log::writer::overwrite(&create(self.directory.as_fd(), REPLACEMENT)?, bytes)?;
        Ok(renameat(&self.directory, REPLACEMENT, &self.directory, name)?)
    }

    /// Locks the job; `None` while its supervisor or its reaper lives.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn try_lock(&self, _: &DirectoryLock) -> io::Result<Option<OwnedFd>> {
        let file = create(self.directory.as_fd(), LOCK)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(file)),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the space that the files take (bytes).
    #[must_use]
    pub fn size(&self) -> u64 {
        let Ok(files) = Dir::read_from(&self.directory) else { return 0 };
        let blocks = files.flatten().filter_map(|file| {
            let status = rustix::fs::statat(&self.directory, file.file_name(), AtFlags::SYMLINK_NOFOLLOW);
            status.ok().and_then(|status| u64::try_from(status.st_blocks).ok())
        });
        blocks.sum::<u64>() * 512
    }

    fn read(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let file = openat(&self.directory, name, flags, Mode::empty())?;
        let mut bytes = Vec::new();
        fs::File::from(file).take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl AsFd for JobDirectory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }
}

impl From<OwnedFd> for JobDirectory {
    fn from(directory: OwnedFd) -> Self {
        Self { directory }
    }
}

impl JobFacts {
    /// Returns the name of the link by which the job is found, if it has a name.
    #[must_use]
    pub fn link(&self) -> Option<String> {
        self.name.as_ref().map(|name| link_of(&self.owner, &self.root, name))
    }
}

/// Returns the name of the link of a job's name. A name may be any text, so the link has its hash.
#[must_use]
pub fn link_of(owner: &str, root: &str, name: &str) -> String {
    let lengths = [owner.len(), root.len()].map(|length| (length as u64).to_le_bytes());
    let hash =
        Sha256::digest([&lengths.concat(), owner.as_bytes(), root.as_bytes(), name.as_bytes()].concat());
    format!("name.{hash:x}")
}

/// Returns the name of this machine, and the id of its boot.
#[must_use]
pub fn machine() -> (String, String) {
    let line = |path| fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default();
    let id = line("/etc/machine-id");
    let machine =
        if id.is_empty() { rustix::system::uname().nodename().to_string_lossy().into_owned() } else { id };
    (machine, line("/proc/sys/kernel/random/boot_id"))
}

/// Returns whether a text can be an id: letters and digits, so that it is no path.
#[must_use]
pub fn is_id(text: &str) -> bool {
    (1..=MAX_ID).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && text != LOCK
}

fn open_directory(parent: Option<BorrowedFd<'_>>, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(match parent {
        Some(parent) => openat(parent, path, flags, Mode::empty())?,
        None => open(path, flags, Mode::empty())?,
    })
}

fn create(directory: BorrowedFd<'_>, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(openat(directory, name, flags, Mode::from_raw_mode(0o600))?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use tempfile::tempdir;

    use super::{DirectoryFault, JobFacts, JobsDirectory, NEW, is_id, link_of};
    use crate::helper::durable::record::end::{EndCause, JobEnd};

    fn end(cause: EndCause) -> JobEnd {
        JobEnd { cause, exit: None, at: 1, total: 2, dropped: 0, usage: None, reason: None }
    }

    #[test]
    fn a_directory_is_made_for_this_user_alone_and_refused_when_others_may_open_it() {
        let parent = tempdir().expect("a directory");
        let path = parent.path().join("a/jobs");
        JobsDirectory::open_or_make(&path).expect("it is made");
        assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o700);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).expect("it is changed");
        assert!(matches!(JobsDirectory::open(&path), Err(DirectoryFault::Open)));
    }

    #[test]
    fn a_link_in_place_of_a_directory_is_refused() {
        let parent = tempdir().expect("a directory");
        fs::create_dir(parent.path().join("jobs")).expect("a directory");
        symlink("jobs", parent.path().join("link")).expect("a link");
        assert!(JobsDirectory::open(&parent.path().join("link")).is_err());
    }

    #[test]
    fn an_end_is_stored_once() {
        let parent = tempdir().expect("a directory");
        let path = parent.path().join("jobs");
        let jobs = JobsDirectory::open_or_make(&path).expect("a directory");
        fs::create_dir(path.join("d1")).expect("a directory");
        let job = jobs.job("d1").expect("a job");
        job.begin(&JobFacts { id: "d1".to_owned(), ..JobFacts::default() }).expect("it begins");
        assert_eq!(job.end(), None);
        job.store_end(&end(EndCause::Exit)).expect("it is stored");
        job.store_end(&end(EndCause::Lost)).expect("it stays");
        assert_eq!(job.end(), Some(end(EndCause::Exit)));
    }

    #[test]
    fn a_removed_job_takes_its_name_with_it_and_leaves_that_of_another_job() {
        let parent = tempdir().expect("a directory");
        let path = parent.path().join("jobs");
        let jobs = JobsDirectory::open_or_make(&path).expect("a directory");
        let (link, locked) = (link_of("", "/", "dev"), jobs.lock().expect("a lock"));
        for id in ["d1", "d2"] {
            fs::create_dir(path.join(id)).expect("a directory");
            let facts = JobFacts {
                id: id.to_owned(),
                name: Some("dev".to_owned()),
                root: "/".to_owned(),
                ..JobFacts::default()
            };
            jobs.job(id).expect("a job").begin(&facts).expect("it begins");
            jobs.set_name(&link, id, &locked).expect("a name");
        }
        jobs.remove("d1", &locked).expect("it goes");
        assert_eq!(jobs.named(&link).as_deref(), Some("d2"));
        jobs.remove("d2", &locked).expect("it goes");
        assert_eq!((jobs.named(&link), jobs.entries().expect("entries").len()), (None, 0));
    }

    #[test]
    fn what_is_no_id_is_no_job() {
        let parent = tempdir().expect("a directory");
        let jobs = JobsDirectory::open_or_make(&parent.path().join("jobs")).expect("a directory");
        for entry in ["..", "", "a/b", "lock", "../jobs", ".new-", "A"] {
            assert!(jobs.job(entry).is_err(), "{entry}");
        }
        assert!(is_id("dk3f9a2m") && !is_id(&format!("{NEW}d1")));
    }

    #[test]
    fn names_of_other_owners_and_roots_are_others() {
        let all =
            [link_of("a", "b", "c"), link_of("ab", "", "c"), link_of("a", "", "bc"), link_of("", "ab", "c")];
        assert!(all.iter().enumerate().all(|(at, link)| !all[at + 1..].contains(link)));
    }
}
