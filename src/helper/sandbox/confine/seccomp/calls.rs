//! Lists of system calls. Numbers from 424 on are the same for every processor; the C library's headers lag
//! behind.

use libc::c_long;

const SYS_OPEN_TREE_ATTR: c_long = 467;
const SYS_SETXATTRAT: c_long = 463;
const SYS_REMOVEXATTRAT: c_long = 466;
const SYS_FILE_SETATTR: c_long = 469;
pub(super) const FCHMODAT2: c_long = 452;

/// Calls that would undo the mounts, and parts of the kernel that no command needs.
#[rustfmt::skip]
pub(super) const REFUSED: &[c_long] = &[
    libc::SYS_mount, libc::SYS_umount2, libc::SYS_pivot_root, libc::SYS_chroot, libc::SYS_setns, libc::SYS_open_tree,
    libc::SYS_move_mount, libc::SYS_fsopen, libc::SYS_fsconfig, libc::SYS_fsmount, libc::SYS_fspick,
    libc::SYS_mount_setattr, SYS_OPEN_TREE_ATTR,
    libc::SYS_bpf, libc::SYS_perf_event_open, libc::SYS_fanotify_init, libc::SYS_open_by_handle_at,
    libc::SYS_init_module, libc::SYS_finit_module, libc::SYS_delete_module, libc::SYS_kexec_load, SYS_KEXEC_FILE_LOAD,
    libc::SYS_swapon, libc::SYS_swapoff, libc::SYS_reboot, libc::SYS_acct, libc::SYS_quotactl, SYS_QUOTACTL_FD,
    libc::SYS_settimeofday, libc::SYS_adjtimex, libc::SYS_clock_settime, libc::SYS_clock_adjtime, libc::SYS_syslog,
    libc::SYS_vhangup, libc::SYS_sethostname, libc::SYS_setdomainname,
    #[cfg(target_arch = "x86_64")] libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")] libc::SYS_ioperm,
];

const SYS_QUOTACTL_FD: c_long = 443;
#[cfg(target_arch = "x86_64")]
const SYS_KEXEC_FILE_LOAD: c_long = 320;
#[cfg(target_arch = "aarch64")]
const SYS_KEXEC_FILE_LOAD: c_long = 294;

/// Calls that fail with `ENOSYS`, so that libraries use older calls instead.
#[rustfmt::skip]
pub(super) const MISSING: &[c_long] = &[
    libc::SYS_clone3, libc::SYS_openat2, libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register,
    libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl,
];

/// Calls that rename a file, also a directory.
#[rustfmt::skip]
pub(super) const RENAMES: &[c_long] = &[
    libc::SYS_renameat2,
    libc::SYS_renameat,
    #[cfg(target_arch = "x86_64")] libc::SYS_rename,
];

/// Calls with a mode, and the position of that argument.
#[rustfmt::skip]
pub(super) const WITH_MODE: &[(c_long, u32)] = &[
    (libc::SYS_fchmod, 1), (libc::SYS_fchmodat, 2), (FCHMODAT2, 2), (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")] (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")] (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")] (libc::SYS_mknod, 1),
];

/// Calls whose mode counts with some flags, and the position of the flags; the mode follows.
#[rustfmt::skip]
pub(super) const WITH_FLAGS_AND_MODE: &[(c_long, u32)] = &[
    (libc::SYS_openat, 2),
    #[cfg(target_arch = "x86_64")] (libc::SYS_open, 1),
];

/// Calls that change the mode, owner, times or attributes of a file.
#[rustfmt::skip]
pub(super) const METADATA: &[c_long] = &[
    libc::SYS_fchmod, libc::SYS_fchmodat, FCHMODAT2, libc::SYS_fchown, libc::SYS_fchownat, libc::SYS_utimensat,
    libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr, SYS_SETXATTRAT,
    libc::SYS_removexattr, libc::SYS_lremovexattr, libc::SYS_fremovexattr, SYS_REMOVEXATTRAT, SYS_FILE_SETATTR,
    #[cfg(target_arch = "x86_64")] libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")] libc::SYS_chown,
    #[cfg(target_arch = "x86_64")] libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")] libc::SYS_utime,
    #[cfg(target_arch = "x86_64")] libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")] libc::SYS_futimesat,
];

/// Calls that reach the memory of another process, which Landlock does not cover.
pub(super) const OTHER_MEMORY: &[c_long] = &[libc::SYS_process_vm_readv, libc::SYS_process_vm_writev];

/// Calls by which a process gets files, sockets, programs, or other processes.
#[rustfmt::skip]
pub(super) const OF_NO_SERVICE: &[c_long] = &[
    libc::SYS_execve, libc::SYS_execveat, libc::SYS_clone, libc::SYS_unshare,
    libc::SYS_openat, libc::SYS_name_to_handle_at, libc::SYS_memfd_create,
    libc::SYS_socket, libc::SYS_socketpair, libc::SYS_connect, libc::SYS_bind, libc::SYS_listen,
    libc::SYS_accept, libc::SYS_accept4,
    libc::SYS_ptrace, libc::SYS_pidfd_open, libc::SYS_pidfd_getfd, libc::SYS_pidfd_send_signal,
    libc::SYS_kill, libc::SYS_tkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_unlinkat, libc::SYS_mkdirat, libc::SYS_mknodat, libc::SYS_linkat, libc::SYS_symlinkat,
    libc::SYS_truncate, libc::SYS_inotify_init1, libc::SYS_shmget, libc::SYS_shmat, libc::SYS_msgget,
    libc::SYS_semget, libc::SYS_mq_open,
    #[cfg(target_arch = "x86_64")] libc::SYS_open,
    #[cfg(target_arch = "x86_64")] libc::SYS_creat,
    #[cfg(target_arch = "x86_64")] libc::SYS_fork,
    #[cfg(target_arch = "x86_64")] libc::SYS_vfork,
    #[cfg(target_arch = "x86_64")] libc::SYS_unlink,
    #[cfg(target_arch = "x86_64")] libc::SYS_rmdir,
    #[cfg(target_arch = "x86_64")] libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")] libc::SYS_mknod,
    #[cfg(target_arch = "x86_64")] libc::SYS_link,
    #[cfg(target_arch = "x86_64")] libc::SYS_symlink,
];
