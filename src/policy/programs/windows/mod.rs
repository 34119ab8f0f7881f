//! Programs and commands of Windows, for its requests alone. Names have no ending and no case.
//!
//! The records of `files` remove, write and copy, those of `system` change the machine, and those of
//! `runners` run other commands.

mod files;
mod runners;
mod system;

use std::sync::LazyLock;

use super::Program;
use crate::policy::commands::Field;

/// The records, each of which takes precedence over one of the same name for other systems.
pub(super) static PROGRAMS: LazyLock<Vec<&'static Program>> =
    LazyLock::new(|| [files::PROGRAMS, runners::PROGRAMS, system::PROGRAMS].into_iter().flatten().collect());

/// Returns the switch that a word is, without its slash and in small letters: `/S`, or `//s` in Git Bash.
fn switch(text: &str) -> Option<String> {
    let name = text.strip_prefix('/')?.trim_start_matches('/');
    (!name.is_empty() && !name.contains(['/', '\\'])).then(|| name.to_ascii_lowercase())
}

/// Returns whether one of the switches is among the words, perhaps with a value behind a colon. A dash may
/// take the place of a slash.
fn has_switch(words: &[Field], names: &[&str]) -> bool {
    words.iter().skip(1).any(|field| {
        let dashed = || field.text.strip_prefix('-').map(str::to_ascii_lowercase);
        let Some(switch) = switch(&field.text).or_else(dashed) else { return false };
        names.contains(&switch.split(':').next().unwrap_or_default())
    })
}

/// Returns whether a parameter of a cmdlet is among the words, which may be abbreviated to `least`.
fn has_parameter(words: &[Field], name: &str, least: usize) -> bool {
    words.iter().skip(1).any(|field| {
        let Some(text) = field.text.strip_prefix('-') else { return false };
        let text = text.split(':').next().unwrap_or_default().to_ascii_lowercase();
        text.len() >= least && name.starts_with(&text)
    })
}

/// Returns the words that are no switches and no parameters.
fn operands(words: &[Field]) -> impl Iterator<Item = &Field> {
    words.iter().skip(1).filter(|field| !field.text.starts_with('-') && switch(&field.text).is_none())
}

/// Returns a word of a command in small letters; empty if there is none.
fn lower(words: &[Field], at: usize) -> String {
    words.get(at).map_or_else(String::new, |field| field.text.to_ascii_lowercase())
}
