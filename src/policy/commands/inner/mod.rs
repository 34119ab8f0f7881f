//! The commands that a command runs beside itself: words among its arguments, text that a shell reads, or words of its own
//! making.
//!
//! [`model`] is the result. [`code`] knows the programs that read text as code, [`options`] those that run another program for
//! one of their options, [`wrappers`] those that run their arguments. [`sources`] knows the files in which programs find commands,
//! [`lines`] how commands stand in them.

mod code;
mod interpreter;
mod lines;
mod model;
mod options;
mod sources;
mod wrappers;

use super::field::Field;
use super::found::{Input, base_name};

pub(super) use code::shell::{is_input, obstacle as code_obstacle, script_of};
pub(crate) use code::shell::{is_shell, only_checks};
pub(crate) use interpreter::is_interpreter;
pub(super) use lines::commands as commands_of_lines;
pub(super) use model::Inner;
pub(crate) use options::git::git_subcommand;
pub(super) use options::obstacle as option_obstacle;
pub(super) use options::{argument_files, sed_runs_lines, sed_scripts, written_by_option};
pub(crate) use sources::STARTUP_FILES;
pub(super) use sources::{Finder, implicit_source, is_of_shell, sources};
pub(super) use wrappers::{changed_directory, obstacle as wrapper_obstacle};

/// Returns the commands that a command runs, by its name and arguments.
pub(super) fn inner(words: &[Field], input: &Input) -> Vec<Inner> {
    let Some(name) = words.first().and_then(Field::known).map(base_name) else { return Vec::new() };
    if let Some(found) = code::inner(name, words, input) {
        return found;
    }
    let mut found = options::inner(name, words);
    // A debugger runs its arguments too.
    if found.is_empty() || name == "gdb" {
        found.extend(wrappers::inner(name, words, input));
    }
    found
}
