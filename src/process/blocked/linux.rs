//! Reads the system calls that threads sleep in from `/proc`.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use rustix::process::Pid;

use super::calls::SystemCall;
use super::{InputFile, Sleeper, Wait};
use crate::process::table::path_of;

/// Whether this system shows what threads sleep in.
pub const IS_SHOWN: bool = true;

/// The device `/dev/tty`, which is the controlling terminal of the process that opens it.
const OWN_TERMINAL: u64 = libc::makedev(5, 0);

/// The most threads of a process that are inspected.
const MAX_THREADS: usize = 256;

/// Returns the waits of a sleeping process; `None` for a process that runs, is stopped, or has exited.
#[must_use]
pub fn inspect(pid: Pid) -> Option<Sleeper> {
    let stat = fs::read(path_of(pid, "stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    let row = Row::parse(&stat)?;
    if row.threads <= 1 && row.state != "S" {
        return None;
    }
    Some(Sleeper { pid, group: row.group, terminal: row.terminal, waits: waits(pid, row.threads) })
}

/// Returns the waits of a process's threads; `None` where the kernel does not show them.
fn waits(pid: Pid, threads: u64) -> Option<Vec<Wait>> {
    let mut waits = Vec::new();
    if threads <= 1 {
        add_wait(pid, &path_of(pid, "syscall"), &mut waits)?;
        return Some(waits);
    }
    for thread in fs::read_dir(path_of(pid, "task")).ok()?.flatten().take(MAX_THREADS) {
        add_wait(pid, &thread.path().join("syscall"), &mut waits)?;
    }
    Some(waits)
}

/// Adds the wait of a thread that waits for input. Returns `None` where the kernel does not show the system
/// call.
fn add_wait(pid: Pid, path: &Path, waits: &mut Vec<Wait>) -> Option<()> {
    match fs::read_to_string(path) {
        Ok(line) => {
            waits.extend(SystemCall::parse(&line).and_then(|call| call.wait(pid)));
            Some(())
        }
        // The thread has exited. A kernel without this file gives the same error, which the inspection of
        // this process tells apart.
        Err(error) if error.kind() == ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH) => {
            fs::metadata("/proc/self/syscall").ok().map(drop)
        }
        Err(_) => None,
    }
}

/// Returns whether a descriptor of a process refers to this input.
#[must_use]
pub fn is_input(sleeper: &Sleeper, descriptor: i32, input: InputFile) -> bool {
    let path = path_of(sleeper.pid, &format!("fd/{descriptor}"));
    let Ok(status) = fs::metadata(path) else { return false };
    match input {
        InputFile::Pipe(inode) => status.file_type().is_fifo() && status.ino() == inode,
        InputFile::Terminal(device) => {
            status.file_type().is_char_device()
                && (status.rdev() == device || (status.rdev() == OWN_TERMINAL && sleeper.terminal == device))
        }
    }
}

/// Returns whether a process has any of these sockets open.
#[must_use]
pub fn listens_on_any(pid: Pid, inodes: &[u64]) -> bool {
    crate::process::sockets::sockets_of(pid).iter().any(|inode| inodes.contains(inode))
}

/// Returns the name of a process's program: from its arguments, or otherwise the kernel's name.
#[must_use]
pub fn name_of(pid: Pid) -> String {
    let words = fs::read(path_of(pid, "cmdline")).unwrap_or_default();
    let first = words.split(|&byte| byte == 0).next().unwrap_or_default();
    let called = program_name(&String::from_utf8_lossy(first));
    if !called.is_empty() {
        return called;
    }
    fs::read_to_string(path_of(pid, "comm")).unwrap_or_default().trim_end().to_owned()
}

/// Shortens a process's first argument to the program's name.
///
/// `/usr/bin/vim` becomes vim, `-bash` (a login shell) becomes bash, and `npm init` (a title that the program
/// has set) becomes npm.
fn program_name(called: &str) -> String {
    let path = called.split(' ').next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    name.strip_prefix('-').unwrap_or(name).trim_end_matches(':').to_owned()
}

/// The fields of `/proc/PID/stat` that are used.
#[derive(Debug, PartialEq, Eq)]
struct Row<'a> {
    state: &'a str,
    group: i32,
    terminal: u64,
    threads: u64,
}

impl<'a> Row<'a> {
    /// Parses `pid (name) state ppid pgrp session tty_nr …`. The name may contain spaces and parentheses.
    fn parse(stat: &'a str) -> Option<Self> {
        let (_, rest) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let terminal: u32 = fields.get(4)?.parse::<i32>().ok()?.cast_unsigned();
        Some(Self {
            state: fields.first()?,
            group: fields.get(2)?.parse().ok()?,
            terminal: device(terminal),
            threads: fields.get(17)?.parse().ok()?,
        })
    }
}

/// Converts the kernel's device number (12 bits of the major number between 20 of the minor one) to that of
/// `stat`.
fn device(number: u32) -> u64 {
    if number == 0 {
        0
    } else {
        libc::makedev((number >> 8) & 0xfff, (number & 0xff) | ((number >> 12) & 0xfff00))
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use rustix::process::Pid;

    use super::{Row, device, inspect, is_input, name_of, program_name};
    use crate::process::blocked::{Call, InputFile};
    use crate::process::pipe::inode;

    #[test]
    fn a_row_has_state_group_terminal_and_threads() {
        let stat = "42 (a) b) S 7 40 39 34817 40 4194560 1 2 3 4 5 6 7 8 20 0 3 0 12345";
        let row = Row::parse(stat).expect("a row");
        assert_eq!(row, Row { state: "S", group: 40, terminal: libc::makedev(136, 1), threads: 3 });
        assert_eq!(device(0), 0);
    }

    #[test]
    fn programs_are_named_as_they_were_called() {
        for (called, name) in [("/usr/bin/vim", "vim"), ("-bash", "bash"), ("npm init", "npm"), ("", "")] {
            assert_eq!(program_name(called), name);
        }
    }

    #[test]
    fn a_program_that_reads_a_pipe_waits_for_that_pipe() {
        let mut child =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("cat starts");
        let pid = Pid::from_child(&child);
        let input = InputFile::Pipe(inode(child.stdin.as_ref().expect("a pipe")));
        let began_at = Instant::now();
        let (sleeper, wait) = loop {
            assert!(began_at.elapsed() < Duration::from_secs(30), "it reads");
            let Some(sleeper) = inspect(pid) else { continue };
            let wait = sleeper.waits.clone().expect("shown").into_iter().next();
            // Until the child executes, it runs this test program.
            if let Some(wait) = wait
                && name_of(pid) == "cat"
            {
                break (sleeper, wait);
            }
        };
        let is_input = wait.call == Call::Read && is_input(&sleeper, wait.descriptors[0], input);
        child.kill().expect("kill");
        child.wait().expect("wait");
        assert!(is_input);
    }
}
