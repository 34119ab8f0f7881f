//! The plans of a session and of a command in it: plain data.

use std::time::Duration;

use rustix::process::{Resource, getrlimit};

use crate::job::model::invocation::Invocation;
use crate::job::model::plan::{Drain, Ending, Input, Leftovers, Output, Plan, Surroundings};
use crate::session::shell::flavor::SessionFlavor;
use crate::session::shell::start_files::{ENV_BEFORE, StartFiles};
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

/// The plan of a session.
#[derive(Clone, Debug)]
pub struct SessionPlan {
    /// The surroundings of the shell and its commands.
    pub surroundings: Surroundings,
    pub flavor: SessionFlavor,
    pub start_files: StartFiles,
    /// The most time for the start files; `None` for no limit.
    pub start_timeout: Option<Duration>,
    /// Whether background processes live on when the session is closed.
    pub keeps_background: bool,
}

impl SessionPlan {
    /// Returns the limit of open files of a shell: the highest descriptor plus one.
    #[must_use]
    pub fn open_files(&self) -> u64 {
        let own = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        self.surroundings.limits.open_files.map_or(own, |limit| limit.min(own))
    }

    /// Returns the plan of the job in which a shell of this session runs.
    #[must_use]
    pub fn shell_plan(&self) -> Plan {
        let arguments = self.flavor.arguments(self.start_files).into_iter().map(str::to_owned).collect();
        let mut surroundings = self.surroundings.clone();
        let environment = &mut surroundings.environment;
        if self.flavor == SessionFlavor::Posix {
            // busybox writes prompts to standard output, the first one before it reads a line. So they are
            // empty from the start.
            environment.0.push_str("PS1=\0PS2=\0");
            environment.0 = without_env(&environment.0);
        }
        let invocation = Invocation::Program { program: surroundings.shell.program.clone(), arguments };
        Plan {
            input: Input::Open,
            output: Output::keeping(Keeping::Prefix { limit: OWN_OUTPUT }),
            ending: Ending { grace: Some(BACKGROUND_GRACE), ..Ending::default() },
            drain: Some(OWN_DRAIN),
            // The session ends the processes of a shell that ended by itself.
            leftovers: Some(if self.keeps_background { Leftovers::Keep } else { Leftovers::Adopt }),
            is_tagged: true,
            ..Plan::new(invocation, surroundings)
        }
    }
}

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
