//! Launches on Windows, in a job object: `command_line` finds the program and quotes its arguments, `streams`
//! has the ends of its pipes, `script` is the file of a command that is too long for a command line.

mod command_line;
mod script;
mod streams;

use std::io;
use std::time::Instant;

use tracing::debug;

pub use self::command_line::shell_program;
use self::command_line::{CommandLine, runtime_of};
pub(in crate::job) use self::script::TemporaryScript;
use super::pending::PendingLaunch;
use super::pipes::CommandPipes;
use super::{HostEnds, create_spill};
use crate::durable::error::DurableError;
use crate::engine::Engine;
use crate::engine::leader::Leader;
use crate::job::io::spill::SpillFile;
use crate::job::model::error::LaunchError;
use crate::job::model::plan::{Environment, Limits, Plan, Report};
use crate::process::cgroup::tree::LimitedTree;
use crate::process::directory::open_directory;
use crate::process::errno::Errno;
use crate::process::registry::Owner;
use crate::process::windows::environment::{block, missing};
use crate::process::windows::job_object;
use crate::process::windows::spawn::{Request, spawn};
use crate::sandbox::texts;

/// A launched process with its pipes.
#[derive(Debug)]
pub(in crate::job) struct Launched {
    pub(in crate::job) leader: Leader,
    /// The host's ends of the process's streams.
    pub(in crate::job) ends: HostEnds,
    /// The file for the whole output, if the plan wants one.
    pub(in crate::job) spill: Option<SpillFile>,
    /// The path of the working directory, if the outcome reports it.
    pub(in crate::job) directory: Option<String>,
    /// The limits of all processes together, if the command has any.
    pub(in crate::job) tree: Option<LimitedTree>,
    /// The file from which the shell reads a long command.
    pub(in crate::job) script: Option<TemporaryScript>,
}

/// A command that runs.
#[derive(Debug)]
pub(in crate::job) struct LaunchedCommand(pub(in crate::job) Box<Launched>);

/// Carries out a launch, unless it was stopped before.
pub(in crate::job) fn run_launch(engine: &'static Engine, launch: PendingLaunch) {
    let PendingLaunch { plan, owner, called_at, claim, sender, .. } = launch;
    if claim.take() {
        debug!(program = &*plan.shown_program(), queued = ?called_at.elapsed(), "launching");
        let launched = start(engine, &plan, &owner, called_at);
        // If the job has ended meanwhile, the send fails and drops the process, which ends it.
        let _ = sender.send(launched.map(|launched| LaunchedCommand(Box::new(launched))));
    }
}

/// Ends the jobs of an owner that has closed.
pub(in crate::job) fn end_jobs_of(engine: &Engine, owner: &Owner) {
    engine.jobs().end_jobs_of(owner);
}

/// Starts the process of a plan.
fn start(
    engine: &'static Engine,
    plan: &Plan,
    owner: &Owner,
    called_at: Instant,
) -> Result<Launched, LaunchError> {
    let program = plan.program();
    let on_system_error = |error: io::Error| LaunchError::system(program, Errno::of(&error));
    check_features(plan)?;
    // The directory is opened before anything else, so that a missing directory is not reported as a missing
    // program.
    let directory = open_directory(&plan.surroundings.directory)
        .map_err(|error| LaunchError::directory(error, program))?;
    if plan.has_null_byte() {
        return Err(LaunchError::NullByte);
    }
    let variables = whole(&plan.surroundings.environment);
    // The first character can be a `=`: the current directories of drives are variables.
    let named = variables.variables().filter_map(|variable| {
        let at = variable.char_indices().skip(1).find(|(_, character)| *character == '=')?.0;
        Some((&variable[..at], &variable[at + 1..]))
    });
    let environment = block(named).map_err(|error| LaunchError::Argument(error.to_string()))?;
    let CommandLine { program: path, line, script } = CommandLine::of(plan, &variables, directory.path())?;
    let tree = plan.surroundings.tree.as_deref().map(LimitedTree::prepare).transpose();
    let tree = tree.map_err(LaunchError::Limits)?;
    let limits = limits(plan, tree.as_ref());
    let job = engine.jobs().add(limits, owner).map_err(on_system_error)?.ok_or(LaunchError::OwnerGone)?;
    let started = CommandPipes::new(plan).and_then(|streams| {
        let request = Request {
            program: &path,
            line: &line,
            environment: &environment,
            directory: directory.path(),
            streams: streams.of_child(),
            job: job.object(),
        };
        Ok((spawn(&request)?, streams.into_host_ends()))
    });
    let (child, ends) = started.map_err(|error| {
        engine.jobs().release(&job);
        on_system_error(error)
    })?;
    debug!(pid = child.pid(), program = &*plan.shown_program(), after = ?called_at.elapsed(), "spawned");
    let leader = Leader::new(engine, child, job, runtime_of(&path));
    // An owner that closed before has ended the job without this process; the drop of the leader ends it.
    if owner.is_closed() && !plan.outlives_host {
        return Err(LaunchError::OwnerGone);
    }
    Ok(Launched {
        leader,
        ends,
        spill: create_spill(plan),
        directory: (plan.report() == Report::Full).then(|| directory.path().to_owned()),
        tree,
        script,
    })
}

/// Returns the environment with what Windows' own libraries need.
fn whole(environment: &Environment) -> Environment {
    #[allow(clippy::disallowed_methods, reason = "Windows keeps other threads from changing it meanwhile")]
    let added = missing(environment.variables(), |name| std::env::var(name).ok());
    let all = environment.variables().chain(added.iter().map(String::as_str));
    Environment(all.collect::<Vec<_>>().join("\0"))
}

/// Checks that a plan needs nothing that this system lacks.
fn check_features(plan: &Plan) -> Result<(), LaunchError> {
    let surroundings = &plan.surroundings;
    let unavailable = |feature, instead| Err(LaunchError::Unavailable { feature, instead });
    if let Some(options) = &surroundings.sandbox {
        return Err(LaunchError::Sandbox {
            code: "SANDBOX_UNAVAILABLE",
            message: texts::unavailable(options.level, texts::LINUX_ONLY),
        });
    }
    if plan.durable.is_some() {
        return Err(LaunchError::Durable(DurableError::platform()));
    }
    if surroundings.target.is_some() {
        return unavailable("target", "run the command here, or the agent on the other machine");
    }
    if plan.terminal.is_some() {
        return unavailable("pty", "run the command with pipes");
    }
    if surroundings.prompts.is_some() {
        return unavailable("onPrompt", "give the program its answer by an option or its own agent");
    }
    let Limits { file_size, open_files, .. } = surroundings.limits;
    if file_size.or(open_files).is_some() {
        return unavailable("limits.fileSize and limits.openFiles", "use limits.memory, processes or cpu");
    }
    Ok(())
}

/// Returns the limits of a plan as a job object takes them.
fn limits(plan: &Plan, tree: Option<&LimitedTree>) -> job_object::Limits {
    const TICKS_OF_SECOND: u64 = 10_000_000;
    let Limits { memory, processes, cpu, .. } = plan.surroundings.limits;
    let of_job = tree.map(LimitedTree::of_job).unwrap_or_default();
    let fewest = processes.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    job_object::Limits {
        processes: of_job.processes.into_iter().chain(fewest).min(),
        process_memory: memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
        process_time: cpu
            .map(|seconds| i64::try_from(seconds.saturating_mul(TICKS_OF_SECOND)).unwrap_or(i64::MAX)),
        outlives_host: plan.outlives_host,
        ..of_job
    }
}
