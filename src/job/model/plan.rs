//! A command with nothing left to decide about it.

use std::time::Duration;

use rustix::process::Signal;

pub use crate::job::model::invocation::Invocation;
pub use crate::process::directory::Directory;
pub use crate::process::pty::WindowSize;
pub use crate::process::spawn::Limits;
use crate::text::Keeping;
use crate::text::view::ViewOptions;

/// How much an outcome reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// The output and the end.
    Answer,
    /// Where the command ran and what it has used, too.
    Full,
}

/// A command and the bounds of its life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The program and its arguments.
    pub invocation: Invocation,
    /// Where it runs.
    pub directory: Directory,
    /// The whole environment.
    pub environment: Environment,
    /// The standard input.
    pub input: Input,
    /// The terminal that it runs in, if it is to have one: its standard streams are that, and its input must be open.
    pub terminal: Option<Terminal>,
    /// The action when the command waits for input.
    pub on_waiting: OnWaiting,
    /// The treatment of its output.
    pub output: Output,
    /// The resource limits of its process.
    pub limits: Limits,
    /// How long it may take.
    pub times: Times,
    /// How it is ended.
    pub ending: Ending,
    /// How long output that others hold open is waited for after the exit; `None` until it ends.
    pub drain: Option<Drain>,
    /// The treatment of processes that are still there after the exit; `None` when nobody asks for them.
    pub leftovers: Option<Leftovers>,
    /// Whether its processes carry a tag by which they are found wherever they go (Linux).
    pub is_tagged: bool,
    /// Whether it lives on when its owner or the host ends.
    pub outlives_host: bool,
    /// Whether a shell that was started ahead may run it.
    pub is_warm: bool,
}

impl Plan {
    /// Returns how much the outcome reports: a caller that asks for leftovers gets all there is.
    #[must_use]
    pub const fn report(&self) -> Report {
        if self.leftovers.is_some() { Report::Full } else { Report::Answer }
    }

    /// Runs `invocation` in the host's working directory with no environment, no input, no limit of time, and nothing
    /// kept of its output. What differs is set afterwards.
    #[must_use]
    pub fn new(invocation: Invocation) -> Self {
        Self {
            invocation,
            directory: Directory::default(),
            environment: Environment::default(),
            input: Input::Empty,
            terminal: None,
            on_waiting: OnWaiting::Report,
            output: Output::keeping(Keeping::Prefix { limit: 0 }),
            limits: Limits::default(),
            times: Times::default(),
            ending: Ending::default(),
            drain: None,
            leftovers: None,
            is_tagged: false,
            outlives_host: false,
            is_warm: false,
        }
    }
}

/// Standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Nothing: end of file at once.
    Empty,
    /// The bytes, and then end of file.
    Bytes(Vec<u8>),
    /// Whatever is written to the job, until that is ended.
    Open,
}

/// The terminal that a command runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// How large it is.
    pub size: WindowSize,
    /// How many lines are kept that leave the screen at its top.
    pub scrollback: usize,
}

/// The action when a command waits for input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnWaiting {
    /// The engine reports the wait to its followers.
    Report,
    /// Its input ends.
    End,
    /// The engine ends the command, as by its timeout.
    Kill,
}

/// The treatment of a command's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The part of each stream that is kept.
    pub keeping: Keeping,
    /// Whether both streams are one pipe, in the order in which they are written. All of it is standard output then.
    pub is_merged: bool,
    /// Whether it is made plain text: control sequences are applied or dropped.
    pub is_plain: bool,
    /// How much of the latest text can be read again by cursor (bytes).
    pub ring: Option<usize>,
    /// A file for all of it.
    pub spill: Option<Spill>,
    /// The view for a model.
    pub view: Option<ViewOptions>,
}

impl Output {
    /// Two streams, as they are, of which this is kept.
    #[must_use]
    pub const fn keeping(keeping: Keeping) -> Self {
        Self { keeping, is_merged: false, is_plain: false, ring: None, spill: None, view: None }
    }
}

/// A file for the whole output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spill {
    /// The directory in which the file is made; made for this user alone if it is missing.
    pub directory: String,
    /// Its quota (bytes).
    pub limit: u64,
}

/// How long a command may take. `None` for as long as it likes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// For the command and for output that is waited for.
    pub timeout: Option<Duration>,
    /// Without any output.
    pub idle: Option<Duration>,
    /// Whether a command that takes longer than `timeout` goes on in the background.
    pub moves_to_background: bool,
    /// How long it may go on there.
    pub in_background: Option<Duration>,
}

/// How a command is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The signal that all its processes get first.
    pub signal: Signal,
    /// When SIGKILL follows; `None` for never.
    pub grace: Option<Duration>,
}

impl Ending {
    /// Tells whether the first signal is SIGKILL.
    #[must_use]
    pub fn is_at_once(&self) -> bool {
        self.signal == Signal::KILL
    }
}

impl Default for Ending {
    /// SIGTERM, and SIGKILL 5 seconds later, as in execa.
    fn default() -> Self {
        Self { signal: Signal::TERM, grace: Some(Duration::from_secs(5)) }
    }
}

/// How long output that others hold open is waited for after the exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drain {
    /// Since the last output.
    pub idle: Duration,
    /// In all.
    pub most: Duration,
}

/// The treatment of processes that a command has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftovers {
    /// The processes live on; the engine reads and drops their output.
    Keep,
    /// The engine ends the processes as it would end the command.
    Kill,
    /// The processes are the job from then on, which goes on in the background.
    Adopt,
}

/// Environment variables, as `NAME=value` with a NUL between two: one string, since it comes from JavaScript and
/// one is cheaper to hand over than many. The crate never reads the environment of its own process: another thread may
/// be changing it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment(pub String);

impl Environment {
    /// The variables, as `NAME=value`.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.0.split('\0').filter(|variable| !variable.is_empty())
    }

    /// The value of one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables().find_map(|variable| variable.strip_prefix(name)?.strip_prefix('='))
    }
}

#[cfg(test)]
mod tests {
    use super::Environment;

    #[test]
    fn a_variable_is_found_by_its_whole_name() {
        let environment = Environment("XPATH=/x\0PATH=/bin:/usr/bin\0PATHS=/y".to_owned());
        assert_eq!(environment.get("PATH"), Some("/bin:/usr/bin"));
        assert_eq!(environment.get("HOME"), None);
    }

    #[test]
    fn an_empty_environment_has_no_variables() {
        assert_eq!(Environment::default().variables().count(), 0);
    }
}
