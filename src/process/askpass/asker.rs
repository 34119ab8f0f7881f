//! Finds out which program asks, and who can read the answer.

use std::fs;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{FileType, Mode, Stat, fstat, fstatfs};
use rustix::process::{Pid, geteuid};

use crate::process::fd::pidfd;
use crate::process::identity::Identity;
use crate::process::table::row::Process;
use crate::process::table::{inspect, path_of};

/// The name of the program that is known to ask as root.
const SUDO: &str = "sudo";

/// The name of a program that can't be found out.
const UNKNOWN: &str = "unknown";

/// The type of the kernel's file system for pipes without a name.
const PIPEFS: u32 = 0x5049_5045;

/// The most parents that are followed from a process to the leader of its job.
const MAX_PARENTS: usize = 256;

/// A program that asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asker {
    /// The path of the program's file, or the name of the process where only root may read that path.
    pub program: String,
    /// Whether the program is sudo with root's rights, and the answer goes to a pipe of root's.
    pub is_verified: bool,
}

/// The processes of a job that may ask: its leader, and those below it.
///
/// A process that has lost its parent may not, although it carries the tag of the job: any process can take
/// on the tag of another job, and none can get another parent.
#[derive(Clone, Copy, Debug)]
pub struct JobMembers {
    leader: Option<Identity>,
}

impl JobMembers {
    /// Returns this leader and the processes below it.
    #[must_use]
    pub fn of(leader: Pid) -> Self {
        Self { leader: Identity::of(leader) }
    }

    fn have(&self, process: &Process) -> bool {
        let leader = self.leader;
        leader == Some(process.identity) || parents_of(process).any(|parent| leader == Some(parent.identity))
    }
}

impl Asker {
    /// Returns the program that started this process of a job, to which the output belongs; `None` if the
    /// process is not of the job, or has exited. Reads the process table, which may take a while.
    ///
    /// Other processes of this user can let the sender ask something else, and read its memory. So nothing
    /// that it says counts for `is_verified`: the kernel lets nobody but root make or open the pipe that
    /// root's sudo has made for the answer.
    #[must_use]
    pub fn of(sender: Pid, output: &OwnedFd, members: &JobMembers) -> Option<Self> {
        // While this refers to the process, its pid has no other one. Old kernels have no such descriptor.
        let pinned = pidfd::open(sender).ok();
        let process = inspect(sender)?;
        if !members.have(&process) {
            return None;
        }
        // The table may show no processes of other users (`hidepid`).
        let Some(parent) = Pid::from_raw(process.parent).and_then(inspect) else {
            return Some(Self { program: UNKNOWN.to_owned(), is_verified: false });
        };
        // A command that asks by itself, without a program in between, has a parent outside of the job.
        let parent = if members.have(&parent) { parent } else { process };
        let name = text_of(parent.identity.pid, "comm")?;
        let is_sudo = name == SUDO && effective_user(parent.identity.pid) == Some(0);
        let file = fs::read_link(path_of(parent.identity.pid, "exe")).ok();
        let program = file.map_or(name, |file| file.to_string_lossy().into_owned());
        // The process has the same parent still, which therefore was its parent all the time.
        let is_unchanged = is_same(&process) && is_same(&parent);
        drop(pinned);
        let is_verified = is_unchanged && is_sudo && !geteuid().is_root() && is_pipe_of_root(output);
        Some(Self { program, is_verified })
    }
}

/// Returns whether an output is a pipe, into which an answer can be put.
#[must_use]
pub fn is_pipe(output: impl AsFd) -> bool {
    fstat(output).is_ok_and(|status| is_fifo(&status))
}

fn is_fifo(status: &Stat) -> bool {
    FileType::from_raw_mode(status.st_mode) == FileType::Fifo
}

/// Returns whether only the owner of a file may open it.
fn is_private(status: &Stat) -> bool {
    !Mode::from_raw_mode(status.st_mode).intersects(Mode::RWXG | Mode::RWXO)
}

/// Returns whether root has made this pipe, which has no name: nobody else can open it.
fn is_pipe_of_root(output: &OwnedFd) -> bool {
    fstat(output).is_ok_and(|status| is_fifo(&status) && status.st_uid == 0 && is_private(&status))
        && fstatfs(output).is_ok_and(|system| u32::try_from(system.f_type) == Ok(PIPEFS))
}

fn parents_of(process: &Process) -> impl Iterator<Item = Process> + use<> {
    let parent_of = |process: &Process| inspect(Pid::from_raw(process.parent)?);
    std::iter::successors(parent_of(process), move |process| parent_of(process)).take(MAX_PARENTS)
}

/// Returns whether a process still runs below the same parent.
fn is_same(before: &Process) -> bool {
    inspect(before.identity.pid)
        .is_some_and(|now| now.identity == before.identity && now.parent == before.parent)
}

/// Returns the effective user of a process.
fn effective_user(pid: Pid) -> Option<u32> {
    let status = text_of(pid, "status")?;
    status.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Returns the text of a process's file in `/proc`, without the line break at its end.
fn text_of(pid: Pid, file: &str) -> Option<String> {
    let text = fs::read(path_of(pid, file)).ok()?;
    Some(String::from_utf8_lossy(&text).trim_end_matches('\n').to_owned())
}

#[cfg(test)]
#[cfg(not(darwin))]
mod tests {
    use std::io::pipe;
    use std::os::fd::OwnedFd;

    use rustix::process::{getpid, getppid};

    use super::{Asker, JobMembers, effective_user, is_pipe_of_root};

    #[test]
    fn a_process_of_another_job_is_nobody_who_asks() {
        let child = std::process::Command::new("sleep").arg("60").spawn();
        let mut child = child.expect("a process");
        let pid = rustix::process::Pid::from_child(&child);
        let output: OwnedFd = pipe().expect("a pipe").1.into();
        assert_eq!(Asker::of(getpid(), &output, &JobMembers::of(pid)), None);
        child.kill().expect("killed");
        child.wait().expect("reaped");
    }

    #[test]
    fn the_program_is_the_file_of_the_parent_and_is_not_verified() {
        let output: OwnedFd = pipe().expect("a pipe").1.into();
        let parent = getppid().expect("a parent");
        let asker = Asker::of(getpid(), &output, &JobMembers::of(parent)).expect("of the job");
        let file = std::fs::read_link(format!("/proc/{}/exe", parent.as_raw_nonzero())).expect("readable");
        assert_eq!(asker.program, file.to_string_lossy());
        assert!(!asker.is_verified);
    }

    #[test]
    fn a_process_that_asks_by_itself_is_its_own_program() {
        let output: OwnedFd = pipe().expect("a pipe").1.into();
        let asker = Asker::of(getpid(), &output, &JobMembers::of(getpid())).expect("of the job");
        let own = std::env::current_exe().expect("a path");
        assert_eq!(asker.program, own.to_string_lossy());
    }

    #[test]
    fn a_named_pipe_of_root_is_no_pipe_that_only_root_reads() {
        let directory = crate::process::directory::private::PrivateDirectory::create(Ok).expect("made");
        directory.make_pipe("o").expect("made");
        let reader = directory.open_pipe("o", crate::process::directory::private::PipeEnd::Reading);
        assert!(!is_pipe_of_root(&reader.expect("opened")));
    }

    #[test]
    fn the_effective_user_is_the_second_of_four() {
        let own = rustix::process::geteuid().as_raw();
        assert_eq!(effective_user(getpid()), Some(own));
    }
}
