//! Durable jobs of Linux in the shape of macOS: a plan with a sandbox is refused.

use super::{CommandInside, PlannedSandbox};
use crate::durable::start::SandboxToStart;
use crate::job::model::error::LaunchError;
use crate::job::model::plan::Plan;
use crate::process::registry::Owner;
use crate::sandbox::protocol::report::SandboxFailure;

/// Refuses a plan with a sandbox for a job that a supervisor starts.
pub(in crate::job) fn plan_for_supervisor(
    plan: &Plan,
    owner: &Owner,
    _options: Option<&str>,
) -> Result<Option<SandboxToStart>, LaunchError> {
    PlannedSandbox::new(&plan.surroundings, owner, || CommandInside::new(plan, None, None)).map(|_| None)
}

/// Returns the error for a sandbox that a supervisor failed to build: none builds one here.
pub(in crate::job) const fn not_built_there(_plan: &Plan, _failure: &SandboxFailure) -> LaunchError {
    LaunchError::Internal
}
