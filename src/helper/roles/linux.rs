//! The roles on Linux.

use std::env::ArgsOs;
use std::ffi::OsStr;
use std::process::ExitCode;

use super::linux_kernel;
pub use super::linux_kernel::play_by_argument;
use crate::helper::{guardian, sandbox};
use crate::process::helper_program::{GUARDIAN, OVERLAY, SANDBOX};

/// Plays the role that a name selects, to its end. Returns `None` for any other name.
pub fn play_by_name(name: &OsStr, arguments: &mut ArgsOs) -> Option<ExitCode> {
    if name == GUARDIAN {
        guardian::watch();
        return Some(ExitCode::SUCCESS);
    }
    if name == SANDBOX {
        sandbox::run();
    }
    if name == OVERLAY {
        sandbox::overlay::run();
    }
    linux_kernel::play_by_name(name, arguments)
}
