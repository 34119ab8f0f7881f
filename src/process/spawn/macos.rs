//! Spawning on macOS: `posix_spawn`, which does there what a `vfork` does on Linux.

use std::ffi::{CStr, CString, c_char, c_int, c_short};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;

use rustix::fs::{Access, AtFlags, accessat};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::Pid;

use super::{Limits, Request, SpawnError, Spawned, Step};
use crate::process::errno::Errno;

/// A session of its own (macOS 10.15); the `libc` crate does not have it.
const POSIX_SPAWN_SETSID: c_int = 0x0400;

/// Runs a file that has no interpreter line, as `execvp` does it.
const SHELL: &CStr = c"/bin/sh";

/// Starts the program. Returns when it runs (or has failed to).
///
/// `at_thread_end`, `adopts_orphans` and `ignores_termination` have no counterpart here: the guardian alone ends the jobs of a host that
/// was killed, and a daemon that has left its session and closed its output is not found again. Nor has `tag`. A limit
/// can't be set, so whoever asks for one gets `ENOTSUP`.
///
/// # Errors
///
/// The step that failed and its error. No process is left then.
pub fn spawn(request: &Request<'_>) -> Result<Spawned, SpawnError> {
    if *request.limits != Limits::default() {
        return Err(SpawnError { step: Step::Limits, errno: Errno(libc::ENOTSUP) });
    }
    let start = Start {
        actions: FileActions::new(request)?,
        attributes: Attributes::new()?,
        environment: pointers(request.environment.iter().map(CString::as_c_str)),
    };
    let arguments = || request.arguments.iter().map(CString::as_c_str);
    let mut denied = false;
    let mut errno = libc::ENOENT;
    for candidate in request.candidates {
        let mut started = start.run(candidate, arguments());
        if started == Err(libc::ENOEXEC) {
            let words = [SHELL, candidate.as_c_str()];
            started = start.run(SHELL, words.into_iter().chain(arguments().skip(1)));
        }
        errno = match started {
            Ok(pid) => return Ok(Spawned { pid, pidfd: None }),
            Err(errno) => errno,
        };
        match errno {
            libc::EACCES => denied = true,
            libc::ENOENT | libc::ENOTDIR => {}
            _ => break,
        }
    }
    let missing = matches!(errno, libc::ENOENT | libc::ENOTDIR);
    let errno = if denied && missing { libc::EACCES } else { errno };
    Err(match errno {
        libc::EAGAIN => SpawnError { step: Step::Clone, errno: Errno(errno) },
        _ => not_entered(request).unwrap_or(SpawnError { step: Step::Execute, errno: Errno(errno) }),
    })
}

/// The call tells one error for all that it does: whether it was the directory's is asked afterwards.
fn not_entered(request: &Request<'_>) -> Option<SpawnError> {
    let entered = accessat(request.directory, c".", Access::EXEC_OK, AtFlags::EACCESS);
    entered.map_err(io::Error::from).map_err(SpawnError::at(Step::Directory)).err()
}

fn pointers<'a>(strings: impl Iterator<Item = &'a CStr>) -> Vec<*mut c_char> {
    strings.map(|string| string.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect()
}

/// What is the same for each path that is tried.
struct Start {
    actions: FileActions,
    attributes: Attributes,
    environment: Vec<*mut c_char>,
}

impl Start {
    /// The error is the system's number.
    fn run<'a>(&self, program: &CStr, arguments: impl Iterator<Item = &'a CStr>) -> Result<Pid, c_int> {
        let arguments = pointers(arguments);
        let mut pid = 0;
        // SAFETY: all pointers are to live, NUL-terminated values; the arrays end with a null pointer.
        let errno = unsafe {
            libc::posix_spawn(
                &raw mut pid,
                program.as_ptr(),
                &raw const self.actions.actions,
                &raw const self.attributes.0,
                arguments.as_ptr(),
                self.environment.as_ptr(),
            )
        };
        if errno == 0 { Pid::from_raw(pid).ok_or(libc::ESRCH) } else { Err(errno) }
    }
}

fn check(result: c_int) -> Result<(), SpawnError> {
    if result == 0 { Ok(()) } else { Err(SpawnError { step: Step::Descriptors, errno: Errno(result) }) }
}

/// What the child does with its descriptors and its directory.
struct FileActions {
    actions: libc::posix_spawn_file_actions_t,
    /// Holds the script's descriptor, if it had to be another one.
    _script: Option<OwnedFd>,
}

impl FileActions {
    fn new(request: &Request<'_>) -> Result<Self, SpawnError> {
        let moved_script = move_script(request)?;
        let script = request.script.map(|script| {
            let source = moved_script.as_ref().map_or(script.file.as_raw_fd(), AsRawFd::as_raw_fd);
            (source, script.number)
        });
        let mut actions = MaybeUninit::uninit();
        // SAFETY: initialises `actions`, or fails.
        check(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        // SAFETY: initialised above.
        let mut actions = Self { actions: unsafe { actions.assume_init() }, _script: moved_script };
        // SAFETY: the actions are initialised; the descriptors stay open until the spawn.
        check(unsafe {
            libc::posix_spawn_file_actions_addfchdir_np(
                &raw mut actions.actions,
                request.directory.as_raw_fd(),
            )
        })?;
        let streams = [(request.stdin, 0), (request.stdout, 1), (request.stderr, 2)];
        let streams = streams.map(|(source, target)| (source.as_raw_fd(), target));
        for (source, target) in streams.into_iter().chain(script) {
            // SAFETY: as above.
            check(unsafe {
                libc::posix_spawn_file_actions_adddup2(&raw mut actions.actions, source, target)
            })?;
        }
        Ok(actions)
    }
}

impl Drop for FileActions {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`.
        unsafe {
            libc::posix_spawn_file_actions_destroy(&raw mut self.actions);
        }
    }
}

/// A descriptor that is duplicated onto itself would stay closed on exec.
fn move_script(request: &Request<'_>) -> Result<Option<OwnedFd>, SpawnError> {
    let Some(script) = request.script.filter(|script| script.file.as_raw_fd() == script.number) else {
        return Ok(None);
    };
    let moved = fcntl_dupfd_cloexec(script.file, script.number + 1).map_err(io::Error::from);
    moved.map(Some).map_err(SpawnError::at(Step::Descriptors))
}

/// Session, signals, and no other descriptor than those that were placed.
///
/// A child of Node gets no other one here either. And a new pipe is open for every child until it is marked as closed on
/// exec, since macOS has no `pipe2`: a child that another thread starts meanwhile would hold it open.
struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    fn new() -> Result<Self, SpawnError> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: initialises `attributes`, or fails.
        check(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        // SAFETY: initialised above.
        let mut attributes = Self(unsafe { attributes.assume_init() });
        let flags = POSIX_SPAWN_SETSID
            | libc::POSIX_SPAWN_SETSIGDEF
            | libc::POSIX_SPAWN_SETSIGMASK
            | libc::POSIX_SPAWN_CLOEXEC_DEFAULT;
        let mut all = MaybeUninit::uninit();
        let mut none = MaybeUninit::uninit();
        // SAFETY: both sets are initialised by the first two calls; the attributes were above.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            libc::sigemptyset(none.as_mut_ptr());
            check(libc::posix_spawnattr_setsigdefault(&raw mut attributes.0, all.as_ptr()))?;
            check(libc::posix_spawnattr_setsigmask(&raw mut attributes.0, none.as_ptr()))?;
            let flags = c_short::try_from(flags).unwrap_or_default();
            check(libc::posix_spawnattr_setflags(&raw mut attributes.0, flags))?;
        }
        Ok(attributes)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`.
        unsafe {
            libc::posix_spawnattr_destroy(&raw mut self.0);
        }
    }
}
