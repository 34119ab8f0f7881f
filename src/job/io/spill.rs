//! Spill files: the whole output of a job, in a file.
//!
//! A disk can be slow or full, so separate threads write the files. The output that is queued for a file is bounded: over the
//! bound the job stops reading, and the command waits. A write that fails costs the rest of the file, never the result of
//! the command.
//!
//! One thread writes all files, a piece of each in turn. A disk that hangs blocks the thread in a write. So a job that has
//! waited for its file for 50 ms starts another thread, up to 16 of them: a file that hangs blocks one thread and delays no
//! other file. One idle thread stays; further ones exit.

use std::collections::VecDeque;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use crate::job::model::outcome::Spilled;
use crate::job::model::plan;
use crate::process::errno::Errno;
use crate::process::signal::block_all_signals;

/// The most output that may be queued for one file (bytes).
const MAX_QUEUED: usize = 1024 * 1024;

/// How long a file waits for a thread before another thread starts: a disk that works takes less for one piece.
const TAKEOVER_DELAY: Duration = Duration::from_millis(50);

/// The most threads: so many files can hang before other files wait for them.
const MAX_THREADS: usize = 16;

/// How long a file may take no byte before the job gives it up: its disk hangs, and the job must not.
const STALL_LIMIT: Duration = Duration::from_secs(5);

/// How long an answer of a job that goes on waits for its file.
const FLUSH_DEADLINE: Duration = Duration::from_millis(200);

/// Permissions: for the user alone.
const MODE: u32 = 0o600;
const DIRECTORY_MODE: u32 = 0o700;

/// The threads that write. The first file starts the first one.
#[derive(Debug, Default)]
pub struct SpillWriter {
    pool: Arc<Pool>,
}

#[derive(Debug, Default)]
struct Pool {
    queue: Mutex<Queue>,
    has_work: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    /// Files with queued output that no thread is writing.
    files: VecDeque<Arc<Shared>>,
    threads: usize,
    idle: usize,
}

/// The spill file of a job.
#[derive(Debug)]
pub struct SpillFile {
    shared: Arc<Shared>,
    pool: Arc<Pool>,
    /// The rest of the quota (bytes).
    left: u64,
    is_over_quota: bool,
}

#[derive(Debug)]
struct Shared {
    path: String,
    file: Option<File>,
    pieces: Mutex<Pieces>,
    waiting: AtomicUsize,
    written: AtomicU64,
    error: Mutex<Option<Errno>>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Pieces {
    waiting: VecDeque<Vec<u8>>,
    /// Whether the file is in the queue, or a thread is writing it. Two threads would mix up its pieces.
    is_queued: bool,
}

/// Creates the file that a plan wants. A failure is reported at the end: a command runs without its file, too.
#[must_use]
pub fn create_spill_file(plan: &plan::Spill) -> SpillFile {
    static WRITER: LazyLock<SpillWriter> = LazyLock::new(SpillWriter::default);
    WRITER.create(plan)
}

impl SpillWriter {
    /// Creates a file. A failure is reported at the end: a command runs without its file, too.
    #[must_use]
    pub fn create(&self, plan: &plan::Spill) -> SpillFile {
        let (path, created) = create_file(&plan.directory);
        self.take(path, created, plan.limit)
    }

    fn take(&self, path: String, created: io::Result<File>, limit: u64) -> SpillFile {
        let (file, error) = match created.and_then(|file| self.pool.start_first().map(|()| file)) {
            Ok(file) => (Some(file), None),
            Err(error) => (None, Some(Errno::of(&error))),
        };
        let shared = Shared {
            path,
            file,
            pieces: Mutex::default(),
            waiting: AtomicUsize::new(0),
            written: AtomicU64::new(0),
            error: Mutex::new(error),
            changed: Notify::new(),
        };
        SpillFile {
            shared: Arc::new(shared),
            pool: Arc::clone(&self.pool),
            left: limit,
            is_over_quota: false,
        }
    }
}

impl Pool {
    fn start_first(self: &Arc<Self>) -> io::Result<()> {
        let mut queue = self.lock();
        if queue.threads == 0 { self.start_thread(&mut queue) } else { Ok(()) }
    }

    /// Starts another thread if files wait and all threads are blocked.
    fn relieve(self: &Arc<Self>) {
        let mut queue = self.lock();
        if !queue.files.is_empty() && queue.idle == 0 && queue.threads < MAX_THREADS {
            // Without a new thread, the file waits for the others, or the job gives it up.
            let _ = self.start_thread(&mut queue);
        }
    }

    fn start_thread(self: &Arc<Self>, queue: &mut Queue) -> io::Result<()> {
        let pool = Arc::clone(self);
        thread::Builder::new().name("agent-bash-spill".to_owned()).stack_size(64 * 1024).spawn(
            move || {
                block_all_signals();
                pool.write_all();
            },
        )?;
        queue.threads += 1;
        Ok(())
    }

    fn add(&self, file: Arc<Shared>) {
        self.lock().files.push_back(file);
        self.has_work.notify_one();
    }

    /// Writes until another thread is idle. Runs on a thread of the pool.
    fn write_all(&self) {
        while let Some(file) = self.next() {
            if file.write_one() {
                // At the end of the queue: the other files have their turn first.
                self.add(file);
            }
        }
    }

    /// Waits for the next file. Returns `None` when this thread should exit.
    fn next(&self) -> Option<Arc<Shared>> {
        let mut queue = self.lock();
        loop {
            if let Some(file) = queue.files.pop_front() {
                return Some(file);
            }
            if queue.idle > 0 {
                queue.threads -= 1;
                return None;
            }
            queue.idle += 1;
            queue = self.has_work.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creates a file. Returns its path, also when that fails.
fn create_file(directory: &str) -> (String, io::Result<File>) {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let directory = directory.trim_end_matches('/');
    // A failure shows when the file is created in it.
    let _ = DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(directory);
    loop {
        let (host, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = format!("{directory}/output-{host}-{number}.txt");
        // `create_new` follows no link and opens no existing file.
        match OpenOptions::new().append(true).create_new(true).mode(MODE).open(&path) {
            // Left by a process that had this pid before.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return (path, result),
        }
    }
}

impl Shared {
    /// Queues a piece. Tells whether the file must be queued for it.
    fn add(&self, piece: Vec<u8>) -> bool {
        let mut pieces = self.pieces();
        pieces.waiting.push_back(piece);
        !std::mem::replace(&mut pieces.is_queued, true)
    }

    /// Writes one piece. Tells whether there are more.
    fn write_one(&self) -> bool {
        let piece = self.pieces().waiting.pop_front();
        if let Some(piece) = piece {
            self.write(&piece);
        }
        let mut pieces = self.pieces();
        pieces.is_queued = !pieces.waiting.is_empty();
        pieces.is_queued
    }

    fn pieces(&self) -> MutexGuard<'_, Pieces> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

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

/// Counts the bytes that are in the file, also when the disk is full in the middle of a chunk.
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
    /// Queues more output.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.shared.file.is_none() {
            return;
        }
        let fitting = bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.is_over_quota |= fitting < bytes.len();
        self.left -= fitting as u64;
        if fitting == 0 || self.shared.error().is_some() {
            return;
        }
        self.shared.waiting.fetch_add(fitting, Ordering::AcqRel);
        if self.shared.add(bytes[..fitting].to_vec()) {
            self.pool.add(Arc::clone(&self.shared));
        }
    }

    /// Tells whether reading may go on.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.shared.waiting.load(Ordering::Acquire) < MAX_QUEUED || self.is_lost()
    }

    /// Waits until there is room again.
    pub async fn room(&self) {
        while !self.has_room() {
            self.moved().await;
        }
    }

    /// Waits until all queued output is written.
    pub async fn flush(&self) {
        while self.shared.waiting.load(Ordering::Acquire) > 0 && !self.is_lost() {
            self.moved().await;
        }
    }

    /// Waits until all queued output is written, for `FLUSH_DEADLINE` at most.
    pub async fn flush_soon(&self) {
        // The next answer reports what is written later.
        let _ = timeout(FLUSH_DEADLINE, self.flush()).await;
    }

    /// Waits until the file has taken a piece, or gives it up after `STALL_LIMIT`. Starts another thread meanwhile, in case
    /// another file blocks this one.
    async fn moved(&self) {
        let until = Instant::now() + STALL_LIMIT;
        while Instant::now() < until {
            if timeout(TAKEOVER_DELAY, self.shared.changed.notified()).await.is_ok() {
                return;
            }
            self.pool.relieve();
        }
        self.shared.error().get_or_insert(Errno(libc::ETIMEDOUT));
    }

    /// Tells whether the file is complete or given up.
    fn is_lost(&self) -> bool {
        self.shared.error().is_some()
    }

    /// Returns what has become of the file so far.
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
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    use super::{Errno, MAX_THREADS, SpillFile, SpillWriter};
    use crate::job::model::plan::Spill;

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

    /// A file that takes nothing more: a write to it hangs, until the reader is closed.
    fn hanging(writer: &SpillWriter) -> (SpillFile, OwnedFd) {
        let (reader, pipe) = rustix::pipe::pipe().expect("a pipe");
        rustix::io::ioctl_fionbio(&pipe, true).expect("set");
        while rustix::io::write(&pipe, &[0; 4096]).is_ok() {}
        rustix::io::ioctl_fionbio(&pipe, false).expect("set");
        (writer.take("hanging".to_owned(), Ok(pipe.into()), u64::MAX), reader)
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_file_that_hangs_delays_no_other() {
        let directory = tempfile::tempdir().expect("a directory");
        let writer = SpillWriter::default();
        let mut hanging: Vec<_> = std::iter::repeat_with(|| hanging(&writer)).take(3).collect();
        for (file, _) in &mut hanging {
            file.push(b"never");
        }
        let plan = Spill { directory: directory.path().to_str().expect("text").to_owned(), limit: 1000 };
        let mut file = writer.create(&plan);
        file.push(b"one ");
        file.push(b"two");
        file.flush().await;
        let spilled = file.spilled();
        assert_eq!((spilled.bytes, spilled.is_complete, spilled.errno), (7, true, None));
        assert_eq!(fs::read(&spilled.path).expect("the file"), b"one two");
        assert_eq!(hanging[0].0.spilled().bytes, 0);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_file_that_hangs_holds_one_thread_whatever_is_written_to_it() {
        let writer = SpillWriter::default();
        let (mut file, _reader) = hanging(&writer);
        for _ in 0..5 {
            file.push(b"never");
            file.flush_soon().await;
        }
        assert_eq!(writer.pool.lock().threads, 1);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn more_files_hang_than_there_are_threads_and_are_given_up() {
        let writer = SpillWriter::default();
        let mut hanging: Vec<_> = std::iter::repeat_with(|| hanging(&writer)).take(MAX_THREADS + 4).collect();
        let flushed = hanging.iter_mut().map(|(file, _)| {
            file.push(b"never");
            file.flush()
        });
        for flushed in flushed {
            tokio::time::timeout(Duration::from_millis(80), flushed).await.expect_err("it hangs");
        }
        assert_eq!(writer.pool.lock().threads, MAX_THREADS);
        let (last, _) = &hanging[MAX_THREADS + 3];
        last.flush().await;
        assert_eq!(last.spilled().errno, Some(Errno(libc::ETIMEDOUT)));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn the_pieces_of_a_file_stay_in_their_order_beside_many_others() {
        let directory = tempfile::tempdir().expect("a directory");
        let plan = Spill { directory: directory.path().to_str().expect("text").to_owned(), limit: u64::MAX };
        let writer = SpillWriter::default();
        let mut files: Vec<_> = std::iter::repeat_with(|| writer.create(&plan)).take(8).collect();
        for number in 0..500 {
            for file in &mut files {
                file.push(format!("{number} ").as_bytes());
            }
        }
        let expected = (0..500).map(|number| format!("{number} ")).collect::<Vec<_>>().concat();
        for file in &files {
            file.flush().await;
            assert_eq!(fs::read_to_string(file.spilled().path).expect("the file"), expected);
        }
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
