//! The actions of the filter, by an interpreter of its programs.

use super::{DENIED, MAX_SYSCALL, MISSING, NO_FAMILY, REFUSED, SyscallAction, of_service, rules};
use crate::helper::sandbox::confine::seccomp::program::assemble;
use crate::helper::sandbox::confine::seccomp::program::machine::{run, run_on};
use crate::sandbox::plan::{Level, NetworkMode, SandboxPlan, Tier};

fn plan(tier: Tier, level: Level, network: NetworkMode) -> SandboxPlan {
    SandboxPlan { network, ..SandboxPlan::of(level, tier) }
}

fn answer_in(plan: &SandboxPlan, call: i64, arguments: &[u64]) -> SyscallAction {
    let mut all = [0; 6];
    all[..arguments.len()].copy_from_slice(arguments);
    run(&assemble(&rules(plan)), call.try_into().expect("a number"), all)
}

fn answer(call: i64, arguments: &[u64]) -> SyscallAction {
    answer_in(&plan(Tier::Namespaces, Level::WorkspaceWrite, NetworkMode::Off), call, arguments)
}

#[test]
fn usual_calls_are_allowed() {
    for call in [libc::SYS_read, libc::SYS_execve, libc::SYS_ptrace, libc::SYS_memfd_create, libc::SYS_futex]
    {
        assert_eq!(answer(call, &[]), SyscallAction::Allow);
    }
}

#[test]
fn mounts_and_namespaces_are_refused() {
    for call in [libc::SYS_mount, libc::SYS_umount2, libc::SYS_setns, libc::SYS_chroot, libc::SYS_bpf] {
        assert_eq!(answer(call, &[]), REFUSED);
    }
    for flag in [libc::CLONE_NEWUSER, libc::CLONE_NEWNS, libc::CLONE_NEWNET, libc::CLONE_NEWCGROUP] {
        assert_eq!(answer(libc::SYS_clone, &[u64::from(flag.cast_unsigned())]), REFUSED);
        assert_eq!(answer(libc::SYS_unshare, &[u64::from(flag.cast_unsigned())]), REFUSED);
    }
    assert_eq!(answer(libc::SYS_unshare, &[0x80]), REFUSED);
    assert_eq!(answer(libc::SYS_clone, &[0x11]), SyscallAction::Allow);
    assert_eq!(answer(libc::SYS_clone3, &[]), MISSING);
}

#[test]
fn newer_calls_and_other_interfaces_do_not_exist() {
    assert_eq!(answer(i64::from(MAX_SYSCALL) + 1, &[]), MISSING);
    assert_eq!(answer(0x4000_0000, &[]), MISSING);
    let plan = plan(Tier::Namespaces, Level::WorkspaceWrite, NetworkMode::Off);
    assert_eq!(run_on(&assemble(&rules(&plan)), 0x4000_0003, 4, [0; 6]), MISSING);
}

#[test]
fn no_file_becomes_set_uid() {
    assert_eq!(answer(libc::SYS_fchmodat, &[0, 0, 0o4755]), REFUSED);
    assert_eq!(answer(libc::SYS_fchmod, &[0, 0o2755]), REFUSED);
    assert_eq!(answer(libc::SYS_fchmod, &[0, 0o1755]), SyscallAction::Allow);
    assert_eq!(answer(crate::helper::sandbox::confine::seccomp::calls::FCHMODAT2, &[0, 0, 0o4755]), REFUSED);
    assert_eq!(answer(libc::SYS_openat, &[0, 0, 0o101, 0o4755]), REFUSED);
    assert_eq!(answer(libc::SYS_openat, &[0, 0, 0o20_200_001, 0o4755]), REFUSED, "O_TMPFILE");
    assert_eq!(answer(libc::SYS_openat, &[0, 0, 0o1, 0o4755]), SyscallAction::Allow, "the mode is not used");
    assert_eq!(answer(libc::SYS_mknodat, &[0, 0, 0o104_755]), REFUSED);
}

#[test]
fn only_low_bits_of_an_argument_count() {
    assert_eq!(answer(libc::SYS_ioctl, &[0, 0xff_0000_5412]), REFUSED);
    assert_eq!(answer(libc::SYS_ioctl, &[0, 0x5413]), SyscallAction::Allow);
}

#[test]
fn sockets_are_those_that_can_be_decided_about() {
    let cases: [(i32, i32, i32, SyscallAction); 11] = [
        (libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0, SyscallAction::Allow),
        (libc::AF_UNIX, libc::SOCK_SEQPACKET, 0, SyscallAction::Allow),
        (libc::AF_UNIX, libc::SOCK_DGRAM, 0, DENIED),
        (libc::AF_UNIX, libc::SOCK_RAW, 0, DENIED),
        (libc::AF_INET, libc::SOCK_DGRAM, 0, SyscallAction::Allow),
        (libc::AF_INET6, libc::SOCK_STREAM, 0, SyscallAction::Allow),
        (libc::AF_NETLINK, libc::SOCK_RAW, 0, SyscallAction::Allow),
        (libc::AF_NETLINK, libc::SOCK_RAW, 12, NO_FAMILY),
        (libc::AF_VSOCK, libc::SOCK_STREAM, 0, NO_FAMILY),
        (libc::AF_PACKET, libc::SOCK_RAW, 0, NO_FAMILY),
        (libc::AF_ALG, libc::SOCK_SEQPACKET, 0, NO_FAMILY),
    ];
    for (family, kind, protocol, expected) in cases {
        let arguments = [family, kind, protocol].map(|argument| u64::from(argument.cast_unsigned()));
        assert_eq!(answer(libc::SYS_socket, &arguments), expected, "{family} {kind} {protocol}");
    }
    assert_eq!(answer(libc::SYS_socketpair, &[1, 2, 0]), DENIED);
    assert_eq!(answer(libc::SYS_connect, &[]), SyscallAction::Ask);
    assert_eq!(answer(libc::SYS_bind, &[]), SyscallAction::Allow);
}

#[test]
fn the_hosts_loopback_is_reached_by_streams_through_the_init_alone() {
    let plan = plan(Tier::Namespaces, Level::WorkspaceWrite, NetworkMode::Loopback);
    assert_eq!(answer_in(&plan, libc::SYS_socket, &[2, 1, 0]), SyscallAction::Allow);
    assert_eq!(answer_in(&plan, libc::SYS_socket, &[2, 1, 262]), DENIED);
    assert_eq!(answer_in(&plan, libc::SYS_socket, &[2, 2, 0]), DENIED);
    for call in [libc::SYS_connect, libc::SYS_bind, libc::SYS_listen] {
        assert_eq!(answer_in(&plan, call, &[]), SyscallAction::Ask);
    }
    assert_eq!(
        answer_in(&plan, libc::SYS_sendto, &[0, 0, 0, 0x2000_0000]),
        SyscallAction::Fail(libc::EOPNOTSUPP)
    );
    assert_eq!(
        answer_in(&plan, libc::SYS_sendmsg, &[0, 0, 0x2000_0000]),
        SyscallAction::Fail(libc::EOPNOTSUPP)
    );
}

#[test]
fn landlock_alone_lets_no_socket_and_no_metadata_pass() {
    let plan = plan(Tier::Landlock, Level::ReadOnly, NetworkMode::Off);
    assert_eq!(answer_in(&plan, libc::SYS_socket, &[1, 1]), DENIED);
    for call in [libc::SYS_fchmod, libc::SYS_fchownat, libc::SYS_utimensat, libc::SYS_fsetxattr] {
        assert_eq!(answer_in(&plan, call, &[]), REFUSED);
    }
    assert_eq!(answer_in(&plan, libc::SYS_ioctl, &[0, 0x4008_6602]), REFUSED);
    assert_eq!(answer_in(&plan, libc::SYS_process_vm_writev, &[]), REFUSED);
}

#[test]
fn landlock_alone_with_the_network_has_no_unix_sockets() {
    let on = plan(Tier::Landlock, Level::WorkspaceWrite, NetworkMode::On);
    assert_eq!(answer_in(&on, libc::SYS_socket, &[1, 1]), DENIED);
    assert_eq!(answer_in(&on, libc::SYS_socket, &[2, 2]), SyscallAction::Allow);
    assert_eq!(answer_in(&on, libc::SYS_connect, &[]), SyscallAction::Allow);
}

#[test]
fn a_service_keeps_its_descriptors_and_gets_nothing_else() {
    let program = assemble(&of_service());
    let answer = |call: i64| run(&program, call.try_into().expect("a number"), [0; 6]);
    for call in [
        libc::SYS_execve,
        libc::SYS_clone,
        libc::SYS_openat,
        libc::SYS_socket,
        libc::SYS_connect,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_kill,
        libc::SYS_mount,
    ] {
        assert_eq!(answer(call), REFUSED, "{call}");
    }
    assert_eq!(answer(libc::SYS_io_uring_setup), MISSING);
    for call in [libc::SYS_read, libc::SYS_recvmsg, libc::SYS_epoll_pwait, libc::SYS_getrandom] {
        assert_eq!(answer(call), SyscallAction::Allow, "{call}");
    }
}
