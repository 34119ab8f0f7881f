//! The plans of a session and of a command in it: plain data.

use std::sync::Arc;
use std::time::Duration;

use crate::job::model::invocation::Invocation;
use crate::job::model::plan::{Drain, Input, Leftovers, Output, Plan, Surroundings, Termination};
use crate::job::model::surroundings::SessionShell;
use crate::job::prompts::PromptScope;
use crate::session::shell::flavor::SessionFlavor;
use crate::session::shell::start_files::{ENV_BEFORE, StartFiles};
use crate::target::shell::ShellSlot;
use crate::text::Keeping;

/// The kept part of a shell's own streams (bytes). They are read only so that the shell never blocks on a
/// full pipe.
const OWN_OUTPUT: usize = 0;

/// The longest wait for the own streams of a shell that has ended: only background processes can still hold
/// them open.
const OWN_DRAIN: Drain = Drain { idle: Duration::from_millis(1), most: Duration::from_millis(5) };

/// The time between SIGTERM and SIGKILL for background processes, when the session is closed.
pub const BACKGROUND_GRACE: Duration = Duration::from_secs(2);

/// The default of the longest time for the start files.
pub const START_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Clone, Debug)]
pub struct SessionPlan {
    /// The surroundings of the shell and its commands.
    pub surroundings: Surroundings,
    /// The shell's programs, of which the first one that exists runs. There are several on a target only.
    pub shells: Vec<ShellProgram>,
    pub start_files: StartFiles,
    /// The most time for the start files; `None` for no limit.
    pub start_timeout: Option<Duration>,
    /// Whether background processes live on when the session is closed.
    pub keeps_background: bool,
}

/// A program that is the shell of a session.
#[derive(Clone, Debug)]
pub struct ShellProgram {
    pub path: String,
    pub flavor: SessionFlavor,
}

impl SessionPlan {
    /// Returns the flavor of a program of the plan.
    #[must_use]
    pub fn flavor(&self, program: usize) -> SessionFlavor {
        self.shells.get(program).map_or(SessionFlavor::Posix, |shell| shell.flavor)
    }

    /// Returns whether the shell reads the state of a login shell: the environment has `BASH_ENV` for nothing
    /// else, also that of zsh.
    #[must_use]
    pub fn reads_state(&self) -> bool {
        let mut variables = self.surroundings.environment.0.split_terminator('\0');
        !self.is_elsewhere() && variables.any(|line| line.starts_with("BASH_ENV="))
    }

    /// Returns whether the shell runs on a target.
    #[must_use]
    pub const fn is_elsewhere(&self) -> bool {
        self.surroundings.target.is_some()
    }

    /// Returns the plan of the job in which a shell of this session runs. `slot` takes the shell of a target.
    #[must_use]
    pub fn shell_plan(&self, slot: &ShellSlot) -> Plan {
        let mut surroundings = self.surroundings.clone();
        if let Some(prompts) = &mut surroundings.prompts {
            prompts.scope = PromptScope::Shell;
        }
        let environment = &mut surroundings.environment.0;
        if let Some(elsewhere) = &mut surroundings.target {
            // The variables there are not known, and a `NAME` without a value removes one.
            environment.insert_str(0, REMOVED_THERE);
            let programs = self.shells.iter().map(|shell| self.words(shell)).collect();
            elsewhere.session_shell = Some(SessionShell { programs, slot: Arc::clone(slot) });
        }
        if self.shells.iter().any(|shell| shell.flavor == SessionFlavor::Posix) {
            // busybox writes prompts to standard output, the first one before it reads a line. So they are
            // empty from the start.
            environment.push_str("PS1=\0PS2=\0");
            *environment = without_env(environment);
        }
        let mut words = self.shells.first().map(|shell| self.words(shell)).unwrap_or_default().into_iter();
        let program = words.next().unwrap_or_default();
        let invocation = Invocation::Program { program, arguments: words.collect() };
        Plan {
            input: Input::Open,
            output: Output::keeping(Keeping::Prefix { limit: OWN_OUTPUT }),
            ending: Termination { grace: Some(BACKGROUND_GRACE), ..Termination::default() },
            drain: Some(OWN_DRAIN),
            // The session ends the processes of a shell that ended by itself.
            leftovers: Some(if self.keeps_background { Leftovers::Keep } else { Leftovers::Adopt }),
            is_tagged: true,
            ..Plan::new(invocation, surroundings)
        }
    }

    /// Returns the words by which a shell starts.
    fn words(&self, ShellProgram { path, flavor }: &ShellProgram) -> Vec<String> {
        let arguments = flavor.arguments(self.start_files).into_iter().map(str::to_owned);
        std::iter::once(path.clone()).chain(arguments).collect()
    }
}

/// The variables that no shell of a session gets, where only the machine there knows its own.
const REMOVED_THERE: &str = "TMOUT\0PROMPT_COMMAND\0BASH_ENV\0ENV\0PS1\0HISTFILE\0";

/// Returns an environment in which the variable `ENV` has another name, so that sh does not read its file by
/// itself.
fn without_env(environment: &str) -> String {
    environment
        .split_terminator('\0')
        .map(|line| match line.strip_prefix("ENV=") {
            Some(value) => format!("{ENV_BEFORE}={value}\0"),
            None => format!("{line}\0"),
        })
        .collect()
}
