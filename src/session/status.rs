//! The state of a session, for any thread.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The activity of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionState {
    /// No command runs or waits.
    Idle,
    Starting,
    Busy,
    /// The session takes no more commands.
    Closed,
}

/// The facts about a session that any thread may read.
#[derive(Debug, Default)]
pub struct SessionFacts {
    /// The number of queued commands and the running one.
    outstanding: AtomicUsize,
    is_running: AtomicBool,
    is_closed: AtomicBool,
    pid: AtomicI32,
    directory: Mutex<Option<String>>,
    /// The directory with the shell's files.
    files: Mutex<Option<PathBuf>>,
}

impl SessionFacts {
    /// Returns the activity of the session.
    #[must_use]
    pub fn state(&self) -> SessionState {
        if self.is_closed.load(Ordering::Acquire) {
            SessionState::Closed
        } else if self.outstanding.load(Ordering::Acquire) == 0 {
            SessionState::Idle
        } else if self.pid().is_none() {
            SessionState::Starting
        } else {
            SessionState::Busy
        }
    }

    /// Returns the number of commands that wait.
    #[must_use]
    pub fn pending(&self) -> usize {
        let running = usize::from(self.is_running.load(Ordering::Acquire));
        self.outstanding.load(Ordering::Acquire).saturating_sub(running)
    }

    /// Returns the pid of the shell, while one runs.
    #[must_use]
    pub fn pid(&self) -> Option<i32> {
        Some(self.pid.load(Ordering::Acquire)).filter(|&pid| pid > 0)
    }

    /// Returns the directory of the shell after the last command.
    #[must_use]
    pub fn directory(&self) -> Option<String> {
        self.lock().clone()
    }

    /// Counts a new queued command.
    pub(super) fn queue_command(&self) {
        self.outstanding.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns the path of the shell's files and forgets it, so that the caller removes them.
    pub(super) fn take_files(&self) -> Option<PathBuf> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn set_shell(&self, pid: Option<i32>) {
        self.pid.store(pid.unwrap_or(0), Ordering::Release);
    }

    pub(super) fn begin_command(&self) {
        self.is_running.store(true, Ordering::Release);
    }

    /// Counts the end of a running or queued command.
    pub(super) fn end_command(&self, was_running: bool) {
        if was_running {
            self.is_running.store(false, Ordering::Release);
        }
        self.outstanding.fetch_sub(1, Ordering::AcqRel);
    }

    pub(super) fn set_directory(&self, directory: &str) {
        let mut known = self.lock();
        if known.as_deref() != Some(directory) {
            *known = Some(directory.to_owned());
        }
    }

    /// Sets the path of the shell's files; `None` when they are removed.
    pub(super) fn set_files(&self, path: Option<PathBuf>) {
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = path;
    }

    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.directory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
