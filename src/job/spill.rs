//! The whole output of a job, in a file.
//!
//! A disk can be slow or full, so the file is written by a thread of its own. What waits for it is bounded: over the bound
//! the job stops reading, and the command waits. A file that can't be written loses its rest, never the command's result.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use super::plan;
use crate::process::errno::Errno;
use crate::process::signal::leave_signals_to_others;

/// How much may wait to be written (bytes).
const MOST_WAITING: usize = 1024 * 1024;

/// A file that has not moved for so long is given up: its disk hangs, and the job must not.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long an answer waits that is not the last.
const SOON: Duration = Duration::from_millis(200);

/// The user's own, and nobody else's.
const MODE: u32 = 0o600;
const DIRECTORY_MODE: u32 = 0o700;

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spilled {
    /// Its path.
    pub path: String,
    /// How much is in it (bytes).
    pub bytes: u64,
    /// Whether that is all that the command has written so far.
    pub is_complete: bool,
    /// Why it is not, if it is not the quota.
    pub errno: Option<Errno>,
}

/// The thread that writes. It is started by the first file.
#[derive(Debug, Default)]
pub struct SpillWriter {
    chunks: Mutex<Option<Sender<Chunk>>>,
}

struct Chunk {
    file: Arc<Shared>,
    bytes: Vec<u8>,
}

/// A job's file.
#[derive(Debug)]
pub struct SpillFile {
    shared: Arc<Shared>,
    sender: Option<Sender<Chunk>>,
    /// How much of the quota is left.
    left: u64,
    is_over_quota: bool,
}

#[derive(Debug)]
struct Shared {
    path: String,
    file: Option<File>,
    waiting: AtomicUsize,
    written: AtomicU64,
    error: Mutex<Option<Errno>>,
    changed: Notify,
}

impl SpillWriter {
    /// Makes a new file. If that fails, what is returned says so at the end: a command runs without its file, too.
    pub fn create(&self, plan: &plan::Spill) -> SpillFile {
        let (path, created) = create_file(&plan.directory);
        let (file, sender, error) = match created.and_then(|file| Ok((file, self.sender()?))) {
            Ok((file, sender)) => (Some(file), Some(sender), None),
            Err(error) => (None, None, Some(Errno::of(&error))),
        };
        let shared = Shared {
            path,
            file,
            waiting: AtomicUsize::new(0),
            written: AtomicU64::new(0),
            error: Mutex::new(error),
            changed: Notify::new(),
        };
        SpillFile { shared: Arc::new(shared), sender, left: plan.limit, is_over_quota: false }
    }

    fn sender(&self) -> io::Result<Sender<Chunk>> {
        let mut chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = &*chunks {
            return Ok(sender.clone());
        }
        let (sender, receiver) = channel();
        thread::Builder::new().name("agent-bash-spill".to_owned()).stack_size(64 * 1024).spawn(
            move || {
                leave_signals_to_others();
                write_all(&receiver);
            },
        )?;
        Ok(chunks.insert(sender).clone())
    }
}

/// A new file, with its path, which it would have had if it could not be made.
fn create_file(directory: &str) -> (String, io::Result<File>) {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let directory = directory.trim_end_matches('/');
    // If it can't be made, no file can be made in it.
    let _ = DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(directory);
    loop {
        let (host, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = format!("{directory}/output-{host}-{number}.txt");
        // `create_new` follows no link and takes nobody else's file.
        match OpenOptions::new().append(true).create_new(true).mode(MODE).open(&path) {
            // Left by a process that had this number before.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return (path, result),
        }
    }
}

fn write_all(chunks: &Receiver<Chunk>) {
    for Chunk { file, bytes } in chunks {
        file.write(&bytes);
    }
}

impl Shared {
    fn write(&self, bytes: &[u8]) {
        if self.error().is_none()
            && let Some(file) = &self.file
        {
            let mut file = CountedFile { file, written: &self.written };
            if let Err(error) = file.write_all(bytes) {
                *self.error() = Some(Errno::of(&error));
            }
        }
        self.waiting.fetch_sub(bytes.len(), Ordering::AcqRel);
        self.changed.notify_one();
    }

    fn error(&self) -> MutexGuard<'_, Option<Errno>> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts what is really in the file, also when the disk is full in the middle of a chunk.
struct CountedFile<'a> {
    file: &'a File,
    written: &'a AtomicU64,
}

impl Write for CountedFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.written.fetch_add(count as u64, Ordering::AcqRel);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl SpillFile {
    /// Takes more output.
    pub fn push(&mut self, bytes: &[u8]) {
        let Some(sender) = &self.sender else { return };
        let fitting = bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.is_over_quota |= fitting < bytes.len();
        self.left -= fitting as u64;
        if fitting == 0 || self.shared.error().is_some() {
            return;
        }
        self.shared.waiting.fetch_add(fitting, Ordering::AcqRel);
        let chunk = Chunk { file: Arc::clone(&self.shared), bytes: bytes[..fitting].to_vec() };
        if sender.send(chunk).is_err() {
            self.sender = None;
            *self.shared.error() = Some(Errno(libc::EIO));
        }
    }

    /// Whether reading may go on.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.shared.waiting.load(Ordering::Acquire) < MOST_WAITING || self.is_lost()
    }

    /// Waits until there is room again.
    pub async fn room(&self) {
        while !self.has_room() {
            self.moved().await;
        }
    }

    /// Waits until all is written.
    pub async fn flush(&self) {
        while self.shared.waiting.load(Ordering::Acquire) > 0 && !self.is_lost() {
            self.moved().await;
        }
    }

    /// The same, but not for long.
    pub async fn flush_soon(&self) {
        // What is written later is in the next answer.
        let _ = timeout(SOON, self.flush()).await;
    }

    /// Waits until something was written, or gives the file up.
    async fn moved(&self) {
        if timeout(PATIENCE, self.shared.changed.notified()).await.is_err() {
            self.shared.error().get_or_insert(Errno(libc::ETIMEDOUT));
        }
    }

    /// Whether nothing more is written.
    fn is_lost(&self) -> bool {
        self.sender.is_none() || self.shared.error().is_some()
    }

    /// What has become of the file so far.
    #[must_use]
    pub fn spilled(&self) -> Spilled {
        let errno = *self.shared.error();
        Spilled {
            path: self.shared.path.clone(),
            bytes: self.shared.written.load(Ordering::Acquire),
            is_complete: errno.is_none() && !self.is_over_quota,
            errno,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::{Errno, SpillFile, SpillWriter};
    use crate::job::plan::Spill;

    fn create(directory: &str, limit: u64) -> SpillFile {
        SpillWriter::default().create(&Spill { directory: directory.to_owned(), limit })
    }

    #[tokio::test(flavor = "current_thread")]
    async fn the_file_has_all_and_is_the_users_own() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut file = create(directory.path().to_str().expect("text"), 1000);
        file.push(b"one ");
        file.push(b"two");
        file.flush().await;
        let spilled = file.spilled();
        assert!(spilled.is_complete);
        assert_eq!((fs::read(&spilled.path).expect("the file"), spilled.bytes), (b"one two".to_vec(), 7));
        assert_eq!(fs::metadata(&spilled.path).expect("the file").permissions().mode() & 0o777, 0o600);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn the_quota_holds() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut file = create(directory.path().to_str().expect("text"), 5);
        file.push(b"1234");
        file.push(b"5678");
        file.push(b"9");
        file.flush().await;
        let spilled = file.spilled();
        assert_eq!((spilled.bytes, spilled.is_complete, spilled.errno), (5, false, None));
        assert_eq!(fs::read(&spilled.path).expect("the file"), b"12345");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_quota_that_is_just_enough_is_complete() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut file = create(directory.path().to_str().expect("text"), 4);
        file.push(b"1234");
        file.flush().await;
        assert!(file.spilled().is_complete);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_file_that_cant_be_made_says_so_and_takes_no_room() {
        let mut file = create("/proc/none", 5);
        file.push(b"1234");
        file.flush().await;
        assert!(file.has_room());
        let spilled = file.spilled();
        assert_eq!((spilled.bytes, spilled.is_complete), (0, false));
        assert_eq!(spilled.errno, Some(Errno(libc::ENOENT)));
    }
}
