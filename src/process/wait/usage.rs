//! What a child has used, told without reaping it.

use std::time::Duration;

use rustix::process::Pid;

/// What a process and those of its children that it has waited for have used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Processor time in programs.
    pub user: Duration,
    /// Processor time in the kernel.
    pub system: Duration,
    /// The most memory that one process among them has had at a time (bytes).
    pub max_rss: u64,
}

/// What a child that has exited has used. It stays a zombie. `None` for one that runs or is not ours, and where the
/// kernel does not tell.
#[must_use]
#[cfg(target_os = "linux")]
pub fn usage(pid: Pid) -> Option<Usage> {
    use std::mem::MaybeUninit;

    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the system call, unlike the function of the C library, takes a place for the usage as well. Both places
    // are live, and no smaller than what the kernel writes: a C library may have more in its structure, not less.
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
    // SAFETY: zeroed before, or filled since; every bit pattern is valid in both.
    let (info, usage) = unsafe { (info.assume_init(), usage.assume_init()) };
    // It is 0, and not SIGCHLD, while the child runs.
    (result == 0 && info.si_signo != 0).then(|| Usage {
        user: duration(usage.ru_utime),
        system: duration(usage.ru_stime),
        max_rss: u64::try_from(usage.ru_maxrss).unwrap_or(0).saturating_mul(1024),
    })
}

#[cfg(target_os = "linux")]
fn duration(time: libc::timeval) -> Duration {
    Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0))
        + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
}

/// As on Linux; here the kernel tells only who reaps.
#[must_use]
#[cfg(not(target_os = "linux"))]
pub const fn usage(_pid: Pid) -> Option<Usage> {
    None
}
