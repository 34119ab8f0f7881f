//! Ctrl-C or Ctrl-Break for a command, by the helper program in its role `interrupt`.

use std::ffi::OsStr;
use std::io;
use std::os::windows::io::OwnedHandle;
use std::os::windows::process::CommandExt;
use std::process::{Command, Stdio};

use windows_sys::Win32::System::Threading::DETACHED_PROCESS;

use super::child::Child;
use crate::process::helper_program::{INTERRUPT, path};

/// A key that asks the programs of a console to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    CtrlC,
    /// Reaches programs that ignore Ctrl-C too: those of MSYS2 and Cygwin without a terminal, and all that
    /// such a program starts, since the kernel passes that on (`init_console_handler` in Cygwin's
    /// `exceptions.cc`).
    CtrlBreak,
}

impl Key {
    /// Returns the key in the arguments of the helper.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CtrlC => "ctrl-c",
            Self::CtrlBreak => "ctrl-break",
        }
    }
}

/// Starts the helper, which presses the key for all processes of the console of the process `pid`, and exits
/// with 0 if it could.
///
/// The caller holds the process open, so that its pid belongs to no other one meanwhile.
///
/// # Errors
///
/// When the helper can't be started.
pub fn press(key: Key, pid: u32) -> io::Result<Child> {
    let arguments = [INTERRUPT, key.name(), &pid.to_string()].map(OsStr::new).map(OsStr::to_owned);
    let mut command = Command::new(path());
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let helper = command.creation_flags(DETACHED_PROCESS).spawn()?;
    let id = helper.id();
    Ok(Child::new(OwnedHandle::from(helper), id))
}
