//! Probes this machine for sandboxes, by starting the helper with each mechanism. Changes nothing on disk.

use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use super::plan::parts::missing;
use super::plan::{Level, Part, Place, SandboxPlan, SandboxedCommand, Source, Tier};
use super::protocol::launch::{CONTROL_DESCRIPTOR, Launch, prepare};
use super::protocol::report::{Running, SandboxFailure, SandboxStep};
use super::texts::{KernelSettings, reason};
use crate::process::errno::Errno;
use crate::process::fd::above_standard_streams;
use crate::process::spawn::{Attributes, FdMapping, Limits, SpawnRequest, StandardStreams, spawn};
use crate::process::wait::{await_exit, reap};

/// The size of `/tmp` during a probe (bytes).
const TMP: u64 = 1 << 20;

/// The mechanisms, the best first, and whether each is tried with Landlock.
const WAYS: &[(Tier, bool)] = &[
    (Tier::Namespaces, true),
    (Tier::SharedProcesses, true),
    (Tier::Namespaces, false),
    (Tier::Landlock, true),
];

/// This machine's support of sandboxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The best mechanism that works; `None` if none does.
    pub tier: Option<Tier>,
    /// The kernel's version of Landlock, 0 without it.
    pub landlock: u32,
    /// Why better mechanisms do not work, the best first: for each a reason and what to do, without a full
    /// stop.
    pub reasons: Vec<String>,
}

impl Probe {
    /// Returns the parts of a level that would be missing, besides the home; `None` if nothing works. `hides`
    /// says whether anything is hidden.
    #[must_use]
    pub fn missing(&self, level: Level, hides: bool) -> Option<Vec<Part>> {
        self.tier.map(|tier| missing(level, tier, self.landlock, hides))
    }
}

/// Tries the mechanisms, the best first, and stops at one that works. Takes some milliseconds for each.
#[must_use]
pub fn probe(helper: &Path) -> Probe {
    let mut reasons = Vec::new();
    for &(tier, needs_landlock) in WAYS {
        match try_plan(helper, &SandboxPlan { needs_landlock, ..plan(tier) }) {
            Ok(running) => return Probe { tier: Some(tier), landlock: running.landlock, reasons },
            Err(failure) => {
                let reason = explained(&failure);
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
        }
    }
    Probe { tier: None, landlock: 0, reasons }
}

/// Returns a plan with each part of the mechanism.
fn plan(tier: Tier) -> SandboxPlan {
    let tmp = Place { path: "/tmp".into(), source: Source::Memory(TMP) };
    let places = if tier == Tier::Landlock { Vec::new() } else { vec![tmp] };
    SandboxPlan { places, ..SandboxPlan::of(Level::ReadOnly, tier) }
}

/// Builds a sandbox whose command ends before it executes anything.
fn try_plan(helper: &Path, plan: &SandboxPlan) -> Result<Running, SandboxFailure> {
    let command = SandboxedCommand {
        candidates: Vec::new(),
        arguments: Vec::new(),
        environment: Vec::new(),
        directory: "/".into(),
        descriptors: Vec::new(),
        has_terminal: false,
        limits: Vec::new(),
        is_probe: true,
    };
    let failed =
        |error: &io::Error| SandboxFailure { step: SandboxStep::Plan, errno: Errno::of(error), path: None };
    let launch = prepare(helper, plan, &command, &[]).map_err(|error| failed(&error))?;
    let Launch { program, name, socket, control } = launch;
    let child = start(&program, &name, socket.as_fd()).map_err(|error| failed(&error))?;
    drop(socket);
    let running = control.await_running(&mut Vec::new());
    await_exit(child);
    reap(child);
    running.map(|(running, _)| running)
}

pub(super) fn start(
    program: &CString,
    name: &CString,
    socket: std::os::fd::BorrowedFd<'_>,
) -> io::Result<rustix::process::Pid> {
    let open = |options: &mut fs::OpenOptions| above_standard_streams(options.open("/dev/null")?.into());
    let null = open(File::options().read(true).write(true))?;
    let root = File::open("/")?;
    let spawned = spawn(&SpawnRequest {
        candidates: std::slice::from_ref(program),
        arguments: std::slice::from_ref(name),
        environment: &[],
        directory: root.as_fd(),
        stdio: StandardStreams { stdin: null.as_fd(), stdout: null.as_fd(), stderr: null.as_fd() },
        extra_fd: Some(FdMapping { source: socket, target: CONTROL_DESCRIPTOR }),
        record: None,
        attributes: Attributes::default(),
        limits: &Limits::default(),
        tag: None,
    });
    spawned.map(|spawned| spawned.pid).map_err(|error| io::Error::from_raw_os_error(error.errno.0))
}

/// Returns why a step failed on this machine, and what to do, without a full stop.
pub(super) fn explained(failure: &SandboxFailure) -> String {
    reason(failure, settings(), &release())
}

fn settings() -> KernelSettings {
    let is = |name: &str, value: &str| {
        fs::read_to_string(Path::new("/proc/sys").join(name)).is_ok_and(|text| text.trim() == value)
    };
    KernelSettings {
        apparmor_restricts: is("kernel/apparmor_restrict_unprivileged_userns", "1"),
        has_no_user_namespaces: is("user/max_user_namespaces", "0")
            || is("kernel/unprivileged_userns_clone", "0"),
        is_filtered: has_filter(&fs::read_to_string("/proc/self/status").unwrap_or_default()),
        is_old: is_old(&release()),
    }
}

/// Returns whether the status of a process has a filter of system calls (mode 2 of seccomp).
fn has_filter(status: &str) -> bool {
    status.lines().filter_map(|line| line.strip_prefix("Seccomp:")).any(|mode| mode.trim() == "2")
}

fn release() -> String {
    fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned()
}

/// Returns whether a release such as `5.4.0-1` is older than 5.12.
fn is_old(release: &str) -> bool {
    let mut numbers = release.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) => (major, minor) < (5, 12),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_old;

    #[test]
    fn releases_before_5_12_are_old() {
        assert!(is_old("5.11.3") && is_old("4.19.0-26-amd64"));
        assert!(!is_old("5.12.0") && !is_old("6.18.44-fc") && !is_old("strange"));
    }
}
