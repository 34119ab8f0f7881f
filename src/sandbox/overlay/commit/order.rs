//! The order in which changes are applied.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Component, Path};

use super::super::change::{Action, Change, Kind};
use super::super::conflict::is_object;

/// A change in its order.
#[derive(Debug)]
pub(super) struct Ordered<'a> {
    step: CommitStep,
    pub(super) change: Cow<'a, Change>,
    /// For the removal of a moved file from its old path: the new one.
    pub(super) moved_to: Option<&'a Path>,
}

/// The steps of a commit, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CommitStep {
    /// Paths below a directory that is replaced by another kind of file.
    Replaced,
    Directories,
    Objects,
    Files,
    Modes,
    Git,
    Deletions,
}

/// Returns changes, and the removals of moved files, in the order of the steps.
pub(super) fn ordered(changes: &[Change]) -> Vec<Ordered<'_>> {
    let becomes_other =
        |change: &&Change| change.action == Action::Modified && change.kind != Kind::Directory;
    let others: HashSet<&Path> =
        changes.iter().filter(becomes_other).map(|change| change.path.as_path()).collect();
    let is_in_the_way = |change: &Change| {
        change.action == Action::Deleted
            && !others.is_empty()
            && change.path.ancestors().any(|parent| others.contains(parent))
    };
    let step = |change: &Change| if is_in_the_way(change) { CommitStep::Replaced } else { step(change) };
    // Before the deletions of directories: in the order of the walk, they are deepest first.
    let moved = changes.iter().filter_map(|change| {
        let removal = removal_of_moved(change)?;
        Some(Ordered {
            step: step(&removal),
            change: Cow::Owned(removal),
            moved_to: Some(change.path.as_path()),
        })
    });
    let whole = changes.iter().map(|change| Ordered {
        step: step(change),
        change: Cow::Borrowed(change),
        moved_to: None,
    });
    let mut ordered: Vec<Ordered<'_>> = moved.chain(whole).collect();
    ordered.sort_by_key(|ordered| ordered.step);
    ordered
}

/// Returns the removal of a file that was moved, from its old path.
fn removal_of_moved(change: &Change) -> Option<Change> {
    let Action::Renamed(from) = &change.action else { return None };
    let (path, action) = (from.clone(), Action::Deleted);
    Some(Change { path, action, kind: change.kind, mode: None, bytes: None })
}

fn step(change: &Change) -> CommitStep {
    let is_git = change.path.components().any(|part| part == Component::Normal(".git".as_ref()));
    let is_object = is_object(&change.path);
    match (&change.action, change.kind) {
        (Action::Deleted, _) => CommitStep::Deletions,
        (Action::Mode, _) if !is_git => CommitStep::Modes,
        (_, Kind::Directory) => CommitStep::Directories,
        _ if is_object => CommitStep::Objects,
        _ if is_git => CommitStep::Git,
        _ => CommitStep::Files,
    }
}
