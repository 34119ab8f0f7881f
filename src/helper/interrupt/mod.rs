//! The role `interrupt`: presses Ctrl-C in the console of a command (Windows).
//!
//! * Started by: `process/windows/ctrl_c`, for a signal that asks a command to end.
//! * May: attach to the console of the process that its second argument names.
//! * Ends: at once. The exit code is 0 if the processes of the console got Ctrl-C.
//!
//! A program of its own, since a process can have one console only: the host would lose its own, with its
//! handlers of Ctrl-C.

use std::process::ExitCode;

use windows_sys::Win32::System::Console::{
    AttachConsole, CTRL_C_EVENT, FreeConsole, GenerateConsoleCtrlEvent, SetConsoleCtrlHandler,
};

/// Sends Ctrl-C to all processes of the console of the process `pid`, except this one.
#[must_use]
pub fn run(pid: &str) -> ExitCode {
    match pid.parse() {
        Ok(pid) if press_ctrl_c(pid) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn press_ctrl_c(pid: u32) -> bool {
    // SAFETY: the calls take numbers alone, and this process has no other code that uses its console. It
    // ignores Ctrl-C from the attachment on, which resets what was set before.
    unsafe {
        FreeConsole();
        AttachConsole(pid) != 0
            && SetConsoleCtrlHandler(None, 1) != 0
            && GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0) != 0
    }
}
