//! The role `interrupt`: presses Ctrl-C or Ctrl-Break in the console of a command (Windows).
//!
//! * Started by: `process/windows/ctrl_c`, for a signal that asks a command to end.
//! * May: attach to the console of the process that its third argument names.
//! * Ends: at once. The exit code is 0 if the processes of the console got the key of its second argument.
//!
//! A program of its own, since a process can have one console only: the host would lose its own, with its
//! handlers of Ctrl-C.

use std::process::ExitCode;

use windows_sys::Win32::System::Console::{
    AttachConsole, CTRL_BREAK_EVENT, CTRL_C_EVENT, FreeConsole, GenerateConsoleCtrlEvent,
    SetConsoleCtrlHandler,
};

use crate::process::windows::ctrl_c::Key;

/// Presses a key for all processes of the console of the process `pid`, except this one.
#[must_use]
pub fn run(key: &str, pid: &str) -> ExitCode {
    let keys = [(Key::CtrlC, CTRL_C_EVENT), (Key::CtrlBreak, CTRL_BREAK_EVENT)];
    let event = keys.into_iter().find(|(known, _)| known.name() == key).map(|(_, event)| event);
    match (event, pid.parse()) {
        (Some(event), Ok(pid)) if press(event, pid) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn press(event: u32, pid: u32) -> bool {
    // SAFETY: the calls take numbers and a function that lives as long as this process, which has no other
    // code that uses its console. It ignores both keys from the attachment on, which resets what was set
    // before: an attribute is for Ctrl-C alone.
    unsafe {
        FreeConsole();
        AttachConsole(pid) != 0
            && SetConsoleCtrlHandler(None, 1) != 0
            && SetConsoleCtrlHandler(Some(ignore), 1) != 0
            && GenerateConsoleCtrlEvent(event, 0) != 0
    }
}

/// Returns that a key was dealt with.
unsafe extern "system" fn ignore(_event: u32) -> i32 {
    1
}
