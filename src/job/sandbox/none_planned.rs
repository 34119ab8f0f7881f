//! Plans of sandboxes on a Unix that does not support them: a command with a sandbox does not run.

use std::cell::Cell;

use super::{RunningSandbox, SandboxPids};
use crate::job::model::error::LaunchError;
use crate::job::model::plan::{Plan, Surroundings};
use crate::process::registry::Owner;
use crate::process::spawn::{SpawnError, SpawnRequest, Spawned};
use crate::process::tag::Tag;
use crate::sandbox::texts;

/// The sandbox of a command: without a value, since none is built here.
pub(in crate::job) enum PlannedSandbox {}

/// The command that runs inside of a sandbox.
pub(in crate::job) struct CommandInside;

/// The sandbox that a start has built, or the error of the start.
pub(in crate::job) type Built = Result<Box<RunningSandbox>, LaunchError>;

impl CommandInside {
    pub(in crate::job) const fn new(_plan: &Plan, _directory: Option<&str>, _tag: Option<Tag>) -> Self {
        Self
    }
}

impl RunningSandbox {
    /// Returns the pids of the sandbox.
    #[must_use]
    pub fn pids(&self) -> SandboxPids {
        match *self {}
    }
}

impl PlannedSandbox {
    pub(in crate::job) fn new(
        surroundings: &Surroundings,
        _owner: &Owner,
        _command: impl FnOnce() -> CommandInside,
    ) -> Result<Option<Self>, LaunchError> {
        match &surroundings.sandbox {
            None => Ok(None),
            Some(options) => Err(LaunchError::Sandbox {
                code: "SANDBOX_UNAVAILABLE",
                message: texts::unavailable(options.level, texts::LINUX_ONLY),
            }),
        }
    }

    pub(in crate::job) fn spawn(
        &self,
        _request: &SpawnRequest<'_>,
        _built: &Cell<Option<Built>>,
        _spawn: impl FnOnce(&SpawnRequest<'_>) -> Result<Spawned, SpawnError>,
    ) -> Result<Spawned, SpawnError> {
        match *self {}
    }
}
