//! Where symbolic links lead.

use std::fmt::Debug;

use super::commands::scope::normal;

/// The symbolic links of a file system. This room makes no system calls: its user hands over an implementation that does.
pub trait Paths: Debug {
    /// The real path of an absolute path, as far as it exists; `None` if it can't be told.
    fn real(&self, path: &str) -> Option<String>;
}

/// Paths without any symbolic links.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLinks;

impl Paths for NoLinks {
    fn real(&self, path: &str) -> Option<String> {
        Some(normal(path))
    }
}
