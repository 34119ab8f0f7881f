//! The options of `run()` and `Jobs.start()`, and their conversion to a plan.
//!
//! Defaults, and the effects of one option on another, are defined only here. JavaScript checks each value, and
//! passes the options that the caller gave.

use std::time::Duration;

use super::invocation::{Invocation, WordsError};
use super::plan::{
    Directory, Drain, Ending, Environment, Input, Leftovers, Limits, OnWaiting, Output, Plan, Spill,
    Terminal, Times,
};
use crate::text::view::ViewOptions;
use crate::text::{Cut, Keep, Keeping, Marker, Shape};

/// The default of the bytes kept of each stream.
pub const DEFAULT_MAX_BYTES: usize = 1024 * 1024;

/// The default wait for output that other processes hold open: a shell flushes within one scheduler slice, and 2 s are
/// more than `make | tee` needs after its end.
pub const DEFAULT_DRAIN: Drain = Drain { idle: Duration::from_millis(100), most: Duration::from_secs(2) };

/// A command line, in one of its forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandLine {
    /// Text for the usual shell: zsh, else bash, else sh.
    Text(String),
    /// Text for a certain shell.
    ShellText {
        /// The shell's path, then its flags.
        shell: Vec<String>,
        /// The text.
        command: String,
    },
    /// Text that is split into words, without a shell.
    Split(String),
    /// A program and its arguments.
    Words(Vec<String>),
}

/// The options of a command. After the colon each field names its default, which [`RunOptions::new`] sets.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The command line.
    pub command: CommandLine,
    /// The working directory.
    pub directory: Directory,
    /// The whole environment.
    pub environment: Environment,
    /// Standard input: empty.
    pub input: Input,
    /// The terminal that the command's standard streams are: none. A terminal needs an open input.
    pub terminal: Option<Terminal>,
    /// The action when the command waits for input: a report.
    pub on_waiting: OnWaiting,
    /// The time limits: none.
    pub times: Times,
    /// The signals that end the command: SIGTERM, and SIGKILL 5 s later.
    pub ending: Ending,
    /// The treatment of processes that outlive the command: kept.
    pub leftovers: Leftovers,
    /// The limits of the wait for output that other processes hold open: [`DEFAULT_DRAIN`]; `None` to wait until it ends.
    pub drain: Option<Drain>,
    /// The part of the output that is kept.
    pub output: OutputOptions,
    /// The resource limits: none beyond the host's own.
    pub limits: Limits,
    /// Whether the command outlives the host: no.
    pub outlives_host: bool,
    /// Whether a shell that was started ahead may run the command: no.
    pub is_warm: bool,
}

/// The part of a command's output that is kept.
#[derive(Clone, Debug)]
pub struct OutputOptions {
    /// The bytes kept of each stream: [`DEFAULT_MAX_BYTES`].
    pub max_bytes: usize,
    /// The part kept: beginning and end.
    pub keep: Keep,
    /// With [`Keep::Both`], the bytes for the beginning: half of them.
    pub head_bytes: Option<usize>,
    /// The positions of cuts: between lines.
    pub cut: Cut,
    /// The marker of omitted text: the default marker.
    pub marker: Option<String>,
    /// Whether both streams share one pipe: no.
    pub is_merged: bool,
    /// Whether the output becomes plain text: no.
    pub is_plain: bool,
    /// The file for the whole output: none.
    pub spill: Option<Spill>,
    /// The size of the ring of recent text that `read()` serves by cursor (bytes): none.
    pub ring: Option<usize>,
    /// The view for a model: none.
    pub view: Option<ViewOptions>,
}

impl Default for OutputOptions {
    fn default() -> Self {
        Self {
            max_bytes: DEFAULT_MAX_BYTES,
            keep: Keep::Both,
            head_bytes: None,
            cut: Cut::Line,
            marker: None,
            is_merged: false,
            is_plain: false,
            spill: None,
            ring: None,
            view: None,
        }
    }
}

/// An option that can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongOption {
    /// The option, as JavaScript names it.
    pub option: &'static str,
    /// The fault of the option.
    pub message: String,
}

impl RunOptions {
    /// Runs `command` with the defaults, in the host's working directory and with an empty environment.
    #[must_use]
    pub fn new(command: CommandLine) -> Self {
        Self {
            command,
            directory: Directory::default(),
            environment: Environment::default(),
            input: Input::Empty,
            terminal: None,
            on_waiting: OnWaiting::Report,
            times: Times::default(),
            ending: Ending::default(),
            leftovers: Leftovers::Keep,
            drain: Some(DEFAULT_DRAIN),
            output: OutputOptions::default(),
            limits: Limits::default(),
            outlives_host: false,
            is_warm: false,
        }
    }

    /// Returns the plan of these options.
    ///
    /// # Errors
    ///
    /// The option that can't be used.
    pub fn plan(self) -> Result<Plan, WrongOption> {
        Ok(Plan {
            directory: self.directory,
            environment: self.environment,
            input: self.input,
            terminal: self.terminal,
            on_waiting: self.on_waiting,
            output: self.output.plan(),
            limits: self.limits,
            times: self.times,
            ending: self.ending,
            drain: self.drain,
            leftovers: Some(self.leftovers),
            is_tagged: true,
            outlives_host: self.outlives_host,
            is_warm: self.is_warm,
            ..Plan::new(self.command.invocation()?)
        })
    }
}

impl OutputOptions {
    fn plan(self) -> Output {
        let shape = Shape {
            head: self.head_bytes,
            cut: self.cut,
            marker: self.marker.map(Marker::new),
            ..Shape::new(self.max_bytes, self.keep)
        };
        Output {
            is_merged: self.is_merged,
            is_plain: self.is_plain,
            ring: self.ring,
            spill: self.spill,
            view: self.view,
            ..Output::keeping(Keeping::Excerpt(shape))
        }
    }
}

impl CommandLine {
    fn invocation(self) -> Result<Invocation, WrongOption> {
        let wrong_words = |error: WordsError| WrongOption { option: "command", message: error.to_string() };
        match self {
            Self::Words(words) => Invocation::of_words(words).map_err(wrong_words),
            Self::Split(text) => Invocation::split(&text).map_err(wrong_words),
            Self::Text(command) => Ok(Invocation::by_usual_shell(no_flag(command))),
            Self::ShellText { shell, command } => {
                let mut words = shell.into_iter();
                let missing =
                    || WrongOption { option: "shell", message: "expected the path of a shell".to_owned() };
                let program = words.next().ok_or_else(missing)?;
                let flags: Vec<String> = words.collect();
                let command = if flags == ["-c"] { no_flag(command) } else { command };
                Ok(Invocation::Shell { program, flags, command })
            }
        }
    }
}

/// Puts a space before a command that begins like a flag, so that the shell does not take it for one of its own.
fn no_flag(command: String) -> String {
    if command.starts_with(['-', '+']) { format!(" {command}") } else { command }
}

#[cfg(test)]
mod tests {
    use super::{CommandLine, DEFAULT_DRAIN, DEFAULT_MAX_BYTES, RunOptions, WrongOption};
    use crate::job::model::invocation::Invocation;
    use crate::job::model::plan::{Ending, Leftovers, Plan};
    use crate::text::{Keep, Keeping, Shape};

    fn plan(command: CommandLine) -> Plan {
        RunOptions::new(command).plan().expect("a plan")
    }

    fn text(command: &str) -> CommandLine {
        CommandLine::Text(command.to_owned())
    }

    fn command_of(plan: &Plan) -> &str {
        match &plan.invocation {
            Invocation::Shell { command, .. } => command,
            Invocation::Program { .. } => unreachable!("a shell was asked for"),
        }
    }

    #[test]
    fn the_defaults_are_those_of_the_documentation() {
        let plan = plan(text("true"));
        assert_eq!(plan.ending, Ending::default());
        assert_eq!(plan.leftovers, Some(Leftovers::Keep));
        assert_eq!(plan.drain, Some(DEFAULT_DRAIN));
        assert_eq!(plan.output.keeping, Keeping::Excerpt(Shape::new(DEFAULT_MAX_BYTES, Keep::Both)));
        assert!(plan.is_tagged && !plan.outlives_host && !plan.is_warm);
    }

    #[test]
    fn a_command_that_looks_like_a_flag_is_a_command() {
        assert_eq!(command_of(&plan(text("-x"))), " -x");
        assert_eq!(command_of(&plan(text("+x"))), " +x");
        assert_eq!(command_of(&plan(text("x -y"))), "x -y");
    }

    #[test]
    fn flags_of_ones_own_take_the_command_as_it_is() {
        let shell = ["sh", "-e", "-c"].map(str::to_owned).to_vec();
        assert_eq!(command_of(&plan(CommandLine::ShellText { shell, command: "-x".to_owned() })), "-x");
    }

    #[test]
    fn a_shell_without_a_path_is_wrong() {
        let wrong =
            RunOptions::new(CommandLine::ShellText { shell: Vec::new(), command: "x".to_owned() }).plan();
        let expected = WrongOption { option: "shell", message: "expected the path of a shell".to_owned() };
        assert_eq!(wrong, Err(expected));
    }

    #[test]
    fn words_that_can_not_be_split_name_the_command() {
        let wrong = RunOptions::new(CommandLine::Split("echo 'a".to_owned())).plan().expect_err("wrong");
        assert_eq!(wrong.option, "command");
    }
}
