//! The options of git before its subcommand, and those of `git config` that only read.

use crate::policy::commands::Field;

/// Options of `git config` by which it reads settings and writes none.
pub(crate) const CONFIG_QUERIES: [&str; 6] =
    ["--get", "--get-all", "--list", "-l", "--get-regexp", "--get-urlmatch"];

/// The effect of an option before the subcommand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GitOption {
    /// Turns the pager off, so that rules treat the command as one without the option.
    Pager,
    /// Changes how git reads, and runs nothing.
    Reading,
    /// Changes the directory, `-C`.
    Directory,
    /// Sets a setting, which may name a program.
    Setting,
    /// Selects the repository or the programs of git.
    Repository,
    /// Any other effect that runs nothing.
    Other,
}

use GitOption::{Directory, Other, Pager, Reading, Repository, Setting};

/// The options, whether the next word is their value, and their effects.
const OPTIONS: [(&str, bool, GitOption); 17] = [
    ("--no-pager", false, Pager),
    ("-P", false, Pager),
    ("--no-optional-locks", false, Reading),
    ("--literal-pathspecs", false, Reading),
    ("--glob-pathspecs", false, Reading),
    ("--noglob-pathspecs", false, Reading),
    ("--icase-pathspecs", false, Reading),
    ("--no-replace-objects", false, Reading),
    ("-C", true, Directory),
    ("-c", true, Setting),
    ("--config-env", true, Setting),
    ("--git-dir", true, Repository),
    ("--work-tree", true, Repository),
    ("--attr-source", true, Repository),
    ("--exec-path=", false, Repository),
    ("--namespace", true, Other),
    ("--super-prefix", true, Other),
];

impl GitOption {
    /// Returns the option that is exactly this word.
    pub(crate) fn of(text: &str) -> Option<Self> {
        OPTIONS.iter().find(|(name, ..)| *name == text).map(|(.., option)| *option)
    }

    /// Returns the option that this word begins with: its value may stand in the same word.
    pub(crate) fn at_start_of(text: &str) -> Option<Self> {
        OPTIONS.iter().find(|(name, ..)| text.starts_with(name)).map(|(.., option)| *option)
    }
}

/// Returns the index of the subcommand, after the options; the number of words if there is none.
pub(crate) fn git_subcommand(words: &[Field]) -> usize {
    let mut at = 1;
    while let Some(text) = words.get(at).and_then(Field::known).filter(|text| text.starts_with('-')) {
        let takes_value = OPTIONS.iter().any(|(name, takes_value, _)| *takes_value && *name == text);
        at += 1 + usize::from(takes_value);
    }
    at
}
