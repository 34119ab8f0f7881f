//! The rules of the filter: which system calls fail, and about which the sandbox init decides. Calls without
//! a rule are allowed.

use super::calls;
use crate::sandbox::plan::{Level, NetworkMode, SandboxPlan, Tier};

/// The highest number that this table was checked against (`file_setattr`, Linux 6.17). Newer calls fail with
/// `ENOSYS`, so that none of them bypasses a rule.
pub(super) const MAX_SYSCALL: u32 = 469;

/// The action for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum SyscallAction {
    /// The kernel carries the call out.
    Allow,
    /// The call fails with this error.
    Fail(i32),
    /// The sandbox init gets a user notification, and carries the call out or refuses it.
    Ask,
}

/// A test of the low 32 bits of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// Any of these bits is set.
    AnyBit { argument: u32, mask: u32 },
    /// The masked bits equal the value.
    Equal { argument: u32, mask: u32, value: u32 },
}

/// The rule about a call: the action of the first check whose conditions all hold, or else `otherwise`.
#[derive(Clone, Debug)]
pub(super) struct SyscallRule {
    pub(super) call: u32,
    pub(super) checks: Vec<(Vec<Condition>, SyscallAction)>,
    pub(super) otherwise: SyscallAction,
}

impl SyscallRule {
    fn always(call: i64, action: SyscallAction) -> Self {
        Self { call: number(call), checks: Vec::new(), otherwise: action }
    }

    fn when(call: i64, condition: Condition, action: SyscallAction) -> Self {
        Self { call: number(call), checks: vec![(vec![condition], action)], otherwise: SyscallAction::Allow }
    }

    /// Returns whether the rule leaves any call to the sandbox init.
    pub(super) fn asks(&self) -> bool {
        self.otherwise == SyscallAction::Ask
            || self.checks.iter().any(|(_, action)| *action == SyscallAction::Ask)
    }
}

fn number(call: i64) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

const REFUSED: SyscallAction = SyscallAction::Fail(libc::EPERM);
const MISSING: SyscallAction = SyscallAction::Fail(libc::ENOSYS);
const DENIED: SyscallAction = SyscallAction::Fail(libc::EACCES);
const NO_FAMILY: SyscallAction = SyscallAction::Fail(libc::EAFNOSUPPORT);

/// The flags of `clone` and `unshare` that make a namespace. `CLONE_NEWTIME` is a flag of `unshare` alone:
/// `clone` has the number of a signal there.
const NAMESPACES: u32 = 0x7e02_0000;
const TIME_NAMESPACE: u32 = 0x80;

/// The bits of a mode that give a file the rights of its owner or group.
const SET_ID: u32 = 0o6000;

/// The flags of `open` with which it uses the mode: `O_CREAT`, and `O_TMPFILE` without `O_DIRECTORY`.
const MAKES_FILE: u32 = 0o20_000_100;

/// The requests that insert input into a terminal of the host, or change how the host reads it: `TIOCSTI`,
/// `TIOCLINUX`, `TIOCSETD`.
const OF_TERMINALS: [u32; 3] = [0x5412, 0x541c, 0x5423];

/// A lease delays programs of the host that open the file, and needs no right to write it.
const SET_LEASE: u32 = 1024; // F_SETLEASE

/// Inode flags: `FS_IOC_SETFLAGS` for 64 and 32 bits, `FS_IOC_FSSETXATTR`, `FS_IOC_SETVERSION`.
const INODE_FLAGS: [u32; 4] = [0x4008_6602, 0x4004_6602, 0x401c_5820, 0x4008_7602];

/// The bits of a socket's type without its flags.
const TYPE: u32 = 0xf;
const TCP: u32 = 6;
const ROUTES: u32 = 0; // NETLINK_ROUTE
const DIAGNOSIS: u32 = 4; // NETLINK_SOCK_DIAG

pub(super) fn rules(plan: &SandboxPlan) -> Vec<SyscallRule> {
    let mut rules: Vec<SyscallRule> =
        calls::REFUSED.iter().map(|&call| SyscallRule::always(call, REFUSED)).collect();
    rules.extend(calls::MISSING.iter().map(|&call| SyscallRule::always(call, MISSING)));
    let namespaces = |mask| Condition::AnyBit { argument: 0, mask };
    rules.push(SyscallRule::when(libc::SYS_clone, namespaces(NAMESPACES), REFUSED));
    rules.push(SyscallRule::when(libc::SYS_unshare, namespaces(NAMESPACES | TIME_NAMESPACE), REFUSED));
    rules.extend(calls::WITH_MODE.iter().map(|&(call, argument)| {
        SyscallRule::when(call, Condition::AnyBit { argument, mask: SET_ID }, REFUSED)
    }));
    rules.extend(calls::WITH_FLAGS_AND_MODE.iter().map(|&(call, flags)| SyscallRule {
        call: number(call),
        checks: vec![(
            vec![
                Condition::AnyBit { argument: flags, mask: MAKES_FILE },
                Condition::AnyBit { argument: flags + 1, mask: SET_ID },
            ],
            REFUSED,
        )],
        otherwise: SyscallAction::Allow,
    }));
    let keeps_metadata = plan.tier == Tier::Landlock && plan.level == Level::ReadOnly;
    let ioctls = OF_TERMINALS.iter().chain(if keeps_metadata { &INODE_FLAGS[..] } else { &[] });
    rules.push(SyscallRule {
        call: number(libc::SYS_ioctl),
        checks: ioctls.map(|&value| (vec![equal(1, u32::MAX, value)], REFUSED)).collect(),
        otherwise: SyscallAction::Allow,
    });
    if keeps_metadata {
        rules.retain(|rule| !calls::METADATA.iter().any(|&call| number(call) == rule.call));
        rules.extend(calls::METADATA.iter().map(|&call| SyscallRule::always(call, REFUSED)));
    }
    rules.push(SyscallRule::when(libc::SYS_fcntl, equal(1, u32::MAX, SET_LEASE), REFUSED));
    if plan.tier != Tier::Namespaces {
        // The process table is the host's: a limit of processor time (`prlimit`) would kill a process of the
        // host, and a low priority would slow it down.
        let names_process = Condition::AnyBit { argument: 0, mask: u32::MAX };
        rules.push(SyscallRule::when(libc::SYS_prlimit64, names_process, REFUSED));
        let names_process = Condition::AnyBit { argument: 1, mask: u32::MAX };
        rules.push(SyscallRule::when(libc::SYS_setpriority, names_process, REFUSED));
        rules.push(SyscallRule::when(libc::SYS_ioprio_set, names_process, REFUSED));
    }
    if plan.tier == Tier::Landlock {
        rules.extend(calls::OTHER_MEMORY.iter().map(|&call| SyscallRule::always(call, REFUSED)));
    }
    let is_copy_on_write = plan.overlay.is_some() || plan.private_home().is_some();
    if plan.tier != Tier::Landlock && is_copy_on_write {
        rules.extend(calls::RENAMES.iter().map(|&call| SyscallRule::always(call, SyscallAction::Ask)));
    }
    rules.extend(network(plan));
    rules
}

/// Returns the rules of a service: a process that has all that it needs in descriptors, and gets more by a
/// socket.
pub(super) fn of_service() -> Vec<SyscallRule> {
    let missing = calls::MISSING.iter().map(|&call| SyscallRule::always(call, MISSING));
    let refused = calls::REFUSED.iter().chain(calls::OTHER_MEMORY).chain(calls::OF_NO_SERVICE);
    missing.chain(refused.map(|&call| SyscallRule::always(call, REFUSED))).collect()
}

fn network(plan: &SandboxPlan) -> Vec<SyscallRule> {
    if plan.tier == Tier::Landlock && plan.network == NetworkMode::Off {
        return vec![SyscallRule::always(libc::SYS_socket, DENIED), socket_pairs()];
    }
    if plan.tier == Tier::Landlock {
        // No sandbox init decides about paths, so the only UNIX sockets are pairs.
        let mut rule = sockets(plan.network);
        rule.checks.insert(0, (vec![equal(0, u32::MAX, libc::AF_UNIX.cast_unsigned())], DENIED));
        return vec![rule, socket_pairs()];
    }
    let mut rules = vec![
        sockets(plan.network),
        socket_pairs(),
        SyscallRule::always(libc::SYS_connect, SyscallAction::Ask),
    ];
    if !plan.network.is_private() {
        rules.push(SyscallRule::always(libc::SYS_bind, SyscallAction::Ask));
        rules.push(SyscallRule::always(libc::SYS_listen, SyscallAction::Ask));
    }
    if plan.network == NetworkMode::Loopback {
        // These calls connect without `connect`.
        let fast_open = Condition::AnyBit { argument: 3, mask: libc::MSG_FASTOPEN.cast_unsigned() };
        let no_fast_open = SyscallAction::Fail(libc::EOPNOTSUPP);
        rules.push(SyscallRule::when(libc::SYS_sendto, fast_open, no_fast_open));
        let fast_open = |argument| Condition::AnyBit { argument, mask: libc::MSG_FASTOPEN.cast_unsigned() };
        rules.push(SyscallRule::when(libc::SYS_sendmsg, fast_open(2), no_fast_open));
        rules.push(SyscallRule::when(libc::SYS_sendmmsg, fast_open(3), no_fast_open));
    }
    rules
}

fn sockets(network: NetworkMode) -> SyscallRule {
    let family = |family: i32| equal(0, u32::MAX, family.cast_unsigned());
    let kind = |kind: i32| equal(1, TYPE, kind.cast_unsigned());
    let protocol = |protocol: u32| equal(2, u32::MAX, protocol);
    let mut checks = streams_only(family(libc::AF_UNIX));
    for internet in [libc::AF_INET, libc::AF_INET6] {
        if network == NetworkMode::Loopback {
            let stream = || vec![family(internet), kind(libc::SOCK_STREAM)];
            for number in [0, TCP] {
                checks.push(([stream(), vec![protocol(number)]].concat(), SyscallAction::Allow));
            }
            checks.push((vec![family(internet)], DENIED));
        } else {
            checks.push((vec![family(internet)], SyscallAction::Allow));
        }
    }
    for number in [ROUTES, DIAGNOSIS] {
        checks.push((vec![family(libc::AF_NETLINK), protocol(number)], SyscallAction::Allow));
    }
    SyscallRule { call: number(libc::SYS_socket), checks, otherwise: NO_FAMILY }
}

/// Refuses pairs of datagram sockets: a datagram reaches any path without a connection.
fn socket_pairs() -> SyscallRule {
    let family = equal(0, u32::MAX, libc::AF_UNIX.cast_unsigned());
    SyscallRule { call: number(libc::SYS_socketpair), checks: streams_only(family), otherwise: NO_FAMILY }
}

/// Allows the types of UNIX sockets that send only to their peer. The kernel treats `SOCK_RAW` as a datagram
/// socket.
fn streams_only(family: Condition) -> Vec<(Vec<Condition>, SyscallAction)> {
    let kind = |kind: i32| equal(1, TYPE, kind.cast_unsigned());
    vec![
        (vec![family, kind(libc::SOCK_STREAM)], SyscallAction::Allow),
        (vec![family, kind(libc::SOCK_SEQPACKET)], SyscallAction::Allow),
        (vec![family], DENIED),
    ]
}

const fn equal(argument: u32, mask: u32, value: u32) -> Condition {
    Condition::Equal { argument, mask, value }
}

#[cfg(test)]
mod tests;
