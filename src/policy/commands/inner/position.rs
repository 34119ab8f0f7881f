//! Where a command stands among the arguments: after `--`, after an option, or where it is not known.

use crate::policy::commands::analysis::{StandardInput, Trust};
use crate::policy::commands::field::Field;

use super::model::Inner;

/// Returns the command after `--`, as in `mise exec node@20 -- node x`.
pub(crate) fn after_separator(words: &[Field], subcommands: &[&str]) -> Vec<Inner> {
    if !words.iter().skip(1).any(|field| subcommands.contains(&field.text.as_str())) {
        return Vec::new();
    }
    match words.iter().position(|field| field.text == "--") {
        Some(at) => Inner::words_from(words, at + 1, Trust::Runner),
        None => at_each_start(words, &StandardInput::default()),
    }
}

/// Returns the command after `--` of a program with such a subcommand.
pub(crate) fn after_dashes(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    if !words.iter().any(|field| field.text == "--") {
        return Vec::new();
    }
    after_separator(words, &["exec", "ssh", "enter", "shell", "-n", "--name", "explore"])
}

/// Returns a command for each of the first words: too many options exist to know where the command begins.
pub(crate) fn at_each_start(words: &[Field], _: &StandardInput) -> Vec<Inner> {
    let starts = (2..words.len()).filter(|&at| !words[at].text.starts_with('-')).take(4);
    starts.flat_map(|at| Inner::words_from(words, at, Trust::Runner)).collect()
}

/// Returns the command after one of the options; `None` without any of them.
pub(crate) fn after_option(words: &[Field], options: &[&str]) -> Option<Vec<Inner>> {
    let at = words.iter().position(|field| options.contains(&field.text.as_str()))?;
    Some(Inner::words_from(words, at + 1, Trust::Runner))
}
