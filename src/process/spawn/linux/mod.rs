//! Spawning on Linux by `clone(CLONE_VM | CLONE_VFORK)`, as `posix_spawn` does it.
//!
//! The child shares the host's memory until it executes, so nothing is copied, and only the spawning thread
//! waits. `posix_spawn` itself lacks, on some C libraries, a new session, a working directory by descriptor,
//! the pidfd without a race, and the step at which a spawn failed.
//!
//! This file is the host's side. `clone3` starts a child in a cgroup. `child` runs in the new process,
//! which writes its `line` into the registry. `signals` has the masks and dispositions of both, and `stack`
//! the memory on which the child runs.

mod child;
mod clone3;
mod line;
mod signals;
mod stack;

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;

use rustix::io::retry_on_intr;
use rustix::process::{Pid, WaitOptions, waitpid};

use super::attempts::SHELL;
use super::prepared_limits::PreparedLimits;
use super::{SpawnError, SpawnRequest, Spawned, Step};
use crate::process::errno::Errno;
use crate::process::fd::pidfd;
use child::{Child, ChildProgram, child_main, last_errno};
use clone3::{ChildInCgroup, clone_into};
use line::RegistryLine;
use signals::BlockedSignals;
use stack::Stack;

/// Whether a child writes its own line into the registry.
pub const CHILD_WRITES_LINE: bool = true;

/// Whether a search goes on after a path that is too long.
pub(super) const SKIPS_LONG_PATHS: bool = false;

thread_local! {
    /// The child's stack, kept for the next spawn of this thread: mapping a stack takes two system calls.
    static STACK: Cell<Option<Stack>> = const { Cell::new(None) };
}

/// Starts a program. Returns once the program runs or has failed to start, which takes about as long as the
/// kernel needs to load it.
///
/// # Errors
///
/// Returns the step that failed and its error. No process is left then.
pub fn spawn(request: &SpawnRequest<'_>) -> Result<Spawned, SpawnError> {
    let stack = STACK.take().map_or_else(Stack::new, Ok).map_err(SpawnError::at(Step::Clone))?;
    let spawned = spawn_on(&stack, request);
    STACK.set(Some(stack));
    spawned
}

fn spawn_on(stack: &Stack, request: &SpawnRequest<'_>) -> Result<Spawned, SpawnError> {
    let arguments = pointers(request.arguments);
    let environment = pointers(request.environment);
    let candidates = pointers(request.candidates);
    // `/bin/sh <candidate> <arguments…>`, with the candidate still missing.
    let mut shell_arguments = vec![SHELL.as_ptr(), ptr::null()];
    shell_arguments.extend_from_slice(arguments.get(1..).unwrap_or_default());
    shell_arguments.push(ptr::null());
    let stdio = &request.stdio;
    let mut child = Child {
        program: ChildProgram {
            candidates: candidates.as_ptr(),
            arguments: arguments.as_ptr(),
            shell_arguments: shell_arguments.as_mut_ptr(),
            environment: environment.as_ptr(),
        },
        directory: request.directory.as_raw_fd(),
        stdio: [stdio.stdin, stdio.stdout, stdio.stderr].map(|stream| stream.as_raw_fd()),
        extra_fd: request.extra_fd.map(|extra| (extra.source.as_raw_fd(), extra.target)),
        line: request.record.map(RegistryLine::new),
        attributes: request.attributes,
        cgroup: request.attributes.cgroup.map(|cgroup| cgroup.as_raw_fd()),
        limits: PreparedLimits::new(request.limits, request.tag),
        host: rustix::process::getpid(),
        failure: None,
    };
    let (pid, pidfd) = start_and_wait_for_exec(stack, &mut child)
        .map_err(|errno| SpawnError { step: Step::Clone, errno })?;
    match child.failure {
        None => Ok(Spawned { pid, pidfd: pidfd.or_else(|| pidfd::open(pid).ok()) }),
        Some(failure) => {
            let _ = retry_on_intr(|| waitpid(Some(pid), WaitOptions::empty()));
            Err(failure)
        }
    }
}

/// Returns a null-terminated array of pointers for `execve`. The strings must outlive the array.
fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
}

/// The flags of each child: it shares the host's memory, and the host waits.
const FLAGS: c_int = libc::CLONE_VM | libc::CLONE_VFORK;

fn start_and_wait_for_exec(stack: &Stack, child: &mut Child<'_>) -> Result<(Pid, Option<OwnedFd>), Errno> {
    let _blocked = BlockedSignals::new();
    if let Some(cgroup) = child.cgroup {
        let result = clone_in_cgroup(stack, child, cgroup);
        if matches!(result, Ok(_) | Err(Errno(libc::EAGAIN | libc::ENOMEM))) {
            return result;
        }
        // An old kernel, or a filter of system calls that knows no `clone3`: the child moves itself, which
        // takes 10 ms on a machine that rarely does so. Any other error will be the child's.
    }
    clone_and_wait_for_exec(stack, child)
}

/// Starts the child in its cgroup.
fn clone_in_cgroup(
    stack: &Stack,
    child: &mut Child<'_>,
    cgroup: c_int,
) -> Result<(Pid, Option<OwnedFd>), Errno> {
    let mut pidfd: c_int = -1;
    child.cgroup = None;
    let data = ptr::from_mut(child).cast::<c_void>();
    let place = ChildInCgroup { flags: FLAGS, pidfd: &mut pidfd, cgroup };
    // SAFETY: as for `clone` below. `child_main` never returns.
    match unsafe { clone_into(place, stack, child_main, data) } {
        Ok(pid) => {
            // SAFETY: the kernel has just created this descriptor for us; no other code owns it.
            let pidfd = (pidfd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(pidfd) });
            Pid::from_raw(pid).map(|pid| (pid, pidfd)).ok_or(Errno(libc::EIO))
        }
        Err(errno) => {
            child.cgroup = Some(cgroup);
            Err(errno)
        }
    }
}

fn clone_and_wait_for_exec(stack: &Stack, child: &mut Child<'_>) -> Result<(Pid, Option<OwnedFd>), Errno> {
    let flags = FLAGS | libc::SIGCHLD;
    let with_pidfd = flags | libc::CLONE_PIDFD;
    let mut pidfd: c_int = -1;
    let data = ptr::from_mut(child).cast::<c_void>();
    // SAFETY: `child_main` has a stack of its own, which outlives it: CLONE_VFORK suspends this thread until
    // the child has executed or exited. `data` points to a live `Child` that no other code accesses
    // meanwhile, `pidfd` to a live integer. No handler of the host runs in the child: see `BlockedSignals`.
    let mut result = unsafe { libc::clone(child_main, stack.top(), with_pidfd, data, &raw mut pidfd) };
    if result == -1 && last_errno() == libc::EINVAL {
        // SAFETY: as above, for a kernel (or an emulation of one) without CLONE_PIDFD.
        result = unsafe { libc::clone(child_main, stack.top(), flags, data) };
    }
    // `Pid` accepts no negative number.
    let Some(pid) = Pid::from_raw(result.max(0)) else {
        return Err(Errno(last_errno()));
    };
    // SAFETY: the kernel has just created this descriptor for us; no other code owns it. Older kernels ignore
    // the flag and leave -1.
    let pidfd = (pidfd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(pidfd) });
    Ok((pid, pidfd))
}
