//! Spawning by `posix_spawn`, which copies no memory of the host on macOS.
//!
//! [`actions`] places the child's descriptors, [`attributes`] sets its session and signals. What
//! `posix_spawn` can't do, a controlling terminal and limits, the helper program does in its role `exec`,
//! between `posix_spawn` and the program: `by_helper` starts it, and [`orders`] has what it gets and reports.

mod actions;
mod attributes;
mod by_helper;
pub(crate) mod orders;

use std::ffi::{CStr, CString, c_char, c_int};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use rustix::fs::{Access, AtFlags, accessat};
use rustix::process::Pid;

use self::actions::FileActions;
use self::attributes::SpawnAttributes;
use super::attempts::{Attempts, SHELL};
use super::{Limits, SpawnError, SpawnRequest, Spawned, Step};
use crate::process::directory::path_of_open;
use crate::process::errno::Errno;

/// Whether a child writes its own line into the registry: `posix_spawn` runs no code of ours in it.
pub const CHILD_WRITES_LINE: bool = false;

/// Whether a search goes on after a path that is too long: `PATH_MAX` is 1024 here, which a directory in
/// `PATH` and a name may exceed together.
pub(super) const SKIPS_LONG_PATHS: bool = true;

/// Starts a program. Returns once the program runs or has failed to start.
///
/// `pdeathsig`, `is_subreaper`, `ignores_termination` and `tag` have no counterpart here and are ignored. So
/// only the guardian ends the jobs of a host that was killed.
///
/// # Errors
///
/// Returns the step that failed and its error. No process is left then.
pub fn spawn(request: &SpawnRequest<'_>) -> Result<Spawned, SpawnError> {
    let candidates = absolute(request)?;
    let pid = if request.attributes.has_terminal || *request.limits != Limits::default() {
        by_helper::spawn(request, &candidates)
    } else {
        spawn_directly(request, &candidates)
    }?;
    Ok(Spawned { pid, pidfd: None })
}

/// Returns the candidates as absolute paths. After an action that changes the directory, `posix_spawn` starts
/// a relative one, but reports that the file does not exist: the program would run without a parent that
/// knows it, and the next candidate would run as well.
fn absolute(request: &SpawnRequest<'_>) -> Result<Vec<CString>, SpawnError> {
    if request.candidates.iter().all(|candidate| candidate.as_bytes().starts_with(b"/")) {
        return Ok(request.candidates.to_vec());
    }
    let directory = path_of_open(request.directory)
        .ok_or(SpawnError { step: Step::Directory, errno: Errno(libc::ENOENT) })?;
    let joined = request.candidates.iter().map(|candidate| {
        let path = directory.join(Path::new(std::ffi::OsStr::from_bytes(candidate.as_bytes())));
        CString::new(path.into_os_string().into_encoded_bytes())
    });
    let joined: Result<Vec<CString>, _> = joined.collect();
    joined.map_err(io::Error::from).map_err(SpawnError::at(Step::Execute))
}

fn spawn_directly(request: &SpawnRequest<'_>, candidates: &[CString]) -> Result<Pid, SpawnError> {
    let shared = SharedArguments {
        actions: FileActions::new(request, None)?,
        attributes: SpawnAttributes::new()?,
        environment: pointers(request.environment.iter().map(CString::as_c_str)),
    };
    let arguments = || request.arguments.iter().map(CString::as_c_str);
    let mut attempts = Attempts::default();
    for candidate in candidates {
        let mut started = shared.run(candidate, arguments());
        if started == Err(libc::ENOEXEC) {
            let words = [SHELL, candidate.as_c_str()];
            started = shared.run(SHELL, words.into_iter().chain(arguments().skip(1)));
        }
        match started {
            Ok(pid) => return Ok(pid),
            Err(errno) if attempts.goes_on_after(errno) => {}
            Err(_) => break,
        }
    }
    Err(match attempts.error() {
        errno @ Errno(libc::EAGAIN) => SpawnError { step: Step::Clone, errno },
        errno => directory_error(request).unwrap_or(SpawnError { step: Step::Execute, errno }),
    })
}

/// Returns the error of the directory if the child could not enter it.
///
/// `posix_spawn` does not report which step failed, so this checks afterwards.
fn directory_error(request: &SpawnRequest<'_>) -> Option<SpawnError> {
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
                self.actions.as_ptr(),
                self.attributes.as_ptr(),
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
