//! The child between `clone` and `execve`: it sets itself up and executes the program.
//!
//! This code runs in the host's memory: system calls only, no allocation, no lock, no panic.

use std::ffi::{c_char, c_int, c_void};

use rustix::process::{Pid, Signal, setrlimit};

use super::line::RegistryLine;
use super::signals::{set_signal_dispositions, unblock_all_signals};
use crate::process::errno::Errno;
use crate::process::signal::TERMINATION;
use crate::process::spawn::attempts::{Attempts, SHELL};
use crate::process::spawn::prepared_limits::PreparedLimits;
use crate::process::spawn::{Attributes, SpawnError, Step};

/// The exit code of a child that failed to execute. Nobody reads it: the child reports the failure in shared
/// memory.
const EXIT_FAILED: c_int = 127;

/// The numbers of the standard signals. Real-time signals have the default disposition anyway.
const STANDARD_SIGNALS: std::ops::Range<c_int> = 1..32;

/// The signal for a write beyond the file size limit, as a range of numbers.
const FILE_SIZE_SIGNAL: std::ops::Range<c_int> = libc::SIGXFSZ..libc::SIGXFSZ + 1;

/// The data that the child reads. The host prepares them, because the child can't allocate.
pub(super) struct Child<'a> {
    pub(super) program: ChildProgram,
    pub(super) directory: c_int,
    pub(super) stdio: [c_int; 3],
    /// The source in the host, and the target in the child.
    pub(super) extra_fd: Option<(c_int, c_int)>,
    pub(super) line: Option<RegistryLine>,
    pub(super) attributes: Attributes<'a>,
    /// The directory of the cgroup that the child enters by itself; `None` if it begins there.
    pub(super) cgroup: Option<c_int>,
    pub(super) limits: PreparedLimits,
    pub(super) host: Pid,
    /// The failure, which the child writes and the host reads.
    pub(super) failure: Option<SpawnError>,
}

/// The arguments of `execve`: null-terminated arrays of C strings.
pub(super) struct ChildProgram {
    pub(super) candidates: *const *const c_char,
    pub(super) arguments: *const *const c_char,
    /// The arguments of [`SHELL`], with room for the candidate at index 1.
    pub(super) shell_arguments: *mut *const c_char,
    pub(super) environment: *const *const c_char,
}

/// Runs the child, from `clone` to `execve`.
pub(super) extern "C" fn child_main(data: *mut c_void) -> c_int {
    // SAFETY: `data` is the `Child` that the suspended parent thread prepared; see `start_and_wait_for_exec`.
    let child = unsafe { &mut *data.cast::<Child<'_>>() };
    child.failure = Some(set_up_and_execute(child));
    // SAFETY: `_exit` is async-signal-safe and runs no handler of the host.
    unsafe { libc::_exit(EXIT_FAILED) }
}

/// Sets the child up and executes the program. Returns only after a failure.
fn set_up_and_execute(child: &Child<'_>) -> SpawnError {
    let failed = |step| SpawnError { step, errno: Errno(last_errno()) };
    set_signal_dispositions(STANDARD_SIGNALS, libc::SIG_DFL);
    // SAFETY: the system calls use our own values and change only the child's process attributes.
    unsafe {
        libc::setsid();
        if child.attributes.is_subreaper {
            libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        }
        if libc::fchdir(child.directory) == -1 {
            return failed(Step::Directory);
        }
    }
    let mut is_entered = true;
    if let Some(line) = &child.line {
        is_entered = line.write();
        if !is_entered {
            // Under a file size limit, the write leaves a pending signal. Ignoring the signal discards it.
            set_signal_dispositions(FILE_SIZE_SIGNAL, libc::SIG_IGN);
            set_signal_dispositions(FILE_SIZE_SIGNAL, libc::SIG_DFL);
        }
        line.close_guardian_socket();
    }
    if let Some(signal) = child.attributes.pdeathsig {
        // A child without a line dies with the host instead of stopping: the guardian does not find it.
        set_pdeathsig(if is_entered { signal } else { Signal::KILL }, child.host);
    }
    if child.cgroup.is_some_and(|cgroup| !enter_cgroup(cgroup)) {
        return failed(Step::Cgroup);
    }
    if !install_descriptors(child) {
        return failed(Step::Descriptors);
    }
    if child.attributes.has_terminal && !take_terminal() {
        return failed(Step::Descriptors);
    }
    // The limits come last, because they bind the child from here on. They do not affect the host, which
    // shares only memory.
    if let Err(error) = set_limits(&child.limits) {
        return SpawnError { step: Step::Limits, errno: Errno(error.raw_os_error()) };
    }
    if child.attributes.ignores_termination {
        // Ignoring a signal also discards a pending one, which was meant for all processes with the host's
        // name.
        set_signal_dispositions(STANDARD_SIGNALS, libc::SIG_IGN);
        set_signal_dispositions(
            STANDARD_SIGNALS.filter(|signal| !TERMINATION.contains(signal)),
            libc::SIG_DFL,
        );
    }
    unblock_all_signals();
    execute(&child.program)
}

/// Sets the limits of this process.
fn set_limits(limits: &PreparedLimits) -> Result<(), rustix::io::Errno> {
    if let Some((resource, tag)) = limits.tag {
        // If this fails, the child runs without a tag.
        let _ = setrlimit(resource, tag);
    }
    limits.limits.into_iter().flatten().try_for_each(|(resource, limit)| setrlimit(resource, limit))
}

/// Moves this process into a cgroup. Returns false after a failure.
fn enter_cgroup(directory: c_int) -> bool {
    // SAFETY: system calls with constant strings on a descriptor that the suspended parent keeps open.
    unsafe {
        let file = libc::openat(directory, c"cgroup.procs".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        file != -1 && libc::write(file, c"0".as_ptr().cast(), 1) == 1 && libc::close(file) == 0
    }
}

/// Makes standard input the controlling terminal of the child's session. Returns false after a failure.
fn take_terminal() -> bool {
    // SAFETY: a system call on the child's own descriptor and session.
    unsafe { libc::ioctl(0, libc::TIOCSCTTY, 0) != -1 }
}

/// Sets the parent-death signal, or exits if the host has died already.
///
/// The child must have closed its copy of the guardian's socket before: a child that the signal stops with an
/// open copy would hide the end of the host from the guardian.
fn set_pdeathsig(signal: Signal, host: Pid) {
    // SAFETY: the system calls have no pointers and change only the child's process attributes.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, signal.as_raw(), 0, 0, 0);
        if libc::getppid() != host.as_raw_nonzero().get() {
            // The host has died before the signal was set.
            libc::_exit(EXIT_FAILED);
        }
    }
}

/// Moves the descriptors to their targets and closes all others, unless the child inherits them. Returns
/// false after a failure.
///
/// Each source is above the standard streams and closes on exec, so no standard stream can overwrite another.
fn install_descriptors(child: &Child<'_>) -> bool {
    let mut target = 0;
    for source in child.stdio {
        // SAFETY: a system call on descriptors that the suspended parent keeps open.
        if unsafe { libc::dup2(source, target) } == -1 {
            return false;
        }
        target += 1;
    }
    if let Some((source, number)) = child.extra_fd {
        // SAFETY: as above. `dup2` onto itself would keep the close-on-exec flag, so the flag is cleared
        // instead.
        let placed = unsafe {
            if source == number { libc::fcntl(source, libc::F_SETFD, 0) } else { libc::dup2(source, number) }
        };
        if placed == -1 {
            return false;
        }
        target = number + 1;
    }
    if !child.attributes.inherits_descriptors {
        // SAFETY: the child has its own descriptor table. Before Linux 5.9 the call fails, and the child
        // keeps the descriptors that don't close on exec.
        unsafe {
            libc::syscall(libc::SYS_close_range, target, c_int::MAX, 0);
        }
    }
    true
}

/// Executes the first candidate that can be executed, as `execvp` does. Otherwise returns the most useful
/// error.
fn execute(program: &ChildProgram) -> SpawnError {
    let mut attempts = Attempts::default();
    let mut candidate = program.candidates;
    // SAFETY: the fields of `program` are null-terminated arrays of C strings that the suspended parent keeps
    // alive; `shell_arguments` has room for the candidate at index 1.
    unsafe {
        while !(*candidate).is_null() {
            libc::execve(*candidate, program.arguments, program.environment);
            let mut errno = last_errno();
            if errno == libc::ENOEXEC {
                *program.shell_arguments.add(1) = *candidate;
                libc::execve(SHELL.as_ptr(), program.shell_arguments, program.environment);
                errno = last_errno();
            }
            if !attempts.goes_on_after(errno) {
                break;
            }
            candidate = candidate.add(1);
        }
    }
    SpawnError { step: Step::Execute, errno: attempts.error() }
}

pub(super) fn last_errno() -> c_int {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}
