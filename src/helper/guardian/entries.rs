//! Parses the registry's file in the guardian.

use std::io;
use std::path::PathBuf;

use crate::process::identity::Identity;
use crate::process::registry::{CGROUPS, LEADER, STARTING};
use rustix::process::Pid;

/// The entries of the registry.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Entries {
    pub(super) processes: Vec<RegisteredProcess>,
    pub(super) cgroups: Vec<CgroupDirectory>,
}

/// A directory in which jobs have cgroups.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CgroupDirectory {
    /// The begin of the names of the host's cgroups.
    pub(super) host: String,
    pub(super) path: PathBuf,
}

/// A line of the registry: a process of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RegisteredProcess {
    /// `None` for a leader that the host was starting when it ended: only its pipes are known.
    pub(super) pid: Option<Pid>,
    /// The start time; 0 matches any, because a leader that has just written its own line does not know its
    /// start time.
    pub(super) start: u64,
    /// Whether the process was an unreaped child of the host.
    ///
    /// If so, the kernel could not reuse its pid, group and session while the host lived. Any other process
    /// has left its leader's group, and only its identity counts.
    pub(super) is_leader: bool,
    /// The inodes of the job's output pipes; 0 for none.
    pub(super) pipes: [u64; 2],
    /// The tag that the job's processes carry; 0 for none.
    pub(super) tag: u64,
}

impl RegisteredProcess {
    /// Returns whether the process that has the pid now is the one in the entry.
    pub(super) const fn is(&self, process: Identity) -> bool {
        self.start == process.start || (self.is_leader && self.start == 0)
    }
}

/// Reads all entries. Skips lines that are empty or cut off.
pub(super) fn read(mut file: impl io::Read) -> Entries {
    let mut text = Vec::new();
    // Lines read before an error count.
    let _ = file.read_to_end(&mut text);
    let text = String::from_utf8_lossy(&text);
    Entries {
        processes: text.lines().filter_map(parse).collect(),
        cgroups: text.lines().filter_map(parse_cgroups).collect(),
    }
}

/// Parses `0 0 cgroups <host> <path>`.
fn parse_cgroups(line: &str) -> Option<CgroupDirectory> {
    let (host, path) = line.strip_prefix("0 0 ")?.strip_prefix(CGROUPS)?.trim().split_once(' ')?;
    Some(CgroupDirectory { host: host.to_owned(), path: PathBuf::from(path) })
}

/// Parses `<pid> <start> <kind> <pipe> <pipe> <tag>`.
fn parse(line: &str) -> Option<RegisteredProcess> {
    let mut fields = line.split_ascii_whitespace();
    let number: i32 = fields.next()?.parse().ok()?;
    let start = fields.next()?.parse().ok()?;
    let kind = fields.next()?;
    // A pid above 1: not init, and not a group (0 and below).
    let pid = if number > 1 { Pid::from_raw(number) } else { None };
    if pid.is_none() && kind != STARTING {
        return None;
    }
    let mut number = || fields.next().and_then(|field| field.parse().ok()).unwrap_or(0);
    let pipes = [number(), number()];
    Some(RegisteredProcess { pid, start, is_leader: kind == LEADER, pipes, tag: number() })
}

#[cfg(test)]
mod tests {
    use rustix::process::Pid;

    use super::{CgroupDirectory, Entries, RegisteredProcess, read};

    #[test]
    fn a_line_is_an_entry() {
        let [leader, escaped, starting] = ["12 34 leader 5 6 7", "13 35 escaped 0 0 0", "0 0 starting 8 9 0"];
        let directory = "0 0 cgroups agent-bash-1-2-3 /sys/fs/cgroup/a b";
        let text = format!("{leader:127}\n{:127}\n{escaped:127}\n{starting:127}\n{directory:127}\n", "");
        let pid = |number| Some(Pid::from_raw(number).expect("a pid"));
        let leader = RegisteredProcess { pid: pid(12), start: 34, is_leader: true, pipes: [5, 6], tag: 7 };
        let escaped = RegisteredProcess { pid: pid(13), start: 35, is_leader: false, pipes: [0, 0], tag: 0 };
        let starting = RegisteredProcess { pid: None, start: 0, is_leader: false, pipes: [8, 9], tag: 0 };
        let directory =
            CgroupDirectory { host: "agent-bash-1-2-3".to_owned(), path: "/sys/fs/cgroup/a b".into() };
        let entries = Entries { processes: vec![leader, escaped, starting], cgroups: vec![directory] };
        assert_eq!(read(text.as_bytes()), entries);
    }

    #[test]
    fn an_invalid_line_is_skipped() {
        let text =
            "\n12\n12 34\nx 1 leader\n12 x leader\n0 1 leader 0 0 0\n-5 1 leader 0 0 0\n1 1 leader 0 0 0\n";
        assert_eq!(read(text.as_bytes()), Entries::default());
    }
}
