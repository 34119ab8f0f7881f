//! Commands that would do great harm, denied in every mode: recognized by their effect, not by their text.
//!
//! [`places`] knows the protected paths. [`removal`], [`overwrite`] and [`disk`] judge effects on files and disks, [`machine`]
//! and [`permissions`] on the machine itself, [`download`] code that is run unseen, [`foreign`] code in other languages.
//! [`search`] finds the commands that `fd` runs, [`container`] finds the paths of the host behind those of a container.

mod arguments;
mod container;
mod disk;
mod download;
mod foreign;
mod machine;
mod overwrite;
mod permissions;
mod places;
mod removal;
mod search;
#[cfg(test)]
mod tests;

use super::commands::{Findings, Found, Obstacle};
use super::decision::{Danger, Effect};
use super::request::Request;
use places::Places;

/// Returns the first harmful effect, if there is one.
pub(super) fn find(found: &Findings, request: &Request) -> Option<Danger> {
    if found.has_fork_bomb {
        return Some(Danger::new(Effect::Shutdown, "start processes without end"));
    }
    if download::joins_shell_and_network(&found.commands) {
        return Some(Danger::new(Effect::Download, "let another machine control a shell"));
    }
    let places = Places::new(request);
    if found.downloads.iter().any(|path| places.is_start_file(path)) {
        return Some(Danger::new(
            Effect::Download,
            "make each new shell run a download that nobody has seen",
        ));
    }
    let volumes = container::Volumes::default();
    found.commands.iter().find_map(|command| {
        of_command(command, &places)
            .or_else(|| of_hidden_name(command, &places))
            .or_else(|| of_command(&container::on_host(command, &found.commands, &volumes)?, &places))
            .or_else(|| download::find(command))
    })
}

fn of_command(command: &Found, places: &Places) -> Option<Danger> {
    if let Some(danger) = overwrite::by_redirection(command, places) {
        return Some(danger);
    }
    let name = command.base_name()?;
    removal::find(name, command, places)
        .or_else(|| overwrite::find(name, command, places))
        .or_else(|| disk::find(name, command))
        .or_else(|| machine::find(name, command))
        .or_else(|| permissions::find(name, command, places))
        .or_else(|| foreign::find(name, command, places))
}

/// Returns the harm of a command whose name is not known, as if it were `rm`: nothing else has such arguments.
fn of_hidden_name(command: &Found, places: &Places) -> Option<Danger> {
    let is_hidden = command.obstacles.contains(&Obstacle::UnknownName) || command.is_function;
    if !is_hidden || command.words.is_empty() {
        return None;
    }
    removal::find("rm", command, places)
}
