//! A reserve of descriptors for process-table scans.
//!
//! Finding and killing the processes of a job takes one or two descriptors for a moment, and a host that has
//! used up its descriptors must still be able to end its jobs. So the engine holds some descriptors from its
//! start on, and frees them while a scan without a free descriptor runs.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::fcntl_dupfd_cloexec;

use super::unnamed_file::unnamed_file;

/// The size of the reserve: two descriptors for each of two threads that scan at the same time.
const RESERVE_SIZE: usize = 4;

static HELD: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// Fills the reserve, as far as the system has descriptors.
pub fn fill() {
    fill_locked(&mut lock());
}

/// Calls `act`, and once more with the reserve freed if the process or the system has no descriptor left.
///
/// `act` closes what it opens, or returns it. `act` must not call this function: the reserve is locked
/// meanwhile.
///
/// # Errors
///
/// The error of `act`.
pub(in crate::process) fn with_reserve<T>(mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    match act() {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => {
            let mut held = lock();
            if held.is_empty() {
                return Err(error);
            }
            held.clear();
            let result = act();
            fill_locked(&mut held);
            result
        }
        result => result,
    }
}

fn fill_locked(held: &mut Vec<OwnedFd>) {
    while held.len() < RESERVE_SIZE {
        let another = match held.first() {
            Some(first) => fcntl_dupfd_cloexec(first, 0).ok(),
            None => unnamed_file().ok(),
        };
        let Some(another) = another else { return };
        held.push(another);
    }
}

fn lock() -> MutexGuard<'static, Vec<OwnedFd>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}
