//! One thread for scans that take too long on the I/O thread.
//!
//! The thread starts beside the first command and lives as long as the process. Scans run one after another: more threads
//! would only compete with the commands.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::process::signal::block_all_signals;
use crate::process::thread::named;

type Scan = Box<dyn FnOnce() + Send>;

/// The thread, if it runs yet.
#[derive(Debug, Default)]
pub(super) struct ScanThread {
    queue: Mutex<Option<Sender<Scan>>>,
}

impl ScanThread {
    /// Runs a scan on the thread, and on the calling one if no thread can be had: at the limit of processes, jobs must
    /// still be ended. Returns `None` for a scan that panics.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        scan: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, result) = oneshot::channel();
        let scan: Scan = Box::new(move || {
            // The job may have ended meanwhile.
            let _ = sender.send(scan());
        });
        if let Err(scan) = self.submit(scan) {
            run_one(scan);
        }
        result.await.ok()
    }

    /// Starts the thread, unless it runs. If none can be had, the next scan tries again.
    pub(super) fn start(&self) {
        Self::start_locked(&mut self.lock());
    }

    fn start_locked(queue: &mut Option<Sender<Scan>>) {
        if queue.is_none() {
            let (sender, scans) = channel();
            if named("agent-bash-scan").spawn(move || work_off(&scans)).is_ok() {
                *queue = Some(sender);
            }
        }
    }

    /// Gives the scan back if there is no thread.
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

fn work_off(scans: &Receiver<Scan>) {
    block_all_signals();
    for scan in scans {
        run_one(scan);
    }
}

/// A scan that panics drops its sender, which answers whoever waits for it.
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
