//! Converts a plan to the arguments of `execve`: the candidate paths of its program, its arguments and its
//! environment.

use std::ffi::{CString, NulError};
use std::os::fd::{AsFd, OwnedFd};

use crate::job::model::plan::{Invocation, Plan, Shell};
use crate::process::errno::Errno;
use crate::process::spawn::{
    COMMAND_VARIABLE, FdMapping, MAX_ARGUMENT, SpawnError, Spawned, Step, VARIABLE_LOADER, candidates,
    is_posix_shell, script_file, script_loader, searches_processes,
};

/// The script of a warm shell, and the socket from which the shell reads its command.
pub(super) struct Waiting {
    pub(super) words: &'static str,
    pub(super) commands: OwnedFd,
}

/// The program, the arguments and the environment of a plan, as C strings.
pub(super) struct Arguments<'a> {
    plan: &'a Plan,
    programs: Vec<CString>,
    environment: Vec<CString>,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(plan: &'a Plan) -> Result<Self, NulError> {
        let environment = &plan.surroundings.environment;
        Ok(Self {
            plan,
            programs: candidates(plan.program(), environment.get("PATH"))?,
            environment: environment.variables().map(CString::new).collect::<Result<_, _>>()?,
        })
    }

    /// Spawns the program. Passes the command as an argument, or through a descriptor if it is too long for
    /// the kernel.
    pub(super) fn spawn(
        &self,
        spawn_with: impl Fn(
            &[CString],
            &[CString],
            &[CString],
            Option<FdMapping<'_>>,
        ) -> Result<Spawned, SpawnError>,
        waiting: Option<&Waiting>,
    ) -> Result<Spawned, SpawnError> {
        let try_in = |words: &[&str], environment: &[CString], script: Option<FdMapping<'_>>| {
            let words: Vec<CString> = words
                .iter()
                .map(|&word| CString::new(word))
                .collect::<Result<_, _>>()
                .map_err(|_| INVALID)?;
            spawn_with(&words, environment, &self.programs, script)
        };
        let try_with = |words: &[&str], script| try_in(words, &self.environment, script);
        match &self.plan.invocation {
            Invocation::Program { program, arguments } => {
                let words: Vec<&str> =
                    std::iter::once(program).chain(arguments).map(String::as_str).collect();
                try_with(&words, None)
            }
            Invocation::Line(command) => {
                let Shell { program, flags } = &self.plan.surroundings.shell;
                let words = |command| -> Vec<&str> {
                    std::iter::once(program).chain(flags).map(String::as_str).chain([command]).collect()
                };
                if let Some(Waiting { words: waiting_words, commands }) = waiting {
                    return try_with(&words(waiting_words), Some(FdMapping::commands(commands.as_fd())));
                }
                if searches_processes(command) && is_posix_shell(program) && command.len() < MAX_VARIABLE {
                    let variable =
                        CString::new(format!("{COMMAND_VARIABLE}={command}")).map_err(|_| INVALID)?;
                    let environment = [self.environment.as_slice(), &[variable]].concat();
                    return try_in(&words(VARIABLE_LOADER), &environment, None);
                }
                if command.len() <= MAX_ARGUMENT || !is_posix_shell(program) {
                    match try_with(&words(command), None) {
                        Err(SpawnError { errno: Errno(libc::E2BIG), .. }) if is_posix_shell(program) => {}
                        result => return result,
                    }
                }
                let script = script_file(command)
                    .map_err(|error| SpawnError { step: Step::Descriptors, errno: Errno::of(&error) })?;
                try_with(&words(script_loader(program)), Some(FdMapping::script(script.as_fd())))
            }
        }
    }
}

/// The longest command that a variable carries (bytes): a variable and its name are as long as an argument at
/// most, and an environment near its limit has room for this one.
const MAX_VARIABLE: usize = 16 * 1024;

const INVALID: SpawnError = SpawnError { step: Step::Execute, errno: Errno(libc::EINVAL) };
