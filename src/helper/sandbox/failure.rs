//! Adds the failed step to an error of the system.

use std::io;
use std::path::Path;

use crate::process::errno::Errno;
use crate::sandbox::protocol::report::{SandboxFailure, SandboxStep};

/// A result that can be given a step.
pub(super) trait FailureContext<T> {
    /// Names the step that failed.
    fn at(self, step: SandboxStep) -> Result<T, SandboxFailure>;
    /// Names the step that failed, and its path.
    fn at_path(self, step: SandboxStep, path: &Path) -> Result<T, SandboxFailure>;
}

impl<T, E: Into<io::Error>> FailureContext<T> for Result<T, E> {
    fn at(self, step: SandboxStep) -> Result<T, SandboxFailure> {
        self.map_err(|error| SandboxFailure { step, errno: Errno::of(&error.into()), path: None })
    }

    fn at_path(self, step: SandboxStep, path: &Path) -> Result<T, SandboxFailure> {
        self.at(step).map_err(|failure| SandboxFailure { path: Some(path.to_owned()), ..failure })
    }
}

/// Returns the error of a step for an error number.
pub(super) fn failed<T>(step: SandboxStep, errno: i32) -> Result<T, SandboxFailure> {
    Err(SandboxFailure { step, errno: Errno(errno), path: None })
}

/// Returns the last error of the C library.
pub(super) fn last_error() -> io::Error {
    io::Error::last_os_error()
}

/// Turns the result of a call of the C library, where -1 is an error, into a result.
pub(super) fn check<N: Into<i64> + Copy>(result: N) -> io::Result<N> {
    if result.into() == -1 { Err(last_error()) } else { Ok(result) }
}
