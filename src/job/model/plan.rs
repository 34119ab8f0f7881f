//! The plan of a command: every property that the engine needs, with the defaults filled in.
//!
//! The defaults of the options that the engine uses are defined here, and that of the shell in `shell`.
//! JavaScript checks each value, and passes what the caller gave.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use crate::process::signal::Signal;

use crate::durable::options::DurableOptions;
use crate::job::io::observed::ObservedOutput;
pub use crate::job::model::invocation::Invocation;
pub use crate::job::model::surroundings::{Directory, Environment, Limits, Shell, Surroundings};
pub use crate::process::pty::WindowSize;
use crate::text::code_page::CodePage;
use crate::text::redact::Redactor;
use crate::text::view::ViewOptions;
use crate::text::{Keep, Keeping, Shape};

/// The extent of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// The output and the end.
    Answer,
    /// The output, the end, the working directory and the used resources.
    Full,
}

/// The default of the bytes kept of each stream, for `run()` and jobs.
pub const DEFAULT_MAX_BYTES: usize = 1024 * 1024;

/// The default wait for output that other processes hold open: a shell flushes within one scheduler slice,
/// and 2 s are more than `make | tee` needs after its end.
pub const DEFAULT_DRAIN: Drain = Drain { idle: Duration::from_millis(100), most: Duration::from_secs(2) };

/// The default quota of a spill file (bytes).
pub const DEFAULT_SPILL: u64 = 1024 * 1024 * 1024;

/// A command, its surroundings and the bounds of its life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub invocation: Invocation,
    pub surroundings: Surroundings,
    pub input: Input,
    /// The terminal for the command's standard streams, if it has one. Requires an open input.
    pub terminal: Option<Terminal>,
    pub on_waiting: OnWaiting,
    pub output: Output,
    pub times: Times,
    pub ending: Termination,
    /// The limits of the wait, after the exit, for output that other processes hold open; `None` to wait
    /// until it ends.
    pub drain: Option<Drain>,
    /// The treatment of processes that outlive the command; `None` when no caller asks about them.
    pub leftovers: Option<Leftovers>,
    /// Whether the command's processes carry a tag, by which the engine finds them in other groups and
    /// sessions (Linux).
    pub is_tagged: bool,
    /// Whether the command keeps running when its owner or the host ends.
    pub outlives_host: bool,
    /// The command as a durable job, or the attachment to one. Its time limits are in it.
    pub durable: Option<Box<DurablePlan>>,
}

/// A durable job, and the time limits that its supervisor keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DurablePlan {
    pub options: DurableOptions,
    pub timeout: Option<Duration>,
    /// The longest silence.
    pub idle: Option<Duration>,
}

impl Plan {
    /// Creates a plan without input and time limits that keeps no output and asks about no other processes.
    /// Callers change the fields that differ.
    #[must_use]
    pub fn new(invocation: Invocation, surroundings: Surroundings) -> Self {
        Self {
            invocation,
            surroundings,
            input: Input::Empty,
            terminal: None,
            on_waiting: OnWaiting::Report,
            output: Output::keeping(Keeping::Prefix { limit: 0 }),
            times: Times::default(),
            ending: Termination::default(),
            drain: None,
            leftovers: None,
            is_tagged: false,
            outlives_host: false,
            durable: None,
        }
    }

    /// Creates a plan with the defaults of `run()` and `Jobs.start()`: an excerpt of each stream, a bounded
    /// drain, and a report of the processes that are left.
    #[must_use]
    pub fn with_report(invocation: Invocation, surroundings: Surroundings) -> Self {
        Self {
            output: Output::keeping(Keeping::Excerpt(Shape::new(DEFAULT_MAX_BYTES, Keep::Both))),
            drain: Some(DEFAULT_DRAIN),
            leftovers: Some(Leftovers::Keep),
            is_tagged: true,
            ..Self::new(invocation, surroundings)
        }
    }

    /// Returns the extent of the outcome: full if the plan handles leftovers.
    #[must_use]
    pub const fn report(&self) -> Report {
        if self.leftovers.is_some() { Report::Full } else { Report::Answer }
    }

    /// Makes the command durable, or the plan an attachment. The supervisor keeps the time limits, except
    /// that of an answer while the command goes on.
    #[must_use]
    pub fn durable(mut self, options: DurableOptions) -> Self {
        let times = self.times;
        let timeout = if times.moves_to_background {
            self.times.in_background = None;
            times.in_background.zip(times.timeout).and_then(|(more, timeout)| timeout.checked_add(more))
        } else {
            self.times.timeout = None;
            times.timeout
        };
        self.times.idle = None;
        self.outlives_host = true;
        // Processes that outlive the leader are the job.
        self.leftovers = Some(Leftovers::Adopt);
        self.durable = Some(Box::new(DurablePlan { options, timeout, idle: times.idle }));
        self
    }

    /// Returns the program that is executed: a shell for a line.
    #[must_use]
    pub fn program(&self) -> &str {
        match &self.invocation {
            Invocation::Line(_) => &self.surroundings.shell.program,
            Invocation::Program { program, .. } => program,
        }
    }

    /// Returns the program for a log, in which secret values are marks.
    #[must_use]
    pub fn shown_program(&self) -> Cow<'_, str> {
        let program = self.program();
        self.output.redactor.as_ref().map_or(Cow::Borrowed(program), |redactor| redactor.text(program))
    }

    /// Returns whether any argument has a NUL, which no argument of a program may have.
    #[must_use]
    pub fn has_null_byte(&self) -> bool {
        let has_null = |text: &String| text.contains('\0');
        match &self.invocation {
            Invocation::Line(line) => {
                let Shell { program, flags } = &self.surroundings.shell;
                has_null(program) || flags.iter().any(has_null) || has_null(line)
            }
            Invocation::Program { program, arguments } => has_null(program) || arguments.iter().any(has_null),
        }
    }
}

/// Standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// An end of file at once.
    Empty,
    /// The bytes, and then end of file.
    Bytes(Vec<u8>),
    /// The bytes that the caller writes to the job, until the caller ends the input.
    Open,
}

/// The terminal that a command runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// The size in columns and rows.
    pub size: WindowSize,
    /// The most lines that are kept after they scrolled off the top of the screen.
    pub scrollback: usize,
    /// Whether the engine answers the program's queries. A real terminal that shows the output answers by
    /// itself.
    pub answers_queries: bool,
}

/// The engine's action when a command waits for input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnWaiting {
    /// The engine reports the wait to its followers.
    Report,
    /// The engine ends the command's input.
    End,
    /// The engine ends the command, as by its timeout.
    Kill,
}

/// The treatment of a command's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The part of each stream that is kept.
    pub keeping: Keeping,
    /// Whether both streams share one pipe, which keeps the order of writes. The output is standard output
    /// then.
    pub is_merged: bool,
    pub form: Form,
    /// The size of the ring of recent output that `read()` serves by cursor (bytes).
    pub ring: Option<usize>,
    /// The file for the whole output.
    pub spill: Option<Spill>,
    /// The view for a model.
    pub view: Option<ViewOptions>,
    /// The latest output for observers, who change nothing of the job.
    pub observed: Option<ObservedOutput>,
    /// The encoding of the command's output, which all of these get in UTF-8; `None` for UTF-8 itself.
    pub code_page: Option<Arc<CodePage>>,
    /// The redactor of secret values, whose output all of these get.
    pub redactor: Option<Arc<Redactor>>,
}

impl Output {
    /// Creates the output options that keep this part of two separate streams, unchanged.
    #[must_use]
    pub const fn keeping(keeping: Keeping) -> Self {
        Self {
            keeping,
            is_merged: false,
            form: Form::Text,
            ring: None,
            spill: None,
            view: None,
            observed: None,
            code_page: None,
            redactor: None,
        }
    }
}

/// The form in which a consumer gets the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Text, decoded as UTF-8.
    #[default]
    Text,
    /// Text as a terminal would show it: control sequences are applied or dropped.
    Plain,
    /// The bytes, as they were written.
    Bytes,
}

/// A file for the whole output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spill {
    /// The directory of the file. A missing directory is created for this user alone.
    pub directory: String,
    /// The quota of the file (bytes).
    pub limit: u64,
    /// The size of the output up to which no file is created (bytes).
    pub above: u64,
}

/// The time limits of a command. `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// From the start of the command to the end of its output.
    pub timeout: Option<Duration>,
    /// The longest silence.
    pub idle: Option<Duration>,
    /// Whether a command that takes longer than `timeout` goes on in the background.
    pub moves_to_background: bool,
    /// The time limit in the background.
    pub in_background: Option<Duration>,
}

/// The default grace between the kill signal and SIGKILL, as in execa.
pub const KILL_GRACE: Duration = Duration::from_secs(5);

/// The signals that end a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Termination {
    /// The first signal, which all processes of the command get.
    pub signal: Signal,
    /// The delay between that signal and SIGKILL; `None` for no SIGKILL.
    pub grace: Option<Duration>,
}

impl Termination {
    /// Returns whether the first signal is SIGKILL.
    #[must_use]
    pub fn is_at_once(&self) -> bool {
        self.signal == Signal::KILL
    }
}

impl Default for Termination {
    /// SIGTERM, and SIGKILL after [`KILL_GRACE`].
    fn default() -> Self {
        Self { signal: Signal::TERM, grace: Some(KILL_GRACE) }
    }
}

/// The limits of the wait, after the exit, for output that other processes hold open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drain {
    /// The longest silence of that output.
    pub idle: Duration,
    /// The longest wait in all.
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
