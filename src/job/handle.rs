//! How the outside reaches a live job.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use rustix::process::Signal;
use tokio::sync::mpsc::UnboundedSender;

use crate::engine::deferred_start::DeferredStart;
use crate::job::io::backpressure::Backpressure;
use crate::job::io::input::Input;
use crate::job::io::output::SharedRing;
use crate::job::model::outcome::Cause;
use crate::job::model::plan::Plan;
use crate::job::terminal::LiveScreen;
use crate::process::pty::WindowSize;

/// A request to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// End it: its kill signal, or this one, and SIGKILL after the grace.
    Stop(Cause, Option<Signal>),
    /// End it: SIGKILL.
    StopAtOnce(Cause),
    /// Send this signal to all that belongs to it, and nothing more.
    Forward(Signal),
    /// Tell when it begins to wait for input, or no more.
    FollowWaits(bool),
    /// Say whether it waits for input now.
    LookForInput,
    /// Tell which ports it listens on, or no more.
    FollowPorts(bool),
    /// Its terminal has another size from now on.
    Resize(WindowSize),
}

/// Where the requests go.
#[derive(Clone, Debug)]
pub(super) enum Requests {
    /// To the task of the job.
    Job(UnboundedSender<Request>),
    /// To whoever runs the command inside of another job.
    Framed(Arc<dyn FramedCommand>),
}

/// A command that runs inside of a job, such as one of a session.
pub trait FramedCommand: Debug + Send + Sync {
    /// Asks something of it. Whether it is still there to hear it.
    fn ask(&self, request: Request) -> bool;
    /// Whether it is still there.
    fn is_live(&self) -> bool;
}

/// A job, from the outside. Dropping it changes nothing for the job.
#[derive(Clone, Debug)]
pub struct JobHandle {
    pub(super) requests: Requests,
    pub(super) flow: Arc<Backpressure>,
    pub(super) pid: Arc<AtomicI32>,
    pub(super) input: Arc<Input>,
    pub(super) ring: Option<SharedRing>,
    pub(super) screen: Option<Arc<LiveScreen>>,
    pub(super) is_watched: Arc<AtomicBool>,
    pub(super) task: Arc<DeferredStart>,
    pub(super) kill_signal: Signal,
    pub(super) outlives_host: bool,
}

impl JobHandle {
    /// A command that runs inside of a job: the bytes of its input are moved out of the plan. Whoever runs it stores the pid.
    #[must_use]
    pub fn framed(
        plan: &mut Plan,
        flow: Arc<Backpressure>,
        pid: Arc<AtomicI32>,
        command: Arc<dyn FramedCommand>,
    ) -> Self {
        Self {
            requests: Requests::Framed(command),
            flow,
            pid,
            input: Arc::new(Input::new(&mut plan.input, false)),
            screen: None,
            is_watched: Arc::default(),
            ring: None,
            task: Arc::default(),
            kill_signal: plan.ending.signal,
            outlives_host: false,
        }
    }

    /// Asks something of the job. Whether it was still there to hear it.
    #[must_use]
    pub fn ask(&self, request: Request) -> bool {
        let is_heard = match &self.requests {
            Requests::Job(requests) => requests.send(request).is_ok(),
            Requests::Framed(command) => command.ask(request),
        };
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
        match &self.requests {
            Requests::Job(requests) => !requests.is_closed(),
            Requests::Framed(command) => command.is_live(),
        }
    }

    /// The process number, once there is a process.
    #[must_use]
    pub fn pid(&self) -> Option<i32> {
        Some(self.pid.load(Ordering::Acquire)).filter(|&pid| pid > 0)
    }

    /// How the consumer slows the job down.
    #[must_use]
    pub fn flow(&self) -> &Backpressure {
        &self.flow
    }

    /// Returns the job's standard input.
    #[must_use]
    pub const fn input(&self) -> &Arc<Input> {
        &self.input
    }

    /// The latest text, if it is kept. It stays readable after the end.
    #[must_use]
    pub const fn ring(&self) -> Option<&SharedRing> {
        self.ring.as_ref()
    }

    /// The screen, of a job that runs in a terminal. It can be seen after the end too.
    #[must_use]
    pub const fn screen(&self) -> Option<&Arc<LiveScreen>> {
        self.screen.as_ref()
    }

    /// Changes the size of the job's terminal, if it has one. Whether it was still there.
    #[must_use]
    pub fn resize(&self, size: WindowSize) -> bool {
        let Some(screen) = &self.screen else { return false };
        // Before the program hears of it, and writes for the new size.
        screen.resize(size);
        self.ask(Request::Resize(size))
    }

    /// Has [`Observer::changed`] called once, when the next output has been read.
    pub fn watch(&self) {
        self.is_watched.store(true, Ordering::Release);
    }

    /// Whether it lives on when its owner or the host ends.
    #[must_use]
    pub const fn outlives_host(&self) -> bool {
        self.outlives_host
    }
}
