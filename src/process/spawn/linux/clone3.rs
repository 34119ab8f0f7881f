//! `clone3` with a child that begins in a cgroup (Linux 5.7). The C library has no function for it that gives
//! the child a stack.

use std::ffi::{c_int, c_long, c_void};

use super::stack::Stack;
use crate::process::errno::Errno;

/// The flags, the receiver of the pidfd and the cgroup of a child.
pub(super) struct ChildInCgroup<'a> {
    pub(super) flags: c_int,
    pub(super) pidfd: &'a mut c_int,
    pub(super) cgroup: c_int,
}

/// Runs `main` with `data` in a new process, on `stack`. Returns the pid.
///
/// # Safety
///
/// `main` never returns. The stack and `data` outlive the child's use of this process's memory: the flags
/// have `CLONE_VFORK`, so this thread is suspended until then.
pub(super) unsafe fn clone_into(
    child: ChildInCgroup<'_>,
    stack: &Stack,
    main: extern "C" fn(*mut c_void) -> c_int,
    data: *mut c_void,
) -> Result<i32, Errno> {
    let ChildInCgroup { flags, pidfd, cgroup } = child;
    let (lowest, size) = stack.range();
    let arguments = libc::clone_args {
        flags: u64::from((flags | libc::CLONE_PIDFD).cast_unsigned()) | CLONE_INTO_CGROUP,
        pidfd: std::ptr::from_mut(pidfd) as u64,
        child_tid: 0,
        parent_tid: 0,
        exit_signal: libc::SIGCHLD as u64,
        stack: lowest as u64,
        stack_size: size as u64,
        tls: 0,
        set_tid: 0,
        set_tid_size: 0,
        cgroup: u64::from(cgroup.cast_unsigned()),
    };
    // SAFETY: the caller's promises are those of this function.
    let result = unsafe { system_call(&raw const arguments, main, data) };
    i32::try_from(result)
        .ok()
        .filter(|&pid| pid > 0)
        .ok_or(Errno(i32::try_from(-result).unwrap_or(libc::EIO)))
}

/// The flag of `clone3`, above those that fit into a `c_int`.
const CLONE_INTO_CGROUP: u64 = 1 << 33;

/// Makes the system call. The child calls `main(data)`, on its own stack, and never returns from it.
///
/// # Safety
///
/// As for [`clone_into`].
#[cfg(target_arch = "x86_64")]
unsafe fn system_call(
    arguments: *const libc::clone_args,
    main: extern "C" fn(*mut c_void) -> c_int,
    data: *mut c_void,
) -> c_long {
    let result: c_long;
    // SAFETY: in this process, the call changes only the registers that are named. The child has a stack of
    // its own, whose top is a multiple of 16 as the calling convention wants it.
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, {data}",
            "call {main}",
            "ud2",
            "2:",
            data = in(reg) data,
            main = in(reg) main,
            inlateout("rax") libc::SYS_clone3 => result,
            in("rdi") arguments,
            in("rsi") size_of::<libc::clone_args>(),
            out("rcx") _,
            out("r11") _,
        );
    }
    result
}

/// Makes the system call. The child calls `main(data)`, on its own stack, and never returns from it.
///
/// # Safety
///
/// As for [`clone_into`].
#[cfg(target_arch = "aarch64")]
unsafe fn system_call(
    arguments: *const libc::clone_args,
    main: extern "C" fn(*mut c_void) -> c_int,
    data: *mut c_void,
) -> c_long {
    let result: c_long;
    // SAFETY: in this process, the call changes only the register of the result. The child has a stack of its
    // own, whose top is a multiple of 16 as the calling convention wants it.
    unsafe {
        std::arch::asm!(
            "svc #0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, {data}",
            "blr {main}",
            "brk #1",
            "2:",
            data = in(reg) data,
            main = in(reg) main,
            inlateout("x0") arguments => result,
            in("x1") size_of::<libc::clone_args>(),
            in("x8") libc::SYS_clone3,
        );
    }
    result
}

/// Returns that there is no such call: this processor has no code for it yet.
///
/// # Safety
///
/// None is needed.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const unsafe fn system_call(
    _: *const libc::clone_args,
    _: extern "C" fn(*mut c_void) -> c_int,
    _: *mut c_void,
) -> c_long {
    -(libc::ENOSYS as c_long)
}
