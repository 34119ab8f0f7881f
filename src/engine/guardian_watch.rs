//! Keeps a guardian running: starts it with the first command, and again after it was killed.

use std::os::fd::OwnedFd;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tracing::{debug, warn};

pub use super::guardian_report::{GuardianReport, GuardianState};
use crate::helper::guardian::{self, Guardian};
use crate::process::errno::Errno;
use crate::process::helper_program::{self, HelperError};
use crate::process::registry::Registry;
use crate::process::signal::block_all_signals;
use crate::process::thread::named;
use crate::process::wait::{Exit, ExitWatch, peek, reap};

/// The longest time that a command waits for a guardian that is starting.
///
/// A start takes less than 1 ms; on an overloaded machine the scheduler may delay it by hundreds. After that
/// time, commands run without a guardian: its program may be on a network file system that does not answer.
const START_DEADLINE: Duration = Duration::from_secs(1);

/// The time between the exit of a guardian and the start of the next one: a guardian that is killed again and
/// again must not keep a CPU busy.
const RESTART_DELAY: Duration = Duration::from_secs(1);

/// The time between two tries after a failure that will probably repeat: the helper program is missing, or
/// exits at once.
const RETRY_DELAY: Duration = Duration::from_secs(60);

/// Starts and restarts the guardian of this process.
#[derive(Debug)]
pub(super) struct GuardianWatch {
    registry: &'static Registry,
    status: Mutex<Status>,
    /// Signals changes of the state.
    changed: Condvar,
    /// The runtime of the I/O thread. The first guardian starts together with the engine, so its thread waits
    /// for this.
    runtime: OnceLock<Handle>,
}

#[derive(Debug, Default)]
struct Status {
    state: GuardianState,
    error: Option<HelperError>,
    /// Whether the helper program has been executed. From then on, a helper of the right version finds every
    /// job in the registry.
    is_executed: bool,
    start_began_at: Option<Instant>,
    not_before: Option<Instant>,
}

impl GuardianWatch {
    /// Creates the watch for the guardian of this registry. Starts nothing.
    pub(super) fn new(registry: &'static Registry) -> Self {
        Self { registry, status: Mutex::default(), changed: Condvar::new(), runtime: OnceLock::new() }
    }

    /// Sets the runtime of the I/O thread, on which the watch waits for the exit of a guardian.
    pub(super) fn attach(&self, runtime: Handle) {
        // Only the engine calls this, once.
        let _ = self.runtime.set(runtime);
    }

    /// Returns the table of live jobs.
    pub(super) const fn registry(&self) -> &'static Registry {
        self.registry
    }

    /// Starts a guardian unless one runs, waits for it up to [`START_DEADLINE`], and returns whether one runs
    /// now.
    pub(super) fn await_guardian(&'static self) -> bool {
        self.start();
        let status = self.lock();
        let elapsed = status.start_began_at.map_or(START_DEADLINE, |moment| moment.elapsed());
        let is_loading = |status: &mut Status| status.state == GuardianState::Starting && !status.is_executed;
        let remaining = START_DEADLINE.saturating_sub(elapsed);
        let waited = self.changed.wait_timeout_while(status, remaining, is_loading);
        let (status, _) = waited.unwrap_or_else(PoisonError::into_inner);
        // The command does not wait for the greeting: the scheduler may delay the guardian.
        status.is_executed
    }

    /// Starts a guardian unless one runs, on a separate thread, so that the command goes on meanwhile.
    pub(super) fn start(&'static self) {
        if !self.lock().begin_start() {
            return;
        }
        let start = move || {
            block_all_signals();
            let on_execute = || {
                self.lock().is_executed = true;
                self.changed.notify_all();
            };
            match guardian::start_and_report(self.registry, helper_program::path(), on_execute) {
                Ok(guardian) => {
                    debug!(pid = guardian.process.pid.as_raw_nonzero(), "guardian runs");
                    let state = GuardianState::Running;
                    self.set(Status { state, is_executed: true, ..Status::default() });
                    self.runtime.wait().spawn(self.keep(guardian));
                }
                Err(error) => {
                    warn!(%error, "no guardian");
                    let status = Status::failed(error, self.lock().error.as_ref());
                    let may_pass = status.state == GuardianState::Stopped;
                    self.set(status);
                    if may_pass {
                        self.runtime.wait().spawn(self.retry(RESTART_DELAY));
                    }
                }
            }
        };
        if let Err(error) = named("agent-bash-gd").spawn(start) {
            let (path, errno) = (helper_program::path().to_owned(), Errno::of(&error));
            self.set(Status::failed(HelperError::System { path, errno }, None));
        }
    }

    /// Waits for the exit of a guardian, and starts the next one.
    async fn keep(&'static self, guardian: Guardian) {
        let Guardian { process, socket } = guardian;
        let _socket: OwnedFd = socket;
        let started_at = Instant::now();
        let Ok(mut watch) = ExitWatch::new(process.pid, process.pidfd) else {
            // The guardian works even if this task can't watch it.
            return std::future::pending().await;
        };
        watch.exited().await;
        warn!(exit = ?peek(process.pid), "guardian exited");
        let exited_by_itself = matches!(peek(process.pid), Some(Exit::Code(_)));
        reap(process.pid);
        let is_useless = exited_by_itself && started_at.elapsed() < RESTART_DELAY;
        let delay = if is_useless { RETRY_DELAY } else { RESTART_DELAY };
        self.set(Status { state: GuardianState::Stopped, ..Status::default() });
        self.retry(delay).await;
    }

    /// Starts a guardian after this delay, unless a command has started one meanwhile.
    async fn retry(&'static self, delay: Duration) {
        tokio::time::sleep(delay).await;
        self.start();
    }

    pub(super) fn report(&self) -> GuardianReport {
        let status = self.lock();
        GuardianReport {
            state: status.state,
            path: helper_program::path().to_owned(),
            error: status.error.clone(),
        }
    }

    fn set(&self, status: Status) {
        *self.lock() = status;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Status {
    /// Returns the status after a failed try. `previous` is the error of the last try before it.
    fn failed(error: HelperError, previous: Option<&HelperError>) -> Self {
        let is_permanent = error.is_permanent_after(previous);
        Self {
            state: if is_permanent { GuardianState::Missing } else { GuardianState::Stopped },
            error: Some(error),
            is_executed: false,
            start_began_at: None,
            // After a temporary failure, the next command tries again at once.
            not_before: if is_permanent { Instant::now().checked_add(RETRY_DELAY) } else { None },
        }
    }

    /// Enters the state `Starting` and returns true, unless a guardian runs or starts, or the last failure
    /// was a short time ago.
    fn begin_start(&mut self) -> bool {
        let is_there = matches!(self.state, GuardianState::Starting | GuardianState::Running);
        if is_there || self.not_before.is_some_and(|moment| Instant::now() < moment) {
            return false;
        }
        // The last error stays until a start succeeds.
        self.state = GuardianState::Starting;
        self.is_executed = false;
        self.start_began_at = Some(Instant::now());
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{GuardianState, HelperError, Status};
    use crate::process::errno::Errno;

    #[test]
    fn a_guardian_is_started_once() {
        let mut status = Status::default();
        assert!(status.begin_start());
        assert_eq!(status.state, GuardianState::Starting);
        assert!(!status.begin_start());
        status.state = GuardianState::Running;
        assert!(!status.begin_start());
        status.state = GuardianState::Stopped;
        assert!(status.begin_start());
    }

    #[test]
    fn a_helper_that_is_missing_is_not_tried_again_with_each_command() {
        let mut status = Status::failed(HelperError::Missing("/helper".into()), None);
        assert_eq!(status.state, GuardianState::Missing);
        assert!(!status.begin_start());
        status.not_before = Instant::now().checked_sub(Duration::from_millis(1));
        assert!(status.begin_start());
        assert_eq!(status.error, Some(HelperError::Missing("/helper".into())), "until there is a guardian");
    }

    #[test]
    fn a_failure_that_may_pass_is_tried_again_with_the_next_command() {
        let error = HelperError::System { path: "/helper".into(), errno: Errno(libc::EAGAIN) };
        let mut status = Status::failed(error, None);
        assert_eq!(status.state, GuardianState::Stopped);
        assert!(status.begin_start());
    }
}
