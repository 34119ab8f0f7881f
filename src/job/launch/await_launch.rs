//! Waits on the I/O thread for the launch of a job, and for requests and deadlines that may end the job
//! before its process runs.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, sleep_until};

use super::LaunchedCommand;
use super::pending::{Claim, Job};
use crate::engine::Engine;
use crate::job::handle::JobRequest;
use crate::job::life::clock::{never, timeout};
use crate::job::model::error::LaunchError;
use crate::job::model::outcome::{Cause, End, Outcome};
use crate::process::errno::Errno;

/// The time for which a launch may block its spawner before another spawner starts.
const STUCK_LAUNCH: Duration = Duration::from_secs(1);

/// The longest time that the end of a job waits for a process that a spawner is about to start.
const LAUNCH_GRACE: Duration = Duration::from_secs(2);

/// The end of a launch: a running command, or the reason why there is none.
pub(in crate::job) type Launching = Result<LaunchedCommand, LaunchError>;

/// A launched process, and the requests that arrived before it ran.
pub(in crate::job) struct LaunchedJob {
    pub(in crate::job) launched: LaunchedCommand,
    pub(in crate::job) requests: Vec<JobRequest>,
    pub(in crate::job) is_in_background: bool,
}

/// Waits for the process, and collects the requests that arrive meanwhile.
///
/// A job that is stopped before a spawner has taken its launch is over: nothing is executed. A job that is
/// stopped later gets its process, which is then ended like any other. If the launch hangs beyond
/// [`LAUNCH_GRACE`], the job ends without the process; a process that still appears is dropped, and dropping
/// a [`Leader`](crate::engine::leader::Leader) or a remote command kills it.
pub(in crate::job) async fn await_launch(
    engine: &'static Engine,
    job: &mut Job,
    claim: &Claim,
    mut launching: oneshot::Receiver<Launching>,
) -> Result<LaunchedJob, (LaunchError, Option<Cause>)> {
    let program = job.plan.program();
    let mut requests = Vec::new();
    let mut is_in_background = false;
    let mut stop = None;
    // The time of a command on a target begins with its start: connecting has a limit of its own.
    let is_local = job.plan.surroundings.target.is_none() && job.plan.durable.is_none();
    let mut timeout = if is_local { timeout(&job.plan, job.started_at) } else { None };
    // A stopped job waits a short time for its process, so that the outcome can report it.
    let mut grace_end = None;
    loop {
        let due = grace_end.or(timeout).unwrap_or_else(never);
        tokio::select! {
            biased;
            result = &mut launching => {
                // The sender was dropped: no spawner thread could be started.
                let result = result.unwrap_or_else(|_| Err(LaunchError::system(program, Errno(libc::EAGAIN))));
                let gone = job.owner.is_closed().then_some(Cause::OwnerGone);
                return match result {
                    Ok(launched) => Ok(LaunchedJob { launched, requests, is_in_background }),
                    Err(error) => Err((error, stop.or(gone))),
                };
            }
            Some(request) = job.inbox.recv() => {
                if let JobRequest::Stop(cause, _) | JobRequest::StopAtOnce(cause) = request
                    && !(cause == Cause::Aborted && is_in_background)
                {
                    if claim.cancel() {
                        return Err((LaunchError::Stopped, Some(cause)));
                    }
                    stop.get_or_insert(cause);
                    grace_end.get_or_insert_with(|| Instant::now() + LAUNCH_GRACE);
                }
                requests.push(request);
            }
            () = sleep(STUCK_LAUNCH) => engine.spawners().grow_if_stuck(),
            () = sleep_until(due) => {
                let is_late = grace_end.take().is_some();
                timeout = None;
                match stop {
                    Some(cause) => return Err((LaunchError::Stopped, Some(cause))),
                    None if !job.plan.times.moves_to_background || is_in_background => {
                        let timed_out = || LaunchError::system(program, Errno(libc::ETIMEDOUT));
                        if claim.cancel() {
                            return Err((timed_out(), Some(Cause::Timeout)));
                        }
                        stop = Some(Cause::Timeout);
                        requests.push(JobRequest::Stop(Cause::Timeout, None));
                        grace_end = Some(Instant::now() + LAUNCH_GRACE);
                    }
                    None if !is_late => grace_end = Some(Instant::now() + LAUNCH_GRACE),
                    None => {
                        is_in_background = true;
                        timeout = job.plan.times.in_background.and_then(|limit| Instant::now().checked_add(limit));
                        let outcome = Outcome {
                            end: End::NotYet,
                            cursor: job.shared.ring.is_some().then_some(0),
                            ..Outcome::not_started(LaunchError::Stopped, None, job.started_at.elapsed())
                        };
                        job.end.observer().moved_to_background(outcome);
                    }
                }
            }
        }
    }
}
