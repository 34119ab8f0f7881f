//! The roles of macOS, and those of Linux that need no sandbox.

use std::env::ArgsOs;
use std::ffi::OsStr;
use std::process::ExitCode;

use super::linux_kernel;
pub use super::linux_kernel::play_by_argument;
use crate::helper::{exec, guardian};
use crate::process::helper_program::{EXEC, GUARDIAN};

/// Plays the role that a name selects, to its end. Returns `None` for any other name.
pub fn play_by_name(name: &OsStr, arguments: &mut ArgsOs) -> Option<ExitCode> {
    if name == GUARDIAN {
        guardian::watch();
        return Some(ExitCode::SUCCESS);
    }
    if name == EXEC {
        exec::run();
        return Some(ExitCode::FAILURE);
    }
    linux_kernel::play_by_name(name, arguments)
}
