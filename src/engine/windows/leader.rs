//! The first process of a job.

use std::sync::Arc;

use super::LiveJob;
use crate::engine::Engine;
use crate::process::signal::Signal;
use crate::process::wait::Exit;
use crate::process::windows::child::Child;
use crate::process::windows::status::signal_of;

/// The first process of a job. Dropping it before [`Leader::finish`] ends all processes of the job.
#[derive(Debug)]
pub struct Leader {
    engine: &'static Engine,
    child: Child,
    job: Arc<LiveJob>,
    is_finished: bool,
}

impl Leader {
    /// Takes over a child that has just been started in the job.
    #[must_use]
    pub const fn new(engine: &'static Engine, child: Child, job: Arc<LiveJob>) -> Self {
        Self { engine, child, job, is_finished: false }
    }

    /// Returns the process.
    #[must_use]
    pub const fn child(&self) -> &Child {
        &self.child
    }

    /// Returns the job.
    #[must_use]
    pub fn job(&self) -> &LiveJob {
        &self.job
    }

    /// Returns how the process ended, or `None` while it runs.
    #[must_use]
    pub fn exit(&self) -> Option<Exit> {
        match self.child.exit_code() {
            Ok(None) => None,
            Ok(Some(code)) => Some(signal_of(code).map_or(Exit::Code(code.cast_signed()), Exit::Signal)),
            Err(_) => Some(Exit::Unknown),
        }
    }

    /// Waits until the process has exited. Cancel-safe.
    pub async fn exited(&self) {
        // After an error, the exit is unknown.
        let _ = self.child.exited().await;
    }

    /// Waits until no other process of the job is left. Cancel-safe.
    pub async fn emptied(&self) {
        self.job.emptied(self.child.pid()).await;
    }

    /// Lets the job go. Other processes of it run on until the end of the host.
    pub fn finish(mut self) {
        self.is_finished = true;
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        if !self.is_finished {
            self.job.end(Signal::KILL);
        }
        self.engine.jobs().release(&self.job);
    }
}
