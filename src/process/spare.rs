//! Descriptors that are kept for the case that no other is to be had.
//!
//! To find and end the processes of a job takes a descriptor or two for a moment. A host that has used up all of its own
//! must still be able to end its jobs: so a few are held from the beginning, and given up while they are needed.

use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::fcntl_dupfd_cloexec;

use super::nameless_file::nameless_file;

/// Two for each of two threads that look at the same time.
const SPARE: usize = 4;

static HELD: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// Sees to it that there are some, as far as there are any to be had.
pub fn hold() {
    let mut held = lock();
    while held.len() < SPARE {
        let another = match held.first() {
            Some(first) => fcntl_dupfd_cloexec(first, 0).ok(),
            None => nameless_file().ok(),
        };
        let Some(another) = another else { return };
        held.push(another);
    }
}

/// While this is held, there are descriptors to be had, if there were spare ones.
#[derive(Debug)]
#[must_use]
pub struct Loan {
    is_needed: bool,
}

/// Gives the spare ones up, if there are no others.
pub fn borrow() -> Loan {
    let mut held = lock();
    // Whether one can be had is seen by having it.
    let is_needed = held.first().is_some_and(|first| fcntl_dupfd_cloexec(first, 0).is_err());
    if is_needed {
        held.clear();
    }
    Loan { is_needed }
}

impl Drop for Loan {
    fn drop(&mut self) {
        if self.is_needed {
            hold();
        }
    }
}

fn lock() -> MutexGuard<'static, Vec<OwnedFd>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}
