//! Reads the process table from `/proc`.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use rustix::process::{Pid, Signal, getpid};

use crate::process::fd::kernel_file::read_once;
use crate::process::fd::reserve::with_reserve;
use crate::process::table::row::{Identity, Process};

/// The size of the buffer for `/proc/<pid>/stat` (bytes): enough for all fields that are needed. The row may
/// have some fifty numbers of up to 20 digits; the rest is lost.
const MAX_STAT: usize = 1024;

/// The size of the buffer for `/proc/<pid>/limits` (bytes): the kernel writes 16 lines of 80 characters.
const MAX_LIMITS: usize = 2048;

/// The size of the buffer for a list of children (bytes): enough for about 60 pids. Longer lists take more
/// system calls.
const USUAL_CHILDREN: usize = 512;

/// The file that reports the latest pid.
pub(super) const LATEST_PID_FILE: Option<&str> = Some("/proc/loadavg");

/// Returns whether the process table can be read: whether `/proc` shows this process under its own pid.
///
/// A sandbox may have no `/proc`, or that of another PID namespace, where the pids known here belong to
/// unrelated processes.
#[must_use]
pub fn is_available() -> bool {
    static IS_AVAILABLE: LazyLock<bool> = LazyLock::new(|| {
        fs::read_link("/proc/self")
            .is_ok_and(|own| pid_from(own.as_os_str().as_bytes()).is_some_and(|pid| pid == getpid()))
    });
    *IS_AVAILABLE
}

/// Returns the path of a process's file in `/proc`; an empty path, which names no file, unless the table
/// [`is_available`].
#[must_use]
pub fn path_of(pid: Pid, file: &str) -> PathBuf {
    if is_available() { format!("/proc/{}/{file}", pid.as_raw_nonzero()).into() } else { PathBuf::new() }
}

/// Returns the row of a process, or `None` when no process has the pid.
#[must_use]
pub fn inspect(pid: Pid) -> Option<Process> {
    parse_stat(read_stat(pid, &mut [0; MAX_STAT])?)
}

fn read_stat(pid: Pid, buffer: &mut [u8; MAX_STAT]) -> Option<&[u8]> {
    read_once(&path_of(pid, "stat"), buffer)
}

/// Returns whether all threads of a process are stopped or have exited. A missing process counts as stopped.
#[must_use]
pub fn is_stopped_or_gone(pid: Pid) -> bool {
    let Ok(threads) = list(&path_of(pid, "task")) else { return true };
    threads.iter().all(|thread| {
        let mut buffer = [0; MAX_STAT];
        read_once(&thread.join("stat"), &mut buffer).is_none_or(is_row_stopped_or_gone)
    })
}

/// Returns whether a `stat` row shows a stopped (`T`), traced (`t`) or exited (`Z`, `X`) thread.
fn is_row_stopped_or_gone(stat: &[u8]) -> bool {
    let stat = String::from_utf8_lossy(stat);
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with(['T', 't', 'Z', 'X']))
}

/// Returns the CPU time of a process and of the children that it has waited for: in user mode, and in the
/// kernel. The kernel counts in steps of 10 ms.
#[must_use]
pub fn cpu_time(pid: Pid) -> Option<(Duration, Duration)> {
    let mut buffer = [0; MAX_STAT];
    let stat = String::from_utf8_lossy(read_stat(pid, &mut buffer)?);
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut times = rest.split_ascii_whitespace().skip(11).map(str::parse::<u64>);
    let mut next = || times.next()?.ok();
    let (user, system, children_user, children_system) = (next()?, next()?, next()?, next()?);
    let duration =
        |ticks: u64| Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second().max(1));
    Some((duration(user + children_user), duration(system + children_system)))
}

/// Returns the rows of all processes.
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

/// Returns the paths of the entries of a directory.
fn list(directory: &Path) -> io::Result<Vec<PathBuf>> {
    with_reserve(|| Ok(fs::read_dir(directory)?.flatten().map(|entry| entry.path()).collect()))
}

/// Returns whether a process runs the same executable as this process, as a child does until it executes.
#[must_use]
pub fn runs_host_executable(pid: Pid) -> bool {
    let program = |pid: &str| fs::read_link(format!("/proc/{pid}/exe")).ok();
    program("self").is_some_and(|own| program(&pid.as_raw_nonzero().to_string()) == Some(own))
}

/// Returns the row of a process as [`inspect`] does, but `None` for a thread: `/proc` lists only processes,
/// but also has entries for the ids of threads.
#[must_use]
pub fn inspect_process(number: Pid) -> Option<Process> {
    let mut buffer = [0; MAX_STAT];
    let stat = read_stat(number, &mut buffer)?;
    (!is_thread(stat)).then(|| parse_stat(stat))?
}

/// Returns whether a `stat` row belongs to a thread: its exit signal, the 38th field, is -1.
fn is_thread(stat: &[u8]) -> bool {
    let stat = String::from_utf8_lossy(stat);
    stat.rsplit_once(") ").and_then(|(_, rest)| rest.split_ascii_whitespace().nth(35)) == Some("-1")
}

/// Returns the value of a process's [`Tag`](crate::process::tag::Tag), or `None` if the process has none, has
/// exited or can't be read.
#[must_use]
pub fn tag_of(pid: Pid) -> Option<u64> {
    let mut buffer = [0; MAX_LIMITS];
    parse_tag(str::from_utf8(read_once(&path_of(pid, "limits"), &mut buffer)?).ok()?)
}

/// Parses the soft limit in a line such as `Max file locks   <soft> <hard> locks`. A limit of `unlimited` is
/// no tag.
fn parse_tag(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max file locks "))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// Returns the children of a process, or `None` when this kernel does not list them (`CONFIG_PROC_CHILDREN`).
#[must_use]
pub fn children_of(parent: Pid) -> Option<Vec<Pid>> {
    let tasks = path_of(parent, "task");
    // A process that has exited has no children.
    let Ok(directory) = fs::metadata(&tasks) else { return Some(Vec::new()) };
    let mut children = Vec::new();
    if directory.nlink() == LINKS_OF_ONE_THREAD {
        let thread = tasks.join(parent.as_raw_nonzero().to_string());
        return add_children_of_thread(&thread, &mut children).then_some(children);
    }
    for thread in list(&tasks).unwrap_or_default() {
        if !add_children_of_thread(&thread, &mut children) {
            return None;
        }
    }
    Some(children)
}

/// The link count of `/proc/<pid>/task` for one thread: two for the directory itself, and one for each
/// directory in it.
const LINKS_OF_ONE_THREAD: u64 = 3;

/// Adds the children of one thread. Returns false if the kernel does not list children.
fn add_children_of_thread(thread: &Path, children: &mut Vec<Pid>) -> bool {
    let path = thread.join("children");
    let mut buffer = [0; USUAL_CHILDREN];
    let mut add = |list: &[u8]| children.extend(list.split(|&byte| byte == b' ').filter_map(pid_from));
    match read_once(&path, &mut buffer) {
        Some(list) if list.len() < USUAL_CHILDREN => add(list),
        // The list is too long for the buffer, the thread has exited, or the kernel has no such file.
        _ => match with_reserve(|| fs::read(&path)) {
            Ok(list) => add(&list),
            Err(_) => return !thread.join("stat").exists(),
        },
    }
    true
}

/// Returns whether a process ignores SIGINT and SIGQUIT.
#[must_use]
pub fn ignores_interrupts(pid: Pid) -> bool {
    let path = path_of(pid, "status");
    let status = with_reserve(|| fs::read_to_string(&path)).unwrap_or_default();
    parse_signals(&status, IGNORED).is_some_and(|ignored| ignored & INTERRUPTS == INTERRUPTS)
}

/// Returns whether a process ignores a signal.
#[must_use]
pub fn ignores(pid: Pid, signal: Signal) -> bool {
    contains(ignored_signals(pid), signal)
}

/// Returns the signals that a process ignores: the lowest bit is signal 1.
#[must_use]
pub fn ignored_signals(pid: Pid) -> u64 {
    let status = fs::read_to_string(path_of(pid, "status")).unwrap_or_default();
    parse_signals(&status, IGNORED).unwrap_or_default()
}

/// Returns whether a process has a handler for a signal that may be its parent's: it has executed no program
/// since its fork.
#[must_use]
pub fn may_inherit_handler(pid: Pid, signal: Signal) -> bool {
    contains(inherited_handlers(pid), signal)
}

/// Returns the signals for which [`may_inherit_handler`] holds: the lowest bit is signal 1.
#[must_use]
pub fn inherited_handlers(pid: Pid) -> u64 {
    let mut buffer = [0; MAX_STAT];
    if !read_stat(pid, &mut buffer).is_some_and(is_fork) {
        return 0;
    }
    let status = fs::read_to_string(path_of(pid, "status")).unwrap_or_default();
    parse_signals(&status, HANDLED).unwrap_or_default()
}

/// The kernel's flag for a process that has executed no program since its fork (`PF_FORKNOEXEC`).
const FORKED: u32 = 0x40;

/// Returns whether a `stat` row has this flag, in its ninth field.
fn is_fork(stat: &[u8]) -> bool {
    let stat = String::from_utf8_lossy(stat);
    let flags =
        stat.rsplit_once(") ").and_then(|(_, rest)| rest.split_ascii_whitespace().nth(6)?.parse().ok());
    flags.is_some_and(|flags: u32| flags & FORKED != 0)
}

/// The bits of SIGINT and SIGQUIT in a signal set.
const INTERRUPTS: u64 = (1 << (libc::SIGINT - 1)) | (1 << (libc::SIGQUIT - 1));

/// The lines of a `status` file with the signals that a process ignores, and those that it handles.
const IGNORED: &str = "SigIgn:";
const HANDLED: &str = "SigCgt:";

/// Parses such a line: a signal set in hexadecimal.
fn parse_signals(status: &str, line: &str) -> Option<u64> {
    let set = status.lines().find_map(|text| text.strip_prefix(line))?;
    u64::from_str_radix(set.trim(), 16).ok()
}

fn contains(set: u64, signal: Signal) -> bool {
    set >> (signal.as_raw() - 1) & 1 == 1
}

/// Returns whether a process has one of these pipes open for writing.
#[must_use]
pub fn holds_any_pipe(pid: Pid, inodes: &[u64]) -> bool {
    let descriptors = list(&path_of(pid, "fd")).unwrap_or_default();
    let is_one = |link: &PathBuf| pipe_inode(link).is_some_and(|inode| inodes.contains(&inode));
    descriptors.iter().any(|link| is_writable(link) && is_one(link))
}

/// Returns whether a descriptor is open for writing, which the permissions of its link in `/proc/<pid>/fd`
/// show.
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

/// The kernel's flag for a process that is exiting (`PF_EXITING`).
const EXITING: i32 = 0x4;

/// Parses `pid (name) state ppid pgrp session … starttime`. The name may contain spaces and parentheses.
fn parse_stat(stat: &[u8]) -> Option<Process> {
    let stat = String::from_utf8_lossy(stat);
    let (pid, rest) = stat.split_once(" (")?;
    let (_, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse().ok();
    // The state and the flags are those of the first thread, and a process can outlive it: field 17 counts
    // the threads.
    let is_last = number(17)? <= 1;
    Some(Process {
        identity: Identity { pid: pid_from(pid.as_bytes())?, start: fields.get(19)?.parse().ok()? },
        is_zombie: is_last && matches!(*fields.first()?, "Z" | "X"),
        is_exiting: is_last && number(6)? & EXITING != 0,
        parent: number(1)?,
        creator: None,
        group: number(2)?,
        session: number(3)?,
    })
}

#[cfg(test)]
mod tests {
    use rustix::process::{Pid, Signal, getpid};

    use super::{
        HANDLED, IGNORED, children_of, contains, holds_any_pipe, inspect, inspect_process, is_fork,
        parse_signals, parse_stat, parse_tag, runs_host_executable, snapshot,
    };

    #[test]
    fn ignored_signals_are_a_set_in_hexadecimal() {
        let status = "Name:\tsleep\nSigIgn:\t0000000000000006\nSigCgt:\t0000000000004000\n";
        assert_eq!(parse_signals(status, IGNORED), Some(super::INTERRUPTS));
        let handled = parse_signals(status, HANDLED).expect("a set");
        assert!(contains(handled, Signal::TERM) && !contains(handled, Signal::INT));
        assert_eq!(parse_signals("Name:\tsleep\n", IGNORED), None);
    }

    #[test]
    fn a_process_is_a_fork_until_it_executes() {
        assert!(is_fork(b"42 (a) b (c)) S 7 40 39 0 -1 4194624 1 2 3"));
        assert!(!is_fork(b"42 (a) b (c)) S 7 40 39 0 -1 4194560 1 2 3"));
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
    fn only_a_process_with_the_same_executable_runs_the_host_executable() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().expect("sleep starts");
        let is_like_host = runs_host_executable(Pid::from_child(&child));
        child.kill().expect("kill");
        child.wait().expect("wait");
        assert!(!is_like_host);
        assert!(runs_host_executable(getpid()));
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
