//! Commands that would do great harm, recognized by their text and denied in every mode.
//!
//! [`places`] knows the protected paths. [`removal`], [`overwrite`] and [`disk`] judge effects on files and
//! disks, [`machine`] and [`permissions`] effects on the machine itself, [`download`] code that nobody has
//! read, and [`foreign`] calls in other languages.

mod arguments;
mod copy;
mod disk;
mod download;
mod foreign;
mod machine;
mod overwrite;
mod permissions;
mod places;
mod removal;

use super::commands::{Analysis, ExpandedCommand, Obstacle};
use super::decision::{Danger, Effect};
use super::request::Request;
use download::Downloads;
use places::Places;

/// Returns the first harmful effect, or otherwise the first one that depends on unknown parts.
pub(super) fn find(found: &Analysis, request: &Request) -> Option<Danger> {
    if found.has_fork_bomb {
        return Some(Danger::new(Effect::Shutdown, "start processes without end"));
    }
    let places = Places::new(found, request);
    let mut possible = None;
    let mut downloads = Downloads::default();
    for command in &found.commands {
        let danger = of_command(command, &places).or_else(|| download::find(command, &downloads, &places));
        downloads.add(command);
        match danger {
            Some(danger) if !danger.is_possible => return Some(danger),
            Some(danger) => possible = possible.or(Some(danger)),
            None => {}
        }
    }
    possible
}

fn of_command(command: &ExpandedCommand, places: &Places) -> Option<Danger> {
    if let Some(danger) = overwrite::by_redirection(command, places) {
        return Some(danger);
    }
    let Some(name) = command.base_name() else { return of_hidden_name(command, places) };
    removal::find(name, command, places)
        .or_else(|| overwrite::find(name, command, places))
        .or_else(|| disk::find(name, command))
        .or_else(|| machine::find(name, command))
        .or_else(|| permissions::find(name, command, places))
        .or_else(|| foreign::find(name, command, places, of_command))
}

/// Returns the harm of a command whose name is unknown, as if it were `rm`, which alone has such arguments.
fn of_hidden_name(command: &ExpandedCommand, places: &Places) -> Option<Danger> {
    let is_hidden = command.obstacles.contains(&Obstacle::UnknownName) && !command.words.is_empty();
    if is_hidden { removal::find("rm", command, places) } else { None }
}
