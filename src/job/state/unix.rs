//! Describes processes by the process table.

use super::{ListedProcess, MAX_LISTED, by_parent};
use crate::engine::scan::Scanner;
use crate::process::blocked::name_of;
use crate::process::identity::Pid;
use crate::process::table;

/// The most processes that are inspected on the I/O thread: each takes two reads of `/proc`.
const MAX_INLINE: usize = 8;

/// Describes the living ones of these processes, each after its parent. Inspects many on the scan thread.
pub async fn described(scanner: &Scanner, mut pids: Vec<Pid>) -> Vec<ListedProcess> {
    pids.truncate(MAX_LISTED);
    if pids.len() <= MAX_INLINE {
        return describe_all(&pids);
    }
    scanner.run_blocking(move || describe_all(&pids)).await.unwrap_or_default()
}

fn describe_all(pids: &[Pid]) -> Vec<ListedProcess> {
    let listed: Vec<_> = pids.iter().filter_map(|&pid| describe(pid)).collect();
    by_parent(&listed)
}

fn describe(pid: Pid) -> Option<ListedProcess> {
    let process = table::inspect(pid)?;
    if process.is_zombie {
        return None;
    }
    Some(ListedProcess { pid: process.pid(), parent: process.parent, program: name_of(pid) })
}
