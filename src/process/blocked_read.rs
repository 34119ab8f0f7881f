//! Whether a process sleeps until it can read from a pipe, and that pipe is empty.

use rustix::process::Pid;

/// Returns the inode of what a process has as a descriptor, or `None` where that can't be told.
#[must_use]
pub fn inode_of_descriptor(pid: Pid, descriptor: i32) -> Option<u64> {
    platform::inode_of_descriptor(pid, descriptor)
}

/// Whether the process sleeps in a read of the pipe with this inode, and nothing is in that pipe. False where the kernel
/// does not tell.
#[must_use]
pub fn waits_for_pipe(pid: Pid, inode: u64) -> bool {
    platform::waits_for_pipe(pid, inode)
}

/// Whether the process sleeps until it can open a file: a named pipe that nobody has at its other end. False where the
/// kernel does not tell.
#[must_use]
pub fn waits_for_open(pid: Pid) -> bool {
    platform::waits_for_open(pid)
}

#[cfg(target_os = "linux")]
mod platform {
    use std::fs::{self, OpenOptions};
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    use std::path::Path;

    use rustix::io::ioctl_fionread;
    use rustix::process::Pid;

    use crate::process::fd::kernel_file::read_once;

    /// A number and six arguments, in hexadecimal (bytes).
    const LONGEST: usize = 256;

    pub(super) fn inode_of_descriptor(pid: Pid, descriptor: i32) -> Option<u64> {
        fs::metadata(format!("/proc/{}/fd/{descriptor}", pid.as_raw_nonzero())).ok().map(|file| file.ino())
    }

    pub(super) fn waits_for_pipe(pid: Pid, inode: u64) -> bool {
        let pid = pid.as_raw_nonzero();
        let path = format!("/proc/{pid}/syscall");
        let mut buffer = [0; LONGEST];
        let Some(descriptor) = read_once(Path::new(&path), &mut buffer).and_then(descriptor_of_read) else {
            return false;
        };
        let path = format!("/proc/{pid}/fd/{descriptor}");
        if !fs::metadata(&path).is_ok_and(|file| file.ino() == inode) {
            return false;
        }
        // The pipe itself, opened once more for a moment: how much is in it can be asked of any of its ends.
        let pipe = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path);
        pipe.is_ok_and(|pipe| ioctl_fionread(pipe).is_ok_and(|length| length == 0))
    }

    pub(super) fn waits_for_open(pid: Pid) -> bool {
        let mut buffer = [0; LONGEST];
        let path = format!("/proc/{}/syscall", pid.as_raw_nonzero());
        let line = read_once(Path::new(&path), &mut buffer).map(String::from_utf8_lossy);
        let number = line.and_then(|line| line.split_ascii_whitespace().next()?.parse::<libc::c_long>().ok());
        number.is_some_and(|number| OPENING.contains(&number))
            && !crate::process::table::is_stopped_or_gone(pid)
    }

    #[cfg(target_arch = "x86_64")]
    const OPENING: [libc::c_long; 2] = [libc::SYS_openat, libc::SYS_open];
    #[cfg(not(target_arch = "x86_64"))]
    const OPENING: [libc::c_long; 1] = [libc::SYS_openat];

    /// `NUMBER 0xARGUMENT …` of a system call in which a thread sleeps; `running` of one that does not sleep.
    pub(super) fn descriptor_of_read(line: &[u8]) -> Option<i32> {
        let line = std::str::from_utf8(line).ok()?;
        let mut words = line.split_ascii_whitespace();
        let is_read = words.next()?.parse::<libc::c_long>().ok()? == libc::SYS_read;
        let descriptor = i32::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        is_read.then_some(descriptor)
    }
}

/// There is nothing like `/proc/<pid>/syscall`.
#[cfg(not(target_os = "linux"))]
mod platform {
    use rustix::process::Pid;

    pub(super) const fn inode_of_descriptor(_pid: Pid, _descriptor: i32) -> Option<u64> {
        None
    }

    pub(super) const fn waits_for_open(_pid: Pid) -> bool {
        false
    }

    pub(super) const fn waits_for_pipe(_pid: Pid, _inode: u64) -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use rustix::process::Pid;

    use super::platform::descriptor_of_read;
    use super::{inode_of_descriptor, waits_for_pipe};

    #[test]
    fn a_read_is_told_from_other_calls() {
        let read = format!("{} 0x0 0x7ffd 0x1 0x0 0x0 0x0 0x7ffc 0x7f01\n", libc::SYS_read);
        assert_eq!(descriptor_of_read(read.as_bytes()), Some(0));
        let other = format!("{} 0x0 0x7ffd\n", libc::SYS_write);
        assert_eq!(descriptor_of_read(other.as_bytes()), None);
        assert_eq!(descriptor_of_read(b"running\n"), None);
        assert_eq!(descriptor_of_read(b""), None);
    }

    #[test]
    fn a_program_that_reads_an_empty_pipe_waits_for_it_and_for_no_other() {
        let mut child =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("cat starts");
        let pid = Pid::from_child(&child);
        let inode = inode_of_descriptor(pid, 0).expect("it has an input");
        let begun_at = Instant::now();
        while !waits_for_pipe(pid, inode) {
            assert!(begun_at.elapsed() < Duration::from_secs(10), "cat waits");
        }
        assert!(!waits_for_pipe(pid, inode + 1));
        child.stdin.take().expect("a pipe").write_all(b"x").expect("written");
        child.wait().expect("it ends");
        assert!(!waits_for_pipe(pid, inode));
    }
}
