//! Checks whether a process sleeps until it can read from a certain pipe, or until it can open a named
//! pipe.
//!
//! A check inspects one thread, which is cheap enough to repeat every few milliseconds.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::PathBuf;

use rustix::io::ioctl_fionread;
use rustix::process::Pid;

use super::calls::{SystemCall, path_at};
use crate::process::fd::kernel_file::read_once;
use crate::process::table;

/// The longest line of `/proc/PID/syscall` (bytes): a number, six arguments, two addresses.
const MAX_LINE: usize = 256;

/// Returns the inode behind a descriptor of a process, or `None` where it can't be read.
#[must_use]
pub fn inode_of_descriptor(pid: Pid, descriptor: i32) -> Option<u64> {
    fs::metadata(path_of(pid, descriptor)).ok().map(|file| file.ino())
}

/// Returns whether the process sleeps in a read of the pipe with this inode while the pipe is empty. Returns
/// false where the kernel hides it.
#[must_use]
pub fn waits_for_pipe(pid: Pid, inode: u64) -> bool {
    let Some(descriptor) = call_of(pid).and_then(|call| call.descriptor_of_read()) else { return false };
    let path = path_of(pid, descriptor);
    if !fs::metadata(&path).is_ok_and(|file| file.ino() == inode) {
        return false;
    }
    // Opens another end of the pipe for a moment: each end reports how much data the pipe holds.
    let pipe = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    pipe.is_ok_and(|pipe| ioctl_fionread(pipe).is_ok_and(|length| length == 0))
}

/// Returns whether the process waits until it can open a named pipe that no process has open at the other
/// end: the opening of any other file ends by itself. Returns false where the kernel hides it.
#[must_use]
pub fn waits_for_open(pid: Pid) -> bool {
    let Some(address) = call_of(pid).and_then(|call| call.opened_path()) else { return false };
    // A file that can't be looked at may be a named pipe.
    let may_be_pipe = path_at(pid, address).is_none_or(|path| {
        let seen_by_it = match path.strip_prefix("/") {
            Ok(path) => table::path_of(pid, "root").join(path),
            Err(_) => table::path_of(pid, "cwd").join(path),
        };
        fs::metadata(seen_by_it).map_or(true, |file| file.file_type().is_fifo())
    });
    may_be_pipe && !table::is_stopped_or_gone(pid)
}

/// Returns the system call that the first thread of a process sleeps in.
fn call_of(pid: Pid) -> Option<SystemCall> {
    let mut buffer = [0; MAX_LINE];
    let line = read_once(&table::path_of(pid, "syscall"), &mut buffer)?;
    SystemCall::parse(std::str::from_utf8(line).ok()?)
}

fn path_of(pid: Pid, descriptor: i32) -> PathBuf {
    table::path_of(pid, &format!("fd/{descriptor}"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use rustix::process::Pid;

    use super::{inode_of_descriptor, waits_for_open, waits_for_pipe};

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

    #[test]
    fn a_program_that_opens_a_named_pipe_waits_for_its_other_end() {
        let directory = tempfile::tempdir().expect("a directory");
        let pipe = directory.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
        assert!(made.success());
        for (path, cwd) in [(pipe.as_path(), "/".as_ref()), ("pipe".as_ref(), directory.path())] {
            let mut child = Command::new("cat").arg(path).current_dir(cwd).spawn().expect("cat starts");
            let pid = Pid::from_child(&child);
            let begun_at = Instant::now();
            while !waits_for_open(pid) {
                assert!(begun_at.elapsed() < Duration::from_secs(10), "cat waits");
            }
            std::fs::write(&pipe, "").expect("cat reads it");
            child.wait().expect("it ends");
            assert!(!waits_for_open(pid));
        }
    }
}
