//! The filter of system calls: [`rules`] is the table, [`program`] translates it for the kernel.

mod calls;
mod program;
mod rules;

use std::os::fd::{FromRawFd, OwnedFd};

use super::super::failure::{FailureContext, check, last_error};
use crate::sandbox::plan::SandboxPlan;
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};
use program::Instruction;

/// The argument of the system call.
#[repr(C)]
struct FilterProgram {
    length: u16,
    instructions: *const Instruction,
}

/// Installs the filter in this process, which has `no_new_privs`. Returns the descriptor for user
/// notifications, if the sandbox init decides about any call.
pub(in super::super) fn install(plan: &SandboxPlan) -> Result<Option<OwnedFd>, SandboxFailure> {
    install_rules(&rules::rules(plan))
}

/// Installs the filter of a service in this process, which has `no_new_privs`.
pub(super) fn install_for_service() -> Result<(), SandboxFailure> {
    install_rules(&rules::of_service()).map(|_| ())
}

fn install_rules(rules: &[rules::SyscallRule]) -> Result<Option<OwnedFd>, SandboxFailure> {
    let asks = rules.iter().any(rules::SyscallRule::asks);
    let instructions = program::assemble(rules);
    let Ok(length) = u16::try_from(instructions.len()) else {
        return super::super::failure::failed(SandboxStep::Seccomp, libc::E2BIG);
    };
    let program = FilterProgram { length, instructions: instructions.as_ptr() };
    if !asks {
        return set(&program, 0).at(SandboxStep::Seccomp).map(|_| None);
    }
    let listener = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    // With the second flag (Linux 5.19), a signal does not interrupt a pending notification: its call would
    // run twice.
    let descriptor = set(&program, listener | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
        .or_else(|_| set(&program, listener))
        .at(SandboxStep::Seccomp)?;
    // SAFETY: the kernel has just created this descriptor for us.
    Ok(Some(unsafe { OwnedFd::from_raw_fd(descriptor) }))
}

fn set(program: &FilterProgram, flags: libc::c_ulong) -> std::io::Result<i32> {
    // SAFETY: the structure and its instructions are live; the kernel copies and checks them.
    let result = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, std::ptr::from_ref(program))
    };
    i32::try_from(check(result)?).map_err(|_| last_error())
}
