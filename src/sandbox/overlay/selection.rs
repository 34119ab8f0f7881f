//! Selects changes by paths.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::change::{Action, Change, Kind};
use super::conflict::{Conflict, paths_of};

/// Returns the changes at these paths and below them, with the directories that contain them; all changes for
/// `None`.
pub(super) fn select(changes: &[Change], paths: Option<&[PathBuf]>) -> Vec<Change> {
    let Some(paths) = paths else { return changes.to_vec() };
    let is_named = |path: &Path| paths.iter().any(|named| path.starts_with(named));
    let named: HashSet<&Path> = changes
        .iter()
        .filter(|change| paths_of(change).any(is_named))
        .map(|change| change.path.as_path())
        .collect();
    let needed: HashSet<&Path> = named.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    let is_needed = |change: &Change| {
        change.kind == Kind::Directory
            && matches!(change.action, Action::Created | Action::Modified)
            && needed.contains(change.path.as_path())
    };
    let is_chosen = |change: &&Change| named.contains(change.path.as_path()) || is_needed(change);
    changes.iter().filter(is_chosen).cloned().collect()
}

/// Removes the changes that depend on one in conflict: those below such a path, and the removal of its
/// parents.
pub(super) fn skip(changes: &mut Vec<Change>, conflicts: &[Conflict]) {
    let paths: HashSet<&Path> = conflicts.iter().map(|conflict| conflict.path.as_path()).collect();
    let parents: HashSet<&Path> = paths.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    changes.retain(|change| {
        let is_kept = change.kind == Kind::Directory && change.action != Action::Deleted;
        let is_in_conflict = paths_of(change).any(|path| path.ancestors().any(|path| paths.contains(path)));
        !is_in_conflict && (is_kept || !parents.contains(change.path.as_path()))
    });
}

#[cfg(test)]
mod tests {
    use super::{Action, Change, Conflict, Kind, select, skip};
    use crate::sandbox::overlay::conflict::Reason;

    fn change(path: &str, action: Action, kind: Kind) -> Change {
        Change { path: path.into(), action, kind, mode: None, bytes: None }
    }

    fn paths(changes: &[Change]) -> Vec<&str> {
        changes.iter().filter_map(|change| change.path.to_str()).collect()
    }

    #[test]
    fn a_path_means_what_is_below_it_and_the_directories_that_it_needs() {
        let changes = [
            change("new", Action::Created, Kind::Directory),
            change("new/a", Action::Created, Kind::File),
            change("new/b", Action::Created, Kind::File),
            change("newer", Action::Created, Kind::File),
        ];
        assert_eq!(paths(&select(&changes, Some(&["new/b".into()]))), ["new", "new/b"]);
        assert_eq!(paths(&select(&changes, Some(&["new".into()]))), ["new", "new/a", "new/b"]);
        assert_eq!(select(&changes, None).len(), 4);
    }

    #[test]
    fn a_moved_file_is_meant_by_both_of_its_paths() {
        let changes = [change("b", Action::Renamed("a".into()), Kind::File)];
        for path in ["a", "b"] {
            assert_eq!(select(&changes, Some(&[path.into()])).len(), 1);
        }
    }

    #[test]
    fn a_conflict_keeps_what_is_above_and_skips_what_is_below() {
        let mut changes = vec![
            change("gone/file", Action::Deleted, Kind::File),
            change("gone", Action::Deleted, Kind::Directory),
            change("new", Action::Created, Kind::Directory),
            change("new/a", Action::Created, Kind::File),
            change("new/b", Action::Created, Kind::File),
        ];
        let conflict = |path: &str| Conflict { path: path.into(), reason: Reason::Changed };
        skip(&mut changes, &[conflict("gone/file"), conflict("new/a")]);
        assert_eq!(paths(&changes), ["new", "new/b"]);
    }
}
