//! Forks of the helper program, which has one thread, and the descriptors that a fork keeps.

use std::fs;
use std::io;

use rustix::process::Pid;

/// Forks this process, which must have one thread. Returns `None` in the child.
///
/// # Errors
///
/// The system's error, such as `EAGAIN`.
pub fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: the process has one thread, so no lock of another one is copied in a locked state.
    let result = unsafe { libc::fork() };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(Pid::from_raw(result)) }
}

/// Ends this process at once.
pub fn exit(code: i32) -> ! {
    // SAFETY: `_exit` has no memory effects; no destructor has to run, since the kernel closes what is open.
    unsafe { libc::_exit(code) }
}

/// Makes the standard streams copies of this descriptor.
///
/// # Errors
///
/// The system's error.
pub fn replace_standard_streams(descriptor: i32) -> io::Result<()> {
    for stream in 0..3 {
        // SAFETY: replaces descriptors that nothing in this process refers to as owned.
        if unsafe { libc::dup2(descriptor, stream) } == -1 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Closes all descriptors from 3 on but these. Their owners in this process, which has been forked, never run
/// again.
pub fn keep_only(kept: &mut [i32]) {
    kept.sort_unstable();
    let mut next = 3_u32;
    for &descriptor in kept.iter() {
        let descriptor = descriptor.unsigned_abs();
        if descriptor > next {
            close_from_to(next, descriptor - 1);
        }
        next = next.max(descriptor + 1);
    }
    close_from_to(next, u32::MAX);
}

fn close_from_to(first: u32, last: u32) {
    if close_range(first, last, 0) {
        return;
    }
    // Linux before 5.9 has no `close_range`.
    let open = fs::read_dir("/proc/self/fd").map(|entries| {
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()).collect()
    });
    let open: Vec<u32> = open.unwrap_or_default();
    for descriptor in open.into_iter().filter(|descriptor| (first..=last).contains(descriptor)) {
        // SAFETY: closes a descriptor whose owner never runs again. The one that listed the others is closed
        // already, which fails harmlessly.
        unsafe {
            libc::close(descriptor.cast_signed());
        }
    }
}

/// Makes all descriptors from 3 on close when a program is executed.
pub fn close_on_exec() {
    close_range(3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
}

fn close_range(first: u32, last: u32, flags: u32) -> bool {
    // SAFETY: closes descriptors, or marks them. What is closed is owned by values that are never used or
    // dropped again.
    unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) == 0 }
}
