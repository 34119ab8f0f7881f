//! Spawning on macOS: `posix_spawn`, which does there what a `vfork` does on Linux.

use std::ffi::{CString, c_char, c_int, c_short};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::ptr;

use rustix::process::Pid;

use super::{Limits, Request, SCRIPT_DESCRIPTOR, SpawnError, Spawned, Step};
use crate::process::errno::Errno;

/// A session of its own (macOS 10.15); the `libc` crate does not have it.
const POSIX_SPAWN_SETSID: c_int = 0x0400;

/// Starts the program. Returns when it runs (or has failed to).
///
/// `at_thread_end` and `adopts_orphans` have no counterpart here: the guardian alone ends the jobs of a host that
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
    let arguments = pointers(request.arguments);
    let environment = pointers(request.environment);
    let actions = FileActions::new(request)?;
    let attributes = Attributes::new(request.inherits_descriptors)?;
    let mut denied = false;
    let mut errno = libc::ENOENT;
    for candidate in request.candidates {
        let mut pid = 0;
        // SAFETY: all pointers are to live, NUL-terminated values; the arrays end with a null pointer.
        errno = unsafe {
            libc::posix_spawn(
                &raw mut pid,
                candidate.as_ptr(),
                &raw const actions.0,
                &raw const attributes.0,
                arguments.as_ptr(),
                environment.as_ptr(),
            )
        };
        match (errno, Pid::from_raw(pid)) {
            (0, Some(pid)) => return Ok(Spawned { pid, pidfd: None }),
            (libc::EACCES, _) => denied = true,
            (libc::ENOENT | libc::ENOTDIR, _) => {}
            _ => break,
        }
    }
    let missing = matches!(errno, libc::ENOENT | libc::ENOTDIR);
    let errno = Errno(if denied && missing { libc::EACCES } else { errno });
    Err(SpawnError { step: if errno.0 == libc::EAGAIN { Step::Clone } else { Step::Execute }, errno })
}

fn pointers(strings: &[CString]) -> Vec<*mut c_char> {
    strings.iter().map(|string| string.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect()
}

fn check(result: c_int) -> Result<(), SpawnError> {
    if result == 0 { Ok(()) } else { Err(SpawnError { step: Step::Descriptors, errno: Errno(result) }) }
}

/// What the child does with its descriptors and its directory.
struct FileActions(libc::posix_spawn_file_actions_t);

impl FileActions {
    fn new(request: &Request<'_>) -> Result<Self, SpawnError> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: initialises `actions`, or fails.
        check(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        // SAFETY: initialised above.
        let mut actions = Self(unsafe { actions.assume_init() });
        // SAFETY: the actions are initialised; the descriptors stay open until the spawn.
        check(unsafe {
            libc::posix_spawn_file_actions_addfchdir_np(&raw mut actions.0, request.directory.as_raw_fd())
        })?;
        let streams = [Some(request.stdin), Some(request.stdout), Some(request.stderr), request.script];
        for (target, source) in (0..=SCRIPT_DESCRIPTOR).zip(streams) {
            if let Some(source) = source {
                // SAFETY: as above.
                check(unsafe {
                    libc::posix_spawn_file_actions_adddup2(&raw mut actions.0, source.as_raw_fd(), target)
                })?;
            }
        }
        Ok(actions)
    }
}

impl Drop for FileActions {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`.
        unsafe {
            libc::posix_spawn_file_actions_destroy(&raw mut self.0);
        }
    }
}

/// Session, signals, and no other descriptor than those that were placed.
struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    fn new(inherits_descriptors: bool) -> Result<Self, SpawnError> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: initialises `attributes`, or fails.
        check(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        // SAFETY: initialised above.
        let mut attributes = Self(unsafe { attributes.assume_init() });
        let mut flags = POSIX_SPAWN_SETSID | libc::POSIX_SPAWN_SETSIGDEF | libc::POSIX_SPAWN_SETSIGMASK;
        if !inherits_descriptors {
            flags |= libc::POSIX_SPAWN_CLOEXEC_DEFAULT;
        }
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
