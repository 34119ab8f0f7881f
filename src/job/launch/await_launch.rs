//! From the call to the process, on the I/O thread: a launch is waited for, and whatever may end the job meanwhile.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, sleep_until};

use super::pending::{Claim, Job};
use super::{LaunchResult, Launched};
use crate::engine::Engine;
use crate::job::handle::Request;
use crate::job::life::clock::{never, timeout};
use crate::job::model::error::LaunchError;
use crate::job::model::outcome::{Cause, End, Outcome};
use crate::process::errno::Errno;

/// A launch that takes longer holds up those behind it.
const LONG_LAUNCH: Duration = Duration::from_secs(1);

/// How long an answer waits for a process that a spawner is about to start.
const LAUNCH_PATIENCE: Duration = Duration::from_secs(2);

/// A process, and what was asked of it before there was one.
pub(in crate::job) struct Started {
    pub(in crate::job) launched: Launched,
    pub(in crate::job) requests: Vec<Request>,
    pub(in crate::job) is_in_background: bool,
}

/// Waits for the process, and collects what is asked of it meanwhile.
///
/// A job that is to end before a spawner has taken its launch is over: nothing is executed. Once it has taken it, there
/// will be a process, which is ended like any other; unless the launch hangs. One that comes after that is dropped, which
/// ends it.
pub(in crate::job) async fn await_launch(
    engine: &'static Engine,
    job: &mut Job,
    claim: &Claim,
    mut launching: oneshot::Receiver<LaunchResult>,
) -> Result<Started, (LaunchError, Option<Cause>)> {
    let program = job.plan.invocation.program();
    let mut requests = Vec::new();
    let mut is_in_background = false;
    let mut stop = None;
    let mut timeout = timeout(&job.plan, job.started_at);
    // What there is to answer is worth some time, if it is not the command itself that takes it.
    let mut patience = None;
    loop {
        let due = patience.or(timeout).unwrap_or_else(never);
        tokio::select! {
            biased;
            result = &mut launching => {
                // The sender is gone when there was no thread to launch with.
                let result = result.unwrap_or_else(|_| Err(LaunchError::system(program, Errno(libc::EAGAIN))));
                let gone = job.owner.is_closed().then_some(Cause::OwnerGone);
                return match result {
                    Ok(launched) => Ok(Started { launched, requests, is_in_background }),
                    Err(error) => Err((error, stop.or(gone))),
                };
            }
            Some(request) = job.inbox.recv() => {
                if let Request::Stop(cause, _) | Request::StopAtOnce(cause) = request
                    && !(cause == Cause::Aborted && is_in_background)
                {
                    if claim.cancel() {
                        return Err((LaunchError::Stopped, Some(cause)));
                    }
                    stop.get_or_insert(cause);
                    patience.get_or_insert_with(|| Instant::now() + LAUNCH_PATIENCE);
                }
                requests.push(request);
            }
            () = sleep(LONG_LAUNCH) => engine.spawners().grow_if_stuck(),
            () = sleep_until(due) => {
                let is_late = patience.take().is_some();
                timeout = None;
                match stop {
                    Some(cause) => return Err((LaunchError::Stopped, Some(cause))),
                    None if !job.plan.times.moves_to_background || is_in_background => {
                        let timed_out = || LaunchError::system(program, Errno(libc::ETIMEDOUT));
                        if claim.cancel() {
                            return Err((timed_out(), Some(Cause::Timeout)));
                        }
                        stop = Some(Cause::Timeout);
                        requests.push(Request::Stop(Cause::Timeout, None));
                        patience = Some(Instant::now() + LAUNCH_PATIENCE);
                    }
                    None if !is_late => patience = Some(Instant::now() + LAUNCH_PATIENCE),
                    None => {
                        is_in_background = true;
                        timeout = job.plan.times.in_background.and_then(|limit| Instant::now().checked_add(limit));
                        let outcome = Outcome {
                            end: End::NotYet,
                            cursor: job.ring.is_some().then_some(0),
                            ..Outcome::not_started(LaunchError::Stopped, None, job.started_at.elapsed())
                        };
                        job.end.observer().moved_to_background(outcome);
                    }
                }
            }
        }
    }
}
