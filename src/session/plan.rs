//! What a session is to be, and what a command in it: plain data.

use std::time::Duration;

use crate::job::model::invocation::Invocation;
use crate::job::model::plan::{
    Directory, Drain, Ending, Environment, Input, Leftovers, Limits, Output, Plan,
};
use crate::session::shell::flavor::{Flavor, StartFiles};
use crate::text::Keeping;

/// What a shell writes to its own streams is only read so that it does not wait (bytes).
const OWN_OUTPUT: usize = 0;

/// How long the own streams of a shell that has ended are waited for: who holds them is a background process.
const OWN_DRAIN: Drain = Drain { idle: Duration::from_millis(1), most: Duration::from_millis(5) };

/// How long background processes may take to end after SIGTERM, when the session is closed.
const BACKGROUND_GRACE: Duration = Duration::from_secs(2);

/// A session.
#[derive(Clone, Debug)]
pub struct SessionPlan {
    /// The program of the shell.
    pub shell: String,
    /// Its language.
    pub flavor: Flavor,
    /// The start files that it reads.
    pub start_files: StartFiles,
    /// How long they may take; `None` for as long as they like.
    pub start_timeout: Option<Duration>,
    /// Where it begins.
    pub directory: Directory,
    /// Its whole environment in the beginning.
    pub environment: Environment,
    /// What it and its commands may use.
    pub limits: Limits,
    /// Whether background processes live on when the session is closed.
    pub keeps_background: bool,
}

impl SessionPlan {
    /// The job that a shell of this session is.
    #[must_use]
    pub fn shell_plan(&self) -> Plan {
        let arguments = self.flavor.arguments(self.start_files).into_iter().map(str::to_owned).collect();
        let mut environment = self.environment.clone();
        if self.flavor == Flavor::Posix {
            // busybox writes its prompts to standard output, from before its first line on.
            environment.0.push_str("PS1=\0PS2=\0");
        }
        let invocation = Invocation::Program { program: self.shell.clone(), arguments };
        Plan {
            directory: self.directory.clone(),
            environment,
            input: Input::Open,
            output: Output::keeping(Keeping::Prefix { limit: OWN_OUTPUT }),
            limits: self.limits,
            ending: Ending { grace: Some(BACKGROUND_GRACE), ..Ending::default() },
            drain: Some(OWN_DRAIN),
            // Those that a shell leaves which ends by itself are ended with the session.
            leftovers: Some(if self.keeps_background { Leftovers::Keep } else { Leftovers::Adopt }),
            is_tagged: true,
            ..Plan::new(invocation)
        }
    }
}
