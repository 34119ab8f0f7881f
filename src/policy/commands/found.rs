//! The simple commands found in a command line, as plain data.

use std::rc::Rc;

use crate::syntax::tree::Mode;

use super::field::Field;

/// The commands of a command line, and the paths that the shell itself opens or tests.
#[derive(Debug, Default)]
pub struct Findings {
    /// Every simple command that may run, in the order of the text; a wrapper stands before the command that
    /// it runs.
    pub commands: Vec<Found>,
    /// Paths that the shell itself tests or matches, each with the directories of a relative one: operands of
    /// `[[ -f … ]]`, globs of loops.
    pub paths: Vec<(Field, Directories)>,
    /// Whether a function or a loop starts processes without end.
    pub has_fork_bomb: bool,
}

/// A simple command that may run.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The name and the arguments; empty for assignments and redirections alone.
    pub words: Vec<Field>,
    /// `NAME=value` before the name, also those of `env`. The value is absent where it is not known.
    pub assignments: Vec<(String, Option<String>)>,
    /// The redirections.
    pub redirections: Vec<Redirect>,
    /// The directories in which the command may run, the most probable one last; `None` for one that is not
    /// known.
    pub directories: Directories,
    /// The command that runs this one: its index among the commands, and the index of the first inner word
    /// among its words. Code has no such word.
    pub parent: Option<(usize, Option<usize>)>,
    /// Indices of other words at which the command that this one runs may begin, where its options are not
    /// sure.
    pub other_starts: Vec<usize>,
    /// The reach of an allow rule for this command, if the command runs another one.
    pub trust: Option<Trust>,
    /// Reasons why no allow rule covers the command.
    pub obstacles: Vec<Obstacle>,
    /// The standard input, as far as it comes from this command line.
    pub input: Input,
    /// Whether the command calls a function of this command line, of which the commands are judged.
    pub is_function: bool,
}

/// Directories in which a command may run.
pub type Directories = Rc<[Option<String>]>;

/// A redirection of a command.
#[derive(Clone, Debug)]
pub struct Redirect {
    /// The direction, and the kind of target.
    pub mode: Mode,
    /// The file or the descriptor.
    pub target: Field,
}

/// The reach of an allow rule through a command that runs others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Only the inner command needs a rule.
    Transparent,
    /// Both the command and the inner one need a rule.
    Separate,
    /// A rule for the command covers the inner one: the command exists to run any other.
    Runner,
}

/// A reason why no allow rule covers a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The name is not known before the command runs.
    UnknownName,
    /// The command runs text that is not known before; with a name for the text. It may be any command, so
    /// that deny and ask rules ask too.
    UnknownCode(&'static str),
    /// The command sets a variable that can run code.
    Variable(String),
    /// An argument names a file or a setting by which the program may run another one.
    Argument(String),
}

/// The standard input of a command.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Whether the input comes from a command or from text of the command line.
    pub is_given: bool,
    /// The text, where the command line has it: that of a here-document, or the words of `echo`.
    pub text: Option<Rc<str>>,
    /// Whether a command before this one in the pipeline has fetched the input from the network, or decoded
    /// it.
    pub origin: Origin,
    /// The index of the last command that writes to the pipe.
    pub feeder: Option<usize>,
}

/// Where an input comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// This machine.
    #[default]
    Local,
    /// A program that decodes text, so that nobody can have read it.
    Decoder,
    /// The network.
    Network,
}

impl Found {
    /// Returns a command with these words, and nothing else known of it.
    pub(super) fn of(words: Vec<Field>) -> Self {
        Self { words, ..Self::default() }
    }

    /// Returns the name, where it is known.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.words.first().and_then(Field::known)
    }

    /// Returns the last part of the name, where it is known.
    #[must_use]
    pub fn base_name(&self) -> Option<&str> {
        self.name().map(base_name)
    }

    /// Returns the most probable of the directories in which the command may run, where that is known. No
    /// verdict allows a command for this one alone.
    #[must_use]
    pub fn likely_directory(&self) -> Option<&str> {
        self.directories.last()?.as_deref()
    }

    /// Notes that the command may run in a directory that is not known.
    pub(super) fn may_run_elsewhere(&mut self) {
        self.directories = std::iter::once(None).chain(self.directories.iter().cloned()).collect();
    }

    /// Returns whether the text of the command is not known, so that it may be any command.
    pub(crate) fn runs_unknown_code(&self) -> bool {
        self.obstacles.iter().any(|obstacle| matches!(obstacle, Obstacle::UnknownCode(_)))
    }
}

/// Returns the last part of a path.
#[must_use]
pub fn base_name(path: &str) -> &str {
    // Names are short: a loop is faster than a search.
    path.bytes().rposition(|byte| byte == b'/').map_or(path, |slash| &path[slash + 1..])
}
