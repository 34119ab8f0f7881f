//! Requests about files, and their answers: plain data, which [`crate::wire`] encodes.

use std::io;

use serde::{Deserialize, Serialize};

use crate::process::errno::Errno;
use crate::wire::raw;

/// The longest piece of a file in one request or answer (bytes). A larger one saves no time: the streams
/// between both sides take 64 KiB at once.
pub const PIECE: usize = 256 * 1024;

/// A path, and the root that must contain what it leads to. The paths are bytes without NUL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootedPath {
    /// The directory that must contain everything, by real path. A relative `path` is below it.
    #[serde(with = "raw")]
    pub root: Option<Vec<u8>>,
    /// Symbolic links in this path are followed, if they stay in the root.
    #[serde(with = "raw")]
    pub path: Vec<u8>,
    /// The names below `path`, of which none may be a symbolic link, except the last one where a request says
    /// so.
    #[serde(with = "raw")]
    pub below: Vec<Vec<u8>>,
}

impl RootedPath {
    /// Returns the place of an entry of this directory.
    #[must_use]
    pub fn child(&self, name: &[u8]) -> Self {
        let mut child = self.clone();
        child.below.push(name.to_vec());
        child
    }

    /// Returns the place of the directory above, if the path names it.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let mut parent = self.clone();
        if parent.below.pop().is_some() {
            return Some(parent);
        }
        let end = parent.path.iter().rposition(|&byte| byte != b'/')? + 1;
        let slash = parent.path[..end].iter().rposition(|&byte| byte == b'/').filter(|&slash| slash > 0)?;
        parent.path.truncate(slash);
        Some(parent)
    }
}

/// A request about a file or a directory below a root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    Stat {
        place: RootedPath,
        /// Whether a symbolic link stands for what it leads to.
        follows: bool,
    },
    /// Reads a piece of a file. Less than `most` bytes are the end of the file.
    Read {
        place: RootedPath,
        from: u64,
        most: usize,
    },
    /// Asks for the ranges of a file that have data.
    Ranges {
        place: RootedPath,
    },
    /// Asks for the entries of a directory whose names follow this one: the first page of them.
    List {
        place: RootedPath,
        #[serde(with = "raw")]
        after: Option<Vec<u8>>,
    },
    Write {
        place: RootedPath,
        piece: Piece,
    },
    /// Puts a whole small file in place of what is there, at once.
    Put {
        place: RootedPath,
        #[serde(with = "raw")]
        bytes: Vec<u8>,
        attributes: Attributes,
    },
    /// Asks for the size of a partial copy.
    Partial {
        place: RootedPath,
        tag: u64,
    },
    /// Puts a partial copy in place of what is there, at once.
    Finish {
        place: RootedPath,
        tag: u64,
        size: u64,
        attributes: Attributes,
    },
    DropPartial {
        place: RootedPath,
        tag: u64,
    },
    MakeDirectory {
        place: RootedPath,
        recursive: bool,
        mode: Option<u32>,
    },
    /// Makes a symbolic link, in place of a file or link.
    Link {
        place: RootedPath,
        #[serde(with = "raw")]
        to: Vec<u8>,
    },
    /// Gives a file another name, in place of a file or link.
    HardLink {
        place: RootedPath,
        existing: RootedPath,
    },
    Change {
        place: RootedPath,
        attributes: Attributes,
    },
    Remove {
        place: RootedPath,
        recursive: bool,
    },
}

/// A piece of a file that is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    pub at: u64,
    #[serde(with = "raw")]
    pub bytes: Vec<u8>,
    /// The partial copy that is written; `None` for the file itself.
    pub tag: Option<u64>,
    /// Whether the file is created, and emptied, first.
    pub begins: bool,
    /// The permissions of a new file; by default what the umask leaves.
    pub mode: Option<u32>,
}

/// The attributes of a file. `None` leaves it as it is, or as it is by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes {
    pub mode: Option<u32>,
    pub accessed: Option<Time>,
    pub modified: Option<Time>,
}

/// A time since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Time {
    pub seconds: i64,
    pub nanoseconds: u32,
}

/// The types of what has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileKind {
    File,
    Directory,
    Link,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStat {
    pub kind: FileKind,
    /// The permissions and the type, as the system has them.
    pub mode: u32,
    pub size: u64,
    /// The space that is used (units of 512 bytes).
    pub blocks: u64,
    pub device: u64,
    pub inode: u64,
    pub links: u64,
    pub user: u32,
    pub group: u32,
    pub accessed: Time,
    pub modified: Time,
    pub changed: Time,
}

/// A name in a directory, with the facts of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoryEntry {
    #[serde(with = "raw")]
    pub name: Vec<u8>,
    pub stat: FileStat,
    /// The target of a symbolic link.
    #[serde(with = "raw")]
    pub link: Option<Vec<u8>>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Response {
    Done,
    /// Whether the directory is new.
    Created(bool),
    Size(u64),
    Found(FileStat),
    Data {
        stat: FileStat,
        #[serde(with = "raw")]
        bytes: Vec<u8>,
    },
    /// Beginnings and ends.
    Ranges(Vec<(u64, u64)>),
    Listed {
        entries: Vec<DirectoryEntry>,
        /// Whether more entries follow.
        has_more: bool,
    },
    Failed(FileError),
}

/// The reasons why a request fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum FileError {
    #[error("{}", io::Error::from_raw_os_error(.0.0))]
    System(Errno),
    /// The path leads out of the root.
    #[error("the path leads out of the root")]
    Outside,
    /// The file is a pipe, a socket or a device.
    #[error("not a file")]
    NotFile,
}

impl FileError {
    #[must_use]
    pub const fn system(number: i32) -> Self {
        Self::System(Errno(number))
    }
}

impl From<rustix::io::Errno> for FileError {
    fn from(errno: rustix::io::Errno) -> Self {
        Self::system(errno.raw_os_error())
    }
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        Self::System(Errno::of(&error))
    }
}
