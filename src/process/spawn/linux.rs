//! Spawning on Linux: `clone(CLONE_VM | CLONE_VFORK)`, as `posix_spawn` does it.
//!
//! The child borrows the host's memory until it executes, so nothing is copied, and only the spawning thread
//! waits meanwhile. Compared with `posix_spawn` itself this gives a session of its own, a working directory by
//! descriptor, the pidfd without a race, and the step at which a spawn failed, on every C library alike.

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitOptions, waitpid};

use super::limits::Prepared;
use super::{Request, SpawnError, Spawned, Step};
use crate::process::errno::Errno;
use crate::process::fd::pidfd;
use crate::process::registry::{LINE, Leash, Record};
use crate::process::signal::TERMINATION;

/// The child calls a handful of system calls on it.
const STACK_SIZE: usize = GUARD_SIZE + 64 * 1024;

/// Below the stack; a multiple of every page size there is.
const GUARD_SIZE: usize = 64 * 1024;

/// The size of the kernel's signal set, in bytes.
const KERNEL_SIGNAL_SET: usize = 8;

/// Used when execution fails; nobody sees it, since the failure is reported through memory.
const EXIT_FAILED: c_int = 127;

/// Starts the program. Returns when it runs (or has failed to), which takes about as long as the kernel needs
/// to load it.
///
/// # Errors
///
/// The step that failed and its error. No process is left then.
pub fn spawn(request: &Request<'_>) -> Result<Spawned, SpawnError> {
    // Taken out while it is in use, put back for the next spawn of this thread.
    let stack = STACK.take().map_or_else(Stack::new, Ok).map_err(SpawnError::at(Step::Clone))?;
    let spawned = spawn_on(&stack, request);
    STACK.set(Some(stack));
    spawned
}

thread_local! {
    static STACK: Cell<Option<Stack>> = const { Cell::new(None) };
}

fn spawn_on(stack: &Stack, request: &Request<'_>) -> Result<Spawned, SpawnError> {
    let arguments = pointers(request.arguments);
    let environment = pointers(request.environment);
    let candidates = pointers(request.candidates);
    // `/bin/sh <candidate> <arguments…>`: room for a file without an interpreter line.
    let mut by_shell = vec![SHELL.as_ptr(), ptr::null()];
    by_shell.extend_from_slice(arguments.get(1..).unwrap_or_default());
    by_shell.push(ptr::null());
    let mut child = Child {
        candidates: candidates.as_ptr(),
        arguments: arguments.as_ptr(),
        by_shell: by_shell.as_mut_ptr(),
        environment: environment.as_ptr(),
        directory: request.directory.as_raw_fd(),
        standard_streams: [request.stdin, request.stdout, request.stderr].map(|stream| stream.as_raw_fd()),
        script: request.script.map(|script| (script.file.as_raw_fd(), script.number)),
        record: request.record.map(OwnLine::new),
        inherits_descriptors: request.inherits_descriptors,
        at_thread_end: request.at_thread_end.map(Signal::as_raw),
        adopts_orphans: request.adopts_orphans,
        ignores_termination: request.ignores_termination,
        limits: Prepared::new(request.limits, request.tag),
        host: rustix::process::getpid(),
        failure: None,
    };
    let (pid, pidfd) = clone_and_wait_for_exec(stack, &mut child)
        .map_err(|errno| SpawnError { step: Step::Clone, errno })?;
    match child.failure {
        None => Ok(Spawned { pid, pidfd: pidfd.or_else(|| pidfd::open(pid).ok()) }),
        Some(failure) => {
            let _ = retry_on_intr(|| waitpid(Some(pid), WaitOptions::empty()));
            Err(failure)
        }
    }
}

const SHELL: &std::ffi::CStr = c"/bin/sh";

/// Everything that the child reads, prepared before it exists: it can't allocate.
struct Child {
    candidates: *const *const c_char,
    arguments: *const *const c_char,
    by_shell: *mut *const c_char,
    environment: *const *const c_char,
    directory: c_int,
    standard_streams: [c_int; 3],
    script: Option<(c_int, c_int)>,
    record: Option<OwnLine>,
    inherits_descriptors: bool,
    at_thread_end: Option<c_int>,
    adopts_orphans: bool,
    ignores_termination: bool,
    limits: Prepared,
    host: Pid,
    failure: Option<SpawnError>,
}

fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
}

fn clone_and_wait_for_exec(stack: &Stack, child: &mut Child) -> Result<(Pid, Option<OwnedFd>), Errno> {
    let _blocked = BlockedSignals::new();
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let with_pidfd = flags | libc::CLONE_PIDFD;
    let mut pidfd: c_int = -1;
    let data = ptr::from_mut(child).cast::<c_void>();
    // SAFETY: `child_main` has a stack of its own, which outlives it: CLONE_VFORK suspends this thread until the child has
    // executed or exited. `data` points to a live `Child` that nobody else touches meanwhile, `pidfd` to a live integer.
    // No handler of the host runs in the child: see `BlockedSignals`.
    let mut result = unsafe { libc::clone(child_main, stack.top(), with_pidfd, data, &raw mut pidfd) };
    if result == -1 && last_errno() == libc::EINVAL {
        // SAFETY: as above; the kernel (or an emulation of it) has no CLONE_PIDFD.
        result = unsafe { libc::clone(child_main, stack.top(), flags, data) };
    }
    let Some(pid) = Pid::from_raw(result).filter(|_| result > 0) else {
        return Err(Errno(last_errno()));
    };
    // SAFETY: the kernel has just made this descriptor for us; nobody else owns it. Older kernels ignore the
    // flag and leave -1.
    let pidfd = (pidfd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(pidfd) });
    Ok((pid, pidfd))
}

fn last_errno() -> c_int {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

/// The child, in borrowed memory: system calls only, no allocation, no lock, no panic.
extern "C" fn child_main(data: *mut c_void) -> c_int {
    // SAFETY: `data` is the `Child` that the suspended parent thread prepared; see `clone_and_wait_for_exec`.
    let child = unsafe { &mut *data.cast::<Child>() };
    child.failure = Some(set_up_and_execute(child));
    // SAFETY: `_exit` is async-signal-safe and runs no handler of the host.
    unsafe { libc::_exit(EXIT_FAILED) }
}

/// Returns only when it has failed.
fn set_up_and_execute(child: &Child) -> SpawnError {
    let failed = |step| SpawnError { step, errno: Errno(last_errno()) };
    set_signal_dispositions(1..32, libc::SIG_DFL);
    // SAFETY: system calls on values of our own; they touch the child's process attributes only.
    unsafe {
        libc::setsid();
        if child.adopts_orphans {
            libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        }
        if libc::fchdir(child.directory) == -1 {
            return failed(Step::Directory);
        }
    }
    if let Some(line) = &child.record {
        line.write();
        line.let_go_of_leash();
    }
    if let Some(signal) = child.at_thread_end {
        // Not before: who is stopped with the leash in its hands keeps the guardian asleep.
        // SAFETY: as above.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, signal, 0, 0, 0);
            if libc::getppid() != child.host.as_raw_nonzero().get() {
                // The host has died before the line above.
                libc::_exit(EXIT_FAILED);
            }
        }
    }
    if !place_descriptors(child) {
        return failed(Step::Descriptors);
    }
    // Last of all, since they bind the child from here on. They are its own: memory is shared with the host, limits are
    // not.
    if let Err(error) = child.limits.set() {
        return SpawnError { step: Step::Limits, errno: Errno(error.raw_os_error()) };
    }
    if child.ignores_termination {
        // Drops what has been sent to all that look like the host.
        set_signal_dispositions(1..32, libc::SIG_IGN);
        set_signal_dispositions((1..32).filter(|signal| !TERMINATION.contains(signal)), libc::SIG_DFL);
    }
    unblock_all_signals();
    execute(child)
}

/// The child's line in the guardian's table, complete but for its number, which stands at the end of its own field.
struct OwnLine {
    file: c_int,
    offset: i64,
    text: [u8; LINE],
    leash: Option<Leash>,
}

/// How many digits a number can have.
const NUMBER: usize = 10;

impl OwnLine {
    fn new(record: &Record<'_>) -> Self {
        let mut text = [b' '; LINE];
        let rest = record.rest.as_bytes();
        let length = rest.len().min(LINE - NUMBER - 1);
        text[NUMBER..NUMBER + length].copy_from_slice(&rest[..length]);
        text[LINE - 1] = b'\n';
        Self { file: record.file.as_raw_fd(), offset: record.offset, text, leash: record.leash }
    }

    /// In the child.
    fn write(&self) {
        let mut text = self.text;
        // SAFETY: asks for a number and changes nothing.
        let mut number = unsafe { libc::getpid() }.unsigned_abs();
        for place in text[..NUMBER].iter_mut().rev() {
            if number > 0 {
                *place = b'0' + (number % 10) as u8;
            }
            number /= 10;
        }
        // SAFETY: writes from a live buffer of that size. If it fails, the parent enters the line a moment later.
        unsafe {
            libc::pwrite(self.file, text.as_ptr().cast(), LINE, self.offset);
        }
    }

    /// In the child, whose table of descriptors is its own.
    fn let_go_of_leash(&self) {
        let Some(Leash { descriptor, inode }) = self.leash else { return };
        // SAFETY: an all-zero status is a valid one to fill. What is closed is the pipe that was meant, and nobody in the
        // child uses it.
        unsafe {
            let mut status: libc::stat = std::mem::zeroed();
            if libc::fstat(descriptor, &raw mut status) == 0 && status.st_ino == inode {
                libc::close(descriptor);
            }
        }
    }
}

/// Dispositions survive `exec` when they are "ignore", and Node ignores some: a shell can't undo that. To ignore a signal
/// also drops one that is pending.
fn set_signal_dispositions(signals: impl Iterator<Item = c_int>, disposition: libc::sighandler_t) {
    for signal in signals {
        // SAFETY: an all-zero `sigaction` has an empty mask and no flags. The table is the child's own copy. The call
        // fails harmlessly for SIGKILL and SIGSTOP.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = disposition;
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
}

/// Sources are 3 or higher and close on exec, so the standard streams can't overwrite one another.
fn place_descriptors(child: &Child) -> bool {
    let mut target = 0;
    for source in child.standard_streams {
        // SAFETY: plain system call on descriptors that the suspended parent keeps open.
        if unsafe { libc::dup2(source, target) } == -1 {
            return false;
        }
        target += 1;
    }
    if let Some((script, number)) = child.script {
        // SAFETY: as above. `dup2` onto itself would keep the close-on-exec flag, so that is cleared instead.
        let placed = unsafe {
            if script == number { libc::fcntl(script, libc::F_SETFD, 0) } else { libc::dup2(script, number) }
        };
        if placed == -1 {
            return false;
        }
        target = number + 1;
    }
    if !child.inherits_descriptors {
        // SAFETY: the table of descriptors is the child's own. A kernel before 2020 has no such call: then those are
        // closed that close on exec.
        unsafe {
            libc::syscall(libc::SYS_close_range, target, c_int::MAX, 0);
        }
    }
    true
}

fn unblock_all_signals() {
    let none = [0_u8; KERNEL_SIGNAL_SET];
    // SAFETY: sets the mask of the calling process from a set of the kernel's own size.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            libc::SIG_SETMASK,
            none.as_ptr(),
            ptr::null_mut::<u8>(),
            KERNEL_SIGNAL_SET,
        );
    }
}

/// `execvp` over the candidates: the first that can be executed; otherwise the most telling error.
fn execute(child: &Child) -> SpawnError {
    let mut denied = false;
    let mut errno = libc::ENOENT;
    let mut candidate = child.candidates;
    // SAFETY: `candidates`, `arguments`, `by_shell` and `environment` are NUL-terminated arrays of C strings that
    // the suspended parent keeps alive; `by_shell` has room for the candidate at index 1.
    unsafe {
        while !(*candidate).is_null() {
            libc::execve(*candidate, child.arguments, child.environment);
            errno = last_errno();
            if errno == libc::ENOEXEC {
                *child.by_shell.add(1) = *candidate;
                libc::execve(SHELL.as_ptr(), child.by_shell, child.environment);
                errno = last_errno();
            }
            match errno {
                libc::EACCES => denied = true,
                libc::ENOENT | libc::ENOTDIR | libc::ESTALE | libc::ENODEV | libc::ETIMEDOUT => {}
                _ => {
                    return SpawnError { step: Step::Execute, errno: Errno(errno) };
                }
            }
            candidate = candidate.add(1);
        }
    }
    SpawnError { step: Step::Execute, errno: Errno(if denied { libc::EACCES } else { errno }) }
}

#[allow(clippy::cast_sign_loss, reason = "it is a small positive number")]
const SIGCHLD_BIT: usize = libc::SIGCHLD as usize - 1;

/// Blocks every signal of this thread, those of the C library too, until it is dropped; but SIGCHLD stays as it was.
///
/// A child without children gets that one only from whoever sends it by hand, and its disposition is the default before the
/// child does anything else that takes time. While the thread that has spawned blocks it, the end of another child of its
/// own wakes the host's main thread (see `leave_all_but_sigchld_to_others`).
struct BlockedSignals {
    before: [u8; KERNEL_SIGNAL_SET],
}

impl BlockedSignals {
    fn new() -> Self {
        let mut all = [u8::MAX; KERNEL_SIGNAL_SET];
        all[SIGCHLD_BIT / 8] &= !(1 << (SIGCHLD_BIT % 8));
        let mut before = [0_u8; KERNEL_SIGNAL_SET];
        // SAFETY: both sets have the kernel's size, which is passed along.
        unsafe {
            libc::syscall(
                libc::SYS_rt_sigprocmask,
                libc::SIG_BLOCK,
                all.as_ptr(),
                before.as_mut_ptr(),
                KERNEL_SIGNAL_SET,
            );
        }
        Self { before }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: as in `new`.
        unsafe {
            libc::syscall(
                libc::SYS_rt_sigprocmask,
                libc::SIG_SETMASK,
                self.before.as_ptr(),
                ptr::null_mut::<u8>(),
                KERNEL_SIGNAL_SET,
            );
        }
    }
}

/// The child's stack, above a part that faults.
struct Stack {
    base: *mut c_void,
}

impl Stack {
    fn new() -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK;
        // SAFETY: a new private mapping, of which only this value knows.
        let base = unsafe {
            libc::mmap(ptr::null_mut(), STACK_SIZE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let stack = Self { base };
        // SAFETY: the lower part of the mapping above.
        if unsafe { libc::mprotect(base, GUARD_SIZE, libc::PROT_NONE) } == -1 {
            return Err(io::Error::last_os_error());
        }
        Ok(stack)
    }

    fn top(&self) -> *mut c_void {
        // SAFETY: one past the end of the mapping; stacks grow down from it on every supported processor.
        unsafe { self.base.byte_add(STACK_SIZE) }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`; the child no longer uses it.
        unsafe {
            libc::munmap(self.base, STACK_SIZE);
        }
    }
}
