//! Stops and kills the processes of the jobs, until none is left.

use std::collections::HashSet;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid};

use super::search::Search;
use super::table::Entry;
use crate::process::identity::Identity;
use crate::process::table::row::Process;
use crate::process::table::{holds_any_pipe, is_at_rest, snapshot, tag_of};

/// How long to go on while processes don't die: another user's, and those in an uninterruptible sleep, may never die.
const GIVE_UP: Duration = Duration::from_secs(10);

/// How many looks stop newcomers before all processes are killed at once: a job may start processes faster than the
/// guardian stops them.
const STOPPING_LOOKS: usize = 20;

/// How many looks in a row must find nobody where jobs have tags: during one look, a tagged process may start the next one
/// and exit.
const EMPTY_LOOKS: usize = 3;

/// How long processes may take to stop or to die before the next look at the table. A process in a `vfork` stops only when
/// its child has executed.
const SETTLING: Duration = Duration::from_millis(20);

/// Pause between two checks whether processes have stopped or died.
const PAUSE: Duration = Duration::from_micros(500);

/// Ends all jobs of these entries.
///
/// A process that is stopped starts nobody. So whoever is found is stopped until a look finds nobody new, and all are
/// killed then.
pub(super) fn sweep(entries: Vec<Entry>) {
    if entries.is_empty() {
        return;
    }
    let give_up = Instant::now() + GIVE_UP;
    let mut search = Search::new(entries, getpid());
    let mut stopped = HashSet::new();
    // Members of groups and sessions must not start others during the slower search for holders of pipes.
    stop(search.members(&living()), &mut stopped);
    search.add_holders(&living(), holds_any_pipe);
    let mut looks = 0;
    let mut empty_looks = 0;
    while Instant::now() < give_up {
        let table = living();
        search.add_tagged(&table, tag_of);
        let members = search.members(&table);
        looks += 1;
        if members.is_empty() {
            empty_looks += 1;
            if !search.has_tags() || empty_looks == EMPTY_LOOKS {
                return;
            }
            continue;
        }
        empty_looks = 0;
        let has_new = members.iter().any(|process| !stopped.contains(process));
        if has_new && looks < STOPPING_LOOKS {
            stop(members, &mut stopped);
        } else {
            for process in &members {
                process.send(Signal::KILL);
            }
            wait_until(|| !members.iter().any(|process| process.is_alive()));
        }
    }
}

/// The process table without those that have exited.
fn living() -> Vec<Process> {
    let mut table = snapshot();
    table.retain(|process| !process.is_zombie);
    table
}

/// Stops those that have not been stopped yet, and waits until none of them is in the middle of a `fork`.
fn stop(members: Vec<Identity>, stopped: &mut HashSet<Identity>) {
    let new: Vec<Identity> = members.into_iter().filter(|&process| stopped.insert(process)).collect();
    for process in &new {
        process.send(Signal::STOP);
    }
    wait_until(|| new.iter().all(|process| is_at_rest(process.pid)));
}

fn wait_until(condition: impl Fn() -> bool) {
    let until = Instant::now() + SETTLING;
    while !condition() && Instant::now() < until {
        thread::sleep(PAUSE);
    }
}
