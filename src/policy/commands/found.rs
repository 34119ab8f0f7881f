//! The simple commands found in a command line, as plain data.

use std::rc::Rc;

use crate::policy::syntax::tree::Mode;

use super::field::Field;

/// The commands of a command line, and the paths that the shell itself opens or tests.
#[derive(Debug, Default)]
pub struct Findings {
    /// Every simple command that may run, in the order of the text; a wrapper stands before the command that it runs.
    pub commands: Vec<Found>,
    /// Paths that the shell itself tests or matches, each with the directory of a relative one: operands of `[[ -f … ]]`, globs
    /// of loops.
    pub paths: Vec<(Field, Option<String>)>,
    /// Whether the calls of a function by itself, or the rounds of a loop, start processes without end.
    pub has_fork_bomb: bool,
    /// The files in which commands store downloads.
    pub downloads: Vec<String>,
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
    /// The files that options make the command write, as redirections: `sort -o file`.
    pub outputs: Vec<Redirect>,
    /// The names of the wrappers that run the command, the outermost first.
    pub wrappers: Vec<String>,
    /// The command that runs this one: its index among the commands, and the index of the first inner word among its words. Code
    /// has no such word.
    pub parent: Option<(usize, Option<usize>)>,
    /// The reach of an allow rule for this command, if the command runs another one.
    pub trust: Option<Trust>,
    /// Reasons why no allow rule covers the command.
    pub obstacles: Vec<Obstacle>,
    /// The directory in which the command runs, where that is known.
    pub directory: Option<String>,
    /// The directory in which the command probably runs, where none is known.
    pub likely_directory: Option<String>,
    /// The standard input, as far as it comes from this command line.
    pub input: Input,
    /// Whether the command calls a function of this command line, of which the commands are judged.
    pub is_function: bool,
    /// The index of the command of which this is a guess: the same command with likely values for its variables. A guess denies,
    /// and never allows.
    pub guess_of: Option<usize>,
    /// Whether another command or a file takes the output.
    pub is_captured: bool,
    /// Files that commands before it have downloaded.
    pub downloads: Vec<String>,
}

/// A redirection of a command.
#[derive(Clone, Debug)]
pub struct Redirect {
    /// The direction, and the kind of target.
    pub mode: Mode,
    /// The file or the descriptor.
    pub target: Field,
    /// All possible targets, where they depend on constants alone; empty for others, and for a literal one.
    pub values: Vec<String>,
    /// Directories that a relative target may belong to; `None` among them where one is not known.
    pub directories: Vec<Option<String>>,
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
    /// The command sets a variable that can run code.
    Variable(String),
    /// The command runs text that is not known before; with a name for the text.
    UnknownCode(&'static str),
    /// An argument can run another program.
    Argument(String),
    /// The command is a shell with an option that makes it read other code.
    Shell(String),
    /// The same command line writes the script that the command runs.
    WrittenScript(String),
}

/// The standard input of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct Input {
    /// Whether the input comes from a command or from text of the command line.
    pub is_given: bool,
    /// Whether commands before this one may have read from it.
    pub is_shared: bool,
    /// The text, where it is known.
    pub text: Option<Rc<str>>,
    /// Whether the shell has replaced globs in the text by the names of files.
    pub names_files: bool,
    /// Whether the input is free of text from outside: numbers, and words of the command line.
    pub is_numeric: bool,
    /// Whether a part of the input was downloaded.
    pub is_downloaded: bool,
    /// Whether a program has encoded the input, so that its text is not known.
    pub is_disguised: bool,
    /// The directory that the input lists, as that of `ls directory | …`.
    pub listed: Option<Rc<str>>,
    /// Texts that the input probably is, those of a file that the command line has written.
    pub guesses: Rc<[String]>,
    /// Paths in the input, such as the starting points of `find` without tests.
    pub paths: Rc<[String]>,
}

impl Input {
    /// Returns all texts that the input may be.
    #[inline(never)]
    pub(super) fn texts(&self) -> Vec<String> {
        self.text.iter().map(|text| (**text).to_owned()).chain(self.guesses.iter().cloned()).collect()
    }
}

impl Found {
    /// Returns a command with these words, and nothing else known of it.
    // Inlined, it would take hundreds of bytes of machine code at each call.
    #[inline(never)]
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
}

/// Returns the last part of a path.
#[must_use]
pub fn base_name(path: &str) -> &str {
    // Names are short: a loop is faster than a search.
    path.bytes().rposition(|byte| byte == b'/').map_or(path, |slash| &path[slash + 1..])
}
