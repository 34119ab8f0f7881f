//! Starts a durable job, or attaches to one. Runs on a spawner thread, because it blocks.

use std::sync::PoisonError;

use super::LaunchedCommand;
use super::remote::{failed_step, remote_plan};
use crate::durable::attach::{Attached, attach};
use crate::durable::command::{DurableCommand, SharedInfo};
use crate::durable::error::DurableError;
use crate::durable::info::DurableInfo;
use crate::durable::known::note;
use crate::durable::options::DurableRole;
use crate::durable::start::{CommandToStart, DurableStartError, start};
use crate::engine::Engine;
use crate::helper::durable::plan::MAX_INPUT;
use crate::helper::supervisor::protocol::plan::RemotePlan;
use crate::job::handle::{DescribesDurable, SharedJob};
use crate::job::io::spill::SpillFile;
use crate::job::launch::{HostEnds, create_spill};
use crate::job::model::error::LaunchError;
use crate::job::model::plan::{DurablePlan, Invocation, Plan};
use crate::job::sandbox::{not_built_there, plan_for_supervisor};
use crate::process::errno::Errno;
use crate::process::registry::Owner;
use crate::sandbox::options::Network;
use crate::sandbox::plan::sockets::SocketKind;

/// A durable job to which this host is attached.
#[derive(Debug)]
pub(in crate::job) struct DurableLaunch {
    pub command: DurableCommand,
    pub ends: HostEnds,
    pub spill: Option<SpillFile>,
}

impl DescribesDurable for SharedInfo {
    fn describe(&self) -> DurableInfo {
        self.get()
    }
}

/// Starts the command of a plan, or attaches to the job that the plan names.
pub(in crate::job) fn launch_durable(
    engine: &'static Engine,
    plan: &Plan,
    owner: &Owner,
    durable: &DurablePlan,
    shared: &SharedJob,
) -> Result<LaunchedCommand, LaunchError> {
    let (ring, screen) = (shared.ring.clone(), shared.screen.clone());
    let on_dropped = Box::new(move |count| {
        if let Some(screen) = &screen {
            screen.set_partial();
        }
        if let Some(ring) = &ring {
            ring.lock().unwrap_or_else(PoisonError::into_inner).skip(count);
        }
    });
    let options = &durable.options;
    let attached = match &options.role {
        DurableRole::Attach { since } => {
            attach(engine, &options.directory, &options.id, *since, on_dropped).map_err(LaunchError::Durable)
        }
        DurableRole::Start(of_start) => {
            // The sandbox hides the directory.
            note(&options.directory);
            let command = command_of(plan, owner, durable, of_start.sandbox.as_deref(), shared)?;
            start(engine, &options.directory, &options.id, of_start, command, on_dropped)
                .map_err(|error| launch_error(error, plan))
        }
    };
    let Attached { command, stdin, stdout, stderr } = attached?;
    let ends = HostEnds { stdin, stdout, stderr, terminal: None };
    Ok(LaunchedCommand::Durable(Box::new(DurableLaunch { command, ends, spill: create_spill(plan) })))
}

fn command_of(
    plan: &Plan,
    owner: &Owner,
    durable: &DurablePlan,
    sandbox: Option<&str>,
    shared: &SharedJob,
) -> Result<CommandToStart, LaunchError> {
    let surroundings = &plan.surroundings;
    if plan.has_null_byte() {
        return Err(LaunchError::NullByte);
    }
    if surroundings.target.is_some() {
        return Err(needs_host("a target"));
    }
    if surroundings.overlay.is_some() {
        return Err(needs_host("an overlay"));
    }
    if surroundings.prompts.is_some() {
        return Err(needs_host("prompts that a person answers"));
    }
    let options = surroundings.sandbox.as_ref();
    if options.is_some_and(|options| options.asks || matches!(options.network, Network::Allow { .. })) {
        return Err(needs_host("a sandbox with a list of allowed hosts"));
    }
    if options.is_some_and(|options| options.sockets.iter().any(|entry| is_ssh_agent(entry))) {
        return Err(needs_host("a sandbox with the agent of ssh"));
    }
    let mut remote = RemotePlan { has_empty_environment: true, ..remote_plan(plan, &[], None) };
    let mut sandbox = plan_for_supervisor(plan, owner, sandbox)?;
    if let Some(sandbox) = &mut sandbox {
        remote.variables = std::mem::take(&mut sandbox.variables);
    }
    // A host that dies while it writes would leave half of an input.
    let input = shared.input.take_given_up_to(MAX_INPUT);
    let grace = if plan.ending.is_at_once() { None } else { plan.ending.grace };
    Ok(CommandToStart {
        shown: shown(&plan.invocation),
        cwd: surroundings.directory.path.clone(),
        plan: remote,
        input,
        timeout: durable.timeout,
        idle: durable.idle,
        signal: plan.ending.signal.as_raw(),
        grace,
        sandbox,
        tree: surroundings.tree.as_deref().cloned(),
    })
}

fn is_ssh_agent(entry: &str) -> bool {
    SocketKind::of(entry) == SocketKind::SshAgent
}

fn shown(invocation: &Invocation) -> String {
    match invocation {
        Invocation::Line(line) => line.clone(),
        Invocation::Program { program, arguments } => {
            shell_words::join(std::iter::once(program).chain(arguments))
        }
    }
}

fn needs_host(what: &str) -> LaunchError {
    LaunchError::Durable(DurableError {
        code: "ERR_FEATURE_UNAVAILABLE",
        message: format!("a durable job can't have {what}: that needs its host"),
    })
}

fn launch_error(error: DurableStartError, plan: &Plan) -> LaunchError {
    match error {
        DurableStartError::Durable(error) => LaunchError::Durable(error),
        DurableStartError::Command { step, errno, path } => failed_step(plan, step, errno, &path),
        DurableStartError::Limits(reason) => LaunchError::Limits(reason),
        DurableStartError::Sandbox(failure) => not_built_there(plan, &failure),
        DurableStartError::System(errno) => LaunchError::system(plan.program(), Errno(errno)),
    }
}
