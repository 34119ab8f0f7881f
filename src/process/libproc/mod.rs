//! Reads macOS's reports about processes: `libproc`, and the process table of `sysctl`.
//!
//! Each function asks the kernel one question about one process. Rows and unique ids need no rights; all else
//! is reported about processes of the own user only. `layout` has the kernel's structures.

mod layout;

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::time::Duration;

use rustix::process::Pid;

pub(super) use self::layout::{
    KernelStruct, PipeInfo, ShortRow, SignalSets, SocketInfo, TCP_LISTENING, TCP_SOCKET, UniqueIds,
};
use self::layout::{KinfoProc, VnodePaths};

/// The argument with which `proc_pidinfo` includes zombies, instead of reporting them as missing.
const WITH_ZOMBIES: u64 = 1;

/// The kinds of lists of `proc_listpids`.
const ALL_PIDS: u32 = 1;
const BY_PARENT: u32 = 6;

/// The room for processes, or descriptors, that appear between counting and listing.
const ROOM_FOR_NEW: usize = 32;

/// Returns the short row of a process, which may be a zombie.
pub(super) fn row(pid: Pid) -> Option<ShortRow> {
    about_process(pid, libc::PROC_PIDT_SHORTBSDINFO, WITH_ZOMBIES)
}

/// Returns the unique ids of a process, which may be a zombie, and of the process that created it.
pub(super) fn unique_ids(pid: Pid) -> Option<UniqueIds> {
    about_process(pid, layout::PROC_PIDUNIQIDENTIFIERINFO, WITH_ZOMBIES)
}

/// Returns the pids of all processes.
pub(super) fn all_pids() -> Vec<Pid> {
    list_pids(ALL_PIDS, 0)
}

/// Returns the pids of the children of a process, with zombies.
pub(super) fn children(parent: Pid) -> Vec<Pid> {
    list_pids(BY_PARENT, parent.as_raw_nonzero().get().cast_unsigned())
}

fn list_pids(kind: u32, of: u32) -> Vec<Pid> {
    let pids: Vec<i32> = list_all(|buffer, size| {
        // SAFETY: the buffer has the size that the call gets; without a buffer, the call only counts.
        unsafe { libc::proc_listpids(kind, of, buffer, size) }
    });
    pids.into_iter().filter_map(Pid::from_raw).collect()
}

/// Returns the open descriptors of a process, each with its kind.
pub(super) fn descriptors(pid: Pid) -> Vec<libc::proc_fdinfo> {
    let number = raw(pid);
    list_all(|buffer, size| {
        // SAFETY: as in `list_pids`.
        unsafe { libc::proc_pidinfo(number, libc::PROC_PIDLISTFDS, 0, buffer, size) }
    })
}

/// Returns the pipes of a process, each with its descriptor.
pub(super) fn pipes(pid: Pid) -> impl Iterator<Item = PipeInfo> {
    let of_kind = descriptors(pid).into_iter().filter(|open| is_kind(*open, libc::PROX_FDTYPE_PIPE));
    of_kind.filter_map(move |open| pipe(pid, open.proc_fd))
}

/// Returns the pipe at a descriptor of a process, or `None` if the descriptor is no pipe.
pub(super) fn pipe(pid: Pid, descriptor: c_int) -> Option<PipeInfo> {
    about_descriptor(pid, descriptor, layout::PROC_PIDFDPIPEINFO)
}

/// Returns the sockets of a process.
pub(super) fn sockets(pid: Pid) -> impl Iterator<Item = SocketInfo> {
    let of_kind = descriptors(pid).into_iter().filter(|open| is_kind(*open, libc::PROX_FDTYPE_SOCKET));
    of_kind.filter_map(move |open| about_descriptor(pid, open.proc_fd, layout::PROC_PIDFDSOCKETINFO))
}

/// Returns the signals that a process ignores, and those that it handles.
pub(super) fn signals(pid: Pid) -> Option<SignalSets> {
    let mut name = [libc::CTL_KERN, libc::KERN_PROC, libc::KERN_PROC_PID, raw(pid)];
    let mut process = MaybeUninit::<KinfoProc>::zeroed();
    let mut size = size_of::<KinfoProc>();
    // SAFETY: the name has its four parts, and the buffer the size that the call gets; nothing is set.
    let result = unsafe {
        libc::sysctl(name.as_mut_ptr(), 4, process.as_mut_ptr().cast(), &raw mut size, ptr::null_mut(), 0)
    };
    // SAFETY: every bit pattern is valid in the structure, which was zeroed.
    let process = unsafe { process.assume_init() };
    // A missing process gives no error, but no row either.
    (result == 0 && size == size_of::<KinfoProc>()).then_some(process.signals)
}

/// Returns how many threads of a process run.
pub(super) fn running_threads(pid: Pid) -> Option<i32> {
    about_process(pid, libc::PROC_PIDTASKINFO, 0).map(|task: layout::TaskInfo| task.0.pti_numrunning)
}

/// Returns the device and the inode of the current directory of a process, with its path.
pub(super) fn current_directory(pid: Pid) -> Option<(u64, u64, Vec<u8>)> {
    let paths: VnodePaths = about_process(pid, libc::PROC_PIDVNODEPATHINFO, 0)?;
    let directory = paths.0.pvi_cdir;
    let bytes = directory.vip_path.as_flattened().iter().map(|byte| byte.cast_unsigned());
    let stat = directory.vip_vi.vi_stat;
    Some((u64::from(stat.vst_dev), stat.vst_ino, bytes.take_while(|&byte| byte != 0).collect()))
}

/// The processor time of a process, and of the children that it has waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProcessorTime {
    pub(super) user: Duration,
    pub(super) system: Duration,
}

/// Returns the processor time of a process, which may be a zombie.
pub(super) fn processor_time(pid: Pid) -> Option<ProcessorTime> {
    let mut usage = MaybeUninit::<libc::rusage_info_v1>::zeroed();
    // SAFETY: the buffer is that of the flavor. Its declared type, a pointer to a pointer, is not what the
    // call takes: it writes the structure to the address.
    let result = unsafe { libc::proc_pid_rusage(raw(pid), libc::RUSAGE_INFO_V1, usage.as_mut_ptr().cast()) };
    if result != 0 {
        return None;
    }
    // SAFETY: filled by the call.
    let usage = unsafe { usage.assume_init() };
    Some(ProcessorTime {
        user: duration(usage.ri_user_time.saturating_add(usage.ri_child_user_time)),
        system: duration(usage.ri_system_time.saturating_add(usage.ri_child_system_time)),
    })
}

/// Converts the ticks of the Mach clock. A tick is 1 ns on Intel and 125/3 ns on Apple silicon.
#[allow(deprecated, reason = "the crate that replaces it would be needed for this one call")]
fn duration(ticks: u64) -> Duration {
    let mut base = libc::mach_timebase_info { numer: 1, denom: 1 };
    // SAFETY: the call fills the structure.
    unsafe {
        libc::mach_timebase_info(&raw mut base);
    }
    let nanoseconds = u128::from(ticks) * u128::from(base.numer) / u128::from(base.denom.max(1));
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
}

const fn is_kind(descriptor: libc::proc_fdinfo, kind: c_int) -> bool {
    descriptor.proc_fdtype == kind.cast_unsigned()
}

fn about_process<T: KernelStruct>(pid: Pid, flavor: c_int, argument: u64) -> Option<T> {
    filled(|buffer, size| {
        // SAFETY: the buffer has the size that the call gets.
        unsafe { libc::proc_pidinfo(raw(pid), flavor, argument, buffer, size) }
    })
}

fn about_descriptor<T: KernelStruct>(pid: Pid, descriptor: c_int, flavor: c_int) -> Option<T> {
    filled(|buffer, size| {
        // SAFETY: as in `about_process`.
        unsafe { libc::proc_pidfdinfo(raw(pid), descriptor, flavor, buffer, size) }
    })
}

/// Returns the structure that `ask` fills, if it fills all of it.
fn filled<T: KernelStruct>(ask: impl FnOnce(*mut c_void, c_int) -> c_int) -> Option<T> {
    let mut value = MaybeUninit::<T>::zeroed();
    let size = c_int::try_from(size_of::<T>()).ok()?;
    if ask(value.as_mut_ptr().cast(), size) < size {
        return None;
    }
    // SAFETY: a `KernelStruct` is valid with any content, and the kernel has filled all of it.
    Some(unsafe { value.assume_init() })
}

/// Returns the list that `ask` writes. `ask` gets a buffer and its size, and returns the size of the list
/// (bytes), or without a buffer the size that it may have.
fn list_all<T: Copy>(ask: impl Fn(*mut c_void, c_int) -> c_int) -> Vec<T> {
    let count = usize::try_from(ask(ptr::null_mut(), 0)).unwrap_or(0) / size_of::<T>();
    let mut list: Vec<T> = Vec::with_capacity(count + ROOM_FOR_NEW);
    let size = c_int::try_from(list.capacity() * size_of::<T>()).unwrap_or(c_int::MAX);
    let written = usize::try_from(ask(list.as_mut_ptr().cast(), size)).unwrap_or(0) / size_of::<T>();
    // SAFETY: the kernel has written as many entries, which are plain numbers, and no more than fit.
    unsafe {
        list.set_len(written.min(list.capacity()));
    }
    list
}

const fn raw(pid: Pid) -> c_int {
    pid.as_raw_nonzero().get()
}
