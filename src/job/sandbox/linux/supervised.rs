//! The sandbox of a durable job: planned here, and built by the supervisor of the job, which outlives this
//! host.

use std::ffi::CString;
use std::io;
use std::os::fd::OwnedFd;

use super::planned::{CommandInside, PlannedSandbox, not_built};
use crate::durable::start::SandboxToStart;
use crate::helper::durable::plan::DurableSandbox;
use crate::helper::durable::record::facts::SandboxFacts;
use crate::job::model::error::LaunchError;
use crate::job::model::plan::Plan;
use crate::process::errno::Errno;
use crate::process::registry::Owner;
use crate::sandbox::outcome::SocketReport;
use crate::sandbox::plan::Part;
use crate::sandbox::plan::sockets::PlannedSocket;
use crate::sandbox::protocol::report::SandboxFailure;

/// Plans the sandbox of a durable job. `options` are those of the plan as the caller has given them.
pub(in crate::job) fn plan_for_supervisor(
    plan: &Plan,
    owner: &Owner,
    options: Option<&str>,
) -> Result<Option<SandboxToStart>, LaunchError> {
    let inside = || CommandInside::new(plan, None, None);
    let Some(planned) = PlannedSandbox::new(&plan.surroundings, owner, inside)? else { return Ok(None) };
    let variables = plan.surroundings.environment.variables().filter(|variable| variable.contains('='));
    let variables: Vec<CString> =
        variables.map(CString::new).collect::<Result<_, _>>().map_err(|_| LaunchError::NullByte)?;
    let variables = planned.environment(&variables).into_iter().map(CString::into_bytes).collect();
    let level = planned.made.plan.level.name();
    let to_start = SandboxToStart {
        facts: SandboxFacts {
            options: options.map_or_else(|| format!("\"{level}\""), str::to_owned),
            level: level.to_owned(),
            mechanism: planned.made.plan.tier.mechanism().to_owned(),
            applied: names(&planned.made.applied),
            missing: names(&planned.made.missing),
            sockets: planned.made.plan.sockets.iter().map(socket).collect(),
        },
        descriptors: descriptors(&planned)
            .map_err(|error| LaunchError::system(plan.program(), Errno::of(&error)))?,
        planned: DurableSandbox {
            directory: planned.private.paths.directory.clone(),
            watch: planned.made.watch,
            plan: planned.made.plan,
        },
        variables,
    };
    Ok(Some(to_start))
}

/// Returns the lock of the private directories, and the descriptors of the mounts in them.
fn descriptors(planned: &PlannedSandbox<'_>) -> io::Result<Vec<OwnedFd>> {
    let kept = planned.kept().into_list().into_iter();
    let lock = planned.private.directories.share();
    std::iter::once(lock).chain(kept.map(|kept| kept.try_clone_to_owned())).collect()
}

/// Returns what the server of a socket gives, and its path.
fn socket(socket: &PlannedSocket) -> (String, String) {
    let SocketReport { path, gives } = SocketReport::from(socket);
    (gives.to_owned(), path)
}

fn names(parts: &[Part]) -> String {
    parts.iter().map(|part| part.name()).collect::<Vec<_>>().join(" ")
}

/// Returns the error of a sandbox that the supervisor could not build.
pub(in crate::job) fn not_built_there(plan: &Plan, failure: &SandboxFailure) -> LaunchError {
    plan.surroundings.sandbox.as_ref().map_or(LaunchError::Internal, |options| not_built(options, failure))
}
