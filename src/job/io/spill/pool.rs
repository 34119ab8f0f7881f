//! The threads that write the spill files.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::write_queue::WriteQueue;
use crate::process::signal::block_all_signals;

/// The most threads: this many files can hang before they delay other files.
pub(super) const MAX_THREADS: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Pool {
    queue: Mutex<FileQueue>,
    has_work: Condvar,
}

#[derive(Debug, Default)]
struct FileQueue {
    /// Files with queued output that no thread is writing.
    files: VecDeque<Arc<WriteQueue>>,
    threads: usize,
    idle: usize,
}

impl Pool {
    /// Starts the first thread, if none runs.
    pub(super) fn start_first(self: &Arc<Self>) -> io::Result<()> {
        let mut queue = self.lock();
        if queue.threads == 0 { self.start_thread(&mut queue) } else { Ok(()) }
    }

    /// Starts another thread if files wait and all threads are blocked.
    pub(super) fn relieve(self: &Arc<Self>) {
        let mut queue = self.lock();
        if !queue.files.is_empty() && queue.idle == 0 && queue.threads < MAX_THREADS {
            // Without a new thread, the file waits for the others, or the job gives it up.
            let _ = self.start_thread(&mut queue);
        }
    }

    fn start_thread(self: &Arc<Self>, queue: &mut FileQueue) -> io::Result<()> {
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

    /// Queues a file with new output.
    pub(super) fn add(&self, file: Arc<WriteQueue>) {
        self.lock().files.push_back(file);
        self.has_work.notify_one();
    }

    /// Writes until another thread is idle. Runs on a thread of the pool.
    fn write_all(&self) {
        while let Some(file) = self.next() {
            if file.write_one() {
                // The file goes to the end of the queue: the other files have their turn first.
                self.add(file);
            }
        }
    }

    /// Waits for the next file. Returns `None` when this thread should exit.
    fn next(&self) -> Option<Arc<WriteQueue>> {
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

    fn lock(&self) -> MutexGuard<'_, FileQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl Pool {
    pub(super) fn count_threads(&self) -> usize {
        self.lock().threads
    }
}
