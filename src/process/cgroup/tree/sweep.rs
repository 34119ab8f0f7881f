//! Removes the cgroups of hosts that have ended.

use std::collections::HashSet;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, fstat};

use super::files::{open_directory, write};
use super::leaf::name::HostIdentity;
use super::leaf::{ENDS_WITH_HOST, names_below, remove};
use crate::process::tree::repeat_until;

/// The bits of a mode that are rights.
const ALL_RIGHTS: Mode = Mode::from_raw_mode(0o777);

/// The longest wait for the death of killed processes: one in an uninterruptible sleep may never end.
const DEATH_DEADLINE: Duration = Duration::from_millis(500);

/// The longest wait for processes that end by themselves: those of a sandbox clean up after its command.
const OWN_END: Duration = Duration::from_millis(200);

/// Removes the cgroups of ended hosts, at the first command of this process in this directory.
pub(super) fn sweep_once(path: &Path, directory: impl AsFd) {
    static SWEPT: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.get_or_insert_default().insert(path.to_owned()) {
        let is_over = |name: &str| HostIdentity::of_leaf(name).is_some_and(HostIdentity::has_ended);
        sweep(directory, is_over, Duration::ZERO);
    }
}

/// Ends and removes the cgroups of a host that has just ended, for the guardian.
pub fn end_cgroups(host: &str, path: &Path) {
    let Ok(directory) = open_directory(CWD, path) else { return };
    let is_its = |name: &str| name.strip_prefix(host).is_some_and(|rest| rest.starts_with('-'));
    sweep(directory, is_its, OWN_END);
}

/// Removes the cgroups for whose names `is_over` returns true. Kills the processes that should have ended
/// with their host and do not within `patience`, and leaves others.
fn sweep(directory: impl AsFd, is_over: impl Fn(&str) -> bool, patience: Duration) {
    for name in names_below(&directory) {
        if !is_over(&name) || remove(&directory, &name) {
            continue;
        }
        let Ok(leaf) = open_directory(&directory, &name) else { continue };
        let mode = |status: rustix::fs::Stat| Mode::from_raw_mode(status.st_mode) & ALL_RIGHTS;
        if !fstat(&leaf).is_ok_and(|status| mode(status) == ENDS_WITH_HOST) {
            continue;
        }
        let mut is_removed = false;
        let mut try_for = |time| {
            repeat_until(Instant::now() + time, || {
                is_removed = is_removed || remove(&directory, &name);
                is_removed
            });
            is_removed
        };
        if !try_for(patience) {
            let _ = write(&leaf, "cgroup.kill", "1");
            try_for(DEATH_DEADLINE);
        }
    }
}
