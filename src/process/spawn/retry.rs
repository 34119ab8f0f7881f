//! Retries spawns that fail for a moment: at the limit of processes, and for a program that is being written.

use std::thread;
use std::time::{Duration, Instant};

use super::{SpawnError, SpawnRequest, Spawned, Step, spawn};
use crate::process::errno::Errno;

/// The time for which a spawn at the limit of processes (`EAGAIN`) is retried, counted from the call, so that
/// queued commands don't add their retries up. The pauses between two tries double.
const LIMIT_DEADLINE: Duration = Duration::from_millis(700);
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(10);

/// The time for which the spawn of a program that is open for writing (`ETXTBSY`) is retried, counted from
/// the call.
const BUSY_DEADLINE: Duration = Duration::from_millis(200);
const BUSY_RETRY_DELAY: Duration = Duration::from_millis(2);

/// Spawns, and retries after temporary errors.
///
/// The process limit may be reached for a moment only; and a program that was just written is busy while
/// another child, which has not executed yet, holds a copy of the descriptor that it was written through.
///
/// # Errors
///
/// The error of the last try.
pub fn spawn_with_retries(request: &SpawnRequest<'_>, called_at: Instant) -> Result<Spawned, SpawnError> {
    let mut pause = FIRST_RETRY_DELAY;
    loop {
        match spawn(request) {
            Err(SpawnError { step: Step::Clone, errno: Errno(libc::EAGAIN) })
                if called_at.elapsed() < LIMIT_DEADLINE =>
            {
                thread::sleep(pause);
                pause *= 2;
            }
            Err(SpawnError { step: Step::Execute, errno: Errno(libc::ETXTBSY) })
                if called_at.elapsed() < BUSY_DEADLINE =>
            {
                thread::sleep(BUSY_RETRY_DELAY);
            }
            result => return result,
        }
    }
}
