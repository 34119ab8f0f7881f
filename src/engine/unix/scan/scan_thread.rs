//! The thread for scans that would block the I/O thread for too long.
//!
//! The thread starts with the engine and lives as long as the process. Scans run one after another: more
//! threads would only compete with the commands for the CPU.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::process::signal::block_all_signals;
use crate::process::thread::named;

type Scan = Box<dyn FnOnce() + Send>;

/// The queue of the thread, if it runs.
#[derive(Debug, Default)]
pub(super) struct ScanThread {
    queue: Mutex<Option<Sender<Scan>>>,
}

impl ScanThread {
    /// Runs a scan on the thread, or on the calling thread if none can be started: jobs must end even at the
    /// limit of processes. Returns `None` if the scan panics.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        scan: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, result) = oneshot::channel();
        let scan: Scan = Box::new(move || {
            // The receiver is gone if the job has ended meanwhile.
            let _ = sender.send(scan());
        });
        if let Err(scan) = self.submit(scan) {
            run_one(scan);
        }
        result.await.ok()
    }

    /// Starts the thread unless it runs. After a failure, the next scan tries again.
    pub(super) fn start(&self) {
        Self::start_locked(&mut self.lock());
    }

    fn start_locked(queue: &mut Option<Sender<Scan>>) {
        if queue.is_none() {
            let (sender, scans) = channel();
            if named("agent-bash-scan").spawn(move || run_all(&scans)).is_ok() {
                *queue = Some(sender);
            }
        }
    }

    /// Queues the scan, or returns it if there is no thread.
    fn submit(&self, scan: Scan) -> Result<(), Scan> {
        let mut queue = self.lock();
        Self::start_locked(&mut queue);
        match queue.as_ref() {
            Some(queue) => queue.send(scan).map_err(|unsent| unsent.0),
            None => Err(scan),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Sender<Scan>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn run_all(scans: &Receiver<Scan>) {
    block_all_signals();
    for scan in scans {
        run_one(scan);
    }
}

/// Runs a scan. A panic drops the scan's sender, so its receiver gets an error.
fn run_one(scan: Scan) {
    let _ = catch_unwind(AssertUnwindSafe(scan));
}

#[cfg(test)]
mod tests {
    use super::ScanThread;

    #[tokio::test(flavor = "current_thread")]
    async fn all_scans_run_on_one_other_thread() {
        let thread = ScanThread::default();
        let here = std::thread::current().id();
        let first = thread.run(|| std::thread::current().id()).await.expect("an answer");
        let second = thread.run(|| std::thread::current().id()).await.expect("an answer");
        assert_ne!(first, here);
        assert_eq!(first, second);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_scan_that_panics_has_no_answer_and_does_not_stop_the_next() {
        let thread = ScanThread::default();
        assert_eq!(thread.run(|| -> u8 { panic!("on purpose") }).await, None);
        assert_eq!(thread.run(|| 1).await, Some(1));
    }
}
