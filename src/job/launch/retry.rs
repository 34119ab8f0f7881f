//! Spawning that waits for what passes: the limit of processes, and a program that is being written.

use std::thread;
use std::time::{Duration, Instant};

use crate::process::errno::Errno;
use crate::process::spawn::{Request, SpawnError, Spawned, Step, spawn};

/// How long to try when there is no process to be had for the moment, from the call on: commands that wait behind one
/// another don't add this up. The pauses between two tries double.
const LIMIT_DEADLINE: Duration = Duration::from_millis(700);
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// How long to try to execute a program that somebody writes, from the call on.
const BUSY_DEADLINE: Duration = Duration::from_millis(200);
const BUSY_PAUSE: Duration = Duration::from_millis(2);

/// The process limit may be reached for a moment only. And a program that was just written may be busy for one: another
/// child that has not executed yet has a copy of the descriptor by which it was written.
pub(super) fn spawn_patiently(request: &Request<'_>, called_at: Instant) -> Result<Spawned, SpawnError> {
    let mut pause = FIRST_PAUSE;
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
                thread::sleep(BUSY_PAUSE);
            }
            result => return result,
        }
    }
}
