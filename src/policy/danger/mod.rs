//! Commands that would do great harm, in every mode: by their effect, not by their text.
//!
//! [`places`] says which paths are protected, [`removal`] and [`overwrite`] look at files and disks, [`machine`] at the
//! machine itself, [`download`] at code that is run unseen, [`foreign`] at code in other languages.

mod download;
mod foreign;
mod machine;
mod overwrite;
mod places;
mod removal;
#[cfg(test)]
mod tests;

use super::commands::{Field, Findings, Found, Obstacle};
use super::decision::{Danger, Effect};
use super::request::Request;
use places::Places;

/// The first harmful effect, if there is one.
pub(super) fn find(found: &Findings, request: &Request) -> Option<Danger> {
    if found.has_fork_bomb {
        return Some(danger(Effect::Shutdown, "start processes without end"));
    }
    let places = Places::new(request);
    found.commands.iter().find_map(|command| {
        of_command(command, &places)
            .or_else(|| of_hidden_name(command, &places))
            .or_else(|| download::find(command))
    })
}

fn danger(effect: Effect, what: &str) -> Danger {
    Danger { effect, what: what.to_owned() }
}

fn of_command(command: &Found, places: &Places) -> Option<Danger> {
    if let Some(danger) = overwrite::by_redirection(command, places) {
        return Some(danger);
    }
    let name = command.base_name()?;
    removal::find(name, command, places)
        .or_else(|| overwrite::find(name, command, places))
        .or_else(|| machine::find(name, command, places))
        .or_else(|| foreign::find(name, command, places))
}

/// A command whose name is not known is taken for `rm`: nothing else has such arguments.
fn of_hidden_name(command: &Found, places: &Places) -> Option<Danger> {
    let is_hidden = command.obstacles.contains(&Obstacle::UnknownName) || command.is_function;
    if !is_hidden || command.words.is_empty() {
        return None;
    }
    removal::find("rm", command, places)
}

/// The arguments as text, with unknown parts as they are.
fn texts(words: &[Field]) -> Vec<&str> {
    words.iter().skip(1).map(|field| field.text.as_str()).collect()
}

/// Whether an option is among the arguments: a letter in a cluster, or a long name, which may be abbreviated.
fn has_option(words: &[Field], letter: char, long: &str) -> bool {
    words.iter().skip(1).take_while(|field| field.text != "--").any(|field| {
        match field.text.strip_prefix("--") {
            Some(name) => {
                let name = name.split('=').next().unwrap_or(name);
                !name.is_empty() && long.starts_with(name)
            }
            None => {
                letter != '\0'
                    && field.text.len() > 1
                    && field.text.starts_with('-')
                    && field.text.contains(letter)
            }
        }
    })
}

/// Arguments that are no options.
fn operands(words: &[Field]) -> impl Iterator<Item = &Field> {
    let mut only_operands = false;
    words.iter().skip(1).filter(move |field| {
        if !only_operands && field.text == "--" {
            only_operands = true;
            return false;
        }
        only_operands || !field.text.starts_with('-') || field.text == "-"
    })
}
