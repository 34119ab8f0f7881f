//! The surroundings of a command line that is judged.

use super::commands::Surroundings;
use super::lists::Policy;
use super::paths::{Paths, is_below};
use crate::syntax::Syntax;

/// The surroundings of a command line: the policy, the shell and the directory.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The language of the shell that will run the command line; `None` for a language that is not read.
    pub syntax: Option<Syntax>,
    /// The directory in which the command line runs, absolute; `None` if it is not known.
    pub directory: Option<&'a str>,
    /// The directory below which an allow rule covers writing, absolute; the working directory if it is
    /// absent.
    pub root: Option<&'a str>,
    /// The environment: `NAME=value` with a NUL behind each; `None` if any variable may have any value.
    pub environment: Option<&'a str>,
    /// The symbolic links of the file system.
    pub paths: &'a dyn Paths,
}

impl<'a> Request<'a> {
    pub(super) fn root(&self) -> Option<&'a str> {
        self.root.or(self.directory)
    }

    pub(super) fn surroundings(&self) -> Surroundings<'a> {
        Surroundings { directory: self.directory, environment: self.environment }
    }

    /// Returns the real path of a file, absolute or in `directory`; `None` where that is not known.
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
