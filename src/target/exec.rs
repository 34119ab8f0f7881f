//! A target that any program reaches: the `exec` option, and the words that it stands for.

use serde::Deserialize;

use super::options::{WrongTarget, check_text, wrong};
use super::transport_command::{SHELL, SHELL_LINE};

/// Any program that carries its standard input and output to another one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a list of a program and its arguments, or { argv, join } with such a list and true or false"
)]
pub enum Exec {
    /// A program that takes the words to execute after its own arguments.
    Words(Vec<String>),
    /// A program that joins these words to a command line.
    JoinedLine(JoinedLine),
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoinedLine {
    pub argv: Vec<String>,
    pub join: bool,
    /// The target as errors name it; absent for the program.
    pub name: Option<String>,
}

impl Exec {
    pub(super) fn check(&self) -> Result<(), WrongTarget> {
        let (Self::Words(words) | Self::JoinedLine(JoinedLine { argv: words, .. })) = self;
        if words.first().is_none_or(String::is_empty) || words.iter().any(|word| word.contains('\0')) {
            return wrong("exec: expected a program and its arguments, without null bytes");
        }
        self.given_name().map_or(Ok(()), |name| Ok(check_text("exec.name", name)?))
    }

    /// Returns the name that the caller has given to the target.
    pub(super) fn given_name(&self) -> Option<&str> {
        match self {
            Self::Words(_) => None,
            Self::JoinedLine(JoinedLine { name, .. }) => name.as_deref(),
        }
    }

    /// Returns the program and its arguments, the shell there behind them.
    pub(super) fn words(&self) -> Vec<String> {
        match self {
            Self::Words(words) => words.iter().map(String::as_str).chain(SHELL).map(str::to_owned).collect(),
            Self::JoinedLine(JoinedLine { argv, join: false, .. }) => Self::Words(argv.clone()).words(),
            Self::JoinedLine(JoinedLine { argv, join: true, .. }) => {
                argv.iter().map(String::as_str).chain([SHELL_LINE]).map(str::to_owned).collect()
            }
        }
    }
}
