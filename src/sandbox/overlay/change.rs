//! The changes of a workspace by the layer of an overlay.

use std::path::PathBuf;

/// The type of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A named pipe.
    Fifo,
}

/// The change of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// The workspace does not have it.
    Created,
    /// Its content, target or kind differs.
    Modified,
    /// The layer hides it.
    Deleted,
    /// A file with the content of a deleted one, whose path this is.
    Renamed(PathBuf),
    /// Its permissions alone differ.
    Mode,
}

/// A change of one path. A directory that is created or deleted has a change for each path below it too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path below the root.
    pub path: PathBuf,
    /// What becomes of it.
    pub action: Action,
    /// What it is: of a deleted path, what it was.
    pub kind: Kind,
    /// The permissions that it gets; `None` for deleted paths and links.
    pub mode: Option<u32>,
    /// The size of a file (bytes); `None` for everything else.
    pub bytes: Option<u64>,
}
