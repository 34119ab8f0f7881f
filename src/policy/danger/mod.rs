//! Commands that would do great harm, recognized by their text. Each mode denies them, unless the policy
//! asks or ignores them ([`OnDanger`](super::lists::OnDanger)). [`decision`](super::decision) has the texts.
//!
//! The records of [`programs`](crate::policy::programs) tell which harms a program may do. [`protected`]
//! knows the protected paths, [`disk`] the disks. [`removal`], [`overwrite`] and [`permissions`] judge
//! effects on these, [`download`] code that nobody has read, and [`foreign`] calls in other languages.

mod arguments;
mod copy;
mod disk;
mod download;
mod foreign;
mod overwrite;
mod permissions;
mod protected;
mod removal;

use super::commands::{Analysis, ExpandedCommand, Obstacle};
use super::decision::{Danger, Effect};
use super::request::PolicyRequest;
use download::Downloads;

pub(crate) use arguments::{has_option, operands, texts};
pub(crate) use copy::FileCopy;
pub(crate) use disk::is_disk;
pub(crate) use overwrite::{copies_onto, loses_file, writes};
pub(crate) use permissions::opens_to_all;
pub(crate) use protected::{ProtectedPath, ProtectedPaths};
pub(crate) use removal::{removes, removes_always, removes_recursively};

/// Returns the first harmful effect, or otherwise the first one that depends on unknown parts.
pub(super) fn find(found: &Analysis, request: &PolicyRequest) -> Option<Danger> {
    if found.has_fork_bomb {
        return Some(Danger::new(Effect::Shutdown, "start processes without end"));
    }
    let paths = ProtectedPaths::new(found, request);
    let mut possible = None;
    let mut downloads = Downloads::default();
    for command in &found.commands {
        let danger = of_command(command, &paths).or_else(|| download::find(command, &downloads, &paths));
        downloads.add(command);
        match danger {
            Some(danger) if !danger.is_possible => return Some(danger),
            Some(danger) => possible = possible.or(Some(danger)),
            None => {}
        }
    }
    possible
}

fn of_command(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    if let Some(danger) = overwrite::by_redirection(command, paths) {
        return Some(danger);
    }
    let Some(name) = command.base_name() else { return of_hidden_name(command, paths) };
    let harms = command.program().map_or(&[][..], |program| program.harms);
    let harm = harms.iter().find_map(|harm| harm(command, paths));
    harm.or_else(|| foreign::find(name, command, paths, of_command))
}

/// Returns the harm of a command whose name is unknown, as if it were `rm`, which alone has such arguments.
fn of_hidden_name(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let is_hidden = command.obstacles.contains(&Obstacle::UnknownName) && !command.words.is_empty();
    if is_hidden { removes_recursively(command, paths) } else { None }
}
