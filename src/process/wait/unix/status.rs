//! Reads what `waitid` reports about a child. Pure.

use std::ffi::c_int;

use crate::process::wait::Exit;

impl Exit {
    /// Returns how a child ended, by the fields `si_code` and `si_status` of a report; `None` for a report
    /// about a child that lives.
    ///
    /// macOS reports stopped children to every wait for an exit: its kernel tests the options with a mask
    /// that `WEXITED` matches too.
    pub(super) const fn from_report(code: c_int, status: c_int) -> Option<Self> {
        match code {
            // macOS reports more bits of the exit code here than `wait` does.
            libc::CLD_EXITED => Some(Self::Code(status & 0xff)),
            libc::CLD_KILLED | libc::CLD_DUMPED => Some(Self::Signal(status)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::process::wait::Exit;

    #[test]
    fn a_child_that_exited_has_its_code() {
        assert_eq!(Exit::from_report(libc::CLD_EXITED, 7), Some(Exit::Code(7)));
        assert_eq!(Exit::from_report(libc::CLD_EXITED, 0x700), Some(Exit::Code(0)), "only the lowest byte");
    }

    #[test]
    fn a_child_that_was_killed_has_its_signal() {
        for code in [libc::CLD_KILLED, libc::CLD_DUMPED] {
            assert_eq!(Exit::from_report(code, libc::SIGSEGV), Some(Exit::Signal(libc::SIGSEGV)));
        }
    }

    #[test]
    fn a_child_that_stopped_or_continued_has_not_ended() {
        for code in [libc::CLD_STOPPED, libc::CLD_CONTINUED, libc::CLD_TRAPPED, 0] {
            assert_eq!(Exit::from_report(code, libc::SIGSTOP), None);
        }
    }
}
