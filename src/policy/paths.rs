//! Paths: as they stand, and real ones by an implementation from outside.

use std::fmt::Debug;

use super::commands::UNKNOWN;
use crate::text::path::normal;

/// The symbolic links of a file system. The policy makes no system calls: its caller passes an implementation that does.
pub trait Paths: Debug {
    /// Returns the real path of an absolute path, as far as it exists; `None` if it is not known.
    fn real(&self, path: &str) -> Option<String>;
}

/// A file system without symbolic links.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLinks;

impl Paths for NoLinks {
    fn real(&self, path: &str) -> Option<String> {
        Some(normal(path))
    }
}

/// Returns an absolute path without `.`, `..` and doubled slashes; a relative path belongs to `directory`. `None` where either is
/// not known.
#[must_use]
pub fn resolve(directory: Option<&str>, path: &str) -> Option<String> {
    if path.contains(UNKNOWN) {
        return None;
    }
    let joined = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", directory?) };
    Some(normal(&joined))
}

/// Returns whether a path is a directory or lies below it. Both are absolute and normal.
pub(super) fn is_below(path: &str, directory: &str) -> bool {
    let rest = path.strip_prefix(directory.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
