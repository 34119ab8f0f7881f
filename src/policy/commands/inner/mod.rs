//! The commands that a command runs besides itself: words among its arguments, text that a shell reads, or
//! words that it makes.
//!
//! [`model`] is the result. [`code`] knows the programs that read text as code, [`wrappers`] those that run
//! their arguments. [`options`] knows the options by which any other program may run one: these only show
//! that something runs, and never what.

mod code;
mod model;
mod options;
mod wrappers;

use super::analysis::{Input, Obstacle, base_name};
use super::field::{Field, variants};

pub(crate) use code::shell::only_checks;
pub(super) use model::Inner;
pub(crate) use options::written_files;
pub(super) use wrappers::changed_directory;

/// Returns the commands that a command runs, by its name and arguments.
pub(super) fn inner(words: &[Field], input: &Input) -> Vec<Inner> {
    let Some(name) = words.first().and_then(Field::known).map(base_name) else { return Vec::new() };
    code::inner(name, words, input).unwrap_or_else(|| wrappers::inner(name, words, input))
}

/// Returns the obstacles that the arguments of a command, with each of their possible values, are to allow
/// rules.
pub(super) fn obstacles(name: &str, words: &[Field], input: &Input) -> Vec<Obstacle> {
    let option = options::obstacle(name, words, input)
        .or_else(|| variants(words, |_| true).iter().find_map(|words| options::obstacle(name, words, input)));
    let of_shell = code::shell::obstacle(name, words).map(Obstacle::Argument);
    let of_wrapper = wrappers::obstacle(name, words).map(Obstacle::Argument);
    option.into_iter().chain(of_shell).chain(of_wrapper).collect()
}
