//! The process table from `/proc`.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

use super::row::{Identity, Process};
use crate::process::fd::kernel_file::read_once;
use crate::process::fd::reserve::with_reserve;

/// A row has some fifty numbers of at most 20 digits; what is cut off at the end is not needed (bytes).
const LONGEST_STAT: usize = 1024;

/// The list of a process with some dozens of children; longer ones are read in another way (bytes).
const USUAL_CHILDREN: usize = 512;

/// The row of one process, or `None` when there is none of that number.
#[must_use]
pub fn inspect(pid: Pid) -> Option<Process> {
    parse_stat(read_stat(pid, &mut [0; LONGEST_STAT])?)
}

fn read_stat(pid: Pid, buffer: &mut [u8; LONGEST_STAT]) -> Option<&[u8]> {
    read_once(Path::new(&format!("/proc/{}/stat", pid.as_raw_nonzero())), buffer)
}

/// Whether the process runs nothing of its program now: all its threads are stopped or gone. So is one that there is not.
#[must_use]
pub fn is_at_rest(pid: Pid) -> bool {
    let Ok(threads) = list(&format!("/proc/{}/task", pid.as_raw_nonzero())) else { return true };
    threads.iter().all(|thread| {
        let mut buffer = [0; LONGEST_STAT];
        read_once(&thread.join("stat"), &mut buffer).is_none_or(is_row_at_rest)
    })
}

/// `T` is stopped, `t` stopped by a debugger, `Z` and `X` have ended.
fn is_row_at_rest(stat: &[u8]) -> bool {
    let stat = String::from_utf8_lossy(stat);
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with(['T', 't', 'Z', 'X']))
}

/// The whole table.
#[must_use]
pub fn snapshot() -> Vec<Process> {
    list_pids().into_iter().filter_map(inspect).collect()
}

/// Returns the pids of all processes.
#[must_use]
pub fn list_pids() -> Vec<Pid> {
    let pids = with_reserve(|| {
        let entries = fs::read_dir("/proc")?;
        Ok(entries.flatten().filter_map(|entry| pid_from(entry.file_name().as_bytes())).collect())
    });
    pids.unwrap_or_default()
}

/// Returns the paths of what is in a directory.
fn list(directory: &str) -> io::Result<Vec<PathBuf>> {
    with_reserve(|| Ok(fs::read_dir(directory)?.flatten().map(|entry| entry.path()).collect()))
}

/// Tells whether a process runs the program that this process runs, as a child does that has not executed yet.
#[must_use]
pub fn is_program_of_host(pid: Pid) -> bool {
    let program = |pid: &str| fs::read_link(format!("/proc/{pid}/exe")).ok();
    program("self").is_some_and(|own| program(&pid.as_raw_nonzero().to_string()) == Some(own))
}

/// As [`inspect`]; `None` also for a thread, which can be asked for by its pid but is not in the table.
#[must_use]
pub fn inspect_process(number: Pid) -> Option<Process> {
    let mut buffer = [0; LONGEST_STAT];
    let stat = read_stat(number, &mut buffer)?;
    (!is_thread(stat)).then(|| parse_stat(stat))?
}

/// A thread sends no signal to a parent at its end, and its row says so with -1.
fn is_thread(stat: &[u8]) -> bool {
    let stat = String::from_utf8_lossy(stat);
    stat.rsplit_once(") ").and_then(|(_, rest)| rest.split_ascii_whitespace().nth(35)) == Some("-1")
}

/// The tag of a process, or `None` when it has none, is gone, or can't be looked at.
#[must_use]
pub fn tag_of(pid: Pid) -> Option<u64> {
    let path = format!("/proc/{}/limits", pid.as_raw_nonzero());
    parse_tag(&with_reserve(|| fs::read_to_string(&path)).ok()?)
}

/// `Max file locks   <soft> <hard> locks`, where a limit may be `unlimited`.
fn parse_tag(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max file locks "))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// The children of a process, or `None` when this kernel does not list them (`CONFIG_PROC_CHILDREN`).
#[must_use]
pub fn children_of(parent: Pid) -> Option<Vec<Pid>> {
    let tasks = format!("/proc/{}/task", parent.as_raw_nonzero());
    // A process that is gone has no children.
    let Ok(directory) = fs::metadata(&tasks) else { return Some(Vec::new()) };
    let mut children = Vec::new();
    if directory.nlink() == LINKS_OF_ONE_THREAD {
        let thread = format!("{tasks}/{}", parent.as_raw_nonzero());
        return add_children_of_thread(&thread, &mut children).then_some(children);
    }
    for thread in list(&tasks).unwrap_or_default() {
        if !add_children_of_thread(&thread.to_string_lossy(), &mut children) {
            return None;
        }
    }
    Some(children)
}

/// A directory has two links, and one more for each directory in it: here, for each thread.
const LINKS_OF_ONE_THREAD: u64 = 3;

/// Whether the kernel lists children.
fn add_children_of_thread(thread: &str, children: &mut Vec<Pid>) -> bool {
    let path = format!("{thread}/children");
    let mut buffer = [0; USUAL_CHILDREN];
    let mut add = |list: &[u8]| children.extend(list.split(|&byte| byte == b' ').filter_map(pid_from));
    match read_once(Path::new(&path), &mut buffer) {
        Some(list) if list.len() < USUAL_CHILDREN => add(list),
        // Either there are many, or the thread has ended, or the kernel has no such file.
        _ => match with_reserve(|| fs::read(&path)) {
            Ok(list) => add(&list),
            Err(_) => return !Path::new(&format!("{thread}/stat")).exists(),
        },
    }
    true
}

/// Tells whether a process ignores SIGINT and SIGQUIT.
#[must_use]
pub fn ignores_interrupts(pid: Pid) -> bool {
    let path = format!("/proc/{}/status", pid.as_raw_nonzero());
    let status = with_reserve(|| fs::read_to_string(&path)).unwrap_or_default();
    parse_ignored(&status).is_some_and(|ignored| ignored & INTERRUPTS == INTERRUPTS)
}

/// The bits of SIGINT and SIGQUIT in a set of signals.
const INTERRUPTS: u64 = (1 << (libc::SIGINT - 1)) | (1 << (libc::SIGQUIT - 1));

/// Parses the line of `SigIgn`, a set of signals in hexadecimal.
fn parse_ignored(status: &str) -> Option<u64> {
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(set.trim(), 16).ok()
}

/// Whether the process has one of these pipes open for writing.
#[must_use]
pub fn holds_any_pipe(pid: Pid, inodes: &[u64]) -> bool {
    let descriptors = list(&format!("/proc/{}/fd", pid.as_raw_nonzero())).unwrap_or_default();
    let is_one = |link: &PathBuf| pipe_inode(link).is_some_and(|inode| inodes.contains(&inode));
    descriptors.iter().any(|link| is_writable(link) && is_one(link))
}

/// The permissions of the link say how the file was opened.
fn is_writable(link: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::symlink_metadata(link).is_ok_and(|metadata| metadata.permissions().mode() & 0o200 != 0)
}

fn pipe_inode(link: &Path) -> Option<u64> {
    let target = fs::read_link(link).ok()?;
    target.to_str()?.strip_prefix("pipe:[")?.strip_suffix(']')?.parse().ok()
}

fn pid_from(digits: &[u8]) -> Option<Pid> {
    Pid::from_raw(std::str::from_utf8(digits).ok()?.parse().ok()?)
}

/// The kernel's flag of a process in its own exit.
const EXITING: i32 = 0x4;

/// `pid (name) state ppid pgrp session … starttime`: the name may hold spaces and parentheses.
fn parse_stat(stat: &[u8]) -> Option<Process> {
    let stat = String::from_utf8_lossy(stat);
    let (pid, rest) = stat.split_once(" (")?;
    let (_, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse().ok();
    // The state is that of the first thread. A process can go on without it.
    let is_last = number(17)? <= 1;
    Some(Process {
        identity: Identity { pid: pid_from(pid.as_bytes())?, start: fields.get(19)?.parse().ok()? },
        is_zombie: is_last && matches!(*fields.first()?, "Z" | "X"),
        is_exiting: is_last && number(6)? & EXITING != 0,
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
    })
}

#[cfg(test)]
mod tests {
    use rustix::process::{Pid, getpid};

    use super::{
        children_of, holds_any_pipe, inspect, inspect_process, is_program_of_host, parse_ignored, parse_stat,
        parse_tag, snapshot,
    };

    #[test]
    fn ignored_signals_are_a_set_in_hexadecimal() {
        assert_eq!(parse_ignored("Name:\tsleep\nSigIgn:\t0000000000000006\n"), Some(super::INTERRUPTS));
        assert_eq!(parse_ignored("Name:\tsleep\n"), None);
    }

    #[test]
    fn a_tag_is_the_soft_limit_of_locks() {
        let limits = |soft: &str| {
            format!(
                "Limit Soft Limit Hard Limit Units\nMax file locks      {soft}      unlimited    locks     \n"
            )
        };
        assert_eq!(parse_tag(&limits("4611686018427387905")), Some(4_611_686_018_427_387_905));
        assert_eq!(parse_tag(&limits("unlimited")), None);
        assert_eq!(parse_tag(""), None);
    }

    #[test]
    fn a_thread_is_no_process() {
        let thread = std::thread::spawn(|| {
            let thread = rustix::thread::gettid();
            (inspect(thread).is_some(), inspect_process(thread))
        });
        assert_eq!(thread.join().expect("it ends"), (true, None));
        assert!(inspect_process(getpid()).is_some());
    }

    #[test]
    fn only_a_process_of_the_same_program_looks_like_this_one() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().expect("sleep starts");
        let is_like_host = is_program_of_host(Pid::from_child(&child));
        child.kill().expect("kill");
        child.wait().expect("wait");
        assert!(!is_like_host);
        assert!(is_program_of_host(getpid()));
    }

    #[test]
    fn a_name_with_parentheses_does_not_confuse() {
        let stat = b"42 (a) b (c)) S 7 40 39 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 0 0";
        let process = parse_stat(stat).expect("a row");
        assert_eq!(
            (process.parent, process.group, process.session, process.identity.start),
            (7, 40, 39, 12345)
        );
        assert!(!process.is_zombie);
    }

    #[test]
    fn a_short_row_is_none() {
        assert_eq!(parse_stat(b"42 (a) S 7"), None);
        assert_eq!(parse_stat(b""), None);
    }

    #[test]
    fn this_process_is_in_the_table() {
        let own = rustix::process::getpid();
        let row = inspect(own).expect("our own row");
        assert!(snapshot().iter().any(|process| process.identity == row.identity));
    }

    #[test]
    fn a_child_is_listed_and_its_pipe_is_found() {
        let (reader, writer) = crate::process::pipe::pipe().expect("a pipe");
        let mut child =
            std::process::Command::new("sleep").arg("1000").stdout(writer).spawn().expect("sleep starts");
        let pid = rustix::process::Pid::from_child(&child);
        let inode = rustix::fs::fstat(&reader).expect("a status").st_ino;
        assert!(children_of(rustix::process::getpid()).is_none_or(|children| children.contains(&pid)));
        assert!(holds_any_pipe(pid, &[inode]));
        assert!(!holds_any_pipe(rustix::process::getpid(), &[inode]), "reading ends do not count");
        child.kill().expect("kill");
        child.wait().expect("wait");
    }
}
