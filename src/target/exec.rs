//! A target that any program reaches: the `exec` option, and the words that it stands for.

use serde::Deserialize;

use super::options::{WrongTarget, wrong};
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
}

impl Exec {
    pub(super) fn check(&self) -> Result<(), WrongTarget> {
        let (Self::Words(words) | Self::JoinedLine(JoinedLine { argv: words, .. })) = self;
        if words.first().is_none_or(String::is_empty) || words.iter().any(|word| word.contains('\0')) {
            return wrong("exec: expected a program and its arguments, without null bytes");
        }
        Ok(())
    }

    /// Returns the program and its arguments, the shell there behind them.
    pub(super) fn words(&self) -> Vec<String> {
        match self {
            Self::Words(words) => words.iter().map(String::as_str).chain(SHELL).map(str::to_owned).collect(),
            Self::JoinedLine(JoinedLine { argv, join: false }) => Self::Words(argv.clone()).words(),
            Self::JoinedLine(JoinedLine { argv, join: true }) => {
                argv.iter().map(String::as_str).chain([SHELL_LINE]).map(str::to_owned).collect()
            }
        }
    }
}
