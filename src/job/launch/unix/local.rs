//! Starts the process of a plan on this machine.

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};
use std::time::Instant;

use tracing::debug;

use super::arguments::ExecArguments;
use super::streams::Streams;
use crate::engine::Engine;
use crate::engine::leader::Leader;
use crate::engine::leader_launch::{LeaderLaunch, SpawnedLeader};
use crate::engine::scan::{ExpectedJob, TrackedJob};
use crate::job::io::spill::SpillFile;
use crate::job::launch::{HostEnds, create_spill};
use crate::job::model::error::LaunchError;
use crate::job::model::plan::{Plan, Report, Surroundings};
use crate::job::prompts::PromptSocket;
use crate::job::sandbox::{CommandInside, PlannedSandbox, RunningSandbox};
use crate::process::cgroup::tree::LimitedTree;
use crate::process::directory::{Directory, DirectoryError, OpenDirectory, Problem, open_directory};
use crate::process::errno::Errno;
use crate::process::helper_program::{self, HelperError};
use crate::process::registry::Owner;
use crate::process::spawn::{
    Attributes, SpawnError, SpawnRequest, Spawned, StandardStreams, Step, spawn_with_retries,
};
use crate::process::tag::Tag;

/// A launched process with its pipes, and its registration in the table of live jobs.
#[derive(Debug)]
pub(in crate::job) struct Launched {
    /// The tracking of the job's processes, from the spawn on.
    pub tracked: TrackedJob,
    /// The process, which leads a session and a process group.
    pub leader: Leader,
    /// The pidfd of the process, where the kernel has pidfds.
    pub pidfd: Option<OwnedFd>,
    /// The host's ends of the process's streams.
    pub ends: HostEnds,
    /// The file for the whole output, if the plan wants one.
    pub spill: Option<SpillFile>,
    /// The real path of the working directory, if the outcome reports it.
    pub directory: Option<String>,
    /// The sandbox of the command, if it has one.
    pub sandbox: Option<Box<RunningSandbox>>,
    /// The limits of all processes together, if the command has any.
    pub tree: Option<LimitedTree>,
    /// The socket at which programs ask a person, if they may.
    pub(crate) prompts: Option<PromptSocket>,
}

impl Launched {
    /// Returns the pid of the command, which is the leader unless a sandbox has processes above it.
    #[must_use]
    pub(in crate::job) fn command(&self) -> i32 {
        let inside = self.sandbox.as_ref().and_then(|sandbox| sandbox.pids().command);
        inside.unwrap_or_else(|| self.leader.identity().pid.as_raw_nonzero().get())
    }
}

/// A running process, or the reason why there is none.
pub(super) type LaunchResult = Result<Launched, LaunchError>;

/// Returns the error of a launch whose spawn has failed.
fn not_spawned(plan: &Plan, SpawnError { step, errno }: SpawnError) -> LaunchError {
    match step {
        Step::Directory => LaunchError::not_entered(&plan.surroundings.directory.path, errno),
        Step::Helper => LaunchError::Helper(HelperError::of_execution(helper_program::path(), errno)),
        Step::HelperKilled => LaunchError::Helper(HelperError::Killed(helper_program::path().to_owned())),
        _ => LaunchError::system(plan.program(), errno),
    }
}

/// The opened directory in which a command starts, and what follows it in an overlay.
struct StartDirectory {
    directory: OpenDirectory,
    /// The rest of the path, which an overlay may have alone: the helper enters it. Empty for none.
    below: String,
}

impl StartDirectory {
    fn open(surroundings: &Surroundings) -> Result<Self, DirectoryError> {
        let asked = &surroundings.directory;
        let opened = open_directory(asked).map(|directory| Self { directory, below: String::new() });
        let (Err(error), Some(root), Some(_)) = (&opened, &asked.root, &surroundings.overlay) else {
            return opened;
        };
        let below = Path::new(&asked.path).strip_prefix(root).ok().and_then(Path::to_str);
        let is_beneath = |path: &&str| Path::new(path).components().all(|part| part != Component::ParentDir);
        match below.filter(|path| error.problem == Problem::Missing && is_beneath(path)) {
            Some(below) => {
                let directory = open_directory(&Directory { path: root.clone(), root: None })?;
                Ok(Self { directory, below: format!("/{below}") })
            }
            None => opened,
        }
    }
}

/// Starts the process of a plan.
///
/// # Errors
///
/// The reason why there is no process.
pub(super) fn launch(
    engine: &'static Engine,
    plan: &Plan,
    owner: &Owner,
    called_at: Instant,
) -> LaunchResult {
    let program = plan.program();
    let on_system_error = |error: io::Error| LaunchError::system(program, Errno::of(&error));
    // The directory is opened before anything else, so that a missing directory is not reported as a missing
    // program.
    let StartDirectory { directory, below } =
        StartDirectory::open(&plan.surroundings).map_err(|error| LaunchError::directory(error, program))?;
    if plan.has_null_byte() {
        return Err(LaunchError::NullByte);
    }
    let (prompts, with_prompts) = prepare_prompts(plan).map_err(on_system_error)?.unzip();
    let plan = with_prompts.as_ref().unwrap_or(plan);
    let arguments = ExecArguments::new(plan).map_err(|_| LaunchError::NullByte)?;
    let streams = match plan.terminal {
        Some(terminal) => Streams::of_terminal(terminal.size)
            .map_err(|error| LaunchError::Terminal { errno: Errno::of(&error) })?,
        None => Streams::new(plan).map_err(on_system_error)?,
    };
    let tag = if plan.is_tagged { Tag::new() } else { None };
    // The path is read before the command runs, because the command may move or remove the directory.
    let needs_path = plan.surroundings.sandbox.is_some() || plan.report() == Report::Full;
    let real_path = if needs_path { directory.real_path().map(|path| path + &below) } else { None };
    let inside = || CommandInside::new(plan, real_path.as_deref(), tag);
    let planned = PlannedSandbox::new(&plan.surroundings, owner, inside)?;
    let tree = limited_tree(engine, plan, &directory)?.map(RefCell::new);
    // The wait comes here and not earlier, because the guardian starts while the steps above run.
    let leader = LeaderLaunch::reserve(engine, owner, streams.inodes(), tag, plan.outlives_host)
        .ok_or(LaunchError::OwnerGone)?;
    let running = Cell::new(None);
    let expected = ExpectedJob::announce(engine.scanner());
    let spawned = leader.spawn(|record, pdeathsig| {
        arguments.spawn(|arguments, environment, programs, extra_fd| {
            let request = SpawnRequest {
                candidates: programs,
                arguments,
                environment,
                directory: directory.descriptor.as_fd(),
                stdio: StandardStreams {
                    stdin: streams.stdin.as_fd(),
                    stdout: streams.stdout_of_child().as_fd(),
                    stderr: streams.stderr_of_child().as_fd(),
                },
                extra_fd,
                record,
                attributes: Attributes {
                    has_terminal: streams.is_terminal,
                    inherits_descriptors: planned.is_none(),
                    pdeathsig,
                    // In a sandbox, the helper makes the command the subreaper.
                    is_subreaper: planned.is_none(),
                    ignores_termination: false,
                    cgroup: None,
                },
                limits: &plan.surroundings.limits,
                tag: tag.map(Tag::value),
            };
            spawn_limited(tree.as_ref(), &request, |request| match &planned {
                Some(planned) => {
                    planned.spawn(request, &running, |request| spawn_with_retries(request, called_at))
                }
                None => spawn_with_retries(request, called_at),
            })
        })
    });
    let SpawnedLeader { leader, pidfd, .. } = match spawned {
        Ok(spawned) => spawned,
        Err(error) => {
            if let Some(Err(failure)) = running.take() {
                return Err(failure);
            }
            if let Some(reason) = tree.and_then(|tree| tree.into_inner().refusal()) {
                return Err(LaunchError::Limits(reason));
            }
            let program = plan.shown_program();
            debug!(program = &*program, step = ?error.step, errno = %error.errno.name(), "not spawned");
            return Err(not_spawned(plan, error));
        }
    };
    let identity = leader.identity();
    let (pid, after) = (identity.pid.as_raw_nonzero(), called_at.elapsed());
    debug!(pid, program = &*plan.shown_program(), ?after, "spawned");
    let guarded_for = (!plan.outlives_host).then(|| owner.clone());
    let sandbox = running.take().and_then(Result::ok);
    let roots = sandbox.as_ref().and_then(|sandbox| sandbox.pids().roots());
    // If the owner has closed, the task of the job kills the leader like any other.
    let tracked = expected.in_sandbox(roots).begin(identity, tag, guarded_for);
    Ok(Launched {
        tracked,
        leader,
        pidfd,
        ends: streams.into_host_ends(),
        spill: create_spill(plan),
        directory: real_path,
        sandbox,
        tree: tree.map(RefCell::into_inner),
        prompts,
    })
}

/// Makes the socket at which programs ask a person, and the plan with the variables that lead there, if the
/// plan has prompts.
fn prepare_prompts(plan: &Plan) -> io::Result<Option<(PromptSocket, Plan)>> {
    let Some(variables) = plan.surroundings.prompts else { return Ok(None) };
    let socket = PromptSocket::create()?;
    let mut plan = plan.clone();
    socket.add_to(&mut plan.surroundings.environment.0, variables);
    plan.surroundings.files.push(socket.directory().to_owned());
    Ok(Some((socket, plan)))
}

/// Makes the limits of all processes together, if the plan has any.
fn limited_tree(
    engine: &Engine,
    plan: &Plan,
    directory: &OpenDirectory,
) -> Result<Option<LimitedTree>, LaunchError> {
    let Some(wanted) = &plan.surroundings.tree else { return Ok(None) };
    let tree = LimitedTree::prepare(wanted, directory.descriptor.as_fd(), plan.outlives_host)
        .map_err(LaunchError::Limits)?;
    if let Some((host, path)) = tree.place() {
        engine.registry().add_cgroups(&host, path);
    }
    Ok(Some(tree))
}

/// Spawns in a cgroup, if there is one. A command that may run without its limits does so if it can't enter.
fn spawn_limited(
    tree: Option<&RefCell<LimitedTree>>,
    request: &SpawnRequest<'_>,
    spawn: impl Fn(&SpawnRequest<'_>) -> Result<Spawned, SpawnError>,
) -> Result<Spawned, SpawnError> {
    let Some(tree) = tree else { return spawn(request) };
    let spawned = {
        let tree = tree.borrow();
        let attributes = Attributes { cgroup: tree.directory(), ..request.attributes };
        spawn(&SpawnRequest { attributes, ..*request })
    };
    match spawned {
        Err(SpawnError { step: Step::Cgroup, errno }) if tree.borrow_mut().give_up(errno) => spawn(request),
        result => result,
    }
}
