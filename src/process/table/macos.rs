//! Reads the process table through `libproc`.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr;
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::row::{Identity, Process};

/// The room for processes that start between counting and listing.
const STARTED_MEANWHILE: usize = 64;

/// The argument with which `proc_pidinfo` includes zombies, instead of reporting them as missing.
const WITH_ZOMBIES: u64 = 1;

/// The flag in `pbi_flags` of a process that is exiting. The `libc` crate does not define it.
const PROC_FLAG_INEXIT: u32 = 4;

/// Returns whether the process table can be read.
#[must_use]
pub const fn is_available() -> bool {
    true
}

/// Returns whether a process is stopped or has exited. A missing process counts as stopped.
#[must_use]
pub fn is_stopped_or_gone(pid: Pid) -> bool {
    info_of(pid).is_none_or(|info| info.pbi_status == libc::SSTOP || info.pbi_status == libc::SZOMB)
}

fn info_of(pid: Pid) -> Option<libc::proc_bsdinfo> {
    let number = pid.as_raw_nonzero().get();
    let mut info = MaybeUninit::<libc::proc_bsdinfo>::zeroed();
    let size = c_int::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
    // SAFETY: the buffer has the size that the call gets.
    let written = unsafe {
        libc::proc_pidinfo(number, libc::PROC_PIDTBSDINFO, WITH_ZOMBIES, info.as_mut_ptr().cast(), size)
    };
    if written < size {
        return None;
    }
    // SAFETY: the kernel has filled all of the buffer.
    Some(unsafe { info.assume_init() })
}

/// Returns the row of a process, or `None` when no process has the pid.
#[must_use]
pub fn inspect(pid: Pid) -> Option<Process> {
    let info = info_of(pid)?;
    Some(Process {
        identity: Identity { pid, start: info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec },
        parent: info.pbi_ppid.cast_signed(),
        group: info.pbi_pgid.cast_signed(),
        session: rustix::process::getsid(Some(pid)).map_or(0, |session| session.as_raw_nonzero().get()),
        is_zombie: info.pbi_status == libc::SZOMB,
        is_exiting: info.pbi_flags & PROC_FLAG_INEXIT != 0,
    })
}

/// Returns `None`: the processor time of another process is not read here.
#[must_use]
pub const fn cpu_time(_pid: Pid) -> Option<(Duration, Duration)> {
    None
}

/// Returns the rows of all processes.
#[must_use]
pub fn snapshot() -> Vec<Process> {
    list_pids().into_iter().filter_map(inspect).collect()
}

/// Returns the pids of all processes.
#[must_use]
pub fn list_pids() -> Vec<Pid> {
    // SAFETY: without a buffer the call only counts.
    let count = unsafe { libc::proc_listallpids(ptr::null_mut(), 0) };
    let mut numbers = vec![0_i32; usize::try_from(count).unwrap_or(0) + STARTED_MEANWHILE];
    let size = c_int::try_from(numbers.len() * size_of::<i32>()).unwrap_or(c_int::MAX);
    // SAFETY: the buffer has the size that the call gets.
    let count = unsafe { libc::proc_listallpids(numbers.as_mut_ptr().cast(), size) };
    numbers.truncate(usize::try_from(count).unwrap_or(0));
    numbers.into_iter().filter_map(Pid::from_raw).collect()
}

/// Returns `None`: this kernel lists no children, so callers read the whole table.
#[must_use]
pub const fn children_of(_parent: Pid) -> Option<Vec<Pid>> {
    None
}

/// Returns false: pipes have no inode here that two processes could compare, so holders outside the job's
/// tree are not found.
#[must_use]
pub const fn holds_any_pipe(_pid: Pid, _inodes: &[u64]) -> bool {
    false
}

/// Returns the row of a process as [`inspect`] does: threads have no pids here.
#[must_use]
pub fn inspect_process(pid: Pid) -> Option<Process> {
    inspect(pid)
}

/// Returns true: the dispositions can't be read here, so every process counts as a background process.
#[must_use]
pub const fn ignores_interrupts(_pid: Pid) -> bool {
    true
}

/// Returns false: ignored signals are not read here.
#[must_use]
pub const fn ignores(_pid: Pid, _signal: Signal) -> bool {
    false
}

/// Returns false: holders of pipes can't be found here, so no process must be told apart from a child that
/// has not executed yet.
#[must_use]
pub const fn runs_host_executable(_pid: Pid) -> bool {
    false
}

/// Returns `None`: this system has no tags.
#[must_use]
pub const fn tag_of(_pid: Pid) -> Option<u64> {
    None
}
