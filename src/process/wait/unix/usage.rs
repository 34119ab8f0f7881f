//! Reads the resource usage of a child without reaping it.

use rustix::process::Pid;

use crate::process::wait::Usage;

/// Returns the resource usage of a child that has exited, which stays a zombie.
///
/// Returns `None` for a child that runs, for another process, and where the kernel does not report it.
#[must_use]
#[cfg(target_os = "linux")]
pub fn usage(pid: Pid) -> Option<Usage> {
    use std::mem::MaybeUninit;

    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: unlike the C library's function, the system call also takes a buffer for the usage. Both
    // buffers are live, and at least as large as what the kernel writes: a C library may add fields to its
    // structures, but not drop any.
    let result = unsafe {
        libc::syscall(
            libc::SYS_waitid,
            libc::P_PID,
            pid.as_raw_nonzero().get(),
            info.as_mut_ptr(),
            options,
            usage.as_mut_ptr(),
        )
    };
    // SAFETY: both were zeroed before, or filled since, and every bit pattern is valid in both.
    let (info, usage) = unsafe { (info.assume_init(), usage.assume_init()) };
    // While the child runs, `si_signo` is 0 instead of SIGCHLD.
    (result == 0 && info.si_signo != 0).then(|| Usage {
        user: duration(usage.ru_utime),
        system: duration(usage.ru_stime),
        max_rss: u64::try_from(usage.ru_maxrss).unwrap_or(0).saturating_mul(1024),
    })
}

#[cfg(target_os = "linux")]
fn duration(time: libc::timeval) -> std::time::Duration {
    use std::time::Duration;

    Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0))
        + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
}

/// Returns the CPU time of a child that has exited, which stays a zombie. The peak of its memory is 0: the
/// kernel has forgotten it by then.
///
/// Returns `None` for a child that runs and for another process.
#[must_use]
#[cfg(target_os = "macos")]
pub fn usage(pid: Pid) -> Option<Usage> {
    use super::peek;
    use crate::process::wait::Exit;

    // The usage of any other process is reported too.
    peek(pid).filter(|&exit| exit != Exit::Unknown)?;
    let time = crate::process::libproc::processor_time(pid)?;
    Some(Usage { user: time.user, system: time.system, max_rss: 0 })
}
