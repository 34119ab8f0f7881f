//! Names of the exit codes that Windows itself gives to a process, which are `NTSTATUS` values.
//!
//! Known on all systems, so that a recording of Windows reads the same everywhere.

use std::fmt::{self, Display, Formatter};

/// The codes in ascending order, each with its name in `ntstatus.h` and what happened in words.
const STATUSES: [(u32, &str, &str); 27] = [
    (0x4001_0004, "DBG_TERMINATE_PROCESS", "ended by a debugger or the end of the session"),
    (0x8000_0003, "STATUS_BREAKPOINT", "a breakpoint without a debugger"),
    (0xC000_0005, "STATUS_ACCESS_VIOLATION", "an invalid access to memory"),
    (0xC000_0006, "STATUS_IN_PAGE_ERROR", "a page of a file could not be read"),
    (0xC000_0008, "STATUS_INVALID_HANDLE", "an invalid handle"),
    (0xC000_0017, "STATUS_NO_MEMORY", "not enough memory"),
    (0xC000_001D, "STATUS_ILLEGAL_INSTRUCTION", "an invalid instruction"),
    (0xC000_0022, "STATUS_ACCESS_DENIED", "access was denied"),
    (0xC000_0025, "STATUS_NONCONTINUABLE_EXCEPTION", "a failure that the program went on after"),
    (0xC000_0044, "STATUS_QUOTA_EXCEEDED", "a quota was exceeded"),
    (0xC000_007B, "STATUS_INVALID_IMAGE_FORMAT", "a program or library for another processor"),
    (0xC000_0094, "STATUS_INTEGER_DIVIDE_BY_ZERO", "a division by zero"),
    (0xC000_0095, "STATUS_INTEGER_OVERFLOW", "an integer overflow"),
    (0xC000_0096, "STATUS_PRIVILEGED_INSTRUCTION", "a privileged instruction"),
    (0xC000_00FD, "STATUS_STACK_OVERFLOW", "a stack overflow"),
    (0xC000_012D, "STATUS_COMMITMENT_LIMIT", "the memory limit of the system"),
    (0xC000_0135, "STATUS_DLL_NOT_FOUND", "a library was not found"),
    (0xC000_0138, "STATUS_ORDINAL_NOT_FOUND", "a library lacks a numbered function"),
    (0xC000_0139, "STATUS_ENTRYPOINT_NOT_FOUND", "a library lacks a function"),
    (CONTROL_C_EXIT, "STATUS_CONTROL_C_EXIT", "ended by Ctrl-C"),
    (0xC000_0142, "STATUS_DLL_INIT_FAILED", "a library could not start"),
    (0xC000_0374, "STATUS_HEAP_CORRUPTION", "a damaged heap"),
    (0xC000_0409, "STATUS_STACK_BUFFER_OVERRUN", "a failed check of the program, such as abort()"),
    (0xC000_0417, "STATUS_INVALID_CRUNTIME_PARAMETER", "an invalid argument for a function of the C library"),
    (0xC000_041D, "STATUS_FATAL_USER_CALLBACK_EXCEPTION", "a failure in a function that the system called"),
    (0xC000_0420, "STATUS_ASSERTION_FAILURE", "a failed assertion"),
    (0xC000_0602, "STATUS_FAIL_FAST_EXCEPTION", "a failed check of the program"),
];

/// The exit code of a process that Ctrl-C has ended.
pub const CONTROL_C_EXIT: u32 = 0xC000_013A;

/// The meaning of an exit code of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NtStatus {
    /// The name in Microsoft's headers.
    pub name: &'static str,
    /// The cause in words, to follow the name and a colon.
    pub meaning: &'static str,
}

impl Display for NtStatus {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.name, self.meaning)
    }
}

/// Returns the meaning of an exit code of the system, and `None` for a code of the program.
#[must_use]
pub fn ntstatus(code: u32) -> Option<NtStatus> {
    let at = STATUSES.binary_search_by_key(&code, |&(known, ..)| known).ok()?;
    let (_, name, meaning) = STATUSES[at];
    Some(NtStatus { name, meaning })
}

#[cfg(test)]
mod tests {
    use super::{CONTROL_C_EXIT, STATUSES, ntstatus};

    #[test]
    fn a_code_of_the_system_has_its_name_and_its_meaning() {
        let text = |code| ntstatus(code).map(|status| status.to_string());
        assert_eq!(
            text(0xC000_0005).as_deref(),
            Some("STATUS_ACCESS_VIOLATION: an invalid access to memory")
        );
        assert_eq!(text(CONTROL_C_EXIT).as_deref(), Some("STATUS_CONTROL_C_EXIT: ended by Ctrl-C"));
    }

    #[test]
    fn a_code_of_a_program_has_no_name() {
        for code in [0, 1, 127, 255, 256, 0xC000_0004, u32::MAX] {
            assert_eq!(ntstatus(code), None, "{code:#x}");
        }
    }

    #[test]
    fn every_known_code_is_found() {
        for (code, name, _) in STATUSES {
            assert_eq!(ntstatus(code).map(|known| known.name), Some(name));
        }
    }
}
