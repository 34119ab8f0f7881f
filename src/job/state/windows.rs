//! Describes processes by their programs.

use super::{ListedProcess, MAX_LISTED, by_parent};
use crate::process::blocked::name_of;
use crate::process::identity::Pid;

/// Describes the living ones of these processes. None has a parent: a pid of a parent says nothing, since
/// Windows reuses it once the parent has exited.
#[must_use]
pub fn described(mut pids: Vec<Pid>) -> Vec<ListedProcess> {
    pids.truncate(MAX_LISTED);
    let listed: Vec<_> = pids
        .into_iter()
        .map(|pid| ListedProcess { pid: pid.as_raw_nonzero().get(), parent: 0, program: name_of(pid) })
        .filter(|process| !process.program.is_empty())
        .collect();
    by_parent(&listed)
}
