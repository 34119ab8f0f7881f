//! Landlock: refuses writes outside of the writable paths.
//!
//! With namespaces, Landlock is a second layer of defence against errors in the mounts, and covers what a
//! read-only mount does not: named pipes, devices, signals. Without namespaces, it is the only protection of
//! files.

use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};

use super::super::failure::{FailureContext, failed};
use crate::sandbox::plan::parts::LANDLOCK_SCOPES;
use crate::sandbox::plan::{Level, SandboxPlan, Source, Tier};
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// The version from which on truncating is covered.
const TRUNCATE: u32 = 3;

/// The version from which on ports are covered.
const PORTS: u32 = 4;

/// Devices that are written but not changed.
const DEVICES: [&str; 9] = [
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/console",
    "/dev/ptmx", "/dev/pts",
];

/// Returns the kernel's version of Landlock, 0 without it.
pub(in super::super) fn version() -> u32 {
    // SAFETY: asks for the version only: no attributes, and the flag that says so.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0_usize, 0_usize, 1_u32) };
    u32::try_from(version).unwrap_or(0).min(limit_of_test())
}

/// Returns the version of Landlock that a test pretends to have. A release build ignores it.
#[cfg(debug_assertions)]
#[allow(clippy::disallowed_methods, reason = "the helper has one thread")]
fn limit_of_test() -> u32 {
    std::env::var("AGENT_BASH_TEST_LANDLOCK").map_or(u32::MAX, |version| version.parse().unwrap_or(u32::MAX))
}

#[cfg(not(debug_assertions))]
const fn limit_of_test() -> u32 {
    u32::MAX
}

/// Restricts this process and everything that it starts.
pub(in super::super) fn restrict(plan: &SandboxPlan) -> Result<(), SandboxFailure> {
    let needed = match plan.tier {
        Tier::Namespaces => u32::from(plan.needs_landlock),
        // Without Landlock, commands could read the memory of the host's processes.
        Tier::SharedProcesses => 1,
        Tier::Landlock => TRUNCATE,
    };
    let version = version();
    if version < needed {
        return failed(SandboxStep::Landlock, libc::ENOSYS);
    }
    if version == 0 {
        return Ok(());
    }
    apply(plan, version).at(SandboxStep::Landlock)
}

fn apply(plan: &SandboxPlan, version: u32) -> io::Result<()> {
    let abi = ABI::from(version.min(LANDLOCK_SCOPES).cast_signed());
    let write = AccessFs::from_write(abi);
    let mut ruleset =
        Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(write).map_err(system)?;
    if version >= LANDLOCK_SCOPES {
        ruleset = ruleset.scope(Scope::from_all(abi)).map_err(system)?;
    }
    let mut ruleset = ruleset.create().map_err(system)?;
    for path in writable(plan) {
        ruleset = allow(ruleset, &path, write)?;
    }
    // A process may write its own files in `/proc`. The files about the machine are read-only mounts, or need
    // a privilege.
    let devices = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    for path in DEVICES {
        ruleset = allow(ruleset, Path::new(path), devices & write)?;
    }
    if plan.tier != Tier::Landlock {
        ruleset = allow(ruleset, Path::new("/proc"), (AccessFs::WriteFile | AccessFs::Truncate) & write)?;
    }
    ruleset.restrict_self().map_err(system)?;
    Ok(())
}

/// Takes all rights to files by path, and to ports, from this process. Does nothing on a kernel without
/// Landlock.
pub(super) fn take_all_paths() -> Result<(), SandboxFailure> {
    let version = version();
    if version == 0 {
        return Ok(());
    }
    let take = || {
        let abi = ABI::from(version.min(LANDLOCK_SCOPES).cast_signed());
        let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
        ruleset = ruleset.handle_access(AccessFs::from_all(abi)).map_err(system)?;
        if version >= PORTS {
            ruleset = ruleset.handle_access(AccessNet::from_all(abi)).map_err(system)?;
        }
        if version >= LANDLOCK_SCOPES {
            ruleset = ruleset.scope(Scope::from_all(abi)).map_err(system)?;
        }
        ruleset.create().map_err(system)?.restrict_self().map_err(system)?;
        Ok::<(), io::Error>(())
    };
    take().at(SandboxStep::Landlock)
}

/// Returns the paths below which everything may be written.
fn writable(plan: &SandboxPlan) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = plan
        .places
        .iter()
        .filter_map(|place| match (&place.source, plan.tier) {
            // Without mounts, a private directory is where it is on the host.
            (Source::Directory(source), Tier::Landlock) => Some(source.clone()),
            (Source::Memory(_) | Source::Overlay { .. }, Tier::Landlock) => None,
            _ => Some(place.path.clone()),
        })
        .collect();
    if plan.tier != Tier::Landlock {
        paths.push(PathBuf::from("/dev/shm"));
    } else if plan.level != Level::ReadOnly {
        // Without mounts, `/dev/shm` is the host's. It has semaphores and shared memory.
        paths.push(PathBuf::from("/dev/shm"));
    }
    paths
}

/// Allows this access below a path. A missing path is skipped.
fn allow(ruleset: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> io::Result<RulesetCreated> {
    let place = match openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) {
        Err(rustix::io::Errno::NOENT) => return Ok(ruleset),
        other => other?,
    };
    let is_directory = FileType::from_raw_mode(fstat(&place)?.st_mode).is_dir();
    let access = if is_directory { access } else { access & AccessFs::from_file(ABI::V6) };
    ruleset.add_rule(PathBeneath::new(place.as_fd(), access)).map_err(system)
}

/// Returns the system's error inside an error of the crate.
#[allow(clippy::needless_pass_by_value, reason = "it is passed to `map_err`")]
fn system(error: RulesetError) -> io::Error {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<io::Error>().and_then(io::Error::raw_os_error) {
            return io::Error::from_raw_os_error(error);
        }
        source = error.source();
    }
    io::Error::from_raw_os_error(libc::EINVAL)
}
