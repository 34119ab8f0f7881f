//! Spawning on macOS by `posix_spawn`, which copies no memory there.

use std::ffi::{CStr, CString, c_char, c_int, c_short};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;

use rustix::fs::{Access, AtFlags, accessat};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::Pid;
use rustix::termios::ttyname;

use super::{Limits, Request, SpawnError, Spawned, Step};
use crate::process::errno::Errno;

/// The flag for a session of its own (macOS 10.15). The `libc` crate does not define it.
const POSIX_SPAWN_SETSID: c_int = 0x0400;

/// The shell for a file without an interpreter line, as in `execvp`.
const SHELL: &CStr = c"/bin/sh";

/// Starts a program. Returns once the program runs or has failed to start.
///
/// `pdeathsig`, `is_subreaper`, `ignores_termination` and `tag` have no counterpart here and are ignored. So
/// only the guardian ends the jobs of a host that was killed, and a daemon that has left its session and
/// closed its output can't be found. Limits can't be set either: any limit gives `ENOTSUP`.
///
/// # Errors
///
/// Returns the step that failed and its error. No process is left then.
pub fn spawn(request: &Request<'_>) -> Result<Spawned, SpawnError> {
    if *request.limits != Limits::default() {
        return Err(SpawnError { step: Step::Limits, errno: Errno(libc::ENOTSUP) });
    }
    let shared = SharedArguments {
        actions: FileActions::new(request)?,
        attributes: SpawnAttributes::new()?,
        environment: pointers(request.environment.iter().map(CString::as_c_str)),
    };
    let arguments = || request.arguments.iter().map(CString::as_c_str);
    let mut denied = false;
    let mut errno = libc::ENOENT;
    for candidate in request.candidates {
        let mut started = shared.run(candidate, arguments());
        if started == Err(libc::ENOEXEC) {
            let words = [SHELL, candidate.as_c_str()];
            started = shared.run(SHELL, words.into_iter().chain(arguments().skip(1)));
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
        _ => directory_error(request).unwrap_or(SpawnError { step: Step::Execute, errno: Errno(errno) }),
    })
}

/// Returns the error of the directory if the child could not enter it.
///
/// `posix_spawn` does not report which step failed, so this checks afterwards.
fn directory_error(request: &Request<'_>) -> Option<SpawnError> {
    let entered = accessat(request.directory, c".", Access::EXEC_OK, AtFlags::EACCESS);
    entered.map_err(io::Error::from).map_err(SpawnError::at(Step::Directory)).err()
}

fn pointers<'a>(strings: impl Iterator<Item = &'a CStr>) -> Vec<*mut c_char> {
    strings.map(|string| string.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect()
}

/// The arguments of `posix_spawn` that are the same for each candidate.
struct SharedArguments {
    actions: FileActions,
    attributes: SpawnAttributes,
    environment: Vec<*mut c_char>,
}

impl SharedArguments {
    /// Starts one candidate. The error is an errno.
    fn run<'a>(&self, program: &CStr, arguments: impl Iterator<Item = &'a CStr>) -> Result<Pid, c_int> {
        let arguments = pointers(arguments);
        let mut pid = 0;
        // SAFETY: all pointers refer to live, NUL-terminated values, and the arrays end with a null pointer.
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

/// Places the child's descriptors and enters its directory.
struct FileActions {
    actions: libc::posix_spawn_file_actions_t,
    /// Keeps the moved extra descriptor open until the spawn.
    _extra_fd: Option<OwnedFd>,
}

impl FileActions {
    fn new(request: &Request<'_>) -> Result<Self, SpawnError> {
        let moved_extra_fd = move_extra_fd(request)?;
        let extra_fd = request.extra_fd.map(|extra| {
            let source = moved_extra_fd.as_ref().map_or(extra.source.as_raw_fd(), AsRawFd::as_raw_fd);
            (source, extra.target)
        });
        let mut actions = MaybeUninit::uninit();
        // SAFETY: the call initialises `actions`, or fails.
        check(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        // SAFETY: initialised above.
        let mut actions = Self { actions: unsafe { actions.assume_init() }, _extra_fd: moved_extra_fd };
        // SAFETY: the actions are initialised; the descriptors stay open until the spawn.
        check(unsafe {
            libc::posix_spawn_file_actions_addfchdir_np(
                &raw mut actions.actions,
                request.directory.as_raw_fd(),
            )
        })?;
        let has_terminal = request.attributes.has_terminal;
        if has_terminal {
            // The first terminal that the leader of a session opens becomes its controlling terminal. No test
            // has run this yet.
            let path = ttyname(request.stdio.stdin, Vec::new())
                .map_err(io::Error::from)
                .map_err(SpawnError::at(Step::Descriptors))?;
            // SAFETY: the actions are initialised; the path is copied.
            check(unsafe {
                libc::posix_spawn_file_actions_addopen(
                    &raw mut actions.actions,
                    0,
                    path.as_ptr(),
                    libc::O_RDWR,
                    0,
                )
            })?;
        }
        let streams = [(request.stdio.stdin, 0), (request.stdio.stdout, 1), (request.stdio.stderr, 2)];
        let streams = streams.map(|(source, target)| (source.as_raw_fd(), target));
        for (source, target) in streams.into_iter().skip(usize::from(has_terminal)).chain(extra_fd) {
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

/// Moves the extra descriptor away from its target number: a descriptor duplicated onto itself stays closed
/// on exec.
fn move_extra_fd(request: &Request<'_>) -> Result<Option<OwnedFd>, SpawnError> {
    let Some(extra) = request.extra_fd.filter(|extra| extra.source.as_raw_fd() == extra.target) else {
        return Ok(None);
    };
    let moved = fcntl_dupfd_cloexec(extra.source, extra.target + 1).map_err(io::Error::from);
    moved.map(Some).map_err(SpawnError::at(Step::Descriptors))
}

/// Sets the session and the signals, and lets only placed descriptors stay open.
///
/// A child of Node gets no other descriptors here either. macOS has no `pipe2`: a new pipe is open for every
/// child until it is marked as closed on exec, so a child that another thread starts meanwhile would hold it
/// open.
struct SpawnAttributes(libc::posix_spawnattr_t);

impl SpawnAttributes {
    fn new() -> Result<Self, SpawnError> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: the call initialises `attributes`, or fails.
        check(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        // SAFETY: initialised above.
        let mut attributes = Self(unsafe { attributes.assume_init() });
        let flags = POSIX_SPAWN_SETSID
            | libc::POSIX_SPAWN_SETSIGDEF
            | libc::POSIX_SPAWN_SETSIGMASK
            | libc::POSIX_SPAWN_CLOEXEC_DEFAULT;
        let mut all = MaybeUninit::uninit();
        let mut none = MaybeUninit::uninit();
        // SAFETY: the first two calls initialise both sets; the attributes were initialised above.
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

impl Drop for SpawnAttributes {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`.
        unsafe {
            libc::posix_spawnattr_destroy(&raw mut self.0);
        }
    }
}
