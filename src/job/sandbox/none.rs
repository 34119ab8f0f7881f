//! Sandboxes on a system that does not support them: no command runs in one.

use std::path::Path;

use crate::job::model::outcome::End;
use crate::process::registry::Owner;
use crate::sandbox::availability::{Availability, Findings};
use crate::sandbox::network::ask::{ConnectEvent, Verdict};
use crate::sandbox::outcome::{RefusalReport, SandboxReport};
use crate::sandbox::texts;

/// The sandbox of a running command: without a value, since this system has no sandboxes.
#[derive(Debug)]
pub enum RunningSandbox {}

impl RunningSandbox {
    /// Returns the refusals so far.
    #[must_use]
    pub fn refused_so_far(&self) -> Vec<RefusalReport> {
        match *self {}
    }

    /// Records the changed files.
    #[allow(clippy::unused_async, reason = "as on Linux")]
    pub async fn record_changes(&self) {
        match *self {}
    }

    /// Updates the reports.
    #[allow(clippy::unused_async, reason = "as on Linux")]
    pub async fn refresh(&self) {
        match *self {}
    }

    /// Waits for the next question about a host.
    #[allow(clippy::unused_async, reason = "as on Linux")]
    pub async fn connect_event(&self) -> ConnectEvent {
        match *self {}
    }

    /// Answers a question about a host.
    pub fn answer(&self, _number: u32, _verdict: Verdict) {
        match *self {}
    }

    /// Refuses all open questions about hosts.
    pub fn refuse_questions(&self) {
        match *self {}
    }

    /// Returns the report of the sandbox.
    #[must_use]
    pub fn report(&self, _end: &End) -> SandboxReport {
        match *self {}
    }

    /// Takes the report of the sandbox.
    #[must_use]
    pub fn take_report(&self, _end: &End) -> SandboxReport {
        match *self {}
    }
}

/// Returns the levels of sandboxes: none is available.
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

/// Does nothing: no owner has a sandbox.
pub(in crate::job) const fn forget_sandboxes(_owner: &Owner) {}
