//! Converts a plan to the arguments of `execve`: the candidate paths of its program, its arguments and its
//! environment.

use std::ffi::{CString, NulError};

use crate::job::model::plan::{Invocation, Plan, Shell};
use crate::process::errno::Errno;
use crate::process::spawn::{Carrier, FdMapping, SpawnError, Spawned, Step, candidates, spawn_line};

/// The program, the arguments and the environment of a plan, as C strings.
pub(super) struct ExecArguments<'a> {
    plan: &'a Plan,
    programs: Vec<CString>,
    environment: Vec<CString>,
}

impl<'a> ExecArguments<'a> {
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
    ) -> Result<Spawned, SpawnError> {
        let try_in = |words: &[&str], environment: &[CString], script: Option<FdMapping<'_>>| {
            let words: Vec<CString> = words
                .iter()
                .map(|&word| CString::new(word))
                .collect::<Result<_, _>>()
                .map_err(|_| INVALID)?;
            spawn_with(&words, environment, &self.programs, script)
        };
        let try_with =
            |words: &[&str], script: Option<FdMapping<'_>>| try_in(words, &self.environment, script);
        match &self.plan.invocation {
            Invocation::Program { program, arguments } => {
                let words: Vec<&str> =
                    std::iter::once(program).chain(arguments).map(String::as_str).collect();
                try_with(&words, None)
            }
            Invocation::Line(command) => {
                let Shell { program, flags } = &self.plan.surroundings.shell;
                let before: Vec<&str> = std::iter::once(program).chain(flags).map(String::as_str).collect();
                spawn_line(program, command, |Carrier { word, variable, script }| {
                    let words = [before.as_slice(), &[word]].concat();
                    let Some(variable) = variable else { return try_with(&words, script) };
                    try_in(&words, &[self.environment.as_slice(), &[variable]].concat(), script)
                })
            }
        }
    }
}

const INVALID: SpawnError = SpawnError { step: Step::Execute, errno: Errno(libc::EINVAL) };
