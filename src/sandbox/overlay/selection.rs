//! Selects changes by paths.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::change::{Action, Change, Kind};
use super::conflict::{Conflict, paths_of};

/// Returns the changes at these paths and below them, with the directories that contain them; all changes for
/// `None`.
pub(super) fn select(changes: &[Change], paths: Option<&[PathBuf]>) -> Vec<Change> {
    let Some(paths) = paths else { return changes.to_vec() };
    let paths = SelectedPaths::new(paths);
    let named: HashSet<&Path> = changes
        .iter()
        .filter(|change| paths_of(change).any(|path| paths.contain(path)))
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

/// Removes the changes at these paths and below them.
pub(super) fn exclude(changes: &mut Vec<Change>, paths: &[PathBuf]) {
    let paths = SelectedPaths::new(paths);
    changes.retain(|change| !paths.contain(&change.path));
}

/// Returns the paths at which, and below which, nothing has changed.
pub(super) fn without_change<'a>(changes: &[Change], paths: &'a [PathBuf]) -> Vec<&'a PathBuf> {
    let has_change = |path: &PathBuf| {
        let path = SelectedPaths::new(std::slice::from_ref(path));
        changes.iter().flat_map(paths_of).any(|changed| path.contain(changed))
    };
    paths.iter().filter(|path| !has_change(path)).collect()
}

/// The paths that a caller has named.
struct SelectedPaths<'a> {
    exact: HashSet<&'a Path>,
    /// The paths with U+FFFD, which a text has in place of bytes that are no UTF-8: they mean each path that
    /// has this text.
    replaced: HashSet<&'a Path>,
}

impl<'a> SelectedPaths<'a> {
    fn new(paths: &'a [PathBuf]) -> Self {
        let has_replacement = |path: &&Path| path.to_str().is_some_and(|text| text.contains('\u{fffd}'));
        let exact: HashSet<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let replaced = exact.iter().copied().filter(has_replacement).collect();
        Self { exact, replaced }
    }

    /// Returns whether a path or a directory above it is named.
    fn contain(&self, path: &Path) -> bool {
        // A deep path has many parents, which take their time.
        let named = |paths: &HashSet<&Path>, path: &Path| {
            !paths.is_empty() && path.ancestors().any(|path| paths.contains(path))
        };
        named(&self.exact, path)
            || (!self.replaced.is_empty() && named(&self.replaced, Path::new(&*path.to_string_lossy())))
    }
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
    use super::{Action, Change, Conflict, Kind, exclude, select, skip, without_change};
    use crate::sandbox::overlay::conflict::ConflictReason;

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
    fn a_name_that_is_no_text_is_meant_by_its_bytes_and_by_its_text() {
        use std::os::unix::ffi::OsStrExt;
        let path = |bytes: &[u8]| std::path::PathBuf::from(std::ffi::OsStr::from_bytes(bytes));
        let file = |bytes: &[u8]| Change { path: path(bytes), ..change("", Action::Created, Kind::File) };
        let changes = [file(b"d\xff/a"), file(b"d\xfe/a"), file(b"b")];
        assert_eq!(select(&changes, Some(&[path(b"d\xff")])), changes[..1]);
        assert_eq!(select(&changes, Some(&["d\u{fffd}/a".into()])), changes[..2]);
    }

    #[test]
    fn excluded_paths_and_what_is_below_them_are_left_out() {
        let mut changes = vec![
            change("d", Action::Created, Kind::Directory),
            change("d/a", Action::Created, Kind::File),
            change("da", Action::Created, Kind::File),
        ];
        assert_eq!(
            without_change(&changes, &["d/a".into(), "d/b".into()]),
            ["d/b"].map(std::path::Path::new)
        );
        exclude(&mut changes, &["d".into()]);
        assert_eq!(paths(&changes), ["da"]);
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
        let conflict = |path: &str| Conflict { path: path.into(), reason: ConflictReason::Changed };
        skip(&mut changes, &[conflict("gone/file"), conflict("new/a")]);
        assert_eq!(paths(&changes), ["new", "new/b"]);
    }
}
