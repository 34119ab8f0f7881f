//! How the outside reaches a live job.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::process::Signal;
use tokio::sync::mpsc::UnboundedSender;

use crate::engine::deferred_start::DeferredStart;
use crate::job::io::backpressure::Flow;
use crate::job::io::input::Input;
use crate::job::io::output::SharedRing;
use crate::job::model::outcome::Cause;

/// What can be asked of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// End it: its kill signal, or this one, and SIGKILL after the grace.
    Stop(Cause, Option<Signal>),
    /// End it: SIGKILL.
    StopAtOnce(Cause),
    /// Send this signal to all that belongs to it, and nothing more.
    Forward(Signal),
}

/// A job, from the outside. Dropping it changes nothing for the job.
#[derive(Clone, Debug)]
pub struct JobHandle {
    pub(super) requests: UnboundedSender<Request>,
    pub(super) flow: Arc<Flow>,
    pub(super) pid: Arc<AtomicI32>,
    pub(super) input: Arc<Input>,
    pub(super) ring: Option<SharedRing>,
    pub(super) task: Arc<DeferredStart>,
    pub(super) kill_signal: Signal,
    pub(super) outlives_host: bool,
}

impl JobHandle {
    /// Asks something of the job. Whether it was still there to hear it.
    #[must_use]
    pub fn ask(&self, request: Request) -> bool {
        let is_heard = self.requests.send(request).is_ok();
        self.task.start();
        is_heard
    }

    /// Sends a signal to all that belongs to the job. SIGTERM and the job's own kill signal are followed by SIGKILL
    /// after the grace; they and SIGKILL end the job. Whether it was still there.
    #[must_use]
    pub fn signal(&self, signal: Signal) -> bool {
        self.ask(if signal == Signal::KILL {
            Request::StopAtOnce(Cause::Killed)
        } else if signal == Signal::TERM || signal == self.kill_signal {
            Request::Stop(Cause::Killed, Some(signal))
        } else {
            Request::Forward(signal)
        })
    }

    /// Whether the job is still there.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !self.requests.is_closed()
    }

    /// The process number, once there is a process.
    #[must_use]
    pub fn pid(&self) -> Option<i32> {
        Some(self.pid.load(Ordering::Acquire)).filter(|&pid| pid > 0)
    }

    /// How the consumer slows the job down.
    #[must_use]
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// What the job reads.
    #[must_use]
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// The latest text, if it is kept. It stays readable after the end.
    #[must_use]
    pub const fn ring(&self) -> Option<&SharedRing> {
        self.ring.as_ref()
    }

    /// Whether it lives on when its owner or the host ends.
    #[must_use]
    pub const fn outlives_host(&self) -> bool {
        self.outlives_host
    }
}
