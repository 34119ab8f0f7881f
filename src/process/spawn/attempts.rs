//! Decides after which error the next candidate is tried, and which error is reported, as `execvp` does.
//! Pure, and without memory of its own: a child that shares the host's memory uses it.

use std::ffi::{CStr, c_int};

use super::platform::SKIPS_LONG_PATHS;
use crate::process::errno::Errno;

/// The shell for a file without an interpreter line.
pub(crate) const SHELL: &CStr = c"/bin/sh";

/// The errors of the candidates that were tried.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    was_denied: bool,
    last: Option<c_int>,
}

impl Attempts {
    /// Records the error of a candidate. Returns whether the next one is tried.
    pub(crate) const fn goes_on_after(&mut self, errno: c_int) -> bool {
        self.last = Some(errno);
        self.was_denied |= errno == libc::EACCES;
        errno == libc::EACCES || is_missing(errno) || (SKIPS_LONG_PATHS && errno == libc::ENAMETOOLONG)
    }

    /// Returns the error of the whole search: that a file may not be executed says more than that others do
    /// not exist.
    pub(crate) const fn error(&self) -> Errno {
        match self.last {
            None => Errno(libc::ENOENT),
            Some(errno) if self.was_denied && is_missing(errno) => Errno(libc::EACCES),
            Some(errno) => Errno(errno),
        }
    }
}

const fn is_missing(errno: c_int) -> bool {
    matches!(errno, libc::ENOENT | libc::ENOTDIR | libc::ESTALE | libc::ENODEV | libc::ETIMEDOUT)
}

#[cfg(test)]
mod tests {
    use super::{Attempts, Errno};

    fn error_after(errors: &[i32]) -> (bool, Errno) {
        let mut attempts = Attempts::default();
        let goes_on = errors.iter().all(|&errno| attempts.goes_on_after(errno));
        (goes_on, attempts.error())
    }

    #[test]
    fn a_search_goes_on_after_a_file_that_is_missing_or_denied() {
        assert_eq!(error_after(&[libc::ENOTDIR, libc::ENOENT]), (true, Errno(libc::ENOENT)));
        assert_eq!(error_after(&[libc::EACCES, libc::ENOENT]), (true, Errno(libc::EACCES)));
        assert_eq!(error_after(&[]), (true, Errno(libc::ENOENT)));
    }

    #[test]
    fn a_search_goes_on_after_a_path_that_is_too_long_on_macos_alone() {
        assert_eq!(error_after(&[libc::ENAMETOOLONG]).0, cfg!(darwin));
    }

    #[test]
    fn any_other_error_ends_the_search() {
        assert_eq!(error_after(&[libc::ENOENT, libc::E2BIG]), (false, Errno(libc::E2BIG)));
    }
}
