//! Signals for processes that MSYS2 or Cygwin runs, by the `kill.exe` of their runtime.

use std::io::{self, Read};
use std::os::windows::io::OwnedHandle;
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use windows_sys::Win32::System::Threading::DETACHED_PROCESS;

use crate::process::pipe::available;
use crate::process::signal::{self, Signal};
use crate::process::windows::child::Child;
use crate::process::windows::search::join;

fn program(directory: &str) -> String {
    join(directory, "kill.exe")
}

/// Returns whether the runtime in this directory has the program: small installations of Git do not.
#[must_use]
pub fn is_there(directory: &str) -> bool {
    Path::new(&program(directory)).is_file()
}

/// Starts the program that sends a signal to the processes with these pids of Windows. `directory` is that of
/// the runtime. The program exits with 0 if each of them got it, and skips those that are none of the
/// runtime's: the function that is returned counts them, after the exit.
///
/// # Errors
///
/// When there is no such program, or it can't be started.
pub fn start(
    directory: &str,
    signal: Signal,
    pids: &[u32],
) -> io::Result<(Child, impl FnOnce() -> usize + use<>)> {
    let mut command = Command::new(program(directory));
    command.args(["-s", &signal::name(signal.as_raw()), "-W"]).args(pids.iter().map(u32::to_string));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut process = command.creation_flags(DETACHED_PROCESS).spawn()?;
    let mut errors = process.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let pid = process.id();
    let count_missed = move || {
        // The end of the pipe may not come: a program that other code starts meanwhile can inherit it.
        let mut text = vec![0; available(&errors).map_or(0, |count| count as usize)];
        let _ = errors.read_exact(&mut text);
        text.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"kill: ")).count()
    };
    Ok((Child::new(OwnedHandle::from(process), pid), count_missed))
}
