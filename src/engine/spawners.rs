//! The spawner threads: they do the work of a launch that may block.
//!
//! A spawn blocks its thread until the program is loaded. The threads live as long as the process: the kernel
//! sends the parent-death signal when the *thread* that spawned a leader ends, so no spawner may end before
//! the host.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::process::signal::block_all_signals_but_sigchld;

/// The usual number of threads. The second thread prepares a launch while the first waits for a program to
/// load; more threads would only compete with the programs for the CPU.
const USUAL_THREADS: usize = 2;

/// The largest number of threads. A program on a network file system that does not answer blocks its spawner
/// for ever. Other threads take over when more work comes or [`Spawners::grow_if_stuck`] is called.
const MAX_THREADS: usize = 16;

/// The time after which all threads count as stuck if none has taken queued work. A launch takes about 1 ms.
const STUCK_AFTER: Duration = Duration::from_secs(1);

/// The work of one launch.
pub type Work = Box<dyn FnOnce() + Send>;

/// A pool of threads. It starts with one thread, adds a second when work queues up, and more when all are
/// stuck.
#[derive(Debug, Default)]
pub struct Spawners {
    shared: Arc<SharedQueue>,
}

#[derive(Default)]
struct SharedQueue {
    queue: Mutex<WorkQueue>,
    added: Condvar,
}

#[derive(Default)]
struct WorkQueue {
    work: VecDeque<Work>,
    threads: usize,
    idle: usize,
    last_taken: Option<Instant>,
}

impl std::fmt::Debug for SharedQueue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Spawners {
    /// Queues work.
    ///
    /// # Errors
    ///
    /// The system's error when there is no thread and none can be started; the work is dropped then.
    pub fn run(&self, work: Work) -> io::Result<()> {
        let mut queue = self.shared.lock();
        queue.work.push_back(work);
        if let Err(error) = self.grow(&mut queue)
            && queue.threads == 0
        {
            queue.work.pop_back();
            return Err(error);
        }
        drop(queue);
        self.shared.added.notify_one();
        Ok(())
    }

    /// Adds a thread if work is queued and all threads are stuck.
    pub fn grow_if_stuck(&self) {
        // After a failure the work stays queued.
        let _ = self.grow(&mut self.shared.lock());
    }

    fn grow(&self, queue: &mut WorkQueue) -> io::Result<()> {
        // An idle thread is about to take work, but may not have woken yet.
        let are_stuck = queue.idle == 0 && queue.last_taken.is_some_and(|time| time.elapsed() > STUCK_AFTER);
        let limit = if are_stuck { MAX_THREADS } else { USUAL_THREADS };
        if queue.idle < queue.work.len() && queue.threads < limit {
            self.start_thread(queue.threads)?;
            queue.threads += 1;
        }
        Ok(())
    }

    fn start_thread(&self, number: usize) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        thread::Builder::new()
            .name(format!("agent-bash-sp{number}"))
            .stack_size(256 * 1024)
            .spawn(move || shared.run_forever())
            .map(drop)
    }
}

impl SharedQueue {
    fn run_forever(&self) -> ! {
        block_all_signals_but_sigchld();
        loop {
            let work = self.next();
            // A panic must not end the thread. A drop guard inside the work reports the panic to its
            // caller.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        }
    }

    fn next(&self) -> Work {
        let mut queue = self.lock();
        queue.idle += 1;
        loop {
            if let Some(work) = queue.work.pop_front() {
                queue.idle -= 1;
                queue.last_taken = Some(Instant::now());
                return work;
            }
            queue = self.added.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, WorkQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::Spawners;

    #[test]
    fn all_work_is_done_by_at_most_two_threads() {
        let spawners = Spawners::default();
        let (sender, receiver) = mpsc::channel();
        for _ in 0..50 {
            let sender = sender.clone();
            let work = move || {
                let name = std::thread::current().name().map(str::to_owned);
                sender.send(name).expect("sent");
            };
            spawners.run(Box::new(work)).expect("queued");
        }
        drop(sender);
        let mut names: Vec<_> = receiver.into_iter().collect();
        assert_eq!(names.len(), 50);
        names.sort();
        names.dedup();
        assert!(names.len() <= 2, "{names:?}");
    }

    #[test]
    fn a_burst_after_an_idle_time_starts_no_more_threads() {
        let spawners = Spawners::default();
        let (sender, receiver) = mpsc::channel();
        let burst = || {
            for _ in 0..50 {
                let sender = sender.clone();
                spawners.run(Box::new(move || sender.send(()).expect("sent"))).expect("queued");
            }
            (0..50).for_each(|_| receiver.recv().expect("done"));
        };
        burst();
        let all_idle = || {
            let queue = spawners.shared.lock();
            queue.idle == queue.threads
        };
        while !all_idle() {
            std::thread::yield_now();
        }
        spawners.shared.lock().last_taken = std::time::Instant::now().checked_sub(2 * super::STUCK_AFTER);
        burst();
        assert!(spawners.shared.lock().threads <= super::USUAL_THREADS);
    }

    #[test]
    fn work_that_blocks_for_ever_does_not_block_the_rest() {
        let spawners = Spawners::default();
        for _ in 0..super::USUAL_THREADS {
            let hold = || loop {
                std::thread::park();
            };
            spawners.run(Box::new(hold)).expect("queued");
        }
        let (sender, receiver) = mpsc::channel();
        spawners.run(Box::new(move || sender.send(()).expect("sent"))).expect("queued");
        while receiver.recv_timeout(Duration::from_millis(50)).is_err() {
            spawners.grow_if_stuck();
        }
    }

    #[test]
    fn work_that_panics_does_not_end_its_thread() {
        let spawners = Spawners::default();
        let (sender, receiver) = mpsc::channel();
        for _ in 0..3 {
            spawners.run(Box::new(|| panic!("on purpose"))).expect("queued");
        }
        spawners.run(Box::new(move || sender.send(()).expect("sent"))).expect("queued");
        receiver.recv().expect("the work after the panics is done");
    }
}
