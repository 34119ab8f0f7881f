//! Names of the exit codes that Windows gives to a process, which are `NTSTATUS` values.

/// The codes, in the order of their numbers, each with its name and what happened in words.
const STATUSES: [(u32, &str, &str); 21] = [
    (0x4001_0004, "DBG_TERMINATE_PROCESS", "ended by a debugger or the end of the session"),
    (0x8000_0003, "STATUS_BREAKPOINT", "a breakpoint without a debugger"),
    (0xC000_0005, "STATUS_ACCESS_VIOLATION", "an invalid access to memory"),
    (0xC000_0006, "STATUS_IN_PAGE_ERROR", "a page of a file could not be read"),
    (0xC000_0008, "STATUS_INVALID_HANDLE", "an invalid handle"),
    (0xC000_0017, "STATUS_NO_MEMORY", "not enough memory"),
    (0xC000_001D, "STATUS_ILLEGAL_INSTRUCTION", "an invalid instruction"),
    (0xC000_0022, "STATUS_ACCESS_DENIED", "access was denied"),
    (0xC000_0044, "STATUS_QUOTA_EXCEEDED", "a quota was exceeded"),
    (0xC000_007B, "STATUS_INVALID_IMAGE_FORMAT", "a program or library for another processor"),
    (0xC000_0094, "STATUS_INTEGER_DIVIDE_BY_ZERO", "a division by zero"),
    (0xC000_0096, "STATUS_PRIVILEGED_INSTRUCTION", "a privileged instruction"),
    (0xC000_00FD, "STATUS_STACK_OVERFLOW", "a stack overflow"),
    (0xC000_012D, "STATUS_COMMITMENT_LIMIT", "the memory limit of the system"),
    (0xC000_0135, "STATUS_DLL_NOT_FOUND", "a library was not found"),
    (0xC000_0139, "STATUS_ENTRYPOINT_NOT_FOUND", "a library lacks a function"),
    (0xC000_013A, "STATUS_CONTROL_C_EXIT", "ended by Ctrl-C"),
    (0xC000_0142, "STATUS_DLL_INIT_FAILED", "a library could not start"),
    (0xC000_0374, "STATUS_HEAP_CORRUPTION", "a damaged heap"),
    (0xC000_0409, "STATUS_STACK_BUFFER_OVERRUN", "a failed check of the program, such as abort()"),
    (0xC000_0602, "STATUS_FAIL_FAST_EXCEPTION", "a failed check of the program"),
];

/// The exit code, without its signal, of a process that the engine has ended: an `NTSTATUS` error with the
/// customer bit, which Windows itself never sets.
const ENDED: u32 = 0xE0AB_0000;

/// Returns the exit code for the processes that end by a signal.
#[must_use]
pub const fn ended_by(signal: i32) -> u32 {
    ENDED | (signal.cast_unsigned() & 0xff)
}

/// Returns the signal of an exit code of [`ended_by`].
#[must_use]
pub const fn signal_of(code: u32) -> Option<i32> {
    if code & 0xffff_ff00 == ENDED { Some((code & 0xff).cast_signed()) } else { None }
}

/// What an exit code of the system means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The name in Microsoft's headers.
    pub name: &'static str,
    /// What happened, for a sentence.
    pub meaning: &'static str,
}

/// Returns what `code` means when it is an exit code of the system, and `None` for a code of the program.
#[must_use]
pub fn status(code: u32) -> Option<Status> {
    let at = STATUSES.binary_search_by_key(&code, |&(known, ..)| known).ok()?;
    let (_, name, meaning) = STATUSES[at];
    Some(Status { name, meaning })
}

#[cfg(test)]
mod tests {
    use super::{STATUSES, ended_by, signal_of, status};

    #[test]
    fn a_code_of_the_system_has_its_name() {
        assert_eq!(status(0xC000_0005).map(|known| known.name), Some("STATUS_ACCESS_VIOLATION"));
        assert_eq!(status(0xC000_013A).map(|known| known.name), Some("STATUS_CONTROL_C_EXIT"));
    }

    #[test]
    fn a_code_of_a_program_has_no_name() {
        for code in [0, 1, 127, 255, 256, 0xC000_0004, u32::MAX] {
            assert_eq!(status(code), None, "{code:#x}");
        }
    }

    #[test]
    fn the_signal_of_an_end_by_force_is_known() {
        assert_eq!([signal_of(ended_by(9)), signal_of(ended_by(15))], [Some(9), Some(15)]);
        assert_eq!([signal_of(9), signal_of(0xC000_013A)], [None, None]);
    }

    #[test]
    fn every_known_code_is_found() {
        for (code, name, _) in STATUSES {
            assert_eq!(status(code).map(|known| known.name), Some(name));
        }
    }
}
