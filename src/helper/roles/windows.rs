//! No roles: the kernel does what they do elsewhere.

use std::env::ArgsOs;
use std::ffi::OsStr;
use std::process::ExitCode;

/// Returns `None`: no name selects a role.
#[must_use]
pub const fn play_by_name(_name: &OsStr, _arguments: &mut ArgsOs) -> Option<ExitCode> {
    None
}

/// Returns `None`: no argument selects a role.
#[must_use]
pub const fn play_by_argument(_role: &OsStr, _arguments: &mut ArgsOs) -> Option<ExitCode> {
    None
}
