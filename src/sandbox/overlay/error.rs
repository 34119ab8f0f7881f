//! The errors of an overlay.

use std::io;
use std::path::{Path, PathBuf};

use super::change::Change;
use super::conflict::Conflict;
use crate::process::errno::Errno;

/// The largest number of paths that a text names.
const MAX_NAMED: usize = 8;

/// The reason why an operation on an overlay did nothing, or only a part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverlayError {
    /// The layer can't be made or read.
    #[error("the overlay's layer can't be used: {0}")]
    Layer(String),
    /// The kernel does not mount the overlay.
    #[error("the overlay can't be mounted: {0}")]
    Mount(String),
    /// The workspace of a command is not that of the overlay.
    #[error("the overlay is over '{}', which must be the root of its commands", .0.display())]
    Root(PathBuf),
    /// Commands use the overlay.
    #[error("commands run in the overlay still. End them first, and its sessions")]
    Busy,
    /// The workspace has changed at the same paths.
    #[error("{} in the workspace meanwhile: {}. Nothing was committed.", counted(.0.len()), named(.0.iter().map(|conflict| &*conflict.path)))]
    Conflict(Vec<Conflict>),
    /// The changes have protected paths.
    #[error("the sandbox of the overlay's commands protects {}. Nothing was committed; choose other paths.", named(.0.iter().map(PathBuf::as_path)))]
    Protected(Vec<PathBuf>),
    /// The system's error for a path.
    #[error("'{}': {}", path.display(), errno.name())]
    Path { path: PathBuf, errno: Errno },
    /// A commit failed at a path.
    #[error(
        "'{}': {}. {} applied before; commit again to apply the rest.", path.display(), errno.name(), changes(applied.len())
    )]
    Interrupted { path: PathBuf, errno: Errno, applied: Vec<Change> },
    /// The file system of the workspace can't be written to its disk.
    #[error("the workspace can't be written to the disk: {}. Commit again, which writes what is missing.", errno.name())]
    Unsynced { errno: Errno, applied: Vec<Change> },
    /// The workspace has changed at a path while a commit was working.
    #[error(
        "'{}' changed in the workspace during the commit. {} applied before; look at conflicts(), and commit again \
         to apply the rest.", path.display(), changes(applied.len())
    )]
    Overtaken { path: PathBuf, applied: Vec<Change> },
    /// The path of the root leads to another directory, or to none.
    #[error("'{}' is no longer the directory that it was when the overlay was created", .0.display())]
    Replaced(PathBuf),
    /// The caller has named paths that neither the workspace nor the layer has.
    #[error("options.paths: expected paths of the workspace or of changes, got {}, where nothing is. Nothing was done.", named(.0.iter().map(PathBuf::as_path)))]
    Unknown(Vec<PathBuf>),
    /// The commands wrote more than they may.
    #[error(
        "the commands of the overlay have written {size} bytes, more than maxBytes ({limit}). Commit or discard what they wrote."
    )]
    Full { size: u64, limit: u64 },
}

impl OverlayError {
    /// Returns the stable error code that JavaScript gets.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Mount(_) => "SANDBOX_UNAVAILABLE",
            Self::Root(_) | Self::Replaced(_) => "OVERLAY_ROOT",
            Self::Layer(_)
            | Self::Path { .. }
            | Self::Interrupted { .. }
            | Self::Unsynced { .. }
            | Self::Overtaken { .. } => "OVERLAY_FAILED",
            Self::Unknown(_) => "OVERLAY_PATH",
            Self::Busy => "OVERLAY_BUSY",
            Self::Conflict(_) => "OVERLAY_CONFLICT",
            Self::Protected(_) => "OVERLAY_PROTECTED",
            Self::Full { .. } => "OVERLAY_FULL",
        }
    }

    pub(super) fn at(path: &Path, error: &io::Error) -> Self {
        Self::Path { path: path.to_owned(), errno: Errno::of(error) }
    }
}

/// Returns the error of the layer's directory.
#[allow(clippy::needless_pass_by_value, reason = "it is a function for `map_err`")]
pub(super) fn failed(error: io::Error) -> OverlayError {
    OverlayError::Layer(error.to_string())
}

fn counted(number: usize) -> String {
    if number == 1 { "1 path changed".to_owned() } else { format!("{number} paths changed") }
}

fn changes(number: usize) -> String {
    if number == 1 { "1 change was".to_owned() } else { format!("{number} changes were") }
}

fn named<'a>(paths: impl ExactSizeIterator<Item = &'a Path>) -> String {
    let more = paths.len().saturating_sub(MAX_NAMED);
    let mut names: Vec<String> = paths.take(MAX_NAMED).map(|path| path.display().to_string()).collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}
