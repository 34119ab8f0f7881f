//! New namespaces, and the ids of users and groups in them.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{fstat, stat};
use rustix::io::{read, write};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitOptions, getegid, geteuid, getpid, waitpid};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};

use super::failure::{FailureContext, failed};
use super::process::{exit, fork};
use crate::sandbox::plan::{SandboxPlan, Tier};
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// The user and group ids that are mapped for a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ids {
    /// Every id of the caller's namespace, so that root can work for other users.
    All,
    /// The caller's own user and group.
    Own,
}

/// Enters new namespaces. The children of this process are in the new PID namespace, this process is not. If
/// this process has joined the user namespace of kept mounts that has these ids, it stays there.
pub(super) fn enter(plan: &SandboxPlan, joined: Option<Ids>) -> Result<Ids, SandboxFailure> {
    let mut flags = UnshareFlags::NEWNS | UnshareFlags::NEWIPC;
    if plan.network.is_private() {
        flags |= UnshareFlags::NEWNET;
    }
    if plan.tier == Tier::Namespaces {
        flags |= UnshareFlags::NEWPID;
    }
    match joined {
        Some(ids) => unshare(flags).at(SandboxStep::Namespaces).map(|()| ids),
        None => enter_new(flags),
    }
}

/// Enters a new mount namespace in this user namespace, or in a new one.
pub(super) fn enter_for_mount(users: Option<&OwnedFd>) -> Result<(), SandboxFailure> {
    match users {
        Some(users) => {
            join_users(users).and_then(|_| unshare(UnshareFlags::NEWNS)).at(SandboxStep::Namespaces)
        }
        None => enter_new(UnshareFlags::NEWNS).map(|_| ()),
    }
}

/// Enters the user namespace of kept mounts. Returns the ids that it maps.
pub(super) fn join_users(users: &OwnedFd) -> io::Result<Ids> {
    let own = stat("/proc/self/ns/user")?;
    let target = fstat(users)?;
    // Where user namespaces are switched off for root, that of the mounts is the host's.
    if (own.st_dev, own.st_ino) != (target.st_dev, target.st_ino) {
        move_into_link_name_space(users.as_fd(), Some(LinkNameSpaceType::User))?;
    }
    // `setgroups` is denied in a namespace that maps only the caller's own ids.
    let has_all = geteuid().is_root() && fs::read_to_string("/proc/self/setgroups")?.trim() != "deny";
    Ok(if has_all { Ids::All } else { Ids::Own })
}

/// Enters a copy of the mount namespace.
pub(super) fn unshare_mounts() -> Result<(), SandboxFailure> {
    unshare(UnshareFlags::NEWNS).at(SandboxStep::Namespaces)
}

/// Enters a mount namespace of this process's user namespace.
pub(super) fn join_mounts(mounts: &OwnedFd) -> io::Result<()> {
    Ok(move_into_link_name_space(mounts.as_fd(), Some(LinkNameSpaceType::Mount))?)
}

fn enter_new(flags: UnshareFlags) -> Result<Ids, SandboxFailure> {
    let user = geteuid();
    let group = getegid();
    let mapper = if user.is_root() { Some(Mapper::start().at(SandboxStep::IdMap)?) } else { None };
    match unshare(flags | UnshareFlags::NEWUSER) {
        Ok(()) => {}
        // Root needs no user namespace where they are switched off.
        Err(error) if user.is_root() && error.kind() != ErrorKind::OutOfMemory => {
            return unshare(flags).at(SandboxStep::Namespaces).map(|()| Ids::All);
        }
        Err(error) => return Err(error).at(SandboxStep::Namespaces),
    }
    if mapper.is_some_and(Mapper::map_all) {
        return Ok(Ids::All);
    }
    map_own(user.as_raw(), group.as_raw()).at(SandboxStep::IdMap)?;
    // A mapping that lacks these ids would give the command another user's rights.
    if geteuid() != user || getegid() != group {
        return failed(SandboxStep::IdMap, libc::EINVAL);
    }
    Ok(Ids::Own)
}

fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: the process has one thread, and `FILES`, which the safety of owned descriptors depends on, is
    // not among the flags.
    Ok(unsafe { unshare_unsafe(flags) }?)
}

/// Maps the caller's own ids, which needs no privilege.
fn map_own(user: u32, group: u32) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// A process that maps all ids of this process's namespace onto themselves. The writer of the map needs the
/// privilege in the parent namespace, so it must be forked before this process enters the new one.
struct Mapper {
    pid: Pid,
    start: OwnedFd,
}

impl Mapper {
    fn start() -> io::Result<Self> {
        let (wait, start) = pipe_with(PipeFlags::CLOEXEC)?;
        let parent = getpid();
        if let Some(pid) = fork()? {
            return Ok(Self { pid, start });
        }
        drop(start);
        let is_started = read(&wait, &mut [0_u8; 1]).is_ok_and(|length| length == 1);
        exit(i32::from(!(is_started && map_ranges(parent).is_ok())))
    }

    /// Returns whether all ids are mapped.
    fn map_all(self) -> bool {
        let is_started = write(&self.start, b"m").is_ok();
        drop(self.start);
        let ended = rustix::io::retry_on_intr(|| waitpid(Some(self.pid), WaitOptions::empty()));
        is_started && matches!(ended, Ok(Some((_, status))) if status.exit_status() == Some(0))
    }
}

fn map_ranges(target: Pid) -> io::Result<()> {
    let target = target.as_raw_nonzero();
    for file in ["uid_map", "gid_map"] {
        let own = fs::read_to_string(format!("/proc/self/{file}"))?;
        fs::write(format!("/proc/{target}/{file}"), identity_map(&own))?;
    }
    Ok(())
}

/// Returns the map that gives each id of a namespace itself. The argument is the namespace's own map: first
/// id inside, first id outside, length.
fn identity_map(own: &str) -> String {
    own.lines()
        .filter_map(|line| {
            let mut fields = line.split_ascii_whitespace();
            let (first, _, length) = (fields.next()?, fields.next()?, fields.next()?);
            Some(format!("{first} {first} {length}\n"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::identity_map;

    #[test]
    fn each_range_of_ids_is_mapped_onto_itself() {
        assert_eq!(identity_map("         0          0 4294967295\n"), "0 0 4294967295\n");
        assert_eq!(identity_map("0 1000 1\n1 100000 65536\n"), "0 0 1\n1 1 65536\n");
    }
}
