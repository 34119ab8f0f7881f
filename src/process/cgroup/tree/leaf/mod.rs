//! The cgroup of one command, and its [`name`].

pub(super) mod name;

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, Dir, FileType, Mode, chmodat, fstat, mkdirat, unlinkat};
use rustix::io::Errno as SystemError;
use rustix::process::Pid;

use self::name::HostIdentity;
use super::base::CgroupBase;
use super::files::{name_of, open_directory, read, write};
use crate::process::cgroup::limits::{CPU_PERIOD, CgroupLimit, TreeLimits};
use crate::process::cgroup::statistics::Statistics;

/// The mode of a cgroup whose processes end with the host.
pub(super) const ENDS_WITH_HOST: Mode = Mode::RWXU;

/// The mode of a cgroup whose processes outlive the host. It has all bits of [`ENDS_WITH_HOST`].
const OUTLIVES_HOST: Mode = Mode::from_raw_mode(0o755);

/// The number of the next cgroup of this process.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The cgroups of ended commands that still had processes.
static LEFT: Mutex<Vec<(OwnedFd, String)>> = Mutex::new(Vec::new());

/// The cgroup of a command. It is removed when it is dropped, with its processes unless it was left.
#[derive(Debug)]
pub(super) struct Leaf {
    parent: OwnedFd,
    directory: OwnedFd,
    name: String,
    is_left: AtomicBool,
}

/// The limits that a cgroup did not take.
#[derive(Debug, Default)]
pub(super) struct Refused {
    pub(super) missing: Vec<CgroupLimit>,
    pub(super) reason: Option<String>,
}

impl Leaf {
    /// Creates an empty cgroup.
    pub(super) fn create(base: &CgroupBase, outlives_host: bool) -> io::Result<Self> {
        remove_left();
        let parent = base.directory.try_clone()?;
        let name = HostIdentity::own().leaf(NEXT.fetch_add(1, Ordering::Relaxed));
        mkdirat(&parent, &name, ENDS_WITH_HOST)?;
        if outlives_host {
            mark_as_left(&parent, &name);
        }
        match open_directory(&parent, &name) {
            Ok(directory) => Ok(Self { parent, directory, name, is_left: AtomicBool::new(false) }),
            Err(error) => {
                let _ = unlinkat(&parent, &name, AtFlags::REMOVEDIR);
                Err(error)
            }
        }
    }

    /// Applies limits, and returns those that are missing. `directory` is where the command runs.
    pub(super) fn apply(&self, limits: &TreeLimits, base: &CgroupBase, directory: BorrowedFd<'_>) -> Refused {
        let mut refused = Refused::default();
        for limit in limits.wanted() {
            let applied = base.check(limit.controller()).and_then(|()| self.set(limit, limits, directory));
            if let Err(reason) = applied {
                refused.missing.push(limit);
                refused.reason.get_or_insert(reason);
            }
        }
        refused
    }

    fn set(&self, limit: CgroupLimit, limits: &TreeLimits, directory: BorrowedFd<'_>) -> Result<(), String> {
        let put = |name: &str, text: &str| {
            let failed = |error| format!("'{text}' was refused for {name}: {}", name_of(&error));
            write(&self.directory, name, text).map_err(failed)
        };
        let number = |name, value: Option<u64>| put(name, &value.unwrap_or_default().to_string());
        match limit {
            CgroupLimit::Memory => {
                number("memory.max", limits.memory)?;
                put("memory.oom.group", "1")?;
                // Without swap in the kernel there is no such file, and nothing to limit.
                if limits.swap.is_none() && read(&self.directory, "memory.swap.max").is_ok() {
                    put("memory.swap.max", "0")?;
                }
                Ok(())
            }
            CgroupLimit::Swap => number("memory.swap.max", limits.swap),
            CgroupLimit::Processes => number("pids.max", limits.processes),
            CgroupLimit::Cpus => {
                put("cpu.max", &format!("{} {CPU_PERIOD}", limits.cpu_time.unwrap_or_default()))
            }
            CgroupLimit::CpuWeight => number("cpu.weight", limits.cpu_weight),
            CgroupLimit::Io => {
                let device = device_of(directory)?;
                let rate = |name, value: Option<u64>| {
                    value.map_or_else(String::new, |value| format!(" {name}={value}"))
                };
                put("io.max", &format!("{device}{}{}", rate("rbps", limits.read), rate("wbps", limits.write)))
            }
        }
    }

    /// Returns the directory, for the start of the command.
    pub(super) fn directory(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    /// Reads what the kernel has counted.
    pub(super) fn statistics(&self) -> Statistics {
        Statistics::parse(|name| read(&self.directory, name).ok())
    }

    /// Returns the pids of the processes in the cgroup, and below it.
    pub(super) fn pids(&self) -> Vec<Pid> {
        let mut found = Vec::new();
        collect_pids(self.directory(), &mut found);
        found
    }

    /// Kills all processes in the cgroup, and below it (Linux 5.14).
    pub(super) fn kill(&self) {
        // A cgroup that is gone has no processes.
        let _ = write(&self.directory, "cgroup.kill", "1");
    }

    /// Leaves the processes alone, also when the host ends. The limits hold on.
    pub(super) fn leave(&self) {
        self.is_left.store(true, Ordering::Relaxed);
    }
}

impl Drop for Leaf {
    fn drop(&mut self) {
        if *self.is_left.get_mut() {
            mark_as_left(&self.parent, &self.name);
        } else {
            self.kill();
        }
        if remove(&self.parent, &self.name) {
            return;
        }
        if let Ok(parent) = self.parent.try_clone() {
            let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
            left.push((parent, std::mem::take(&mut self.name)));
        }
    }
}

/// Lets the processes of a cgroup outlive the host. A mask of new files can't take the rights away here.
fn mark_as_left(parent: impl AsFd, name: &str) {
    let _ = chmodat(parent, name, OUTLIVES_HOST, AtFlags::empty());
}

/// Removes the cgroups of ended commands whose last process has exited since.
fn remove_left() {
    let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
    left.retain(|(parent, name)| !remove(parent, name));
}

/// Removes a cgroup and those that its processes have made below it. Returns false while it has a process.
pub(super) fn remove(parent: impl AsFd, name: &str) -> bool {
    let parent = parent.as_fd();
    let is_gone = |result: Result<(), SystemError>| matches!(result, Ok(()) | Err(SystemError::NOENT));
    if is_gone(unlinkat(parent, name, AtFlags::REMOVEDIR)) {
        return true;
    }
    let Ok(directory) = open_directory(parent, name) else { return false };
    let below = names_below(&directory);
    !below.is_empty()
        && below.iter().all(|name| remove(&directory, name))
        && is_gone(unlinkat(parent, name, AtFlags::REMOVEDIR))
}

/// Returns the names of the cgroups below one.
pub(super) fn names_below(directory: impl AsFd) -> Vec<String> {
    let Ok(entries) = Dir::read_from(directory) else { return Vec::new() };
    let is_directory = |entry: &rustix::fs::DirEntry| entry.file_type() == FileType::Directory;
    let names = entries
        .flatten()
        .filter(is_directory)
        .filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned));
    names.filter(|name| name != "." && name != "..").collect()
}

fn collect_pids(directory: BorrowedFd<'_>, found: &mut Vec<Pid>) {
    let processes = read(directory, "cgroup.procs").unwrap_or_default();
    // A process of another PID namespace is a 0.
    found.extend(
        processes.lines().filter_map(|line| Pid::from_raw(line.parse().ok().filter(|&pid| pid > 0)?)),
    );
    for name in names_below(directory) {
        if let Ok(below) = open_directory(directory, &name) {
            collect_pids(below.as_fd(), found);
        }
    }
}

/// Returns the numbers of the block device of a directory, of the whole disk in place of a partition.
fn device_of(directory: BorrowedFd<'_>) -> Result<String, String> {
    let device = fstat(directory).map_err(|error| name_of(&error.into()))?.st_dev;
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let here = format!("/sys/dev/block/{major}:{minor}");
    if major == 0 || std::fs::metadata(&here).is_err() {
        return Err("the working directory is on no plain block device".to_owned());
    }
    if std::fs::metadata(format!("{here}/partition")).is_err() {
        return Ok(format!("{major}:{minor}"));
    }
    let disk = std::fs::read_to_string(format!("{here}/../dev"));
    disk.map(|numbers| numbers.trim().to_owned()).map_err(|error| name_of(&error))
}
