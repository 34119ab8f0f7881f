//! Threads for what takes too long on the I/O thread: reading the whole process table.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::{Semaphore, oneshot};

use crate::process::signal::leave_signals_to_others;

/// More would only compete with the commands.
const AT_ONCE: usize = 4;

static PERMITS: Semaphore = Semaphore::const_new(AT_ONCE);

/// Works on another thread; on this one if none can be had, as at the limit of processes, where a job must still be
/// ended.
pub(super) async fn elsewhere<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    // Never closed.
    let _permit = PERMITS.acquire().await.ok()?;
    let (sender, receiver) = oneshot::channel();
    // So that it can be taken back from a thread that does not start.
    let work = Arc::new(Mutex::new(Some(work)));
    let taken = Arc::clone(&work);
    let take = |work: &Mutex<Option<_>>| work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let thread = thread::Builder::new().name("agent-bash-look".to_owned()).spawn(move || {
        leave_signals_to_others();
        if let Some(work) = take(&taken) {
            // The job may have ended meanwhile.
            let _ = sender.send(work());
        }
    });
    match thread {
        Ok(_) => receiver.await.ok(),
        Err(_) => take(&work).map(|work| work()),
    }
}

#[cfg(test)]
mod tests {
    use super::elsewhere;

    #[tokio::test(flavor = "current_thread")]
    async fn the_work_is_done_on_another_thread() {
        let here = std::thread::current().id();
        let there = elsewhere(|| std::thread::current().id()).await.expect("an answer");
        assert_ne!(here, there);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn work_that_panics_has_no_answer_and_does_not_stop_the_next() {
        for _ in 0..10 {
            assert_eq!(elsewhere(|| -> u8 { panic!("on purpose") }).await, None);
        }
        assert_eq!(elsewhere(|| 1).await, Some(1));
    }
}
