//! Spill files: the whole output of a job, in a file.
//!
//! A disk can be slow or full, so separate threads write the files. The output that is queued for a file is
//! bounded: over the bound the job stops reading, and the command waits. A write that fails costs the rest of
//! the file, never the result of the command.
//!
//! A single thread writes all files, a piece of each in turn. A disk that hangs blocks the thread in a write.
//! So a job that has waited for its file for 50 ms starts another thread, up to 16 of them: a file that hangs
//! blocks one thread and delays no other file. One idle thread stays; further ones exit.
//!
//! A plan may want the file only for output above a number of bytes. Until then the output is held in memory,
//! and a command with little output costs no file.
//!
//! `create_file` names and creates a file, `write_queue` has its unwritten output, and `pool` has the
//! threads.

mod create_file;
mod pool;
mod write_queue;

use std::fs::File;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tokio::time::{Instant, timeout};

use self::create_file::create_file;
use self::pool::Pool;
use self::write_queue::WriteQueue;
use crate::job::model::outcome::Spilled;
use crate::job::model::plan;
use crate::process::errno::Errno;

/// The most output that may be queued for one file (bytes).
const MAX_QUEUED: usize = 1024 * 1024;

/// The time that a file waits for a thread before another thread starts: a working disk takes less for one
/// piece.
const TAKEOVER_DELAY: Duration = Duration::from_millis(50);

/// The time without a written byte after which the job gives the file up: its disk hangs, and the job must go
/// on.
const STALL_LIMIT: Duration = Duration::from_secs(5);

/// The longest time that the answer of a job that moves to the background waits for its file.
const FLUSH_DEADLINE: Duration = Duration::from_millis(200);

/// The threads that write. The first file starts the first one.
#[derive(Debug, Default)]
pub struct SpillWriter {
    pool: Arc<Pool>,
}

/// The spill file of a job.
#[derive(Debug)]
pub struct SpillFile(SpillState);

#[derive(Debug)]
enum SpillState {
    /// The output so far is not above the bound, and there is no file.
    Held { plan: plan::Spill, pool: Arc<Pool>, output: Vec<u8> },
    /// The file was created, or its creation failed.
    Created(CreatedFile),
}

#[derive(Debug)]
struct CreatedFile {
    queue: Arc<WriteQueue>,
    pool: Arc<Pool>,
    /// The rest of the quota (bytes).
    left: u64,
    is_over_quota: bool,
}

/// Creates the file that a plan wants. A failure is reported at the end: a command runs without its file,
/// too.
#[must_use]
pub fn create_spill_file(plan: &plan::Spill) -> SpillFile {
    static WRITER: LazyLock<SpillWriter> = LazyLock::new(SpillWriter::default);
    WRITER.create(plan)
}

impl SpillWriter {
    /// Creates a file, if the plan wants one for any output. A failure is reported at the end: a command runs
    /// without its file, too.
    #[must_use]
    pub fn create(&self, plan: &plan::Spill) -> SpillFile {
        let pool = Arc::clone(&self.pool);
        if plan.above > 0 {
            return SpillFile(SpillState::Held { plan: plan.clone(), pool, output: Vec::new() });
        }
        SpillFile(SpillState::Created(CreatedFile::create(plan, pool)))
    }
}

impl SpillFile {
    /// Queues more output.
    pub fn push(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            SpillState::Held { plan, pool, output } => {
                output.extend_from_slice(bytes);
                if output.len() as u64 > plan.above {
                    let mut file = CreatedFile::create(plan, Arc::clone(pool));
                    file.push(output);
                    self.0 = SpillState::Created(file);
                }
            }
            SpillState::Created(file) => file.push(bytes),
        }
    }

    /// Returns whether reading may go on.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.created().is_none_or(CreatedFile::has_room)
    }

    /// Waits until there is room again.
    pub async fn room(&self) {
        if let Some(file) = self.created() {
            file.room().await;
        }
    }

    /// Waits until all queued output is written.
    pub async fn flush(&self) {
        if let Some(file) = self.created() {
            file.flush().await;
        }
    }

    /// Waits until all queued output is written, for `FLUSH_DEADLINE` at most.
    pub async fn flush_soon(&self) {
        // The result of the job reports the output that is written later.
        let _ = timeout(FLUSH_DEADLINE, self.flush()).await;
    }

    /// Returns the state of the file, if it was created.
    #[must_use]
    pub fn spilled(&self) -> Option<Spilled> {
        self.created().map(CreatedFile::spilled)
    }

    const fn created(&self) -> Option<&CreatedFile> {
        match &self.0 {
            SpillState::Held { .. } => None,
            SpillState::Created(file) => Some(file),
        }
    }
}

impl CreatedFile {
    fn create(plan: &plan::Spill, pool: Arc<Pool>) -> Self {
        let (path, created) = create_file(&plan.directory);
        Self::take(path, created, plan.limit, pool)
    }

    fn take(path: String, created: io::Result<File>, limit: u64, pool: Arc<Pool>) -> Self {
        let created = created.and_then(|file| pool.start_first().map(|()| file));
        Self { queue: Arc::new(WriteQueue::new(path, created)), pool, left: limit, is_over_quota: false }
    }

    fn push(&mut self, bytes: &[u8]) {
        if self.queue.file.is_none() {
            return;
        }
        let fitting = bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.is_over_quota |= fitting < bytes.len();
        self.left -= fitting as u64;
        if fitting == 0 || self.queue.error().is_some() {
            return;
        }
        self.queue.waiting.fetch_add(fitting, Ordering::AcqRel);
        if self.queue.add(bytes[..fitting].to_vec()) {
            self.pool.add(Arc::clone(&self.queue));
        }
    }

    fn has_room(&self) -> bool {
        self.queue.waiting.load(Ordering::Acquire) < MAX_QUEUED || self.is_lost()
    }

    async fn room(&self) {
        while !self.has_room() {
            self.moved().await;
        }
    }

    async fn flush(&self) {
        while self.queue.waiting.load(Ordering::Acquire) > 0 && !self.is_lost() {
            self.moved().await;
        }
    }

    /// Waits until the file has taken a piece, or gives it up after `STALL_LIMIT`. Starts another thread
    /// meanwhile, in case another file blocks this one.
    async fn moved(&self) {
        let until = Instant::now() + STALL_LIMIT;
        while Instant::now() < until {
            if timeout(TAKEOVER_DELAY, self.queue.changed.notified()).await.is_ok() {
                return;
            }
            self.pool.relieve();
        }
        self.queue.error().get_or_insert(Errno(libc::ETIMEDOUT));
    }

    /// Returns whether a write has failed, or the file was given up.
    fn is_lost(&self) -> bool {
        self.queue.error().is_some()
    }

    fn spilled(&self) -> Spilled {
        let errno = *self.queue.error();
        Spilled {
            path: self.queue.path.clone(),
            bytes: self.queue.written.load(Ordering::Acquire),
            is_complete: errno.is_none() && !self.is_over_quota,
            errno,
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
