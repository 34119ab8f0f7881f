//! The command: confines itself and executes its program.

use std::convert::Infallible;
use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::ptr;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Signal, fchdir, geteuid, getpid, ioctl_tiocsctty, set_child_subreaper,
    set_parent_process_death_signal, setsid,
};
use rustix::stdio::stdin;
use rustix::thread::set_no_new_privs;

use super::EXIT_FAILED;
use super::confine::capabilities::{KeptCapabilities, drop_all_but};
use super::confine::{landlock, seccomp};
use super::failure::{FailureContext, check, failed, last_error};
use super::init::Init;
use super::input::send;
use super::process::{close_on_exec, exit, fork, set_signals};
use super::streams;
use crate::sandbox::plan::{Level, SandboxPlan, SandboxedCommand, Tier};
use crate::sandbox::protocol::report::{HelperReport, MAX_REPORT, Running, SandboxFailure, SandboxStep};
use crate::wire;

/// The first number for descriptors that are still to be placed, above all numbers that a command names.
const ABOVE_TARGETS: i32 = 32;

/// Runs a file without an interpreter line, as `execvp` does.
const SHELL: &std::ffi::CStr = c"/bin/sh";

/// A started command.
pub(super) struct ConfinedChild {
    pub(super) pid: Pid,
    /// Ends when the program is executed; carries the report of a failure.
    outcome: File,
}

/// Starts the command in a child of this process.
pub(super) fn start(
    plan: &SandboxPlan,
    command: &SandboxedCommand,
    descriptors: &[OwnedFd],
    init: &Init,
    kept: KeptCapabilities,
) -> Result<ConfinedChild, SandboxFailure> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).at(SandboxStep::Fork)?;
    if let Some(pid) = fork().at(SandboxStep::Fork)? {
        return Ok(ConfinedChild { pid, outcome: read.into() });
    }
    let confine = || {
        if plan.tier == Tier::SharedProcesses {
            // Without a process namespace, the end of the sandbox init does not kill this process.
            set_parent_process_death_signal(Some(Signal::KILL)).at(SandboxStep::Fork)?;
        }
        set_up(plan, command)?;
        drop_all_but(kept)?;
        set_no_new_privs(true).at(SandboxStep::Capabilities)?;
        landlock::restrict(plan)?;
        if let Some(listener) = seccomp::install(plan)? {
            init.pass(listener.as_fd()).at(SandboxStep::Seccomp)?;
        }
        Ok(())
    };
    let Err(failure) = confine().and_then(|()| place_and_execute(command, descriptors, write.as_fd()));
    let _ = File::from(write).write_all(&wire::encode(&HelperReport::Failed(failure)));
    exit(EXIT_FAILED)
}

impl ConfinedChild {
    /// Waits until the program is executed.
    pub(super) fn await_execution(&mut self) -> Result<(), SandboxFailure> {
        let mut message = Vec::new();
        (&mut self.outcome).take(MAX_REPORT as u64).read_to_end(&mut message).at(SandboxStep::Fork)?;
        match wire::decode(&message) {
            Err(_) if message.is_empty() => Ok(()),
            Ok(HelperReport::Failed(failure)) => Err(failure),
            _ => failed(SandboxStep::Fork, libc::EBADMSG),
        }
    }
}

/// Executes the command in this process, confined only by Landlock and the filter.
pub(super) fn restrict_and_execute(
    plan: &SandboxPlan,
    command: &SandboxedCommand,
    descriptors: &[OwnedFd],
    control: BorrowedFd<'_>,
) -> Result<Infallible, SandboxFailure> {
    set_up(plan, command)?;
    if geteuid().is_root() {
        drop_all_but(if plan.level == Level::ReadOnly {
            KeptCapabilities::ReadingRoot
        } else {
            KeptCapabilities::Root
        })?;
    }
    set_no_new_privs(true).at(SandboxStep::Capabilities)?;
    landlock::restrict(plan)?;
    if seccomp::install(plan)?.is_some() {
        return failed(SandboxStep::Seccomp, libc::ENOTSUP);
    }
    // The program takes this process's place, so the report comes before; a failure to execute is a second
    // report.
    send(
        control,
        &HelperReport::Running(Running {
            init: None,
            command: None,
            remover: None,
            landlock: landlock::version(),
        }),
    );
    place_and_execute(command, descriptors, control)
}

/// Sets default signals, and enters the command's session, terminal and directory.
fn set_up(plan: &SandboxPlan, command: &SandboxedCommand) -> Result<(), SandboxFailure> {
    // As without a sandbox, the command leads a session and a process group, whose ids are its pid, and its
    // orphans stay below it. Without namespaces, this process leads a session already.
    let _ = setsid();
    set_child_subreaper(Some(getpid())).at(SandboxStep::Fork)?;
    // Rust's runtime ignores SIGPIPE in this program.
    set_signals([libc::SIGPIPE].into_iter(), libc::SIG_DFL);
    if command.has_terminal {
        ioctl_tiocsctty(stdin()).at(SandboxStep::Descriptors)?;
    }
    if plan.tier != Tier::Landlock {
        streams::reopen(command.has_terminal).at(SandboxStep::Descriptors)?;
    }
    enter(&command.directory).at_path(SandboxStep::Directory, &command.directory)
}

fn enter(directory: &Path) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let opened = match openat2(CWD, directory, flags, Mode::empty(), resolve) {
        // Inside another sandbox, `openat2` is refused. Landlock checks the location of a file, by whatever
        // path it is opened.
        Err(Errno::NOSYS) => openat(CWD, directory, flags, Mode::empty())?,
        other => other?,
    };
    Ok(fchdir(opened)?)
}

fn set_limit(resource: u32, soft: u64, hard: u64) -> io::Result<()> {
    let limit = [soft, hard];
    // SAFETY: the kernel's structure is two 64-bit numbers; the last pointer may be null.
    let result =
        unsafe { libc::syscall(libc::SYS_prlimit64, 0, resource, limit.as_ptr(), ptr::null_mut::<u64>()) };
    check(result).map(|_| ())
}

/// Places the descriptors, sets the limits and executes the first candidate that can be executed.
fn place_and_execute(
    command: &SandboxedCommand,
    descriptors: &[OwnedFd],
    outcome: BorrowedFd<'_>,
) -> Result<Infallible, SandboxFailure> {
    let step = SandboxStep::Descriptors;
    // Otherwise `dup2` to a later target could close the descriptor that reports a failure.
    let _outcome = fcntl_dupfd_cloexec(outcome, ABOVE_TARGETS).at(step)?;
    let moved: Result<Vec<OwnedFd>, _> =
        descriptors.iter().map(|descriptor| fcntl_dupfd_cloexec(descriptor, ABOVE_TARGETS)).collect();
    let moved = moved.at(step)?;
    close_on_exec();
    for (source, &target) in moved.iter().zip(&command.descriptors) {
        if !(3..ABOVE_TARGETS).contains(&target) {
            return failed(step, libc::EBADF);
        }
        // SAFETY: replaces a descriptor of this process, which executes a program or ends next.
        check(unsafe { libc::dup2(source.as_raw_fd(), target) }).at(step)?;
    }
    // The limits come last: the command's limit of descriptors may be lower than what this process needs.
    for &(resource, (soft, hard)) in &command.limits {
        set_limit(resource, soft, hard).at(SandboxStep::Limits)?;
    }
    if command.is_probe {
        exit(0);
    }
    let error = execute(command);
    Err(error).at(SandboxStep::Execute)
}

/// Executes the command as `execvp` does. Returns the most telling error.
fn execute(command: &SandboxedCommand) -> io::Error {
    let pointers = |strings: &[CString]| -> Vec<*const libc::c_char> {
        strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
    };
    let arguments = pointers(&command.arguments);
    let environment = pointers(&command.environment);
    let mut denied = false;
    let mut error = io::Error::from_raw_os_error(libc::ENOENT);
    for candidate in &command.candidates {
        // SAFETY: the arrays are null-terminated and point to live strings.
        unsafe {
            libc::execve(candidate.as_ptr(), arguments.as_ptr(), environment.as_ptr());
        }
        error = last_error();
        if error.raw_os_error() == Some(libc::ENOEXEC) {
            let mut by_shell = vec![SHELL.as_ptr(), candidate.as_ptr()];
            by_shell.extend(arguments.get(1..).unwrap_or(&[ptr::null()]));
            // SAFETY: as above.
            unsafe {
                libc::execve(SHELL.as_ptr(), by_shell.as_ptr(), environment.as_ptr());
            }
            error = last_error();
        }
        match error.raw_os_error() {
            Some(libc::EACCES) => denied = true,
            Some(libc::ENOENT | libc::ENOTDIR | libc::ESTALE | libc::ENODEV | libc::ETIMEDOUT) => {}
            _ => return error,
        }
    }
    if denied { io::Error::from_raw_os_error(libc::EACCES) } else { error }
}
