//! The limits and events of this process's control group: version 2, or version 1 as engines mount it in a
//! container; and the score by which the kernel kills processes when the memory is used up.

use std::fs;

use super::statistics::memory_kills;

const MEMORY: [&str; 2] = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
const PIDS: [&str; 2] = ["/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max"];
const EVENTS: [&str; 2] = ["/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"];

/// The score by which the kernel chooses whom to kill.
const OWN_SCORE: &str = "/proc/self/oom_score_adj";

/// The addition to the score of an expendable process: as if it had another tenth of the memory.
const EXPENDABLE: i32 = 100;

/// The highest score.
const MAX_SCORE: i32 = 1000;

/// Returns the limit of memory (bytes), as the kernel writes it; empty if there is no such file.
#[must_use]
pub fn memory() -> String {
    first(MEMORY).trim().to_owned()
}

/// Returns the limit of processes, as the kernel writes it.
#[must_use]
pub fn pids() -> String {
    first(PIDS).trim().to_owned()
}

/// Makes the kernel kill this process, and those that it starts from now on, before its parent when memory is
/// short.
pub fn become_expendable() {
    let score = fs::read_to_string(OWN_SCORE).ok().and_then(|score| score.trim().parse::<i32>().ok());
    if let Some(score) = score {
        let _ = fs::write(OWN_SCORE, (score + EXPENDABLE).min(MAX_SCORE).to_string());
    }
}

/// Returns how many processes the kernel has killed for lack of memory; 0 if that is unknown.
#[must_use]
pub fn out_of_memory_kills() -> u64 {
    memory_kills(&first(EVENTS))
}

fn first(paths: [&str; 2]) -> String {
    paths.iter().find_map(|path| fs::read_to_string(path).ok()).unwrap_or_default()
}
