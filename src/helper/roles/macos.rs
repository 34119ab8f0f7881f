//! The roles on macOS.

use std::env::ArgsOs;
use std::ffi::OsStr;
use std::process::ExitCode;

use crate::helper::{exec, guardian};
use crate::process::helper_program::{EXEC, GUARDIAN};

/// Plays the role that a name selects, to its end. Returns `None` for any other name.
pub fn play_by_name(name: &OsStr, _arguments: &mut ArgsOs) -> Option<ExitCode> {
    if name == GUARDIAN {
        guardian::watch();
        return Some(ExitCode::SUCCESS);
    }
    if name == EXEC {
        exec::run();
        return Some(ExitCode::FAILURE);
    }
    None
}

/// Returns `None`: no argument selects a role.
#[must_use]
pub const fn play_by_argument(_role: &OsStr, _arguments: &mut ArgsOs) -> Option<ExitCode> {
    None
}
