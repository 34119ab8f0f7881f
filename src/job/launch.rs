//! From a plan to a running process. Runs on a spawner thread, since each step may block.

use std::ffi::{CString, NulError};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::directory::open_directory;
use super::engine::Engine;
use super::error::LaunchError;
use super::leader::Leader;
use super::plan::{Input, Invocation, Plan};
use super::processes::TrackedJob;
use super::spill::SpillFile;
use super::warm::shell::Dialect;
use crate::process::errno::Errno;
use crate::process::identity::Identity;
use crate::process::pipe::{above_standard_streams, inode, input_pipe, pipe};
use crate::process::registry::{Owner, Pipes};
use crate::process::spawn::{
    LONGEST_ARGUMENT, Request, Script, SpawnError, Spawned, Step, can_read_script, candidates, read_script,
    script_file, spawn,
};
use crate::process::tag::Tag;
use crate::process::tree::{now, stop};

/// How long to try when there is no process to be had for the moment, from the call on: commands that wait behind one
/// another don't add this up. The pauses between two tries double.
const PATIENCE: Duration = Duration::from_millis(700);
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// How long to try to execute a program that somebody writes, from the call on.
const BUSY_PATIENCE: Duration = Duration::from_millis(200);
const BUSY_PAUSE: Duration = Duration::from_millis(2);

/// A process with its pipes and its place in the table.
#[derive(Debug)]
pub struct Launched {
    /// Its processes are tracked from the spawn on; not those of a shell that waits for its command.
    pub tracked: Option<TrackedJob>,
    /// The process: it leads its session and group.
    pub leader: Leader,
    /// Its pidfd, where the kernel has them.
    pub pidfd: Option<OwnedFd>,
    /// The writing end of standard input, if somebody writes to it.
    pub stdin: Option<OwnedFd>,
    /// The reading end of standard output.
    pub stdout: OwnedFd,
    /// The reading end of standard error, if it is not the same.
    pub stderr: Option<OwnedFd>,
    /// The file for the whole output, if there is to be one.
    pub spill: Option<SpillFile>,
    /// Where it runs, by real path, if that is to be told.
    pub directory: Option<String>,
    /// The same, whatever paths lead there, for a shell that waits.
    pub place: Option<(u64, u64)>,
    /// What its processes carry.
    pub tag: Option<Tag>,
}

/// What a launch comes to.
pub type LaunchResult = Result<Launched, LaunchError>;

/// Starts what the plan says.
///
/// If the host dies, the kernel stops the process, until the guardian comes: it would die of its broken pipe otherwise,
/// and its descendants would be lost. Without a guardian the kernel kills it. One that outlives the host is left alone.
///
/// # Errors
///
/// Why there is no process.
pub fn launch(engine: &'static Engine, plan: &Plan, owner: &Owner, called_at: Instant) -> LaunchResult {
    let launched = launch_with(engine, plan, owner, called_at, None)?;
    Ok(Launched { spill: create_spill(engine, plan), ..launched })
}

/// The file that a plan wants for the whole output.
pub fn create_spill(engine: &'static Engine, plan: &Plan) -> Option<SpillFile> {
    plan.output.spill.as_ref().map(|spill| engine.spill_writer().create(spill))
}

/// Starts a shell that waits for its command, and that nobody ends before it has one: it says one byte on the socket when
/// it does, and reads the command to a NUL.
///
/// # Errors
///
/// Why there is no process.
pub fn launch_waiting(
    engine: &'static Engine,
    plan: &Plan,
    dialect: Dialect,
    owner: &Owner,
) -> Result<(Launched, UnixStream), LaunchError> {
    let (ours, theirs) = command_socket()
        .map_err(|error| LaunchError::system(plan.invocation.program(), Errno::of(&error)))?;
    let waiting = Waiting { words: dialect.waiting(), commands: theirs };
    let launched = launch_with(engine, plan, owner, Instant::now(), Some(&waiting))?;
    Ok((launched, ours))
}

/// Our end, which does not block, and that of a shell.
fn command_socket() -> io::Result<(UnixStream, OwnedFd)> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    Ok((above_standard_streams(ours.into())?.into(), above_standard_streams(theirs.into())?))
}

/// What a shell is told that waits, and where its command will come from.
struct Waiting {
    words: &'static str,
    commands: OwnedFd,
}

fn launch_with(
    engine: &'static Engine,
    plan: &Plan,
    owner: &Owner,
    called_at: Instant,
    waiting: Option<&Waiting>,
) -> LaunchResult {
    let program = plan.invocation.program();
    let on_system_error = |error: io::Error| LaunchError::system(program, Errno::of(&error));
    // First the directory: a missing one and a missing program give the same error.
    let directory =
        open_directory(&plan.directory).map_err(|error| LaunchError::directory(error, program))?;
    if plan.invocation.has_null_byte() {
        return Err(LaunchError::NullByte);
    }
    let arguments = Arguments::new(plan).map_err(|_| LaunchError::NullByte)?;
    let streams = Streams::new(plan).map_err(on_system_error)?;
    let tag = if plan.is_tagged { Tag::new() } else { None };
    // By now, since what is above is done while the guardian starts.
    let at_thread_end = if engine.guard() { Signal::STOP } else { Signal::KILL };
    let registry = engine.registry();
    let pipes = streams.inodes();
    let is_left_alone = plan.outlives_host || waiting.is_some();
    let registration = if is_left_alone {
        registry.reserve_unguarded(owner, pipes, tag)
    } else {
        registry.reserve(owner, pipes, tag).ok_or(LaunchError::OwnerGone)?
    };
    let record = registry.record(&registration);
    let expected = waiting.is_none().then(|| engine.scanner().expect());
    let spawn_with =
        |arguments: &[CString], environment: &[CString], programs: &[CString], script: Option<Script<'_>>| {
            let request = Request {
                candidates: programs,
                arguments,
                environment,
                directory: directory.descriptor.as_fd(),
                stdin: streams.stdin.as_fd(),
                stdout: streams.stdout_writer.as_fd(),
                stderr: streams.stderr_writer.as_ref().unwrap_or(&streams.stdout_writer).as_fd(),
                script,
                record: record.as_ref(),
                inherits_descriptors: true,
                at_thread_end: (!is_left_alone).then_some(at_thread_end),
                adopts_orphans: true,
                ignores_termination: false,
                limits: &plan.limits,
                tag: tag.map(Tag::number),
            };
            spawn_patiently(&request, called_at)
        };
    // Now, since the command may move or remove it; and only for whom it is of use.
    let place = if waiting.is_some() { directory.place() } else { None };
    let real_path = if waiting.is_some() || plan.tells_all() { directory.real_path() } else { None };
    let moment = now();
    let Spawned { pid, pidfd } = match arguments.spawn(spawn_with, waiting) {
        Ok(spawned) => spawned,
        Err(error) => {
            registry.release(registration, || {});
            return Err(match error.step {
                Step::Directory => LaunchError::not_entered(&plan.directory.path, error.errno),
                _ => LaunchError::system(program, error.errno),
            });
        }
    };
    let identity = Identity::of_child(pid, moment);
    let guarded_for = (!plan.outlives_host).then(|| owner.clone());
    let tracked = expected.map(|expected| expected.begin(identity, tag, guarded_for));
    let is_welcome = registry.fill(&registration, identity);
    let leader = Leader::new(engine, identity, registration);
    if !is_welcome {
        // Its loop ends it like any other. Until then it starts nothing, and outlives those that its pipes may end.
        stop(identity);
    }
    Ok(Launched {
        tracked,
        leader,
        pidfd,
        stdin: streams.stdin_writer,
        stdout: streams.stdout,
        stderr: streams.stderr,
        spill: None,
        place,
        directory: real_path,
        tag,
    })
}

/// What a command reads and writes. The ends that are its own are closed here once it has them.
struct Streams {
    stdin: OwnedFd,
    stdin_writer: Option<OwnedFd>,
    stdout: OwnedFd,
    stdout_writer: OwnedFd,
    stderr: Option<OwnedFd>,
    stderr_writer: Option<OwnedFd>,
}

impl Streams {
    fn new(plan: &Plan) -> io::Result<Self> {
        let (stdout, stdout_writer) = pipe()?;
        let (stderr, stderr_writer) = if plan.output.is_merged { None } else { Some(pipe()?) }.unzip();
        let (stdin, stdin_writer) = match plan.input {
            Input::Empty => (empty_input()?, None),
            Input::Bytes(_) | Input::Open => {
                let (reader, writer) = input_pipe()?;
                (reader, Some(writer))
            }
        };
        Ok(Self { stdin, stdin_writer, stdout, stdout_writer, stderr, stderr_writer })
    }

    /// By which whoever holds the output is found; 0 for a stream that there is not.
    fn inodes(&self) -> Pipes {
        [inode(&self.stdout), self.stderr.as_ref().map_or(0, inode)]
    }
}

/// The program's paths, its arguments and its environment, for the kernel.
struct Arguments<'a> {
    plan: &'a Plan,
    programs: Vec<CString>,
    environment: Vec<CString>,
}

impl<'a> Arguments<'a> {
    fn new(plan: &'a Plan) -> Result<Self, NulError> {
        Ok(Self {
            plan,
            programs: candidates(plan.invocation.program(), plan.environment.get("PATH"))?,
            environment: plan.environment.variables().map(CString::new).collect::<Result<_, _>>()?,
        })
    }

    /// Spawns with the command as an argument, or through a descriptor when it is too long for that.
    fn spawn(
        &self,
        spawn_with: impl Fn(&[CString], &[CString], &[CString], Option<Script<'_>>) -> Result<Spawned, SpawnError>,
        waiting: Option<&Waiting>,
    ) -> Result<Spawned, SpawnError> {
        let try_with = |words: &[&str], script: Option<Script<'_>>| {
            let words: Vec<CString> = words
                .iter()
                .map(|&word| CString::new(word))
                .collect::<Result<_, _>>()
                .map_err(|_| INVALID)?;
            spawn_with(&words, &self.environment, &self.programs, script)
        };
        match &self.plan.invocation {
            Invocation::Program { program, arguments } => {
                let words: Vec<&str> =
                    std::iter::once(program).chain(arguments).map(String::as_str).collect();
                try_with(&words, None)
            }
            Invocation::Shell { program, flags, command } => {
                let words = |command| -> Vec<&str> {
                    std::iter::once(program).chain(flags).map(String::as_str).chain([command]).collect()
                };
                if let Some(Waiting { words: told, commands }) = waiting {
                    return try_with(&words(told), Some(Script::of_commands(commands.as_fd())));
                }
                if command.len() <= LONGEST_ARGUMENT || !can_read_script(program) {
                    match try_with(&words(command), None) {
                        Err(SpawnError { errno: Errno(libc::E2BIG), .. }) if can_read_script(program) => {}
                        result => return result,
                    }
                }
                let script = script_file(command)
                    .map_err(|error| SpawnError { step: Step::Descriptors, errno: Errno::of(&error) })?;
                try_with(&words(read_script(program)), Some(Script::new(script.as_fd())))
            }
        }
    }
}

const INVALID: SpawnError = SpawnError { step: Step::Execute, errno: Errno(libc::EINVAL) };

/// `/dev/null`, or an empty pipe where there is no `/dev`.
fn empty_input() -> io::Result<OwnedFd> {
    match OpenOptions::new().read(true).open("/dev/null") {
        Ok(null) => above_standard_streams(null.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => pipe().map(|(reader, _)| reader),
        Err(error) => Err(error),
    }
}

/// The process limit may be reached for a moment only. And a program that was just written may be busy for one: another
/// child that has not executed yet has a copy of the descriptor by which it was written.
fn spawn_patiently(request: &Request<'_>, called_at: Instant) -> Result<Spawned, SpawnError> {
    let mut pause = FIRST_PAUSE;
    loop {
        match spawn(request) {
            Err(SpawnError { step: Step::Clone, errno: Errno(libc::EAGAIN) })
                if called_at.elapsed() < PATIENCE =>
            {
                thread::sleep(pause);
                pause *= 2;
            }
            Err(SpawnError { step: Step::Execute, errno: Errno(libc::ETXTBSY) })
                if called_at.elapsed() < BUSY_PATIENCE =>
            {
                thread::sleep(BUSY_PAUSE);
            }
            result => return result,
        }
    }
}
