//! The simple commands found in a command line, as plain data.

use std::rc::Rc;

use crate::policy::paths::PathStyle;
use crate::policy::programs::Program;
use crate::syntax::tree::RedirectMode;

use super::field::Field;

/// The commands of a command line, and the paths that the shell itself opens or tests.
#[derive(Debug, Default)]
pub struct Analysis {
    /// Every simple command that may run, in the order of the text. A wrapper precedes the command that it
    /// runs.
    pub commands: Vec<ExpandedCommand>,
    /// Paths that the shell itself tests or matches, such as operands of `[[ -f … ]]` and globs of loops.
    /// Each has the directories that a relative path may belong to.
    pub paths: Vec<(Field, Directories)>,
    /// Whether a function or a loop starts processes without end.
    pub has_fork_bomb: bool,
}

/// A simple command that may run.
#[derive(Clone, Debug, Default)]
pub struct ExpandedCommand {
    /// The name and the arguments; empty for assignments and redirections alone.
    pub words: Vec<Field>,
    /// `NAME=value` before the name, including those of `env`. The value is `None` if it is unknown.
    pub assignments: Vec<(String, Option<String>)>,
    pub redirections: Vec<Redirect>,
    /// The directories in which the command may run, the most probable one last; `None` for an unknown one.
    pub directories: Directories,
    /// The command that runs this one: its index among the commands, and the index of the first inner word
    /// among its words. Code has no such word.
    pub parent: Option<(usize, Option<usize>)>,
    /// Indices of other words at which the command that this one runs may begin, if the options are
    /// uncertain.
    pub other_starts: Vec<usize>,
    /// How far an allow rule for this command reaches, if the command runs another one.
    pub trust: Option<Trust>,
    /// Reasons why no allow rule covers the command.
    pub obstacles: Vec<Obstacle>,
    /// The standard input, as far as it comes from this command line.
    pub input: StandardInput,
    /// Whether the command calls a function of this command line, whose commands are judged.
    pub is_function: bool,
    /// How the paths of the command are written.
    pub style: PathStyle,
}

/// Directories in which a command may run.
pub type Directories = Rc<[Option<String>]>;

/// A redirection of a command.
#[derive(Clone, Debug)]
pub struct Redirect {
    /// The direction, and the kind of target.
    pub mode: RedirectMode,
    /// The file or the descriptor.
    pub target: Field,
}

/// How far an allow rule reaches through a command that runs others.
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
    /// The name is unknown before the command runs.
    UnknownName,
    /// The command runs text that is unknown before, described for messages.
    ///
    /// The text may be any command, so deny and ask rules ask too.
    UnknownCode(&'static str),
    /// The command sets a variable that can run code.
    Variable(String),
    /// An argument names a file or a setting by which the program may run another program.
    Argument(String),
}

/// The standard input of a command, as far as the text tells where it comes from.
#[derive(Clone, Debug, Default)]
pub struct StandardInput {
    /// Whether the input comes from a command or from text of the command line.
    pub is_given: bool,
    /// The text, if the command line has it: that of a here-document, or the words of `echo`.
    pub text: Option<Rc<str>>,
    /// The origin of the input, by the commands before this one in the pipeline.
    pub origin: Origin,
    /// The index of the last command that writes to the pipe.
    pub feeder: Option<usize>,
}

/// The origin of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// This machine.
    #[default]
    Local,
    /// A program that decodes text, so that nobody can have read it.
    Decoder,
    Network,
}

impl ExpandedCommand {
    /// Returns a command with these words and no other properties.
    pub(super) fn of(words: Vec<Field>) -> Self {
        Self { words, ..Self::default() }
    }

    /// Returns the name, if it is known.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.words.first().and_then(Field::known)
    }

    /// Returns the last part of the name, if it is known.
    #[must_use]
    pub fn base_name(&self) -> Option<&str> {
        self.name().map(base_name)
    }

    /// Returns what is known of its program.
    pub(crate) fn program(&self) -> Option<&'static Program> {
        Program::on(self.style, self.base_name()?)
    }

    /// Returns the most probable directory in which the command may run, if it is known. No verdict may allow
    /// a command because of this directory alone.
    #[must_use]
    pub fn likely_directory(&self) -> Option<&str> {
        self.directories.last()?.as_deref()
    }

    /// Records that the command may run in an unknown directory.
    pub(super) fn may_run_elsewhere(&mut self) {
        self.directories = std::iter::once(None).chain(self.directories.iter().cloned()).collect();
    }

    /// Returns whether the text of the command is unknown, so that it may be any command.
    pub(crate) fn runs_unknown_code(&self) -> bool {
        self.obstacles.iter().any(|obstacle| matches!(obstacle, Obstacle::UnknownCode(_)))
    }
}

/// Returns the last part of a path.
#[must_use]
pub fn base_name(path: &str) -> &str {
    // Names are short, so a loop is faster than a search.
    path.bytes().rposition(|byte| byte == b'/').map_or(path, |slash| &path[slash + 1..])
}
