//! Starts a shell with a command line, and decides how the line gets to it.

use std::ffi::CString;
use std::os::fd::AsFd;

use super::request::{FdMapping, SpawnError, Step};
use super::script::{
    COMMAND_VARIABLE, MAX_ARGUMENT, VARIABLE_LOADER, is_posix_shell, script_file, script_loader,
    searches_processes,
};
use crate::process::errno::Errno;

/// The longest command that a variable carries (bytes): a variable and its name are as long as an argument at
/// most, and an environment near its limit has room for this one.
const MAX_VARIABLE: usize = 16 * 1024;

/// The last word of a shell, and what carries the command if that word does not.
#[derive(Debug)]
pub struct Carrier<'a> {
    pub word: &'a str,
    pub variable: Option<CString>,
    pub script: Option<FdMapping<'a>>,
}

/// Starts `shell` by `spawn_with`: with the command as its last word, in a variable if the command searches
/// the arguments of processes, or through a descriptor if it is too long for the kernel.
///
/// # Errors
///
/// As `spawn_with`; `EINVAL` for a command with a NUL.
pub fn spawn_line<T>(
    shell: &str,
    command: &str,
    spawn_with: impl Fn(Carrier<'_>) -> Result<T, SpawnError>,
) -> Result<T, SpawnError> {
    if searches_processes(command) && is_posix_shell(shell) && command.len() < MAX_VARIABLE {
        let invalid = |_| SpawnError { step: Step::Execute, errno: Errno(libc::EINVAL) };
        let variable = CString::new(format!("{COMMAND_VARIABLE}={command}")).map_err(invalid)?;
        return spawn_with(Carrier { word: VARIABLE_LOADER, variable: Some(variable), script: None });
    }
    if command.len() <= MAX_ARGUMENT || !is_posix_shell(shell) {
        match spawn_with(Carrier { word: command, variable: None, script: None }) {
            Err(SpawnError { errno: Errno(libc::E2BIG), .. }) if is_posix_shell(shell) => {}
            result => return result,
        }
    }
    let failed = |error: std::io::Error| SpawnError { step: Step::Descriptors, errno: Errno::of(&error) };
    let file = script_file(command).map_err(failed)?;
    let script = Some(FdMapping::script(file.as_fd()));
    spawn_with(Carrier { word: script_loader(shell), variable: None, script })
}
