//! Systems that do not show what threads sleep in.

use rustix::process::Pid;

use super::{InputFile, Sleeper};
use crate::process::table;

/// Returns the process without its waits, which are hidden. No test has run this function on macOS yet.
#[must_use]
pub fn inspect(pid: Pid) -> Option<Sleeper> {
    let process = table::inspect(pid)?;
    Some(Sleeper { pid, group: process.group, terminal: 0, waits: None })
}

/// Returns false: no caller asks where waits are hidden.
#[must_use]
pub const fn is_input(_sleeper: &Sleeper, _descriptor: i32, _input: InputFile) -> bool {
    false
}

/// Returns false: the sockets of other processes are hidden.
#[must_use]
pub const fn listens_on_any(_pid: Pid, _inodes: &[u64]) -> bool {
    false
}

/// Returns an empty name: the names of other processes are hidden.
#[must_use]
pub const fn name_of(_pid: Pid) -> String {
    String::new()
}

/// Returns `None`: the descriptors of other processes are hidden.
#[must_use]
pub const fn inode_of_descriptor(_pid: Pid, _descriptor: i32) -> Option<u64> {
    None
}

/// Returns false: this system does not show what a process waits for.
#[must_use]
pub const fn waits_for_pipe(_pid: Pid, _inode: u64) -> bool {
    false
}

/// Returns false: this system does not show what a process waits for.
#[must_use]
pub const fn waits_for_open(_pid: Pid) -> bool {
    false
}
