//! The thread that applies output to the screens of all jobs: the I/O thread reads on meanwhile.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use crate::process::signal::block_all_signals;
use crate::process::thread::named;

static QUEUE: Mutex<Option<Sender<Arc<dyn Slices>>>> = Mutex::new(None);

/// Work that is done slice by slice, in turns with that of others.
pub(super) trait Slices: Send + Sync {
    /// Handles one slice. Returns whether there are more.
    fn work(&self) -> bool;
}

/// Queues a screen for the thread, which it starts if needed. If no thread can be started, the calling thread
/// does the work.
pub(super) fn schedule(screen: Arc<dyn Slices>) {
    let mut queue = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
    if queue.is_none() {
        let (sender, screens) = channel();
        if named("agent-bash-screen").spawn(move || work_off(&screens)).is_ok() {
            *queue = Some(sender);
        }
    }
    let unsent = match queue.as_ref() {
        Some(sender) => sender.send(screen).map_err(|unsent| unsent.0).err(),
        None => Some(screen),
    };
    drop(queue);
    if let Some(screen) = unsent {
        while screen.work() {}
    }
}

/// Works on the queued screens in turn, one slice each, so that a flooded screen delays another by one slice
/// only.
fn work_off(screens: &Receiver<Arc<dyn Slices>>) {
    block_all_signals();
    for screen in screens {
        let has_more = catch_unwind(AssertUnwindSafe(|| screen.work())).unwrap_or_default();
        if has_more {
            schedule(screen);
        }
    }
}
