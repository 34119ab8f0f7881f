//! The targets that JavaScript holds, by number: a plan gets its target by the number in its options.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::target::Target;

/// The targets of all hosts of this process.
#[derive(Debug, Default)]
struct Targets {
    last: u32,
    known: HashMap<u32, Weak<Target>>,
}

fn targets() -> MutexGuard<'static, Targets> {
    static TARGETS: std::sync::LazyLock<Mutex<Targets>> = std::sync::LazyLock::new(Mutex::default);
    TARGETS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives a target a number, which is never used again.
pub(super) fn add(target: &Arc<Target>) -> u32 {
    let mut targets = targets();
    targets.last += 1;
    let number = targets.last;
    targets.known.insert(number, Arc::downgrade(target));
    number
}

/// Returns the target of a number, unless JavaScript holds it no longer.
pub(super) fn find(number: u32) -> Option<Arc<Target>> {
    targets().known.get(&number).and_then(Weak::upgrade)
}

/// Forgets a target. Its commands go on.
pub(super) fn remove(number: u32) {
    targets().known.remove(&number);
}
