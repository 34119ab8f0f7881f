//! Kills what is left in a sandbox without a PID namespace: all processes in its mount namespace, which none
//! can leave.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal};

/// The largest number of searches, and the pause after each: a process may start another one before it dies.
const SEARCHES: u32 = 200;
const SEARCH_PAUSE: Duration = Duration::from_millis(5);

/// Kills all other processes in the mount namespace of this one.
pub(super) fn kill() {
    let Ok(own) = fs::read_link("/proc/self/ns/mnt") else { return };
    for _ in 0..SEARCHES {
        let Ok(entries) = fs::read_dir("/proc") else { return };
        let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let others = pids.filter_map(Pid::from_raw).filter(|pid| *pid != getpid());
        let found: Vec<Pid> = others.filter(|pid| is_in(*pid, &own)).collect();
        if found.is_empty() {
            return;
        }
        for pid in found {
            let Ok(pinned) = pidfd_open(pid, PidfdFlags::empty()) else { continue };
            // The pid may belong to another process by now.
            if is_in(pid, &own) {
                let _ = pidfd_send_signal(&pinned, Signal::KILL);
            }
        }
        thread::sleep(SEARCH_PAUSE);
    }
}

/// Returns whether a process is in this mount namespace. A process that has exited is in none.
fn is_in(pid: Pid, namespace: &Path) -> bool {
    let link = PathBuf::from(format!("/proc/{}/ns/mnt", pid.as_raw_nonzero()));
    fs::read_link(link).is_ok_and(|other| other == namespace)
}
