//! From a plan to a running process. Runs on a spawner thread, since each step may block.

use std::ffi::{CString, NulError};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::thread;
use std::time::Duration;

use rustix::fs::{Mode, OFlags, open};
use rustix::process::Signal;

use super::engine::Engine;
use super::leader::Leader;
use super::outcome::LaunchError;
use super::plan::{Invocation, Plan};
use crate::process::errno::Errno;
use crate::process::identity::Identity;
use crate::process::pipe::{above_standard_streams, inode, pipe};
use crate::process::registry::Owner;
use crate::process::spawn::{
    LONGEST_ARGUMENT, Request, SpawnError, Spawned, Step, candidates, read_script, script_file, spawn,
};

/// How long to wait before each new try when there is no process to be had for the moment.
const PATIENCE: [Duration; 4] = [
    Duration::from_millis(10),
    Duration::from_millis(40),
    Duration::from_millis(150),
    Duration::from_millis(500),
];

/// A process with its pipes and its place in the table.
#[derive(Debug)]
pub struct Launched {
    /// The process: it leads its session and group.
    pub leader: Leader,
    /// Its pidfd, where the kernel has them.
    pub pidfd: Option<OwnedFd>,
    /// The reading end of standard output.
    pub stdout: OwnedFd,
    /// The reading end of standard error.
    pub stderr: OwnedFd,
}

/// What a launch comes to.
pub type LaunchResult = Result<Launched, LaunchError>;

/// Starts what the plan says.
///
/// If the host dies, the kernel stops the process, until the guardian comes: it would die of its broken pipe otherwise,
/// and its descendants would be lost. Without a guardian the kernel kills it.
///
/// # Errors
///
/// What Node's `spawn` would say.
pub fn launch(engine: &'static Engine, plan: &Plan, owner: &Owner, is_guarded: bool) -> LaunchResult {
    let program = plan.invocation.program();
    let on_system_error = |error: io::Error| node_error(program, Errno::of(&error));
    // First the directory: a missing one and a missing program give the same error.
    let directory = open_directory(&plan.directory).map_err(on_system_error)?;
    let arguments = Arguments::new(plan).map_err(|_| has_nul())?;
    let streams = Streams::new().map_err(on_system_error)?;
    let registry = engine.registry();
    let pipes = [inode(&streams.stdout), inode(&streams.stderr)];
    let registration = registry.reserve(owner, pipes).ok_or_else(owner_gone)?;
    let record = registry.record(&registration, pipes);
    let spawn_with =
        |arguments: &[CString], environment: &[CString], programs: &[CString], script: Option<&OwnedFd>| {
            spawn_patiently(&Request {
                candidates: programs,
                arguments,
                environment,
                directory: directory.as_fd(),
                stdin: streams.stdin.as_fd(),
                stdout: streams.stdout_writer.as_fd(),
                stderr: streams.stderr_writer.as_fd(),
                script: script.map(AsFd::as_fd),
                record: Some(&record),
                inherits_descriptors: true,
                at_thread_end: Some(if is_guarded { Signal::STOP } else { Signal::KILL }),
                adopts_orphans: true,
            })
        };
    let Spawned { pid, pidfd } = match arguments.spawn(spawn_with) {
        Ok(spawned) => spawned,
        Err(error) => {
            registry.release(registration, || {});
            return Err(node_error(program, error.errno));
        }
    };
    // Without /proc the start time is not to be had: then it is 0, and stands for any.
    let identity = Identity::of(pid).unwrap_or(Identity { pid, start: 0 });
    let is_welcome = registry.fill(&registration, identity);
    let leader = Leader::new(engine, identity, registration);
    if !is_welcome {
        return Err(owner_gone());
    }
    Ok(Launched { leader, pidfd, stdout: streams.stdout, stderr: streams.stderr })
}

/// What a command reads and writes. The writing ends are closed here once it has them.
struct Streams {
    stdin: OwnedFd,
    stdout: OwnedFd,
    stdout_writer: OwnedFd,
    stderr: OwnedFd,
    stderr_writer: OwnedFd,
}

impl Streams {
    fn new() -> io::Result<Self> {
        let (stdout, stdout_writer) = pipe()?;
        let (stderr, stderr_writer) = pipe()?;
        Ok(Self { stdin: empty_input()?, stdout, stdout_writer, stderr, stderr_writer })
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
        spawn_with: impl Fn(&[CString], &[CString], &[CString], Option<&OwnedFd>) -> Result<Spawned, SpawnError>,
    ) -> Result<Spawned, SpawnError> {
        let try_with = |words: &[&str], script: Option<&OwnedFd>| {
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
                if command.len() <= LONGEST_ARGUMENT {
                    match try_with(&words(command), None) {
                        Err(SpawnError { errno: Errno(libc::E2BIG), .. }) => {}
                        result => return result,
                    }
                }
                let script = script_file(command)
                    .map_err(|error| SpawnError { step: Step::Descriptors, errno: Errno::of(&error) })?;
                try_with(&words(read_script(program)), Some(&script))
            }
        }
    }
}

const INVALID: SpawnError = SpawnError { step: Step::Execute, errno: Errno(libc::EINVAL) };

/// To enter a directory takes no permission to list it.
#[cfg(target_os = "linux")]
const DIRECTORY_ONLY: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const DIRECTORY_ONLY: OFlags = OFlags::RDONLY;

/// Opened once, and entered by descriptor: what is checked is what is used.
fn open_directory(path: &str) -> io::Result<OwnedFd> {
    let path = if path.is_empty() { "." } else { path };
    above_standard_streams(open(path, DIRECTORY_ONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

/// `/dev/null`, or an empty pipe where there is no `/dev`.
fn empty_input() -> io::Result<OwnedFd> {
    match OpenOptions::new().read(true).open("/dev/null") {
        Ok(null) => above_standard_streams(null.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => pipe().map(|(reader, _)| reader),
        Err(error) => Err(error),
    }
}

/// The process limit may be reached for a moment only.
fn spawn_patiently(request: &Request<'_>) -> Result<Spawned, SpawnError> {
    let mut patience = PATIENCE.iter();
    loop {
        match spawn(request) {
            Err(SpawnError { step: Step::Clone, errno: Errno(libc::EAGAIN) }) => match patience.next() {
                Some(&pause) => thread::sleep(pause),
                None => return spawn(request),
            },
            result => return result,
        }
    }
}

fn owner_gone() -> LaunchError {
    LaunchError { code: "ABORT_ERR".to_owned(), message: "the owner of the command has gone".to_owned() }
}

/// Node reports some errors with the program's name and throws the others without it.
pub(super) fn node_error(program: &str, errno: Errno) -> LaunchError {
    let code = errno.name();
    let names_program =
        matches!(errno.0, libc::EACCES | libc::EAGAIN | libc::EMFILE | libc::ENFILE | libc::ENOENT);
    let message = if names_program { format!("spawn {program} {code}") } else { format!("spawn {code}") };
    LaunchError { code, message }
}

fn has_nul() -> LaunchError {
    LaunchError {
        code: "ERR_INVALID_ARG_VALUE".to_owned(),
        message: "the command, its arguments and its environment must not contain null bytes".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Errno, node_error};

    #[test]
    fn the_common_errors_name_the_program() {
        assert_eq!(node_error("/bin/zsh", Errno(libc::ENOENT)).message, "spawn /bin/zsh ENOENT");
        assert_eq!(node_error("git", Errno(libc::EACCES)).message, "spawn git EACCES");
    }

    #[test]
    fn the_others_do_not() {
        assert_eq!(node_error("/bin/zsh", Errno(libc::ENOTDIR)).message, "spawn ENOTDIR");
    }
}
