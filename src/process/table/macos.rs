//! The process table from `libproc`.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr;

use rustix::process::Pid;

use super::row::{Identity, Process};

/// More processes than the table had when it was measured.
const SPARE: usize = 64;

/// Asks for zombies too: they count as gone otherwise.
const WITH_ZOMBIES: u64 = 1;

/// In `pbi_flags`: the process is on its way out. The `libc` crate does not have it.
const PROC_FLAG_INEXIT: u32 = 4;

/// Whether the process runs nothing of its program now: it is stopped or gone.
#[must_use]
pub fn is_at_rest(pid: Pid) -> bool {
    info_of(pid).is_none_or(|info| info.pbi_status == libc::SSTOP || info.pbi_status == libc::SZOMB)
}

fn info_of(pid: Pid) -> Option<libc::proc_bsdinfo> {
    let number = pid.as_raw_nonzero().get();
    let mut info = MaybeUninit::<libc::proc_bsdinfo>::zeroed();
    let size = c_int::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
    // SAFETY: the buffer has the size that is passed along.
    let written = unsafe {
        libc::proc_pidinfo(number, libc::PROC_PIDTBSDINFO, WITH_ZOMBIES, info.as_mut_ptr().cast(), size)
    };
    if written < size {
        return None;
    }
    // SAFETY: the kernel has filled all of it.
    Some(unsafe { info.assume_init() })
}

/// The row of one process, or `None` when there is none of that number.
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

/// The whole table.
#[must_use]
pub fn snapshot() -> Vec<Process> {
    list_pids().into_iter().filter_map(inspect).collect()
}

/// Returns the pids of all processes.
#[must_use]
pub fn list_pids() -> Vec<Pid> {
    // SAFETY: without a buffer the call only counts.
    let count = unsafe { libc::proc_listallpids(ptr::null_mut(), 0) };
    let mut numbers = vec![0_i32; usize::try_from(count).unwrap_or(0) + SPARE];
    let size = c_int::try_from(numbers.len() * size_of::<i32>()).unwrap_or(c_int::MAX);
    // SAFETY: the buffer has the size that is passed along.
    let count = unsafe { libc::proc_listallpids(numbers.as_mut_ptr().cast(), size) };
    numbers.truncate(usize::try_from(count).unwrap_or(0));
    numbers.into_iter().filter_map(Pid::from_raw).collect()
}

/// The whole table is read instead.
#[must_use]
pub const fn children_of(_parent: Pid) -> Option<Vec<Pid>> {
    None
}

/// Pipes have no number that two processes could compare here, so holders outside the job's tree are not found.
#[must_use]
pub const fn holds_any_pipe(_pid: Pid, _inodes: &[u64]) -> bool {
    false
}

/// As [`inspect`]: threads have no pids here.
#[must_use]
pub fn inspect_process(pid: Pid) -> Option<Process> {
    inspect(pid)
}

/// Not told here: every process counts as one that nobody waits for.
#[must_use]
pub const fn ignores_interrupts(_pid: Pid) -> bool {
    true
}

/// Holders of pipes are not found here, so nobody has to be told from them.
#[must_use]
pub const fn is_program_of_host(_pid: Pid) -> bool {
    false
}

/// Nobody carries a tag here.
#[must_use]
pub const fn tag_of(_pid: Pid) -> Option<u64> {
    None
}
