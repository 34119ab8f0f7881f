//! The changes that the layer of an overlay makes to its workspace.

use std::path::PathBuf;

/// The type of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file.
    File,
    Directory,
    /// A symbolic link.
    Link,
    /// A named pipe.
    Fifo,
    /// A socket. No commit creates one.
    Socket,
    /// A device. No commit creates one.
    Device,
}

/// The change of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// The workspace does not have the path.
    Created,
    /// The content, target or kind differs.
    Modified,
    /// The layer hides the path.
    Deleted,
    /// A file with the content of a deleted one, whose path this is.
    Renamed(PathBuf),
    /// Only the permissions differ.
    Mode,
}

/// A change of one path. A directory that is created or deleted has a change for each path below it too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path below the root.
    pub path: PathBuf,
    /// How the path changes.
    pub action: Action,
    /// The kind of the file; of a deleted path, its former kind.
    pub kind: Kind,
    /// The new permissions; `None` for deleted paths and links.
    pub mode: Option<u32>,
    /// The size of a file (bytes); `None` for everything else.
    pub bytes: Option<u64>,
}
