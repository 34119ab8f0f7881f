//! What a decision depends on besides the command line.

use super::commands::Surroundings;
use super::lists::Policy;
use super::paths::{Paths, is_below};
use crate::syntax::Syntax;

/// What a decision depends on besides the command line: the policy, the shell, the directory, the
/// environment.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub policy: &'a Policy,
    /// The language of the shell that will run the command line; `None` for a language that the policy does
    /// not read.
    pub syntax: Option<Syntax>,
    /// The directory in which the command line runs, absolute; `None` if it is unknown.
    pub directory: Option<&'a str>,
    /// The directory below which an allow rule covers writing, absolute; `None` for the working directory.
    pub root: Option<&'a str>,
    /// The environment: `NAME=value`, each with a NUL after it; `None` if any variable may have any value.
    pub environment: Option<&'a str>,
    pub paths: &'a dyn Paths,
}

impl<'a> Request<'a> {
    pub(super) fn root(&self) -> Option<&'a str> {
        self.root.or(self.directory)
    }

    pub(super) fn surroundings(&self) -> Surroundings<'a> {
        Surroundings { directory: self.directory, environment: self.environment }
    }

    /// Returns the real path of a file, absolute or in `directory`; `None` if it is unknown.
    pub(super) fn real_path(&self, path: &str, directory: Option<&str>) -> Option<String> {
        let joined = match (path.starts_with('/'), directory) {
            (true, _) => path.to_owned(),
            (false, Some(directory)) => format!("{directory}/{path}"),
            (false, None) => return None,
        };
        self.paths.real(&joined)
    }

    /// Returns whether a path is the root or lies below it, by real path.
    pub(super) fn is_inside_root(&self, path: &str, directory: Option<&str>) -> bool {
        let root = self.root().and_then(|root| self.paths.real(root));
        root.zip(self.real_path(path, directory)).is_some_and(|(root, real)| is_below(&real, &root))
    }
}
