//! The facts of the machine and the user that a plan depends on besides the options.

use std::path::{Path, PathBuf};

use super::{AttachedFile, OverlayMount, Tier};

/// The input of a plan besides the options.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    /// The workspace.
    pub root: &'a Path,
    /// The home directory, if HOME is set.
    pub home: Option<&'a Path>,
    /// The best mechanism of this machine, by the probe.
    pub tier: Tier,
    /// The kernel's version of Landlock, 0 without it.
    pub landlock: u32,
    /// The private directories of this root.
    pub private: &'a PrivatePaths,
    /// The directory of the journal of stubs.
    pub journal: &'a Path,
    /// The directories of the engine's files for the command: writable at each level, and never hidden. A
    /// file among them is read-only.
    pub files: &'a [PathBuf],
    /// The files of the engine that commands see in place of others, or of none.
    pub attached: &'a [AttachedFile],
    /// The directories of durable jobs, which are hidden: their sockets lead out of the sandbox.
    pub durable: &'a [PathBuf],
    /// The overlay over the workspace.
    pub overlay: Option<&'a OverlayMount>,
}

/// Directories of the engine, outside of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivatePaths {
    /// The parent of the directories below. It is hidden.
    pub directory: PathBuf,
    /// The private `/tmp`.
    pub tmp: PathBuf,
    /// The layer and the work directory of the private home; `None` where the kernel has no such mounts.
    pub home: Option<(PathBuf, PathBuf)>,
    /// The home of isolated commands.
    pub empty_home: PathBuf,
}
