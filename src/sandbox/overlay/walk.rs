//! Finds the changes of a layer: walks the layer, and looks up the same paths in the workspace.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::Stat;

use super::beneath::{
    as_path, have_equal_content, is_opaque, is_whiteout, kind, names, open_directory, open_file, status,
    target,
};
use super::change::{Action, Change, Kind};

/// The bits of a mode that a change can have.
const PERMISSIONS: u32 = 0o7777;

/// A change, and the path's status in the workspace and in the layer.
#[derive(Clone, Debug)]
pub struct Found {
    pub change: Change,
    /// `None` for a path that the workspace does not have.
    pub before: Option<Stat>,
    /// `None` for a deleted path.
    pub after: Option<Stat>,
}

/// The depth of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The content of files too.
    Content,
    /// No content: each file that the layer and the workspace have counts as modified.
    Names,
}

/// Returns the changes: parents before their children, the entries of a directory in order.
///
/// # Errors
///
/// The system's error, and the path.
pub fn find(
    layer: BorrowedFd<'_>,
    root: BorrowedFd<'_>,
    depth: Depth,
) -> Result<Vec<Found>, (io::Error, PathBuf)> {
    let mut walk = Walk { found: Vec::new(), depth, at: PathBuf::new() };
    let walked =
        is_opaque(layer).and_then(|is_opaque| walk.directory(Path::new(""), layer, Some(root), is_opaque));
    match walked {
        Ok(()) => Ok(walk.found),
        Err(error) => Err((error, walk.at)),
    }
}

/// Returns the disk space that everything below a directory takes (bytes). Unreadable entries count as 0.
#[must_use]
pub fn size(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| Some((entry.metadata().ok()?, entry.path())))
        .map(|(metadata, path)| {
            let own = metadata.blocks() * BLOCK;
            if metadata.is_dir() { own + size(&path) } else { own }
        })
        .sum()
}

/// The unit of `st_blocks` (bytes).
const BLOCK: u64 = 512;

struct Walk {
    found: Vec<Found>,
    depth: Depth,
    /// The current path, for errors.
    at: PathBuf,
}

impl Walk {
    /// Compares a directory of the layer with that of the workspace, if it has one. With `hides_others`, the
    /// workspace's own names are deleted, also in the directories below.
    fn directory(
        &mut self,
        path: &Path,
        layer: BorrowedFd<'_>,
        root: Option<BorrowedFd<'_>>,
        hides_others: bool,
    ) -> io::Result<()> {
        let own = names(layer)?;
        for name in &own {
            let name = as_path(name);
            self.at = path.join(name);
            let Some(found) = status(layer, name)? else { continue };
            let before = match root {
                Some(root) => status(root, name)?.map(|status| (root, status)),
                None => None,
            };
            self.entry(
                &path.join(name),
                name,
                (layer, &found),
                before.as_ref().map(|(root, status)| (*root, status)),
                hides_others,
            )?;
        }
        if let Some(root) = root.filter(|_| hides_others) {
            for name in names(root)? {
                if own.binary_search(&name).is_err() {
                    self.deleted(&path.join(&name), root, as_path(&name))?;
                }
            }
        }
        Ok(())
    }

    /// Compares an entry of the layer with that of the workspace.
    fn entry(
        &mut self,
        path: &Path,
        name: &Path,
        (layer, found): (BorrowedFd<'_>, &Stat),
        before: Option<(BorrowedFd<'_>, &Stat)>,
        is_hidden: bool,
    ) -> io::Result<()> {
        if is_whiteout(found) {
            return match before {
                Some((root, _)) => self.deleted(path, root, name),
                None => Ok(()),
            };
        }
        let Some(new) = kind(found) else { return Ok(()) };
        let old = before.and_then(|(_, status)| kind(status));
        if let Some((root, _)) = before.filter(|_| old == Some(Kind::Directory) && new != Kind::Directory) {
            self.below_deleted(path, root, name)?;
        }
        let action = match before {
            None => Some(Action::Created),
            Some((root, before)) => self.difference(name, new, (layer, found), (root, before))?,
        };
        if let Some(action) = action {
            let change = change(path, action, new, found);
            let (before, after) = (before.map(|(_, status)| *status), Some(*found));
            self.found.push(Found { change, before, after });
        }
        if new == Kind::Directory {
            let inside = open_directory(layer, name)?;
            let below: Option<OwnedFd> = match before {
                Some((root, _)) if old == Some(Kind::Directory) => Some(open_directory(root, name)?),
                _ => None,
            };
            // The kernel marks only the topmost directory that replaces another one.
            let hides_others = is_hidden || is_opaque(inside.as_fd())?;
            self.directory(path, inside.as_fd(), below.as_ref().map(AsFd::as_fd), hides_others)?;
        }
        Ok(())
    }

    /// Adds the deletion of a path of the workspace, after that of everything below it.
    fn deleted(&mut self, path: &Path, root: BorrowedFd<'_>, name: &Path) -> io::Result<()> {
        path.clone_into(&mut self.at);
        let before = status(root, name)?;
        let Some(kind) = before.as_ref().and_then(kind) else { return Ok(()) };
        if kind == Kind::Directory {
            self.below_deleted(path, root, name)?;
        }
        let path = path.to_owned();
        let change = Change { path, action: Action::Deleted, kind, mode: None, bytes: None };
        self.found.push(Found { change, before, after: None });
        Ok(())
    }

    fn below_deleted(&mut self, path: &Path, root: BorrowedFd<'_>, name: &Path) -> io::Result<()> {
        let directory = open_directory(root, name)?;
        for name in names(directory.as_fd())? {
            self.deleted(&path.join(&name), directory.as_fd(), as_path(&name))?;
        }
        Ok(())
    }

    /// Returns the difference between two versions of a path; `None` if only its times differ.
    fn difference(
        &self,
        name: &Path,
        new: Kind,
        (layer, found): (BorrowedFd<'_>, &Stat),
        (root, before): (BorrowedFd<'_>, &Stat),
    ) -> io::Result<Option<Action>> {
        if kind(before) != Some(new) {
            return Ok(Some(Action::Modified));
        }
        let is_equal = match new {
            Kind::File if self.depth == Depth::Names => false,
            Kind::File => {
                let mut after = open_file(layer, name)?;
                let mut before = open_file(root, name)?;
                have_equal_content(&mut after, &mut before)?
            }
            Kind::Link => {
                return Ok((target(layer, name)? != target(root, name)?).then_some(Action::Modified));
            }
            Kind::Directory | Kind::Fifo => true,
        };
        if !is_equal {
            return Ok(Some(Action::Modified));
        }
        let has_other_mode = (found.st_mode ^ before.st_mode) & PERMISSIONS != 0;
        Ok(has_other_mode.then_some(Action::Mode))
    }
}

fn change(path: &Path, action: Action, kind: Kind, status: &Stat) -> Change {
    Change {
        path: path.to_owned(),
        action,
        kind,
        mode: (kind != Kind::Link).then_some(status.st_mode & PERMISSIONS),
        bytes: (kind == Kind::File).then(|| u64::try_from(status.st_size).unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File, Permissions};
    use std::os::fd::AsFd;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use rustix::fs::{CWD, FileType, Mode, XattrFlags, makedev, mknodat, setxattr};

    use super::super::renames;
    use super::{Action, Depth, Kind, find};

    /// A layer and a workspace.
    struct Pair(tempfile::TempDir);

    impl Pair {
        fn new() -> Self {
            let pair = Self(tempfile::tempdir().expect("a directory"));
            fs::create_dir(pair.layer("")).expect("made");
            fs::create_dir(pair.root("")).expect("made");
            pair
        }

        fn layer(&self, path: &str) -> std::path::PathBuf {
            self.0.path().join("layer").join(path)
        }

        fn root(&self, path: &str) -> std::path::PathBuf {
            self.0.path().join("root").join(path)
        }

        fn delete(&self, path: &str) {
            let mode = Mode::from_raw_mode(0);
            mknodat(CWD, self.layer(path), FileType::CharacterDevice, mode, makedev(0, 0)).expect("made");
        }

        fn changes(&self) -> Vec<String> {
            let [layer, root] = [self.layer(""), self.root("")].map(|path| File::open(path).expect("opened"));
            let found = find(layer.as_fd(), root.as_fd(), Depth::Content).expect("changes");
            let found = found.into_iter().map(|found| found.change).collect();
            let found = renames::find(found, layer.as_fd(), root.as_fd()).expect("changes");
            found
                .into_iter()
                .map(|change| {
                    let kind = match change.kind {
                        Kind::File => 'f',
                        Kind::Directory => 'd',
                        Kind::Link => 'l',
                        Kind::Fifo => 'p',
                    };
                    let action = match change.action {
                        Action::Renamed(from) => format!("from {}", from.display()),
                        other => format!("{other:?}").to_lowercase(),
                    };
                    format!("{kind} {} {action}", change.path.display())
                })
                .collect()
        }
    }

    fn write(path: impl AsRef<Path>, text: &str) {
        let path = path.as_ref();
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, text).expect("written");
    }

    #[test]
    fn a_file_is_created_modified_deleted_or_only_touched() {
        let pair = Pair::new();
        for name in ["a/modified", "a/deleted", "a/touched", "a/mode", "a/other"] {
            write(pair.root(name), "text");
        }
        write(pair.layer("a/modified"), "TEXT");
        write(pair.layer("a/touched"), "text");
        write(pair.layer("a/mode"), "text");
        fs::set_permissions(pair.layer("a/mode"), Permissions::from_mode(0o700)).expect("changed");
        pair.delete("a/deleted");
        pair.delete("a/never there");
        write(pair.layer("new/file"), "new");
        assert_eq!(
            pair.changes(),
            [
                "f a/deleted deleted", "f a/mode mode", "f a/modified modified", "d new created",
                "f new/file created",
            ]
        );
    }

    #[test]
    fn an_opaque_directory_hides_what_the_layer_does_not_have() {
        let pair = Pair::new();
        write(pair.root("d/gone/file"), "x");
        write(pair.root("d/same"), "x");
        write(pair.layer("d/same"), "x");
        setxattr(pair.layer("d"), c"user.overlay.opaque", b"y", XattrFlags::empty()).expect("set");
        assert_eq!(pair.changes(), ["f d/gone/file deleted", "d d/gone deleted"]);
    }

    #[test]
    fn a_directory_below_an_opaque_one_hides_too() {
        let pair = Pair::new();
        write(pair.root("a/b/gone"), "x");
        fs::create_dir_all(pair.layer("a/b")).expect("made");
        setxattr(pair.layer("a"), c"user.overlay.opaque", b"y", XattrFlags::empty()).expect("set");
        assert_eq!(pair.changes(), ["f a/b/gone deleted"]);
    }

    #[test]
    fn a_path_may_become_something_else() {
        let pair = Pair::new();
        write(pair.root("was directory/file"), "x");
        write(pair.layer("was directory"), "x");
        write(pair.root("was file"), "x");
        write(pair.layer("was file/inside"), "y");
        symlink("a", pair.root("link")).expect("made");
        symlink("b", pair.layer("link")).expect("made");
        symlink("a", pair.root("same")).expect("made");
        symlink("a", pair.layer("same")).expect("made");
        assert_eq!(
            pair.changes(),
            [
                "l link modified",
                "f was directory/file deleted",
                "f was directory modified",
                "d was file modified",
                "f was file/inside created",
            ]
        );
    }

    #[test]
    fn a_moved_file_is_one_change() {
        let pair = Pair::new();
        write(pair.root("old"), "content");
        write(pair.root("empty"), "");
        pair.delete("old");
        pair.delete("empty");
        write(pair.layer("b/new"), "content");
        write(pair.layer("b/copy"), "content");
        write(pair.layer("b/none"), "");
        assert_eq!(
            pair.changes(),
            ["d b created", "f b/copy from old", "f b/new created", "f b/none created", "f empty deleted"]
        );
    }

    #[test]
    fn no_link_is_followed_and_no_pipe_is_opened() {
        let pair = Pair::new();
        let outside = tempfile::tempdir().expect("a directory");
        write(outside.path().join("secret"), "x");
        symlink(outside.path(), pair.root("d")).expect("made");
        write(pair.layer("d/secret"), "x");
        mknodat(CWD, pair.layer("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).expect("made");
        assert_eq!(pair.changes(), ["d d modified", "f d/secret created", "p pipe created"]);
    }
}
