//! A durable job, as the task of its job in this host sees it.

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use crate::durable::error::DurableError;
use crate::durable::info::DurableInfo;
use crate::helper::durable::directory::JobDirectory;
use crate::helper::durable::record::end::JobEnd;
use crate::helper::durable::record::refused::RefusedRecord;
use crate::helper::durable::record::{limited, refused};
use crate::helper::supervisor::protocol::enums::{ProcessSelection, SignalScope};
use crate::process::cgroup::report::TreeReport;
use crate::process::pty::WindowSize;
use crate::sandbox::outcome::SandboxReport;

/// The state of a job, as far as its output has reached this host.
#[derive(Clone, Debug, Default)]
pub(in crate::durable) struct DurableState {
    /// The exit of the leader, or the end of the job.
    pub(in crate::durable) exit: Option<Result<JobEnd, DurableError>>,
    /// Whether no process is left.
    pub(in crate::durable) is_gone: bool,
}

/// A request to the attachment.
#[derive(Debug)]
pub(in crate::durable) enum DurableRequest {
    Stop {
        signal: i32,
        grace: Option<Duration>,
    },
    Signal {
        number: i32,
        scope: SignalScope,
    },
    Resize(WindowSize),
    List(ProcessSelection, oneshot::Sender<Vec<i32>>),
    /// The job is about to be let go, when the supervisor has the rest of its input.
    Leave,
    /// The end of the job's pipe is from now on that of the input only if the caller has ended it.
    Detach {
        is_input_ended: bool,
    },
}

/// A job to which this host is attached. Dropping it detaches, and kills a job whose start was given up.
#[derive(Debug)]
pub struct DurableCommand {
    pub(in crate::durable) requests: UnboundedSender<DurableRequest>,
    pub(in crate::durable) state: watch::Receiver<DurableState>,
    pub(in crate::durable) info: SharedInfo,
    pub(in crate::durable) pid: i32,
    /// The real path of the working directory, where it is known.
    pub(in crate::durable) directory: Option<String>,
    /// The files of the job, where its supervisor notes what it refuses and counts.
    pub(in crate::durable) files: JobDirectory,
    /// The input that was sent to the supervisor so far (bytes).
    pub(in crate::durable) passed: Arc<AtomicU64>,
    /// Whether the processes of the job have the same pids here.
    pub(in crate::durable) has_same_pids: bool,
    /// Whether the job was started here, and no task has taken it yet.
    pub(in crate::durable) kills_on_drop: bool,
}

/// The facts of a job, which its attachment keeps up to date.
#[derive(Clone, Debug, Default)]
pub struct SharedInfo(Arc<Mutex<DurableInfo>>);

impl SharedInfo {
    pub(in crate::durable) fn new(info: DurableInfo) -> Self {
        Self(Arc::new(Mutex::new(info)))
    }

    /// Returns what is known now.
    #[must_use]
    pub fn get(&self) -> DurableInfo {
        self.lock().clone()
    }

    pub(in crate::durable) fn lock(&self) -> MutexGuard<'_, DurableInfo> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DurableCommand {
    /// Notes that a job has the command from now on.
    pub fn take(&mut self) {
        self.kills_on_drop = false;
    }

    /// Returns the pid of the leader.
    #[must_use]
    pub const fn pid(&self) -> i32 {
        self.pid
    }

    /// Returns whether the processes of the job can be inspected: they have the same pids here.
    #[must_use]
    pub const fn has_same_pids(&self) -> bool {
        self.has_same_pids
    }

    /// Returns the input that was sent to the supervisor so far (bytes).
    #[must_use]
    pub const fn passed(&self) -> &Arc<AtomicU64> {
        &self.passed
    }

    /// Returns the real path of the working directory, where it is known.
    #[must_use]
    pub fn directory(&self) -> Option<&str> {
        self.directory.as_deref()
    }

    /// Returns what is known of the job.
    #[must_use]
    pub const fn info(&self) -> &SharedInfo {
        &self.info
    }

    /// Returns what the sandbox of the job has done so far; `None` without one.
    #[must_use]
    pub fn sandbox(&self) -> Option<SandboxReport> {
        let info = self.info.lock();
        let sandbox = info.facts.sandbox.as_ref()?;
        sandbox.report(RefusedRecord::decode(&self.files.small(refused::FILE)))
    }

    /// Returns what became of the limits of all processes together; `None` without any.
    #[must_use]
    pub fn limits(&self) -> Option<TreeReport> {
        let content = self.files.small(limited::FILE);
        (!content.is_empty()).then(|| limited::decode(&content))
    }

    /// Returns how the leader has ended, or the job; `None` while the leader runs.
    #[must_use]
    pub fn exit(&self) -> Option<Result<JobEnd, DurableError>> {
        let exit = self.state.borrow().exit.clone();
        let is_over = || self.state.has_changed().is_err();
        // The attachment ends before it has reported an end only if it has failed.
        exit.or_else(|| is_over().then(|| Err(DurableError::lost(&self.info.lock().facts.id, "detached"))))
    }

    /// Waits for the exit, or until none of the processes is left. Cancel-safe.
    pub async fn changed(&mut self, waits_for_all: bool) {
        let is_due = |state: &DurableState| if waits_for_all { state.is_gone } else { state.exit.is_some() };
        // The error of an attachment that has failed is the end of the job here.
        let _ = self.state.wait_for(is_due).await;
    }

    /// Ends the job: this signal, and SIGKILL after the grace. That goes on without this host.
    pub fn stop(&self, signal: i32, grace: Option<Duration>) {
        self.ask(DurableRequest::Stop { signal, grace });
    }

    /// Lets the supervisor take the rest of the input, before the command has read what is there.
    pub fn leave(&self) {
        self.ask(DurableRequest::Leave);
    }

    /// Prepares the end of the attachment, before the job closes its streams. The end of its pipe is that of
    /// the input only if the caller has ended it.
    pub fn detach(&self, is_input_ended: bool) {
        self.ask(DurableRequest::Detach { is_input_ended });
    }

    /// Sends a signal to all processes.
    pub fn signal(&self, number: i32) {
        self.ask(DurableRequest::Signal { number, scope: SignalScope::Tree });
    }

    /// Changes the size of the job's terminal.
    pub fn resize(&self, size: WindowSize) {
        self.ask(DurableRequest::Resize(size));
    }

    /// Returns the pids of the processes besides the leader.
    pub async fn list(&self, listed: ProcessSelection) -> Vec<i32> {
        if self.state.borrow().is_gone || self.requests.is_closed() {
            return Vec::new();
        }
        let (sender, answer) = oneshot::channel();
        self.ask(DurableRequest::List(listed, sender));
        // A lost connection drops the sender.
        answer.await.unwrap_or_default()
    }

    fn ask(&self, request: DurableRequest) {
        // An attachment that has ended has no job any more.
        let _ = self.requests.send(request);
    }
}

/// The longest wait without progress when a host lets a job go. A supervisor answers within a millisecond; a
/// command may read its input later.
const LAST_INPUT_DEADLINE: Duration = Duration::from_secs(1);

/// Waits for `work` as long as input is passed on. Returns `None` if none was for [`LAST_INPUT_DEADLINE`].
pub async fn while_it_passes<T>(passed: &AtomicU64, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    loop {
        let before = passed.load(Ordering::Acquire);
        match timeout(LAST_INPUT_DEADLINE, &mut work).await {
            Ok(result) => return Some(result),
            Err(_) if passed.load(Ordering::Acquire) == before => return None,
            Err(_) => {}
        }
    }
}

impl Drop for DurableCommand {
    fn drop(&mut self) {
        if self.kills_on_drop {
            self.stop(libc::SIGKILL, None);
        }
    }
}
