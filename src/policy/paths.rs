//! Real paths, by an implementation from outside.

use std::fmt::Debug;

use super::commands::scope::normal;

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
