//! The process table from `/proc`.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::Pid;

use super::Process;
use crate::process::identity::Identity;

/// A row has some fifty numbers of at most 20 digits; what is cut off at the end is not needed (bytes).
const LONGEST_STAT: usize = 1024;

/// The row of one process, or `None` when there is none of that number.
#[must_use]
pub fn inspect(pid: Pid) -> Option<Process> {
    let mut stat = [0; LONGEST_STAT];
    let length = File::open(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?.read(&mut stat).ok()?;
    parse_stat(&stat[..length])
}

/// The whole table.
#[must_use]
pub fn snapshot() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries.flatten().filter_map(|entry| inspect(pid_from(entry.file_name().as_bytes())?)).collect()
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
    for thread in fs::read_dir(&tasks).into_iter().flatten().flatten() {
        if !add_children_of_thread(&thread.path().to_string_lossy(), &mut children) {
            return None;
        }
    }
    Some(children)
}

/// A directory has two links, and one more for each directory in it: here, for each thread.
const LINKS_OF_ONE_THREAD: u64 = 3;

/// Whether the kernel lists children.
fn add_children_of_thread(thread: &str, children: &mut Vec<Pid>) -> bool {
    match fs::read(format!("{thread}/children")) {
        Ok(list) => children.extend(list.split(|&byte| byte == b' ').filter_map(pid_from)),
        // Either the thread has ended or the kernel has no such file.
        Err(_) => return !Path::new(&format!("{thread}/stat")).exists(),
    }
    true
}

/// Whether the process has one of these pipes open for writing.
#[must_use]
pub fn holds_any_pipe(pid: Pid, inodes: &[u64]) -> bool {
    let descriptors = format!("/proc/{}/fd", pid.as_raw_nonzero());
    let Ok(entries) = fs::read_dir(descriptors) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let path = entry.path();
        is_writable(&path) && pipe_inode(&path).is_some_and(|inode| inodes.contains(&inode))
    })
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

/// `pid (name) state ppid pgrp session … starttime`: the name may hold spaces and parentheses.
fn parse_stat(stat: &[u8]) -> Option<Process> {
    let stat = String::from_utf8_lossy(stat);
    let (pid, rest) = stat.split_once(" (")?;
    let (_, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse().ok();
    Some(Process {
        identity: Identity { pid: pid_from(pid.as_bytes())?, start: fields.get(19)?.parse().ok()? },
        is_zombie: matches!(*fields.first()?, "Z" | "X"),
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
    })
}

#[cfg(test)]
mod tests {
    use super::{children_of, holds_any_pipe, inspect, parse_stat, snapshot};

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
