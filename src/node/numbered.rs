//! Targets and overlays by number: JavaScript holds them, and the options of a command name them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use crate::sandbox::overlay::Overlay;
use crate::target::Target;

/// The targets of all hosts of this process.
pub(super) static TARGETS: Registry<Target> = Registry(LazyLock::new(Mutex::default));

/// The overlays of all hosts of this process.
pub(super) static OVERLAYS: Registry<Overlay> = Registry(LazyLock::new(Mutex::default));

/// Values by their numbers.
#[derive(Debug)]
pub(super) struct Registry<T>(LazyLock<Mutex<Numbered<T>>>);

#[derive(Debug)]
struct Numbered<T> {
    last: u32,
    known: HashMap<u32, Weak<T>>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { last: 0, known: HashMap::new() }
    }
}

impl<T> Registry<T> {
    /// Gives a value a number, which is never used again.
    pub(super) fn add(&self, value: &Arc<T>) -> u32 {
        let mut numbered = self.lock();
        numbered.last += 1;
        let number = numbered.last;
        numbered.known.insert(number, Arc::downgrade(value));
        number
    }

    /// Returns the value of a number, unless JavaScript holds it no longer.
    pub(super) fn find(&self, number: u32) -> Option<Arc<T>> {
        self.lock().known.get(&number).and_then(Weak::upgrade)
    }

    /// Forgets a value. Its commands go on.
    pub(super) fn remove(&self, number: u32) {
        self.lock().known.remove(&number);
    }

    fn lock(&self) -> MutexGuard<'_, Numbered<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
