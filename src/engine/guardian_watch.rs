//! Keeps a guardian running: starts it beside the first command, and again when it has been killed.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tracing::{debug, warn};

use crate::process::errno::Errno;
use crate::process::guardian::{self, Guardian};
use crate::process::helper::{self, HelperError};
use crate::process::registry::Registry;
use crate::process::signal::block_all_signals;
use crate::process::thread::named;
use crate::process::wait::{Exit, ExitWatch, peek, reap};

/// How long after the start of a guardian commands wait for it. It takes less than a millisecond; on a machine that is
/// overloaded, the scheduler may take hundreds. Commands run without a guardian after that: its program may lie on a
/// network that does not answer.
const START_DEADLINE: Duration = Duration::from_secs(1);

/// How long after the end of a guardian the next one is started, so that a guardian that is killed again and again does
/// not keep a processor busy.
const RESTART_DELAY: Duration = Duration::from_secs(1);

/// How long after a failure that will probably repeat itself the next try comes: when the helper program is missing, or
/// exits by itself at once.
const RETRY_DELAY: Duration = Duration::from_secs(60);

/// Whether there is a guardian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GuardianState {
    /// No command has been started yet.
    #[default]
    Idle,
    /// The guardian is being started.
    Starting,
    /// The guardian watches.
    Running,
    /// The guardian was killed, or the system had no process for it. The watch starts it again.
    Stopped,
    /// Its program is missing or can't be used.
    Missing,
}

/// What is known of the guardian.
#[derive(Clone, Debug)]
pub struct GuardianReport {
    /// Whether there is one.
    pub state: GuardianState,
    /// Its program.
    pub path: PathBuf,
    /// Why there is none.
    pub error: Option<HelperError>,
}

/// The guardian of this process, or why there is none.
#[derive(Debug)]
pub(super) struct GuardianWatch {
    registry: &'static Registry,
    status: Mutex<Status>,
    /// Notified when the state changes.
    changed: Condvar,
    /// The first guardian starts while the engine does: its thread waits for the runtime.
    runtime: OnceLock<Handle>,
}

#[derive(Debug, Default)]
struct Status {
    state: GuardianState,
    error: Option<HelperError>,
    /// Whether its program has been executed: it will find what is in the table, if it is of the right version.
    is_executed: bool,
    /// When the start began that is under way.
    start_began_at: Option<Instant>,
    /// No start is tried before this moment.
    not_before: Option<Instant>,
}

impl GuardianWatch {
    /// Watches over the guardian of this table. Starts nothing.
    pub(super) fn new(registry: &'static Registry) -> Self {
        Self { registry, status: Mutex::default(), changed: Condvar::new(), runtime: OnceLock::new() }
    }

    /// Gives the watch the runtime of the I/O thread, where it waits for the exit of a guardian.
    pub(super) fn attach(&self, runtime: Handle) {
        // The one engine attaches once.
        let _ = self.runtime.set(runtime);
    }

    /// Returns the table of live jobs.
    pub(super) const fn registry(&self) -> &'static Registry {
        self.registry
    }

    /// Waits until there is a guardian, and starts one where there is none. Whether there is one now.
    pub(super) fn guard(&'static self) -> bool {
        self.start();
        let status = self.lock();
        let elapsed = status.start_began_at.map_or(START_DEADLINE, |moment| moment.elapsed());
        let is_loading = |status: &mut Status| status.state == GuardianState::Starting && !status.is_executed;
        let patience = START_DEADLINE.saturating_sub(elapsed);
        let waited = self.changed.wait_timeout_while(status, patience, is_loading);
        let (status, _) = waited.unwrap_or_else(PoisonError::into_inner);
        // To wait for its greeting too would make the first command wait for the scheduler.
        status.is_executed
    }

    /// Starts a guardian where there is none, on a thread of its own: the command goes on meanwhile.
    pub(super) fn start(&'static self) {
        if !self.lock().begin_start() {
            return;
        }
        let start = move || {
            block_all_signals();
            let executed = || {
                self.lock().is_executed = true;
                self.changed.notify_all();
            };
            match guardian::start_and_report(self.registry, helper::path(), executed) {
                Ok(guardian) => {
                    debug!(pid = guardian.process.pid.as_raw_nonzero(), "guardian runs");
                    let state = GuardianState::Running;
                    self.set(Status { state, is_executed: true, ..Status::default() });
                    self.runtime.wait().spawn(self.keep(guardian));
                }
                Err(error) => {
                    warn!(%error, "no guardian");
                    let may_pass = !error.is_permanent();
                    self.set(Status::failed(error));
                    if may_pass {
                        self.runtime.wait().spawn(self.retry(RESTART_DELAY));
                    }
                }
            }
        };
        if let Err(error) = named("agent-bash-gd").spawn(start) {
            let (path, errno) = (helper::path().to_owned(), Errno::of(&error));
            self.set(Status::failed(HelperError::System { path, errno }));
        }
    }

    /// Waits for the exit of a guardian, and starts the next one.
    async fn keep(&'static self, guardian: Guardian) {
        let Guardian { process, socket } = guardian;
        let _socket: OwnedFd = socket;
        let started_at = Instant::now();
        let Ok(mut watch) = ExitWatch::new(process.pid, process.pidfd) else {
            // The guardian does its work unwatched.
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

    /// Starts a guardian after this time, unless a command has started one before.
    async fn retry(&'static self, delay: Duration) {
        tokio::time::sleep(delay).await;
        self.start();
    }

    /// Returns what is known of the guardian.
    pub(super) fn report(&self) -> GuardianReport {
        let status = self.lock();
        GuardianReport { state: status.state, path: helper::path().to_owned(), error: status.error.clone() }
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
    fn failed(error: HelperError) -> Self {
        let is_permanent = error.is_permanent();
        Self {
            state: if is_permanent { GuardianState::Missing } else { GuardianState::Stopped },
            error: Some(error),
            is_executed: false,
            start_began_at: None,
            // The next command tries again where the failure may pass.
            not_before: if is_permanent { Instant::now().checked_add(RETRY_DELAY) } else { None },
        }
    }

    /// Whether a guardian is to be started now: none is there or on its way, and the last failure is long ago.
    fn begin_start(&mut self) -> bool {
        let is_there = matches!(self.state, GuardianState::Starting | GuardianState::Running);
        if is_there || self.not_before.is_some_and(|moment| Instant::now() < moment) {
            return false;
        }
        // The last error stays until there is a guardian.
        self.state = GuardianState::Starting;
        self.is_executed = false;
        self.start_began_at = Some(Instant::now());
        true
    }
}

impl GuardianReport {
    /// Returns the report of a process that has started no command: whether its guardian could be started.
    pub(super) fn before_start() -> Self {
        let path = helper::path();
        let error = helper::check(path).err();
        let state = if error.is_some() { GuardianState::Missing } else { GuardianState::Idle };
        Self { state, path: path.to_owned(), error }
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
        let mut status = Status::failed(HelperError::Missing("/helper".into()));
        assert_eq!(status.state, GuardianState::Missing);
        assert!(!status.begin_start());
        status.not_before = Instant::now().checked_sub(Duration::from_millis(1));
        assert!(status.begin_start());
        assert_eq!(status.error, Some(HelperError::Missing("/helper".into())), "until there is a guardian");
    }

    #[test]
    fn a_failure_that_may_pass_is_tried_again_with_the_next_command() {
        let error = HelperError::System { path: "/helper".into(), errno: Errno(libc::EAGAIN) };
        let mut status = Status::failed(error);
        assert_eq!(status.state, GuardianState::Stopped);
        assert!(status.begin_start());
    }
}
