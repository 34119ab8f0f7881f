//! Starts a durable job: makes the directory, starts a supervisor, and hands the plan over to it. Blocks. The
//! supervisor runs a copy of the helper (`program`), where it lives longest (`place`).

mod place;
mod program;

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use self::place::{PlaceFacts, ScopeManager, SupervisorPlace, place, scope_words, systemd_run};
use self::program::{HelperCopy, copy_of};
use crate::durable::attach::playback::OnDropped;
use crate::durable::attach::task::JobNow;
use crate::durable::attach::{Attached, JobToAttach, begin};
use crate::durable::error::DurableError;
use crate::durable::find::swept;
use crate::durable::info::DurableInfo;
use crate::durable::known::note;
use crate::durable::options::StartOptions;
use crate::durable::socket::SupervisorSocket;
use crate::engine::Engine;
use crate::helper::durable::directory::{JobsDirectory, machine};
use crate::helper::durable::plan::{DurablePlan, DurableSandbox, StartRefusal};
use crate::helper::durable::protocol::{HostRequest, JobEvent};
use crate::helper::durable::record::facts::{JobFacts, SandboxFacts};
use crate::helper::supervisor::protocol::enums::FailedStep;
use crate::helper::supervisor::protocol::frame::MAX_PAYLOAD;
use crate::helper::supervisor::protocol::plan::RemotePlan;
use crate::process::cgroup::limits::TreeLimits;
use crate::process::errno::Errno;
use crate::process::fd::above_standard_streams;
use crate::process::helper_program::{self, DURABLE, VERSION};
use crate::process::spawn::{Attributes, Limits, SpawnRequest, StandardStreams, spawn};
use crate::process::wait::{Exit, await_exit, reap};
use crate::sandbox::protocol::report::SandboxFailure;
use crate::wire;

/// The longest time from the start of a supervisor to its greeting. Usually that takes some milliseconds,
/// with systemd some more.
const GREETING_DEADLINE: Duration = Duration::from_secs(10);

/// The longest time for a command to start. A directory on a network that does not answer may take longer:
/// then the job is found, and goes on.
const LAUNCH_DEADLINE: Duration = Duration::from_secs(60);

/// The command of a job, besides what its plan says.
#[derive(Debug)]
pub struct CommandToStart {
    pub plan: RemotePlan,
    /// The command and the directory, as they were given.
    pub shown: String,
    pub cwd: String,
    /// The whole input, if it was given in advance.
    pub input: Option<Vec<u8>>,
    pub timeout: Option<Duration>,
    pub idle: Option<Duration>,
    pub signal: i32,
    pub grace: Option<Duration>,
    pub sandbox: Option<SandboxToStart>,
    pub tree: Option<TreeLimits>,
}

/// A planned sandbox, with what the supervisor needs of this process to build it.
#[derive(Debug)]
pub struct SandboxToStart {
    pub planned: DurableSandbox,
    pub facts: SandboxFacts,
    /// The environment of the command, with what the sandbox adds (`NAME=value`).
    pub variables: Vec<Vec<u8>>,
    /// The lock of the private directories, and the descriptors of the mounts.
    pub descriptors: Vec<OwnedFd>,
}

/// The reason why no job has started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DurableStartError {
    Durable(DurableError),
    /// The supervisor could not start the command.
    Command {
        step: FailedStep,
        errno: i32,
        path: String,
    },
    /// The limits of all processes together can't be applied.
    Limits(String),
    /// The sandbox could not be built.
    Sandbox(SandboxFailure),
    /// The system's error of a file or a process.
    System(i32),
}

impl From<DurableError> for DurableStartError {
    fn from(error: DurableError) -> Self {
        Self::Durable(error)
    }
}

impl From<io::Error> for DurableStartError {
    fn from(error: io::Error) -> Self {
        Self::System(Errno::of(&error).0)
    }
}

/// Starts a job, and attaches to it.
///
/// # Errors
///
/// Why nothing has run.
pub fn start(
    engine: &'static Engine,
    path: &Path,
    id: &str,
    options: &StartOptions,
    mut command: CommandToStart,
    on_dropped: OnDropped,
) -> Result<Attached, DurableStartError> {
    let jobs = JobsDirectory::open_or_make(path).map_err(|fault| DurableError::directory(path, fault))?;
    note(path);
    swept(path, &jobs)?;
    let helper = helper_program::path();
    helper_program::check(helper).map_err(DurableError::unavailable)?;
    let copy = copy_of(helper, options.cache.as_deref()).map_err(DurableError::unavailable)?;
    let chosen = place(&PlaceFacts::of_this_machine(options.runtime.as_deref()));
    if options.needs_logout && !chosen.survives_logout {
        let reason = format!("the job would not survive a log-out: it would run {}", chosen.reason);
        return Err(DurableError::unavailable(reason).into());
    }
    let (mut socket, chosen) = summon(&copy, &jobs, id, chosen, options)?;
    let has_input = command.plan.has_input && command.input.is_none();
    let descriptors =
        command.sandbox.as_mut().map(|sandbox| std::mem::take(&mut sandbox.descriptors)).unwrap_or_default();
    let plan = plan_of(id, options, command, &chosen, has_input);
    let facts = plan.facts.clone();
    let until = Instant::now() + GREETING_DEADLINE;
    for part in plan.encode().chunks(MAX_PAYLOAD) {
        socket.send(&HostRequest::Plan(part), until)?;
    }
    // A job that starts and can't be attached to is ended by this copy of the socket.
    let spare = SupervisorSocket::new(socket.as_fd().try_clone_to_owned()?)?;
    socket.send_with(&HostRequest::Start, &descriptors, until)?;
    drop(descriptors);
    let answer = socket.receive(Instant::now() + LAUNCH_DEADLINE, |event| match event {
        JobEvent::Started { pid, directory } => {
            Some(Ok((pid, String::from_utf8(directory.to_vec()).ok().filter(|path| !path.is_empty()))))
        }
        JobEvent::Failed(failure) => {
            Some(Err(wire::decode(failure).unwrap_or(StartRefusal::Files(libc::EIO))))
        }
        _ => None,
    });
    let (pid, real_path) = match answer {
        Ok(Ok(started)) => started,
        Ok(Err(failure)) => return Err(refused(failure, &facts)),
        Err(error) if error.kind() == io::ErrorKind::TimedOut => (0, None),
        Err(_) => return Err(DurableError::lost(id, "its supervisor has ended").into()),
    };
    attach_to_own(engine, path, &jobs, (socket, facts), (pid, real_path), on_dropped).map_err(|error| {
        let kill = HostRequest::Stop { signal: libc::SIGKILL, grace: None };
        let _ = spare.send(&kill, Instant::now() + GREETING_DEADLINE);
        error.into()
    })
}

/// Attaches to the job that was just started.
fn attach_to_own(
    engine: &'static Engine,
    path: &Path,
    jobs: &JobsDirectory,
    (socket, facts): (SupervisorSocket, JobFacts),
    (pid, real_path): (u32, Option<String>),
    on_dropped: OnDropped,
) -> io::Result<Attached> {
    let has_input = facts.has_input;
    let directory = jobs.job(&facts.id)?;
    // The file of the supervisor's own has its pid too.
    let facts = directory.facts().unwrap_or(facts);
    let mut info = DurableInfo::of_files(facts, None);
    info.attached = 1;
    if pid != 0 {
        info.pid = pid;
    }
    let beginning = JobToAttach {
        directory,
        info,
        now: JobNow::Runs(socket),
        since: 0,
        has_input,
        real_path,
        is_started: true,
    };
    begin(engine, path, beginning, on_dropped)
}

fn plan_of(
    id: &str,
    options: &StartOptions,
    command: CommandToStart,
    place: &SupervisorPlace,
    has_input: bool,
) -> DurablePlan {
    let CommandToStart { plan, shown, cwd, input, timeout, idle, signal, grace, sandbox, tree } = command;
    let (sandbox, sandbox_facts) =
        sandbox.map(|SandboxToStart { planned, facts, .. }| (planned, facts)).unzip();
    let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (machine, boot) = machine();
    DurablePlan {
        facts: JobFacts {
            id: id.to_owned(),
            command: shown,
            cwd,
            name: options.name.clone(),
            owner: options.owner.clone(),
            root: options.root.clone(),
            version: VERSION.to_owned(),
            started_at: milliseconds(now),
            deadline: milliseconds(options.deadline),
            unattended: milliseconds(options.unattended),
            keep: milliseconds(options.keep),
            has_input,
            terminal: plan.terminal,
            is_merged: plan.is_merged,
            survives_logout: place.survives_logout,
            reason: place.reason.to_owned(),
            machine,
            boot,
            supervisor: 0,
            sandbox: sandbox_facts,
        },
        command: plan,
        input,
        max_log: options.max_log,
        timeout: timeout.map(milliseconds),
        idle: idle.map(milliseconds),
        signal,
        grace: grace.map(milliseconds),
        check: milliseconds(options.check),
        sandbox,
        tree,
    }
}

fn refused(failure: StartRefusal, facts: &JobFacts) -> DurableStartError {
    match failure {
        StartRefusal::Command { step, errno, path } => {
            DurableStartError::Command { step, errno, path: String::from_utf8_lossy(&path).into_owned() }
        }
        StartRefusal::Limits(reason) => DurableStartError::Limits(reason),
        StartRefusal::Sandbox(failure) => DurableStartError::Sandbox(failure),
        StartRefusal::Taken => DurableError::taken(facts.name.as_deref().unwrap_or_default()).into(),
        StartRefusal::Limit => {
            DurableError::limit("256 jobs run in the directory of durable jobs already").into()
        }
        StartRefusal::Files(errno) => DurableStartError::System(errno),
    }
}

/// Starts a supervisor, and waits for its greeting. Where a scope can't be made, it stays with the host.
fn summon(
    copy: &HelperCopy,
    jobs: &JobsDirectory,
    id: &str,
    mut chosen: SupervisorPlace,
    options: &StartOptions,
) -> Result<(SupervisorSocket, SupervisorPlace), DurableStartError> {
    if let Some(manager) = chosen.manager
        && let Some(program) = systemd_run()
    {
        let words = scope_words(manager, id).into_iter().chain([copy.path().display().to_string()]);
        let environment: Vec<String> = match (manager, &options.runtime) {
            (ScopeManager::User, Some(runtime)) => vec![format!("XDG_RUNTIME_DIR={}", runtime.display())],
            _ => Vec::new(),
        };
        if let Some(socket) = spawn_supervisor(&program, words.collect(), &environment, jobs, id)? {
            return Ok((socket, chosen));
        }
        chosen = SupervisorPlace {
            manager: None,
            survives_logout: false,
            reason: "with the host, since systemd made no scope for it",
        };
        if options.needs_logout {
            let reason = format!("the job would not survive a log-out: it would run {}", chosen.reason);
            return Err(DurableError::unavailable(reason).into());
        }
    }
    let words = vec!["agent-bash-durable".to_owned()];
    let socket = spawn_supervisor(&copy.path(), words, &[], jobs, id)?;
    let ended = || DurableError::unavailable("the helper program did not start");
    Ok((socket.ok_or_else(ended)?, chosen))
}

/// Runs a program that becomes the supervisor; `None` if it has ended without a greeting.
fn spawn_supervisor(
    program: &Path,
    words: Vec<String>,
    environment: &[String],
    jobs: &JobsDirectory,
    id: &str,
) -> Result<Option<SupervisorSocket>, DurableStartError> {
    let (theirs, ours) = UnixStream::pair()?;
    let theirs = above_standard_streams(OwnedFd::from(theirs))?;
    let null = File::options().write(true).open("/dev/null")?;
    let null = above_standard_streams(null.into())?;
    let directory = above_standard_streams(jobs.as_fd().try_clone_to_owned()?)?;
    let root = File::open("/")?;
    let text = |text: String| CString::new(text).map_err(|_| DurableStartError::System(libc::EINVAL));
    let candidate =
        CString::new(program.as_os_str().as_bytes()).map_err(|_| DurableStartError::System(libc::EINVAL))?;
    let words = words.into_iter().chain([DURABLE.to_owned(), id.to_owned()]);
    let arguments = words.map(text).collect::<Result<Vec<_>, _>>()?;
    let environment = environment.iter().cloned().map(text).collect::<Result<Vec<_>, _>>()?;
    let request = SpawnRequest {
        candidates: &[candidate],
        arguments: &arguments,
        environment: &environment,
        directory: root.as_fd(),
        stdio: StandardStreams { stdin: theirs.as_fd(), stdout: directory.as_fd(), stderr: null.as_fd() },
        extra_fd: None,
        record: None,
        attributes: Attributes { ignores_termination: true, ..Attributes::default() },
        limits: &Limits::default(),
        tag: None,
    };
    let spawned = spawn(&request).map_err(|error| {
        DurableError::unavailable(format!("the helper program can't be started: {}", error.errno.name()))
    })?;
    drop(theirs);
    // The process exits when it has forked the supervisor, which is no child of this one.
    await_exit(spawned.pid);
    if reap(spawned.pid) != Some(Exit::Code(0)) {
        return Ok(None);
    }
    let mut socket = SupervisorSocket::new(ours.into())?;
    let greeting = socket.receive(Instant::now() + GREETING_DEADLINE, |event| match event {
        JobEvent::Hello(_) => Some(Ok(())),
        JobEvent::Failed(failure) => {
            Some(Err(wire::decode(failure).unwrap_or(StartRefusal::Files(libc::EIO))))
        }
        _ => None,
    });
    match greeting {
        Ok(Ok(())) => Ok(Some(socket)),
        Ok(Err(failure)) => Err(refused(failure, &JobFacts::default())),
        Err(_) => Err(DurableError::unavailable("the supervisor did not greet").into()),
    }
}
