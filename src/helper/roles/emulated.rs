//! The roles of macOS, and those of Linux that need no sandbox.

use std::env::ArgsOs;
use std::ffi::OsStr;
use std::process::ExitCode;

pub use super::linux_kernel::play_by_argument;
use super::{linux_kernel, macos};

/// Plays the role that a name selects, to its end. Returns `None` for any other name.
pub fn play_by_name(name: &OsStr, arguments: &mut ArgsOs) -> Option<ExitCode> {
    macos::play_by_name(name, arguments).or_else(|| linux_kernel::play_by_name(name, arguments))
}
