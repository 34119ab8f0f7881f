//! Finds the changes of a layer: walks the layer, and looks up the same paths in the workspace.

use std::io;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::Stat;

use super::change::{Action, Change, Kind};
use super::tree::attributes::{changed_permissions, have_equal_lists};
use super::tree::beneath::{
    have_equal_content, is_missing, is_opaque, is_whiteout, kind, names, open_path, status, target,
};
use super::tree::{Tree, name_of};

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

/// Returns the changes: parents before their children, the entries of a directory in order. Paths that
/// vanish meanwhile are left out.
///
/// # Errors
///
/// The system's error, and the path.
pub(super) fn find(layer: &Tree, root: &Tree, depth: Depth) -> Result<Vec<Found>, (io::Error, PathBuf)> {
    let mut walk =
        LayerWalk { layer, root, depth, found: Vec::new(), tasks: Vec::new(), open: Parents::default() };
    walk.tasks.push(WalkTask::Compare { path: PathBuf::new(), hides_others: false });
    while let Some(task) = walk.tasks.pop() {
        let path = task.path().to_owned();
        walk.run(task).map_err(|error| (error, path))?;
    }
    Ok(walk.found)
}

/// Returns the disk space that everything in a layer takes (bytes). Unreadable entries count as 0.
#[must_use]
pub(super) fn size(layer: &Tree) -> u64 {
    let mut size = 0;
    let mut directories = vec![PathBuf::new()];
    while let Some(path) = directories.pop() {
        let Ok(directory) = layer.directory(&path) else { continue };
        for name in names(directory.as_fd()).unwrap_or_default() {
            let Ok(Some(status)) = status(directory.as_fd(), Path::new(&name)) else { continue };
            size += u64::try_from(status.st_blocks).unwrap_or(0) * BLOCK;
            if kind(&status) == Kind::Directory {
                directories.push(path.join(name));
            }
        }
    }
    size
}

/// The unit of `st_blocks` (bytes).
const BLOCK: u64 = 512;

/// A walk of the layer.
///
/// A command can make a tree that is deeper than this process has descriptors, or space on its stack. So no
/// function here recurses: the tasks are on a heap, and a directory is opened when its entries are compared.
struct LayerWalk<'a> {
    layer: &'a Tree,
    root: &'a Tree,
    depth: Depth,
    found: Vec<Found>,
    /// The last one is next.
    tasks: Vec<WalkTask>,
    open: Parents,
}

/// A step of the walk.
enum WalkTask {
    /// Compare the entries of a directory of the layer. With `hides_others`, the workspace's own entries are
    /// deleted, also in the directories below.
    Compare { path: PathBuf, hides_others: bool },
    /// Compare an entry of the layer.
    Entry { path: PathBuf, is_hidden: bool },
    /// Find the deletion of a path of the workspace, after that of everything below it.
    Deleted { path: PathBuf },
    /// Add a change.
    Add(Box<Found>),
}

impl WalkTask {
    fn path(&self) -> &Path {
        match self {
            Self::Compare { path, .. } | Self::Entry { path, .. } | Self::Deleted { path } => path,
            Self::Add(found) => &found.change.path,
        }
    }
}

/// The open directories of the entries that are compared: mostly the same for many.
#[derive(Default)]
struct Parents {
    path: Option<PathBuf>,
    layer: Option<OwnedFd>,
    root: Option<OwnedFd>,
}

impl LayerWalk<'_> {
    fn run(&mut self, task: WalkTask) -> io::Result<()> {
        match task {
            WalkTask::Compare { path, hides_others } => self.directory(&path, hides_others),
            WalkTask::Entry { path, is_hidden } => {
                let parents = self.parents(&path)?;
                let compared = self.entry(&path, &parents, is_hidden);
                self.open = parents;
                compared
            }
            WalkTask::Deleted { path } => self.deleted(&path),
            WalkTask::Add(found) => {
                self.found.push(*found);
                Ok(())
            }
        }
    }

    fn directory(&mut self, path: &Path, hides_others: bool) -> io::Result<()> {
        let Some(layer) = present(self.layer.directory(path))? else { return Ok(()) };
        // The kernel marks only the topmost directory that replaces another one.
        let hides_others = hides_others || is_opaque(layer.as_fd())?;
        let own = names(layer.as_fd())?;
        let mut tasks: Vec<WalkTask> = own
            .iter()
            .map(|name| WalkTask::Entry { path: path.join(name), is_hidden: hides_others })
            .collect();
        let root = if hides_others { present(self.root.directory(path))? } else { None };
        if let Some(root) = root {
            let others = names(root.as_fd())?.into_iter().filter(|name| own.binary_search(name).is_err());
            tasks.extend(others.map(|name| WalkTask::Deleted { path: path.join(name) }));
        }
        self.tasks.extend(tasks.into_iter().rev());
        Ok(())
    }

    /// Compares an entry of the layer with that of the workspace.
    fn entry(&mut self, path: &Path, parents: &Parents, is_hidden: bool) -> io::Result<()> {
        let name = name_of(path);
        let Some(layer) = &parents.layer else { return Ok(()) };
        let Some(found) = self.layer.status_in(layer.as_fd(), name)? else { return Ok(()) };
        let before = match &parents.root {
            Some(root) => self.root.status_in(root.as_fd(), name)?,
            None => None,
        };
        let (new, old) = (kind(&found), before.as_ref().map(kind));
        // A file of a kind that a commit does not create counts as deleted.
        let is_gone = is_whiteout(&found) || (matches!(new, Kind::Socket | Kind::Device) && old != Some(new));
        if is_gone {
            if before.is_some() {
                self.tasks.push(WalkTask::Deleted { path: path.to_owned() });
            }
            return Ok(());
        }
        if new == Kind::Directory {
            self.tasks.push(WalkTask::Compare { path: path.to_owned(), hides_others: is_hidden });
        }
        let action = match (&before, &parents.root) {
            (Some(before), Some(root)) => {
                self.difference(name, (layer.as_fd(), &found), (root.as_fd(), before))?
            }
            _ => Some(Action::Created),
        };
        if let Some(action) = action {
            let change = change(path, action, new, &found);
            self.tasks.push(WalkTask::Add(Box::new(Found { change, before, after: Some(found) })));
        }
        if old == Some(Kind::Directory) && new != Kind::Directory {
            self.below_deleted(path)?;
        }
        Ok(())
    }

    /// Opens the directories of an entry, or returns those of the last one.
    fn parents(&mut self, path: &Path) -> io::Result<Parents> {
        let parent = path.parent().unwrap_or(Path::new(""));
        let open = mem::take(&mut self.open);
        if open.path.as_deref() == Some(parent) {
            return Ok(open);
        }
        Ok(Parents {
            path: Some(parent.to_owned()),
            layer: present(self.layer.directory(parent))?,
            root: present(self.root.directory(parent))?,
        })
    }

    fn deleted(&mut self, path: &Path) -> io::Result<()> {
        let Some(before) = self.root.status(path)? else { return Ok(()) };
        let kind = kind(&before);
        let change = Change { path: path.to_owned(), action: Action::Deleted, kind, mode: None, bytes: None };
        self.tasks.push(WalkTask::Add(Box::new(Found { change, before: Some(before), after: None })));
        if kind == Kind::Directory { self.below_deleted(path) } else { Ok(()) }
    }

    fn below_deleted(&mut self, path: &Path) -> io::Result<()> {
        let Some(directory) = present(self.root.directory(path))? else { return Ok(()) };
        let names = names(directory.as_fd())?;
        self.tasks.extend(names.into_iter().rev().map(|name| WalkTask::Deleted { path: path.join(name) }));
        Ok(())
    }

    /// Returns the difference between two versions of a path; `None` if only its times or owner differ.
    fn difference(
        &self,
        name: &Path,
        (layer, found): (BorrowedFd<'_>, &Stat),
        (root, before): (BorrowedFd<'_>, &Stat),
    ) -> io::Result<Option<Action>> {
        let new = kind(found);
        if kind(before) != new {
            return Ok(Some(Action::Modified));
        }
        let is_equal = match new {
            Kind::File if self.depth == Depth::Names => false,
            Kind::File => self.have_equal_content(name, layer, root)?,
            Kind::Link => {
                let targets = (present(target(layer, name))?, present(target(root, name))?);
                return Ok((targets.0 != targets.1).then_some(Action::Modified));
            }
            Kind::Directory | Kind::Fifo | Kind::Socket | Kind::Device => true,
        };
        if !is_equal {
            return Ok(Some(Action::Modified));
        }
        if changed_permissions(found, before) != before.st_mode & PERMISSIONS {
            return Ok(Some(Action::Mode));
        }
        Ok((!have_equal_lists_at(name, layer, root)?).then_some(Action::Mode))
    }

    /// Compares two files. One that can't be read in the workspace counts as different.
    fn have_equal_content(
        &self,
        name: &Path,
        layer: BorrowedFd<'_>,
        root: BorrowedFd<'_>,
    ) -> io::Result<bool> {
        let before = match self.root.file_in(root, name) {
            Err(error) if is_missing(&error) || error.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(false);
            }
            other => other?,
        };
        let Some(after) = present(self.layer.file_in(layer, name))? else { return Ok(false) };
        have_equal_content(&after, &before)
    }
}

/// Compares the access control lists of a name in two directories. Those of a vanished file count as equal.
fn have_equal_lists_at(name: &Path, layer: BorrowedFd<'_>, root: BorrowedFd<'_>) -> io::Result<bool> {
    match (present(open_path(layer, name))?, present(open_path(root, name))?) {
        (Some(layer), Some(root)) => have_equal_lists(layer.as_fd(), root.as_fd()),
        _ => Ok(true),
    }
}

/// Returns `None` for a path that has vanished.
fn present<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if is_missing(&error) => Ok(None),
        other => other.map(Some),
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
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use rustix::fs::{CWD, FileType, Mode, XattrFlags, makedev, mknodat, setxattr};

    use super::super::renames;
    use super::super::tree::opened::OverlayTree;
    use super::{Action, Depth, Kind, Tree, find};

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
            let layer = Tree::new(layer.into(), OverlayTree::Layer, None);
            let root = Tree::new(root.into(), OverlayTree::Workspace, None);
            let found = find(&layer, &root, Depth::Content).expect("changes");
            let found = found.into_iter().map(|found| found.change).collect();
            let found = renames::find(found, &layer, &root).expect("changes");
            found
                .into_iter()
                .map(|change| {
                    let kind = match change.kind {
                        Kind::File => 'f',
                        Kind::Directory => 'd',
                        Kind::Link => 'l',
                        Kind::Fifo => 'p',
                        Kind::Socket => 's',
                        Kind::Device => 'c',
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
