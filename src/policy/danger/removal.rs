//! The removal of protected paths, with everything below them.

use super::arguments::{has_option, operands};
use super::protected::{ProtectedPath, ProtectedPaths};
use crate::policy::commands::{ExpandedCommand, Field};
use crate::policy::decision::{Danger, Effect};
use crate::policy::programs::search::find::protected_start;

/// Returns the harm of `rm -r`, and of a removal of what `find` finds.
pub(crate) fn removes_recursively(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let words = &command.words;
    let is_recursive = has_option(words, 'r', "recursive")
        || has_option(words, 'R', "recursive")
        || has_option(words, '\0', "no-preserve-root");
    if is_recursive {
        return removes_always(command, paths);
    }
    // A path is a file.
    fed_by_find(command, paths)
}

/// Returns the harm of a removal of directories, and of what `find` finds.
pub(crate) fn removes_always(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let fed = fed_by_find(command, paths);
    fed.or_else(|| operands(&command.words).find_map(|field| removes(field, command, paths)))
}

/// Returns the harm of removing a path with everything below it.
pub(crate) fn removes(field: &Field, command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    if let Some(place) = paths.protected(field, command) {
        return Some(Danger::new(Effect::Removal, &format!("remove {place}")));
    }
    let danger = || Danger::new(Effect::Removal, &format!("remove {}", ProtectedPath::Root));
    ProtectedPaths::may_be_root(field).then(|| Danger { is_possible: true, ..danger() })
}

/// Returns the harm of removing the files that `find` passes through `xargs`: `find / | xargs rm`.
fn fed_by_find(command: &ExpandedCommand, paths: &ProtectedPaths) -> Option<Danger> {
    let commands = &paths.found.commands;
    let (parent, _) = command.parent?;
    let runner =
        commands.get(parent).filter(|found| matches!(found.base_name(), Some("xargs" | "parallel")))?;
    let feeder = commands.get(runner.input.feeder?)?;
    let is_find = matches!(feeder.base_name(), Some("find" | "gfind"));
    let place = protected_start(feeder, paths).filter(|_| is_find)?;
    Some(Danger::new(Effect::Removal, &format!("remove what is below {place}")))
}
