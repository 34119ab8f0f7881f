//! Starts a command on a target.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::LaunchedCommand;
use crate::engine::Engine;
use crate::helper::supervisor::protocol::enums::FailedStep;
use crate::helper::supervisor::protocol::plan::{RemotePlan, Role};
use crate::job::io::input::JobInput;
use crate::job::io::spill::SpillFile;
use crate::job::launch::await_launch::Launching;
use crate::job::launch::pending::Claim;
use crate::job::launch::{HostEnds, create_spill};
use crate::job::model::error::LaunchError;
use crate::job::model::plan::{Input, Invocation, Leftovers, Plan, Shell};
use crate::job::model::surroundings::{OnTarget, SessionShell};
use crate::process::directory::{DirectoryError, Problem};
use crate::process::errno::Errno;
use crate::process::registry::Owner;
use crate::target::remote_command::RemoteCommand;
use crate::target::{RemoteStart, StartError, StartedCommand};

/// A command that runs on a target.
#[derive(Debug)]
pub(in crate::job) struct RemoteLaunch {
    pub command: RemoteCommand,
    pub ends: HostEnds,
    pub spill: Option<SpillFile>,
}

/// Starts the command of a plan on its target. Runs on a spawner thread, because the spill file is made here.
pub(in crate::job) fn launch_on_target(
    engine: &'static Engine,
    plan: &Arc<Plan>,
    owner: &Owner,
    elsewhere: &OnTarget,
    input: Arc<JobInput>,
    claim: Arc<Claim>,
    sender: oneshot::Sender<Launching>,
) {
    if plan.has_null_byte() {
        let _ = sender.send(Err(LaunchError::NullByte));
        return;
    }
    let spill = create_spill(plan);
    let mut remote = remote_plan(plan, &elsewhere.shells, elsewhere.session_shell.as_ref());
    remote.has_empty_environment = elsewhere.has_empty_environment;
    remote.is_expendable = elsewhere.target.is_own_container();
    let plan_adopts = plan.leftovers == Some(Leftovers::Adopt);
    let plan = Arc::clone(plan);
    let slot = elsewhere.session_shell.as_ref().map(|shell| Arc::clone(&shell.slot));
    let answer = move |started: Result<StartedCommand, StartError>| {
        let launching = match started {
            Ok(StartedCommand { command, stdin, stdout: Some(stdout), stderr, shell }) => {
                if let Some((slot, shell)) = slot.zip(shell) {
                    slot.send_replace(Some(Arc::new(shell)));
                }
                let ends = HostEnds { stdin, stdout, stderr, terminal: None };
                Ok(LaunchedCommand::Remote(Box::new(RemoteLaunch { command, ends, spill })))
            }
            Ok(_) => Err(LaunchError::Internal),
            Err(error) => Err(launch_error(error, &plan)),
        };
        // If the job has ended meanwhile, the send fails and drops the command, which kills it.
        let _ = sender.send(launching);
    };
    let start = RemoteStart {
        adopts_leftovers: plan_adopts,
        plan: remote,
        take_input: Box::new(move || input.take_given()),
        claim: Box::new(move || claim.take()),
        answer: Box::new(answer),
    };
    elsewhere.target.start(engine, owner, start);
}

/// Converts a plan for a supervisor. `shells` are those of a command line, if not that of the plan.
pub(super) fn remote_plan(plan: &Plan, shells: &[Shell], session: Option<&SessionShell>) -> RemotePlan {
    let surroundings = &plan.surroundings;
    let words = match &plan.invocation {
        Invocation::Program { program, arguments } => {
            let words: Vec<&str> = std::iter::once(program).chain(arguments).map(String::as_str).collect();
            vec![bytes(&words)]
        }
        Invocation::Line(_) => {
            let usual = std::slice::from_ref(&surroundings.shell);
            let shells = if shells.is_empty() { usual } else { shells };
            let words = |Shell { program, flags }: &Shell| {
                let words: Vec<&str> = std::iter::once(program).chain(flags).map(String::as_str).collect();
                bytes(&words)
            };
            shells.iter().map(words).collect()
        }
    };
    let line = match &plan.invocation {
        Invocation::Line(line) if session.is_none() => Some(line.as_bytes().to_vec()),
        _ => None,
    };
    let of_session = |shell: &SessionShell| shell.programs.iter().map(|words| bytes(words)).collect();
    let words = session.map_or(words, of_session);
    let (variables, unset): (Vec<&str>, Vec<&str>) =
        surroundings.environment.variables().partition(|variable| variable.contains('='));
    RemotePlan {
        words,
        line,
        variables: bytes(&variables),
        unset: bytes(&unset),
        has_empty_environment: false,
        directory: surroundings.directory.path.clone(),
        root: surroundings.directory.root.clone(),
        terminal: plan.terminal.map(|terminal| terminal.size),
        has_input: plan.input != Input::Empty,
        is_merged: plan.output.is_merged,
        is_expendable: false,
        limits: surroundings.limits,
        role: if session.is_some() { Role::Shell } else { Role::Command },
    }
}

fn bytes(words: &[impl AsRef<str>]) -> Vec<Vec<u8>> {
    words.iter().map(|word| word.as_ref().as_bytes().to_vec()).collect()
}

fn launch_error(error: StartError, plan: &Plan) -> LaunchError {
    match error {
        StartError::Target(error) => LaunchError::Target(error),
        StartError::System(errno) => LaunchError::system(plan.program(), Errno(errno)),
        StartError::Failed { step, errno, path } => failed_step(plan, step, errno, &path),
    }
}

/// Returns the error of a start at which a supervisor has failed.
pub(super) fn failed_step(plan: &Plan, step: FailedStep, errno: i32, path: &str) -> LaunchError {
    let directory = |problem| {
        let error = DirectoryError { problem, path: path.to_owned(), errno: Errno(errno) };
        LaunchError::directory(error, plan.program())
    };
    match (step, errno) {
        (FailedStep::Directory, libc::ENOENT) => directory(Problem::Missing),
        (FailedStep::Directory, libc::ENOTDIR) => directory(Problem::NotDirectory),
        (FailedStep::Directory, libc::EXDEV) => directory(Problem::Outside),
        (FailedStep::Directory, _) => directory(Problem::NotAccessible),
        (FailedStep::Root, libc::ENOENT) => directory(Problem::RootMissing),
        (FailedStep::Root, libc::ENOTDIR) => directory(Problem::RootNotDirectory),
        (FailedStep::Root, _) => directory(Problem::RootNotAccessible),
        (FailedStep::Terminal, _) => LaunchError::Terminal { errno: Errno(errno) },
        _ => LaunchError::system(if path.is_empty() { plan.program() } else { path }, Errno(errno)),
    }
}
