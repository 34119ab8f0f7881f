//! Stops and kills the processes of the jobs, until none is left.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid};

use super::entries::RegisteredProcess;
use super::search::ProcessSearch;
use crate::process::identity::Identity;
use crate::process::table::row::Process;
use crate::process::table::{holds_any_pipe, is_stopped_or_gone, snapshot, tag_of};
use crate::process::tree::repeat_until;

/// The time after which the guardian gives up: processes of another user, or in an uninterruptible sleep, may
/// never end.
const SWEEP_DEADLINE: Duration = Duration::from_secs(10);

/// The number of scans that stop new processes before all are killed: a job may start processes faster than
/// the guardian stops them.
const MAX_STOP_SCANS: usize = 20;

/// The number of scans in a row that must find no process if jobs have tags: during one scan, a tagged
/// process may start another one and exit.
const EMPTY_SCANS_TO_END: usize = 3;

/// The longest wait for processes to stop or to die before the next scan. A process in a `vfork` stops only
/// after its child has executed.
const SETTLE_TIMEOUT: Duration = Duration::from_millis(20);

/// Kills all processes of the jobs of these entries.
///
/// A stopped process starts no others. So the guardian stops every process that it finds until a scan finds
/// no new one, and then kills all of them.
pub(super) fn sweep(entries: Vec<RegisteredProcess>) {
    if entries.is_empty() {
        return;
    }
    let deadline = Instant::now() + SWEEP_DEADLINE;
    let mut search = ProcessSearch::new(entries, getpid());
    let mut stopped = HashSet::new();
    // Members of groups and sessions are stopped before the slower search for holders of pipes.
    stop(search.members(&living()), &mut stopped);
    search.add_holders(&living(), holds_any_pipe);
    let mut scans = 0;
    let mut empty_scans = 0;
    while Instant::now() < deadline {
        let table = living();
        search.add_tagged(&table, tag_of);
        let members = search.members(&table);
        scans += 1;
        if members.is_empty() {
            empty_scans += 1;
            if !search.has_tags() || empty_scans == EMPTY_SCANS_TO_END {
                return;
            }
            continue;
        }
        empty_scans = 0;
        let has_new = members.iter().any(|process| !stopped.contains(process));
        if has_new && scans < MAX_STOP_SCANS {
            stop(members, &mut stopped);
        } else {
            for process in &members {
                process.send(Signal::KILL);
            }
            wait_until(|| !members.iter().any(|process| process.is_alive()));
        }
    }
}

/// Returns the process table without zombies.
fn living() -> Vec<Process> {
    let mut table = snapshot();
    table.retain(|process| !process.is_zombie);
    table
}

/// Stops the members that have not been stopped yet, and waits until none of them is in the middle of a
/// `fork`.
fn stop(members: Vec<Identity>, stopped: &mut HashSet<Identity>) {
    let new: Vec<Identity> = members.into_iter().filter(|&process| stopped.insert(process)).collect();
    for process in &new {
        process.send(Signal::STOP);
    }
    wait_until(|| new.iter().all(|process| is_stopped_or_gone(process.pid)));
}

fn wait_until(condition: impl Fn() -> bool) {
    repeat_until(Instant::now() + SETTLE_TIMEOUT, condition);
}
