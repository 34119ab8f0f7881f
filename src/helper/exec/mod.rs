//! The role `exec`: does for a program what `posix_spawn` can't do, and becomes the program (macOS).
//!
//! * Started by: `process/spawn/darwin`, for a command with a terminal or limits.
//! * May: make standard input its controlling terminal, and lower its own limits.
//! * Ends: when it executes the program, or with its report of the failed step.

use std::convert::Infallible;
use std::env::args_os;
use std::ffi::{CStr, CString, c_char};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStringExt;
use std::ptr;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::ioctl_tiocsctty;

use crate::process::errno::Errno;
use crate::process::helper_program::greeting;
use crate::process::spawn::attempts::{Attempts, SHELL};
use crate::process::spawn::orders::{FailureReport, NumberedLimit, Orders, STATUS_DESCRIPTOR};
use crate::process::spawn::{SpawnError, Step};

/// Becomes the program that the host has ordered. Returns after a failure, which it has reported.
///
/// Only the helper program calls this, once. The host has placed a pipe at [`STATUS_DESCRIPTOR`].
pub fn run() {
    // SAFETY: the host has placed the descriptor for this program, and no other code here uses it. If the
    // descriptor is not open, every use of it fails.
    let mut status = unsafe { File::from_raw_fd(STATUS_DESCRIPTOR) };
    // Without a reader of its report, the helper has no host.
    if fcntl_setfd(&status, FdFlags::CLOEXEC).is_err() || status.write_all(greeting().as_bytes()).is_err() {
        return;
    }
    let arguments = args_os().map(|word| CString::new(word.into_vec())).collect::<Result<Vec<_>, _>>();
    let Err(error) = arguments
        .ok()
        .and_then(|arguments| Some(follow(&Orders::parse(&arguments)?)))
        .unwrap_or(Err(SpawnError { step: Step::Helper, errno: Errno(libc::EINVAL) }));
    let _ = status.write_all(&FailureReport::write(error.step, error.errno.0));
}

fn follow(orders: &Orders<'_>) -> Result<Infallible, SpawnError> {
    if orders.takes_terminal {
        ioctl_tiocsctty(io::stdin()).map_err(io::Error::from).map_err(SpawnError::at(Step::Descriptors))?;
    }
    // SAFETY: the default is a valid disposition. Rust's runtime has made this program ignore the signal.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
    for &limit in &orders.limits {
        set_limit(limit)?;
    }
    Err(execute(orders))
}

#[allow(clippy::cast_possible_wrap, reason = "C libraries declare the number with or without a sign")]
fn set_limit((resource, (soft, hard)): NumberedLimit) -> Result<(), SpawnError> {
    let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
    // SAFETY: the structure lives during the call.
    let result = unsafe { libc::setrlimit(resource as _, &raw const limit) };
    if result == -1 { Err(SpawnError::at(Step::Limits)(io::Error::last_os_error())) } else { Ok(()) }
}

/// Executes the first candidate that can be executed, as `execvp` does. Otherwise returns the most useful
/// error.
fn execute(orders: &Orders<'_>) -> SpawnError {
    let arguments = pointers(orders.arguments.iter().map(CString::as_c_str));
    let mut attempts = Attempts::default();
    for candidate in orders.candidates {
        let mut errno = execute_one(candidate, &arguments);
        if errno == libc::ENOEXEC {
            let words = [SHELL, candidate.as_c_str()].into_iter();
            let rest = orders.arguments.iter().skip(1).map(CString::as_c_str);
            errno = execute_one(SHELL, &pointers(words.chain(rest)));
        }
        if !attempts.goes_on_after(errno) {
            break;
        }
    }
    SpawnError { step: Step::Execute, errno: attempts.error() }
}

/// Executes a file. Returns the errno of the failure.
fn execute_one(program: &CStr, arguments: &[*const c_char]) -> i32 {
    // SAFETY: the arguments are live C strings, and the array ends with a null pointer.
    unsafe {
        libc::execv(program.as_ptr(), arguments.as_ptr());
    }
    Errno::of(&io::Error::last_os_error()).0
}

fn pointers<'a>(strings: impl Iterator<Item = &'a CStr>) -> Vec<*const c_char> {
    strings.map(CStr::as_ptr).chain([ptr::null()]).collect()
}
