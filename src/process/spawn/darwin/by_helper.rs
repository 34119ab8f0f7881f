//! Starts a program through the helper program in its role `exec`.

use std::ffi::CString;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;

use rustix::process::Pid;

use super::orders::{FailureReport, Orders};
use super::{FileActions, SharedArguments, SpawnAttributes, pointers};
use crate::process::errno::Errno;
use crate::process::helper_program::{self, expect_greeting};
use crate::process::spawn::{SpawnError, SpawnRequest, Step};
use crate::process::wait::{kill_and_reap, was_killed};

/// Starts the helper, which makes standard input its controlling terminal and sets its limits, and then
/// becomes the program.
///
/// The pipe to the helper is closed when it executes the program, so this returns once the program runs, or
/// with the step that failed.
pub(super) fn spawn(request: &SpawnRequest<'_>, candidates: &[CString]) -> Result<Pid, SpawnError> {
    let (status, status_of_child) = io::pipe().map_err(SpawnError::at(Step::Descriptors))?;
    let path = helper_program::path();
    let program = CString::new(path.as_os_str().as_bytes())
        .map_err(|_| SpawnError { step: Step::Helper, errno: Errno(libc::EINVAL) })?;
    let orders = Orders {
        takes_terminal: request.attributes.has_terminal,
        limits: request.limits.resolved(None),
        candidates,
        arguments: request.arguments,
    };
    let arguments = orders.to_arguments();
    let shared = SharedArguments {
        actions: FileActions::new(request, Some(status_of_child.as_fd()))?,
        attributes: SpawnAttributes::new()?,
        environment: pointers(request.environment.iter().map(CString::as_c_str)),
    };
    let started = shared.run(&program, arguments.iter().map(CString::as_c_str));
    // Both copies of the helper's end are closed here, so the pipe ends with the helper's own copy.
    drop((status_of_child, shared));
    let pid = started.map_err(|errno| match errno {
        libc::EAGAIN => SpawnError { step: Step::Clone, errno: Errno(errno) },
        // The arguments of the helper are those of the program, and some more.
        libc::E2BIG => SpawnError { step: Step::Execute, errno: Errno(errno) },
        _ => {
            super::directory_error(request).unwrap_or(SpawnError { step: Step::Helper, errno: Errno(errno) })
        }
    })?;
    match report(status) {
        Ok(()) => Ok(pid),
        Err(mut error) => {
            if error.step == Step::Helper && was_killed(pid) {
                error.step = Step::HelperKilled;
            }
            // The helper exits after a failure. One that does not report may still run.
            kill_and_reap(pid);
            Err(error)
        }
    }
}

/// Reads what the helper reports: its greeting, and a failure if there was one.
fn report(mut status: io::PipeReader) -> Result<(), SpawnError> {
    expect_greeting(helper_program::path(), &mut status)
        .map_err(|_| SpawnError { step: Step::Helper, errno: Errno(libc::ENOEXEC) })?;
    let mut failure = Vec::new();
    status.read_to_end(&mut failure).map_err(SpawnError::at(Step::Helper))?;
    FailureReport::read(&failure).map_or(Ok(()), Err)
}
