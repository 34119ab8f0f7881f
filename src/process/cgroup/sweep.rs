//! Removes the cgroups of hosts that have ended.

use std::collections::HashSet;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, fstat};

use super::files::{open_directory, write};
use super::leaf::{ENDS_WITH_HOST, names_below, remove};
use super::name::HostName;
use crate::process::tree::repeat_until;

/// The longest wait for the death of killed processes: one in an uninterruptible sleep may never end.
const DEATH_DEADLINE: Duration = Duration::from_millis(500);

/// Removes the cgroups of ended hosts, at the first command of this process in this directory.
pub(super) fn sweep_once(path: &Path, directory: impl AsFd) {
    static SWEPT: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.get_or_insert_default().insert(path.to_owned()) {
        sweep(directory, HostName::has_ended);
    }
}

/// Removes the cgroups of the hosts for which `is_over` returns true. Kills the processes that should have
/// ended with their host, and leaves others.
fn sweep(directory: impl AsFd, is_over: impl Fn(HostName) -> bool) {
    for name in names_below(&directory) {
        if !HostName::of_leaf(&name).is_some_and(&is_over) || remove(&directory, &name) {
            continue;
        }
        let Ok(leaf) = open_directory(&directory, &name) else { continue };
        if fstat(&leaf).is_ok_and(|leaf| {
            Mode::from_raw_mode(leaf.st_mode) & Mode::from_raw_mode(0o777) == ENDS_WITH_HOST
        }) {
            let _ = write(&leaf, "cgroup.kill", "1");
            repeat_until(Instant::now() + DEATH_DEADLINE, || remove(&directory, &name));
        }
    }
}
