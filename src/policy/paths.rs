//! Paths: lexical operations, and real paths through an implementation of the caller.

use std::fmt::Debug;

use super::commands::UNKNOWN;
use crate::text::path::normal;

/// The symbolic links of a file system. The policy makes no system calls, so its caller passes an
/// implementation.
pub trait Paths: Debug {
    /// Returns the real path of an absolute path, as far as it exists; `None` if it is unknown.
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

/// Returns an absolute path without `.`, `..` and doubled slashes. A relative path belongs to `directory`;
/// `None` if that is unknown.
#[must_use]
pub fn resolve(directory: Option<&str>, path: &str) -> Option<String> {
    if path.contains(UNKNOWN) {
        return None;
    }
    let joined = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", directory?) };
    Some(normal(&joined))
}

/// Returns whether a path is a directory or lies below it. Both paths are absolute and normal.
pub(super) fn is_below(path: &str, directory: &str) -> bool {
    let rest = path.strip_prefix(directory.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
