//! A job between the call and its process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;

use super::await_launch::Launching;

use crate::job::handle::{JobRequest, SharedJob};
use crate::job::io::observer::Observer;
use crate::job::model::error::LaunchError;
use crate::job::model::outcome::{Cause, Outcome};
use crate::job::model::plan::Plan;
use crate::process::errno::Errno;
use crate::process::registry::Owner;

/// Decides the race between a spawner that starts a launch and a request that stops the job first.
#[derive(Debug, Default)]
pub(in crate::job) struct Claim(AtomicBool);

impl Claim {
    /// Takes the launch, for the spawner. Returns false when it was cancelled.
    pub(in crate::job) fn take(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }

    /// Cancels the launch. Returns false when a spawner has taken it.
    pub(in crate::job) fn cancel(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

/// A launch that a spawner carries out.
pub(in crate::job) struct PendingLaunch {
    pub(in crate::job) plan: Arc<Plan>,
    pub(in crate::job) owner: Owner,
    pub(in crate::job) called_at: Instant,
    pub(in crate::job) shared: Arc<SharedJob>,
    pub(in crate::job) claim: Arc<Claim>,
    pub(in crate::job) sender: oneshot::Sender<Launching>,
}

/// A job that has no process yet, or none any more.
#[derive(Debug)]
pub(in crate::job) struct Job {
    pub(in crate::job) plan: Arc<Plan>,
    pub(in crate::job) owner: Owner,
    pub(in crate::job) shared: Arc<SharedJob>,
    pub(in crate::job) inbox: UnboundedReceiver<JobRequest>,
    pub(in crate::job) end: EndOnce,
    pub(in crate::job) started_at: Instant,
}

impl Job {
    /// Ends a job whose streams or exit can't be watched.
    pub(in crate::job) fn not_connected(self, error: &io::Error) {
        let error = LaunchError::system(self.plan.program(), Errno::of(error));
        self.not_started(error, None);
    }

    /// Ends a job that has not started. It takes no requests from here on.
    pub(in crate::job) fn not_started(mut self, error: LaunchError, cause: Option<Cause>) {
        self.inbox.close();
        self.shared.input.close(self.end.observer());
        self.end.end(Outcome::not_started(error, cause, self.started_at.elapsed()));
    }
}

/// Reports the end of a job exactly once, also when its task panics.
pub(crate) struct EndOnce {
    observer: Arc<dyn Observer>,
    has_ended: bool,
}

impl std::fmt::Debug for EndOnce {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("EndOnce").field("has_ended", &self.has_ended).finish_non_exhaustive()
    }
}

impl EndOnce {
    pub(crate) fn new(observer: Arc<dyn Observer>) -> Self {
        Self { observer, has_ended: false }
    }

    pub(crate) fn observer(&self) -> &dyn Observer {
        &*self.observer
    }

    pub(crate) fn end(&mut self, outcome: Outcome) {
        if !std::mem::replace(&mut self.has_ended, true) {
            self.observer.ended(outcome);
        }
    }
}

impl Drop for EndOnce {
    fn drop(&mut self) {
        self.end(Outcome::not_started(LaunchError::Internal, None, Duration::ZERO));
    }
}
