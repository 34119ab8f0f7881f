//! Sandboxes on a system that does not support them: a command with a sandbox does not run.

use std::cell::Cell;
use std::path::Path;

use super::SandboxPids;
#[cfg(target_os = "linux")]
use crate::durable::start::SandboxToStart;
use crate::job::model::error::LaunchError;
use crate::job::model::outcome::End;
use crate::job::model::plan::{Plan, Surroundings};
use crate::process::registry::Owner;
use crate::process::spawn::{SpawnError, SpawnRequest, Spawned};
use crate::process::tag::Tag;
use crate::sandbox::availability::{Availability, Findings};
use crate::sandbox::network::ask::{ConnectEvent, Verdict};
use crate::sandbox::outcome::{RefusalReport, SandboxReport};
#[cfg(target_os = "linux")]
use crate::sandbox::protocol::report::SandboxFailure;
use crate::sandbox::texts;

/// The sandbox of a running command: without a value, since this system has no sandboxes.
#[derive(Debug)]
pub enum RunningSandbox {}

/// A sandbox that a command gets: without a value, as above.
pub(in crate::job) enum PlannedSandbox {}

/// As on Linux.
pub(in crate::job) struct CommandInside;

/// As on Linux.
pub(in crate::job) type Built = Result<Box<RunningSandbox>, LaunchError>;

impl CommandInside {
    pub(in crate::job) const fn new(_plan: &Plan, _directory: Option<&str>, _tag: Option<Tag>) -> Self {
        Self
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

impl RunningSandbox {
    /// As on Linux.
    #[must_use]
    pub fn pids(&self) -> SandboxPids {
        match *self {}
    }

    /// As on Linux.
    #[must_use]
    pub fn refused_so_far(&self) -> Vec<RefusalReport> {
        match *self {}
    }

    /// As on Linux.
    #[allow(clippy::unused_async, reason = "as on Linux")]
    pub async fn record_changes(&self) {
        match *self {}
    }

    /// As on Linux.
    #[allow(clippy::unused_async, reason = "as on Linux")]
    pub async fn refresh(&self) {
        match *self {}
    }

    /// As on Linux.
    #[allow(clippy::unused_async, reason = "as on Linux")]
    pub async fn connect_event(&self) -> ConnectEvent {
        match *self {}
    }

    /// As on Linux.
    pub fn answer(&self, _number: u32, _verdict: Verdict) {
        match *self {}
    }

    /// As on Linux.
    pub fn refuse_questions(&self) {
        match *self {}
    }

    /// As on Linux.
    #[must_use]
    pub fn report(&self, _end: &End) -> SandboxReport {
        match *self {}
    }

    /// As on Linux.
    #[must_use]
    pub fn take_report(&self, _end: &End) -> SandboxReport {
        match *self {}
    }
}

/// As on Linux.
#[cfg(target_os = "linux")]
pub(in crate::job) fn plan_for_supervisor(
    plan: &Plan,
    owner: &Owner,
    _options: Option<&str>,
) -> Result<Option<SandboxToStart>, LaunchError> {
    PlannedSandbox::new(&plan.surroundings, owner, || CommandInside::new(plan, None, None)).map(|_| None)
}

/// As on Linux.
#[cfg(target_os = "linux")]
pub(in crate::job) const fn not_built_there(_plan: &Plan, _failure: &SandboxFailure) -> LaunchError {
    LaunchError::Internal
}

/// As on Linux.
#[must_use]
pub fn sandbox_levels(_home: Option<&Path>, _is_inside: bool) -> Vec<Availability> {
    let reasons = [texts::LINUX_ONLY.to_owned()];
    let nothing = Findings {
        tier: None,
        landlock: 0,
        reasons: &reasons,
        is_inside: false,
        has_private_home: false,
        hides: false,
    };
    nothing.levels()
}

/// As on Linux.
pub(in crate::job) const fn forget_sandboxes(_owner: &Owner) {}
