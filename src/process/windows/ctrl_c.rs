//! Ctrl-C for a command, by the helper program in its role `interrupt`.

use std::ffi::OsStr;
use std::io;
use std::os::windows::io::OwnedHandle;
use std::os::windows::process::CommandExt;
use std::process::{Command, Stdio};

use windows_sys::Win32::System::Threading::DETACHED_PROCESS;

use super::child::Child;
use crate::process::helper_program::{INTERRUPT, path};

/// Starts the helper, which sends Ctrl-C to all processes of the console of the process `pid`, and exits with
/// 0 if it could.
///
/// The caller holds the process open, so that its pid belongs to no other one meanwhile.
///
/// # Errors
///
/// When the helper can't be started.
pub fn press(pid: u32) -> io::Result<Child> {
    let arguments = [OsStr::new(INTERRUPT), pid.to_string().as_ref()].map(OsStr::to_owned);
    let mut command = Command::new(path());
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let helper = command.creation_flags(DETACHED_PROCESS).spawn()?;
    let id = helper.id();
    Ok(Child::new(OwnedHandle::from(helper), id))
}
