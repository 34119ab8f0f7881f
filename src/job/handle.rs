//! The handle by which callers reach a live job, and the requests that they send to it.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use tokio::sync::mpsc::UnboundedSender;

use crate::durable::info::DurableInfo;
use crate::engine::deferred_start::DeferredStart;
use crate::job::io::backpressure::Backpressure;
use crate::job::io::input::JobInput;
use crate::job::io::output::SharedRing;
use crate::job::model::outcome::Cause;
use crate::job::model::plan::{Plan, Terminal};
use crate::job::prompts::Answer;
use crate::job::sandbox::RunningSandbox;
use crate::job::terminal::LiveScreen;
use crate::process::cgroup::tree::LimitedTree;
use crate::process::pty::WindowSize;
use crate::process::signal::Signal;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobRequest {
    /// Ends the job: sends this signal, or by default its kill signal, and SIGKILL after the grace.
    Stop(Cause, Option<Signal>),
    /// Ends the job by SIGKILL.
    StopAtOnce(Cause),
    /// Sends this signal to all processes of the job, without ending the job.
    Forward(Signal),
    /// Asks for one report that the process runs.
    ReportSpawn,
    /// Starts or stops the reports of each wait for input.
    FollowWaits(bool),
    /// Asks for one report of the lines that are not finished, as soon as they differ from the last report.
    ReportUnfinished,
    /// Asks once whether the job waits for input now.
    CheckInput,
    /// Starts or stops the reports of the ports that the job listens on.
    FollowPorts(bool),
    /// Asks for one report of the job's processes, and of what its sandbox has refused.
    ReportState,
    /// Changes the size of the job's terminal.
    Resize(WindowSize),
    /// Stops the timeouts of the job while a person is asked, or lets them go on.
    HoldTime(bool),
    /// Answers the prompt of this number, or refuses an answer.
    AnswerPrompt(u32, Option<Answer>),
    /// Lets a durable job go, which runs on.
    Detach,
}

/// The receiver of the requests.
#[derive(Clone, Debug)]
pub(super) enum Requests {
    /// The task of the job.
    Job(UnboundedSender<JobRequest>),
    /// The session that runs the command inside of its shell's job.
    Framed(Arc<dyn FramedCommand>),
}

/// A command that runs inside of a job, such as one of a session.
pub trait FramedCommand: Debug + Send + Sync {
    /// Sends a request. Returns false if the command has ended.
    fn ask(&self, request: JobRequest) -> bool;
    /// Returns whether the command has not ended.
    fn is_live(&self) -> bool;
}

/// The state that the task of a job and the handles to it share.
#[derive(Debug)]
pub(crate) struct SharedJob {
    pub(crate) flow: Arc<Backpressure>,
    /// The pid of the command; 0 before it runs.
    pub(crate) pid: AtomicI32,
    pub(crate) input: Arc<JobInput>,
    pub(super) ring: Option<SharedRing>,
    pub(super) screen: Option<Arc<LiveScreen>>,
    /// Whether a caller waits for the next output.
    pub(super) is_watched: Arc<AtomicBool>,
    /// The sandbox, once a process runs in it.
    pub(super) sandbox: OnceLock<Arc<RunningSandbox>>,
    /// The limits of all processes together, once one runs in them. They end with the job, not with a handle.
    pub(super) tree: OnceLock<Weak<LimitedTree>>,
    /// The facts of the durable job, once it runs.
    pub(super) durable: OnceLock<Arc<dyn DescribesDurable>>,
    kill_signal: Signal,
    outlives_host: bool,
    is_durable: bool,
}

/// The source of what is known of a durable job.
pub(super) trait DescribesDurable: Debug + Send + Sync {
    /// Returns what is known now.
    fn describe(&self) -> DurableInfo;
}

impl SharedJob {
    /// Creates what a job shares, and moves the bytes of its input out of the plan. `terminal` is that of
    /// a process of its own.
    pub(super) fn new(
        plan: &mut Plan,
        flow: Arc<Backpressure>,
        ring: Option<SharedRing>,
        terminal: Option<Terminal>,
    ) -> Self {
        let input = Arc::new(JobInput::new(&mut plan.input, terminal.is_some()));
        Self {
            flow,
            pid: AtomicI32::new(0),
            ring,
            screen: terminal.map(|terminal| Arc::new(LiveScreen::new(terminal, &input))),
            input,
            is_watched: Arc::default(),
            sandbox: OnceLock::new(),
            tree: OnceLock::new(),
            durable: OnceLock::new(),
            kill_signal: plan.ending.signal,
            outlives_host: plan.outlives_host,
            is_durable: plan.durable.is_some(),
        }
    }
}

/// A handle to a job. Dropping it does not affect the job.
#[derive(Clone, Debug)]
pub struct JobHandle {
    pub(super) requests: Requests,
    pub(super) shared: Arc<SharedJob>,
    pub(super) task: Arc<DeferredStart>,
}

impl JobHandle {
    /// Creates the handle of a command that runs inside of a job, and moves the bytes of its input out of the
    /// plan. The session that runs the command stores the pid.
    #[must_use]
    pub fn framed(plan: &mut Plan, flow: Arc<Backpressure>, command: Arc<dyn FramedCommand>) -> Self {
        let shared = SharedJob { outlives_host: false, ..SharedJob::new(plan, flow, None, None) };
        Self { requests: Requests::Framed(command), shared: Arc::new(shared), task: Arc::default() }
    }

    /// Makes the sandbox of the shell in which the command runs known by this handle.
    pub(crate) fn share_sandbox(of: &Arc<SharedJob>, shell: &Self) {
        if let Some(sandbox) = shell.shared.sandbox.get() {
            let _ = of.sandbox.set(Arc::clone(sandbox));
        }
    }

    /// Returns what the handle shares with the task of the job.
    pub(crate) const fn shared(&self) -> &Arc<SharedJob> {
        &self.shared
    }

    /// Sends a request to the job. Returns false if the job is over.
    #[must_use]
    pub fn ask(&self, request: JobRequest) -> bool {
        let is_heard = match &self.requests {
            Requests::Job(requests) => requests.send(request).is_ok(),
            Requests::Framed(command) => command.ask(request),
        };
        self.task.start();
        is_heard
    }

    /// Sends a signal to all processes of the job. SIGTERM, the job's own kill signal and SIGKILL end the
    /// job; SIGKILL follows the first two after the grace. Returns false if the job is over.
    #[must_use]
    pub fn signal(&self, signal: Signal) -> bool {
        self.ask(if signal == Signal::KILL {
            JobRequest::StopAtOnce(Cause::Killed)
        } else if ends_job(signal, self.shared.kill_signal) {
            JobRequest::Stop(Cause::Killed, Some(signal))
        } else {
            JobRequest::Forward(signal)
        })
    }

    /// Returns whether the job is not over.
    #[must_use]
    pub fn is_live(&self) -> bool {
        match &self.requests {
            Requests::Job(requests) => !requests.is_closed(),
            Requests::Framed(command) => command.is_live(),
        }
    }

    /// Returns the pid, once the process runs.
    #[must_use]
    pub fn pid(&self) -> Option<i32> {
        Some(self.shared.pid.load(Ordering::Acquire)).filter(|&pid| pid > 0)
    }

    /// Returns the backpressure between the job and its consumer.
    #[must_use]
    pub fn flow(&self) -> &Backpressure {
        &self.shared.flow
    }

    /// Returns the job's standard input.
    #[must_use]
    pub fn input(&self) -> &Arc<JobInput> {
        &self.shared.input
    }

    /// Returns the ring of the latest text, if the plan keeps one. It stays readable after the end.
    #[must_use]
    pub fn ring(&self) -> Option<&SharedRing> {
        self.shared.ring.as_ref()
    }

    /// Returns the screen of a job that runs in a terminal. It stays readable after the end.
    #[must_use]
    pub fn screen(&self) -> Option<&Arc<LiveScreen>> {
        self.shared.screen.as_ref()
    }

    /// Changes the size of the job's terminal, if it has one. Returns false if the job is over.
    #[must_use]
    pub fn resize(&self, size: WindowSize) -> bool {
        let Some(screen) = &self.shared.screen else { return false };
        // The screen changes first: at SIGWINCH the program writes for the new size.
        screen.resize(size);
        self.ask(JobRequest::Resize(size))
    }

    /// Returns the sandbox of a job that runs in one.
    #[must_use]
    pub fn sandbox(&self) -> Option<&RunningSandbox> {
        self.shared.sandbox.get().map(AsRef::as_ref)
    }

    /// Returns the limits of all processes of a job that runs in some.
    #[must_use]
    pub fn tree(&self) -> Option<Arc<LimitedTree>> {
        self.shared.tree.get().and_then(Weak::upgrade)
    }

    /// Returns whether the job is durable, so that letting it go is enough.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        self.shared.is_durable
    }

    /// Returns what is known of a durable job.
    #[must_use]
    pub fn durable(&self) -> Option<DurableInfo> {
        self.shared.durable.get().map(|durable| durable.describe())
    }

    /// Requests one call of [`Observer::changed`](super::io::observer::Observer::changed), when the next
    /// output has been read.
    pub fn watch(&self) {
        self.shared.is_watched.store(true, Ordering::Release);
    }

    /// Returns whether the job keeps running when its owner or the host ends.
    #[must_use]
    pub fn outlives_host(&self) -> bool {
        self.shared.outlives_host
    }
}

/// Returns whether a signal ends a job whose kill signal is `kill_signal`, rather than being passed on to its
/// processes.
#[must_use]
pub fn ends_job(signal: Signal, kill_signal: Signal) -> bool {
    [Signal::KILL, Signal::TERM, kill_signal].contains(&signal)
}
