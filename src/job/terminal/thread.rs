//! The thread that applies output to the screens of all jobs: the I/O thread reads on meanwhile.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use crate::process::signal::block_all_signals;
use crate::process::thread::named;

static QUEUE: Mutex<Option<Sender<Arc<dyn Slices>>>> = Mutex::new(None);

/// Work that is done slice by slice, in turns with that of others.
pub(super) trait Slices: Send + Sync {
    /// Does one slice. Returns whether there is more.
    fn work(&self) -> bool;
}

/// Has the thread work for a screen. Starts the thread if it does not run yet; if none can be had, works here.
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

/// The screens take turns: one that is flooded keeps no other waiting for more than a slice.
fn work_off(screens: &Receiver<Arc<dyn Slices>>) {
    block_all_signals();
    for screen in screens {
        let has_more = catch_unwind(AssertUnwindSafe(|| screen.work())).unwrap_or_default();
        if has_more {
            schedule(screen);
        }
    }
}
