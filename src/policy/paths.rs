//! Paths: lexical operations, and real paths through an implementation of the caller.

use std::borrow::Cow;
use std::fmt::Debug;

use super::commands::UNKNOWN;
use super::windows;
use crate::text::path::normal;

/// How the paths of a request are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathStyle {
    #[default]
    Unix,
    /// Paths have drives, and names no case. Each is compared in [its one form](super::windows).
    Windows,
}

impl PathStyle {
    /// Returns the style of a path that is absolute.
    #[must_use]
    pub fn of(path: &str) -> Self {
        if windows::is_native(path) { Self::Windows } else { Self::Unix }
    }

    /// Returns a path with slashes, as it is compared: absolute paths begin with one. `directory` is absolute
    /// or unknown.
    pub(super) fn plain<'a>(self, path: &'a str, directory: Option<&str>) -> Cow<'a, str> {
        match self {
            Self::Unix => path.into(),
            Self::Windows => windows::plain(path, directory).into(),
        }
    }

    /// Returns an absolute path without `.`, `..` and doubled slashes. A relative path belongs to
    /// `directory`; `None` if that is unknown.
    #[must_use]
    pub fn resolve(self, directory: Option<&str>, path: &str) -> Option<String> {
        if path.contains(UNKNOWN) {
            return None;
        }
        if self == Self::Windows {
            return windows::absolute(path, directory).map(|absolute| absolute.path);
        }
        let joined = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", directory?) };
        Some(normal(&joined))
    }
}

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

/// Returns whether a path is a directory or lies below it. Both paths are absolute and normal.
pub(super) fn is_below(path: &str, directory: &str) -> bool {
    let rest = path.strip_prefix(directory.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
