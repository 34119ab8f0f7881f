//! The simple commands found in a command line, as plain data.

use std::rc::Rc;

use crate::policy::syntax::tree::Mode;

use super::field::Field;

/// What was found in a command line.
#[derive(Debug, Default)]
pub struct Findings {
    /// Every simple command that may run, in the order of the text; wrappers before what they run.
    pub commands: Vec<Found>,
    /// Paths that the shell itself looks at, and the directory they belong to: operands of `[[ -f … ]]`, globs of loops.
    pub paths: Vec<(Field, Option<String>)>,
    /// Functions that start themselves again, more than once or in the background.
    pub has_fork_bomb: bool,
}

/// A simple command that may run.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The name and the arguments; empty for assignments and redirections alone.
    pub words: Vec<Field>,
    /// `NAME=value` before it, also by `env`. The value is absent where it is not known.
    pub assignments: Vec<(String, Option<String>)>,
    /// Where it reads and writes.
    pub redirections: Vec<Redirect>,
    /// The wrappers behind which it was found, the outermost first.
    pub wrappers: Vec<String>,
    /// The command that runs it: its place among the commands, and the place of the first word among its words. The words of
    /// code have no place.
    pub parent: Option<(usize, Option<usize>)>,
    /// What an allow rule says about the command that it runs.
    pub trust: Option<Trust>,
    /// Why no allow rule covers it.
    pub obstacles: Vec<Obstacle>,
    /// The directory in which it runs, where that is known.
    pub directory: Option<String>,
    /// What comes to its standard input from commands of this command line.
    pub input: Input,
    /// Whether it calls a function that is defined before it: the commands of the function are judged.
    pub is_function: bool,
    /// The command that this is, if its variables have values that are likely. A guess denies, and never allows.
    pub guess_of: Option<usize>,
    /// Files that commands before it have downloaded.
    pub downloads: Vec<String>,
}

/// A redirection of a command.
#[derive(Clone, Debug)]
pub struct Redirect {
    /// What it does.
    pub mode: Mode,
    /// The file or the descriptor.
    pub target: Field,
    /// Directories that a relative target may belong to; `None` among them where one is not known.
    pub directories: Vec<Option<String>>,
}

/// How far an allow rule reaches through a command that runs others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It adds nothing: what it runs is judged, and it needs no rule.
    Transparent,
    /// It needs a rule, and so does what it runs.
    Separate,
    /// It is there to run anything: a rule that names it covers what it runs.
    Runner,
}

/// Why no allow rule covers a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Its name is not known before it runs.
    UnknownName,
    /// It sets a variable that can run code.
    Variable(String),
    /// It runs text that is not known before it runs.
    UnknownCode(&'static str),
    /// One of its arguments can run another program.
    Argument(String),
    /// The shell runs with files or options that can run code.
    Shell(String),
}

/// What comes to a command's standard input.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Whether it comes from a command or from text of the command line.
    pub is_given: bool,
    /// The text, where it is known.
    pub text: Option<Rc<str>>,
    /// Whether a download is in it.
    pub is_downloaded: bool,
    /// Whether a program has changed it, so that its text can't be seen.
    pub is_disguised: bool,
    /// Where `find` begins without any test.
    pub paths: Rc<[String]>,
}

impl Found {
    /// The name, where it is known.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.words.first().and_then(Field::known)
    }

    /// The last part of the name, where it is known.
    #[must_use]
    pub fn base_name(&self) -> Option<&str> {
        self.name().map(base_name)
    }
}

/// The last part of a path.
#[must_use]
pub fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
