//! The role on Windows. The kernel does there what other roles do elsewhere.

use std::env::ArgsOs;
use std::ffi::OsStr;
use std::process::ExitCode;

use crate::helper::interrupt;
use crate::process::helper_program::INTERRUPT;

/// Returns `None`: no name selects a role.
#[must_use]
pub const fn play_by_name(_name: &OsStr, _arguments: &mut ArgsOs) -> Option<ExitCode> {
    None
}

/// Plays the role that the first argument selects, to its end. Returns `None` for any other argument.
pub fn play_by_argument(role: &OsStr, arguments: &mut ArgsOs) -> Option<ExitCode> {
    if role == INTERRUPT {
        let [key, pid] = [(); 2].map(|()| arguments.next().unwrap_or_default());
        return Some(interrupt::run(&key.to_string_lossy(), &pid.to_string_lossy()));
    }
    None
}
